/* demangle_clone.c - the suffixes that compilers give to copies and pieces. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "lib/elf/demangle.h"

static const struct {
	const char *text;
	bool number; /* ".N" may follow */
	bool needed; /* ... and must */
} clone_suffixes[] = {
	{".cold", true, false},
	{".part", true, true},
	{".constprop", true, true},
	{".isra", true, true},
	{".lto_priv", true, true},
	{".llvm", true, true},
	{".localalias", true, false},
	{".local_alias", true, false},
	{".warm", false, false},
	{".hot", true, false},
	{".clone", true, true},
};

static size_t without_number(const char *name, size_t n)
{
	size_t i = n;

	while (i > 0 && isdigit((unsigned char)name[i - 1]))
		i--;
	return i < n && i > 0 && name[i - 1] == '.' ? i - 1 : n;
}

static size_t without_suffix(const char *name, size_t n)
{
	size_t bare = without_number(name, n);

	for (size_t i = 0; i < sizeof clone_suffixes / sizeof *clone_suffixes;
		i++) {
		const char *text = clone_suffixes[i].text;
		size_t len = strlen(text);

		if (clone_suffixes[i].number && bare < n && bare > len &&
			memcmp(name + bare - len, text, len) == 0)
			return bare - len;
		if (!clone_suffixes[i].needed && n > len &&
			memcmp(name + n - len, text, len) == 0)
			return n - len;
	}
	return n;
}

size_t demangle_go_base(const char *name)
{
	size_t n = strlen(name), abi = strlen(".abi0");

	return n > abi && !strcmp(name + n - abi, ".abi0") ? n - abi : n;
}

size_t demangle_clone_base(const char *name)
{
	size_t n = strlen(name), shorter;

	while ((shorter = without_suffix(name, n)) < n)
		n = shorter;
	return n;
}
