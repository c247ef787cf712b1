#include "lib/finer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEW 20
#define ENOUGH 1000
/* us.  A sample by a clock takes the program up to 20 us, so at 10 us the
   sampling takes four times what the program does. */
#define FINEST_CLOCK 100

uint64_t finer_interval(const struct finer_resource *r)
{
	uint64_t wanted = r->consumed / ENOUGH, finer = 1, least = r->least;

	if (r->samples >= FEW || r->consumed / FEW >= r->interval)
		return 0;
	while (wanted >= 10) {
		wanted /= 10;
		finer *= 10;
	}
	finer *= wanted >= 5 ? 5 : wanted >= 2 ? 2 : 1;
	if (r->unit == TEXT_USEC && least < FINEST_CLOCK)
		least = FINEST_CLOCK;
	if (finer < least)
		finer = least;
	/* twice the samples, or it is not worth another run */
	return finer <= r->interval / 2 && r->consumed / 2 >= finer ? finer : 0;
}

/* "cpu:10us": no blank in it. */
static void put_resource(FILE *out, const struct finer_resource *r)
{
	uint64_t finer = finer_interval(r);
	char every[64];

	text_gticks(finer ? finer : r->interval, r->unit, every, sizeof every);
	fprintf(out, "%s:", r->name);
	for (const char *s = every; *s; s++)
		if (*s != ' ')
			fputc(*s, out);
}

static void put_quoted(FILE *out, const char *word)
{
	char *quoted = text_quoted(word);

	fprintf(out, " %s", quoted ? quoted : "...");
	free(quoted);
}

char *finer_command(const struct finer_resource *resources, size_t n,
	const char *const *argv)
{
	char *list = NULL, *text = NULL;
	size_t size, finer = 0;
	FILE *out = open_memstream(&list, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		finer += finer_interval(&resources[i]) != 0;
		fputs(i ? "," : "", out);
		put_resource(out, &resources[i]);
	}
	if (fclose(out) || !finer || !(out = open_memstream(&text, &size))) {
		free(list);
		return NULL;
	}
	fputs("cpprof run -r", out);
	put_quoted(out, list);
	fputs(" --", out);
	for (; *argv; argv++)
		put_quoted(out, *argv);
	free(list);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
