/* demangle - names against what their mangling rules say, and hostile ones. */
#include "config.h"

#include <string.h>

#include "lib/elf/demangle.h"
#include "t/lib/tap.h"

static const struct {
	const char *linkage, *shown;
} rows[] = {
	{"_Z1fi", "f(int)"},
	{"_ZN2ns3Foo3barEPKc", "ns::Foo::bar(char const*)"},
	{"_ZNSt6vectorIiSaIiEE9push_backEOi",
		"std::vector<int, std::allocator<int> >::push_back(int&&)"},
	{"_Z1fi.cold", "f(int).cold"},
	{"_Z1fi.constprop.0.isra.1", "f(int).constprop.0.isra.1"},
	{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		"core::fmt::Write::write_fmt"},
	{"_RNvC6_123foo3bar", "123foo::bar"},
	{"_D3std5stdio7writelnFAyaZv", "std.stdio.writeln(immutable(char)[])"},
	{"main", ""},
	{"_start", ""},
	{"_Z", ""},
	{"_R", ""},
	{"_D", ""},
	{"", ""},
};

static const struct {
	const char *name, *base;
} clones[] = {
	{"foo", "foo"},
	{"foo.cold", "foo"},
	{"foo.cold.3", "foo"},
	{"foo.part.0", "foo"},
	{"foo.constprop.12.isra.0.cold", "foo"},
	{"f(int).lto_priv.7", "f(int)"},
	{"foo.llvm.1234567890", "foo"},
	{"foo.part", "foo.part"},
	{"foo.0", "foo.0"},
	{"main.main", "main.main"},
	{".cold", ".cold"},
	{"", ""},
};

/* Ends of names that have no room otherwise. */
static const struct {
	const char *linkage, *end;
} methods[] = {
	{"3useEi", ">::use(int)"},
	{"lsEi", ">::operator<<(int)"},
	{"ptEi", ">::operator->(int)"},
	{"clEi", ">::operator()(int)"},
	{"3useIiEEvi", ">::use<int>(int)"},
};

/* f(pair<pair<...>, the same>): doubles with each level. */
static void exponential(char *name, size_t levels)
{
	char *p = name + sprintf(name, "_Z1fI1pIiiE");

	for (size_t i = 0; i < levels && p < name + 1000; i++)
		p += sprintf(p, "1pIS%.*s_S%.*s_E", i > 0,
			&"0123456789"[i % 10], i > 0, &"0123456789"[i % 10]);
	strcpy(p, "Evv");
}

/* q::r<a..., p<a..., a..., ...>>::METHOD: of 100 letters, and 60 times. */
static void method(char *name, const char *method)
{
	char *p = name + sprintf(name, "_ZN1q1rI100");

	memset(p, 'a', 100);
	p += 100;
	p += sprintf(p, "1pI");
	for (int i = 0; i < 60; i++)
		p += sprintf(p, "S1_");
	sprintf(p, "EE%s", method);
}

int main(void)
{
	static char buf[DEMANGLE_OUTPUT_MAX], name[20000];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int known = demangle(rows[i].linkage, buf);

		ok(strcmp(buf, rows[i].shown) == 0 &&
				known == (*rows[i].shown != '\0'),
			"'%s' is '%s', got '%s'", rows[i].linkage,
			rows[i].shown, buf);
	}
	for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
		ok(demangle_clone_base(clones[i].name) ==
				strlen(clones[i].base),
			"'%s' is of '%s'", clones[i].name, clones[i].base);
	demangle_or_copy("runtime.goexit.abi0", buf);
	ok(!strcmp(buf, "runtime.goexit"),
		"of Go's as its own table has it: %s", buf);
	for (size_t levels = 1; levels < 60; levels++) {
		exponential(name, levels);
		demangle(name, buf);
		if (strlen(buf) >= DEMANGLE_OUTPUT_MAX)
			ok(false, "output is bounded");
	}
	ok(true, "names that double with each level end");
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		method(name, methods[i].linkage);
		demangle(name, buf);
		ok(strstr(buf, "a, p<...>") && strstr(buf, methods[i].end) &&
				!strcmp(strstr(buf, methods[i].end),
					methods[i].end),
			"inner arguments go, not '%s': %.60s", methods[i].end,
			buf);
	}
	memset(name, 'P', sizeof name - 1);
	memcpy(name, "_Z1f", 4);
	ok(!demangle(name, buf), "absurd lengths are left alone");
	name[4000] = '\0';
	demangle(name, buf);
	ok(strlen(buf) < DEMANGLE_OUTPUT_MAX, "deep nesting ends");
	return done_testing();
}
