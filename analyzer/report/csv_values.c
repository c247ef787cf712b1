/* csv_values.c - quoted fields. */
#include "analyzer/report/csv_values.h"

#include <inttypes.h>
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

static int put_list(FILE *out, const json_t *list, const char *member)
{
	size_t i;
	json_t *item;

	fputc('"', out);
	json_array_foreach(list, i, item)
	{
		const char *text = json_string_value(
			json_is_object(item) ? json_object_get(item, member)
					     : item);

		if (csv_text(out, (uint32_t)i, text ? text : ""))
			return -1;
	}
	fputc('"', out);
	return 0;
}

int csv_value(
	FILE *out, const json_t *value, const char *member, const char *form)
{
	if (json_is_array(value))
		return put_list(out, value, member);
	if (json_is_string(value)) {
		fputc('"', out);
		if (csv_text(out, 0, json_string_value(value)))
			return -1;
		fputc('"', out);
	} else if (json_is_integer(value)) {
		fprintf(out, *form == 'x' ? "0x%" PRIx64 : "%" PRId64,
			(int64_t)json_integer_value(value));
	} else if (json_is_boolean(value)) {
		fputs(json_is_true(value) ? "true" : "false", out);
	} else if (json_is_real(value)) {
		fprintf(out, *form == 'g' ? "%.*g" : "%.*f", atoi(form + 1),
			json_real_value(value));
	}
	return 0;
}
