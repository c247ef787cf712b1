/* Replaces %h, %p and the like in a file's name. */
#include "cpprof/collect/pattern.h"
#include "lib/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

static void put_host(FILE *out)
{
	struct utsname name;

	if (uname(&name) == 0)
		for (const char *c = name.nodename; *c; c++)
			fputc(*c == '/' ? '_' : *c, out);
}

/* What %LETTER stands for; false where it stands for nothing. */
static bool put(FILE *out, char letter, const char *program)
{
	switch (letter) {
	case '%':
		fputc('%', out);
		return true;
	case 'p':
		fprintf(out, "%d", (int)getpid());
		return true;
	case 'h':
		put_host(out);
		return true;
	case 'e':
		fputs(text_base_name(program), out);
		return true;
	default:
		return false;
	}
}

static int no_pattern(const char *pattern, const char *at, struct err *err)
{
	/* a letter of several bytes is shown whole */
	int n = at[1] ? 1 : 0;

	while (n && ((unsigned char)at[1 + n] & 0xc0) == 0x80)
		n++;
	err_set(err, pattern, NULL, "%.*s: no such pattern", 1 + n, at);
	return err_hint(err,
		"there are %%p (process id of cpprof), %%h (host), %%e "
		"(program) and %%%% (a %%)");
}

char *pattern_expand(const char *pattern, const char *program, struct err *err)
{
	char *name = NULL;
	size_t size;
	FILE *out = open_memstream(&name, &size);

	if (!out) {
		err_sys(err, pattern, NULL);
		return NULL;
	}
	for (const char *c = pattern; *c; c++) {
		if (*c != '%') {
			fputc(*c, out);
		} else if (put(out, c[1], program)) {
			c++;
		} else {
			fclose(out);
			free(name);
			no_pattern(pattern, c, err);
			return NULL;
		}
	}
	if (fclose(out) == 0)
		return name;
	err_sys(err, pattern, NULL);
	free(name);
	return NULL;
}
