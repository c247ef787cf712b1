/* csv_values.c - quoted fields. */
#include "analyzer/report/csv_values.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/report/report_private.h"

/* A quoted field's text: quotation marks are doubled. */
static void put_quoted(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
}

int csv_text(FILE *out, uint32_t i, const char *text)
{
	char *escaped = report_escape(text, ";");
	bool formula = *text && strchr("=+-@", *text);

	if (!escaped)
		return -1;
	if (i)
		fputc(';', out);
	else if (formula)
		fprintf(out, "\\x%02x", (unsigned)*text);
	put_quoted(out, escaped + (!i && formula));
	free(escaped);
	return 0;
}

int csv_field(FILE *out, const char *text)
{
	fputc('"', out);
	if (csv_text(out, 0, text))
		return -1;
	fputs("\",", out);
	return 0;
}
