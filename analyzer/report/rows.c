/* rows.c - entries one by one, since they can be many. */
#include "analyzer/report/rows.h"

#include <string.h>

#include "analyzer/report/csv_values.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report_private.h"

#define COLUMNS_MAX 16

struct csv_column {
	char name[64], key[64], member[64], form[64];
	bool text;
};

/* Cuts the next column off *REST. */
static void cut_column(const char **rest, struct csv_column *c)
{
	char word[64], *to;
	size_t n = strcspn(*rest, ",");

	*c = (struct csv_column){.text = **rest == '"', .form = "f5"};
	snprintf(word, sizeof word, "%.*s", (int)(n - 2 * c->text),
		*rest + c->text);
	*rest += n + ((*rest)[n] == ',');
	if ((to = strchr(word, ':')))
		snprintf(c->form, sizeof c->form, "%s", to + 1);
	word[strcspn(word, ":")] = '\0';
	if ((to = strchr(word, '.')))
		snprintf(c->member, sizeof c->member, "%s", to + 1);
	word[strcspn(word, ".")] = '\0';
	to = strchr(word, '=');
	snprintf(c->key, sizeof c->key, "%s", to ? to + 1 : word);
	word[strcspn(word, "=")] = '\0';
	snprintf(c->name, sizeof c->name, "%s", word);
}

static int put_cell(
	FILE *out, const struct csv_column *column, json_t *const from[3])
{
	json_t *value = NULL;

	for (size_t i = 0; i < 3 && !value; i++)
		value = json_object_get(from[i], column->key);
	if (column->text && (!value || json_is_null(value)))
		fputs("\"\"", out);
	else if (json_is_string(value) && !column->text)
		fputs(json_string_value(value), out);
	else
		return csv_value(out, value, column->member, column->form);
	return 0;
}

/* Writes the line of OBJECT, a part of ENTRY. */
static int put_line(FILE *out, const struct csv_column *columns, size_t n,
	json_t *object, json_t *entry, json_t *head)
{
	json_t *const from[] = {object, entry, head};

	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		if (put_cell(out, &columns[i], from))
			return -1;
	}
	fputc('\n', out);
	return 0;
}

static int put_lines(FILE *out, const struct csv_column *columns, size_t n,
	const struct rows *rows, json_t *entry, json_t *head)
{
	json_t *lines =
		rows->lines ? rows->lines(entry) : json_pack("[O]", entry);
	json_t *object;
	int status = lines ? 0 : -1;
	size_t i;

	json_array_foreach(lines, i, object)
	{
		if (!status)
			status = put_line(out, columns, n, object, entry, head);
	}
	json_decref(lines);
	return status;
}

int rows_csv(FILE *out, json_t *head, const struct rows *rows)
{
	struct csv_column columns[COLUMNS_MAX];
	int status = head ? 0 : -1;
	size_t n = 0;

	for (const char *rest = rows->columns; *rest && n < COLUMNS_MAX; n++) {
		cut_column(&rest, &columns[n]);
		fprintf(out, "%s%s", n ? "," : "", columns[n].name);
	}
	fputc('\n', out);
	for (size_t i = 0; i < rows->n && !status; i++) {
		json_t *entry = rows->entry(rows->of, i);

		if (!json_is_null(entry))
			status = put_lines(out, columns, n, rows, entry, head);
		json_decref(entry);
	}
	json_decref(head);
	return status;
}

int rows_json(FILE *out, json_t *head, const struct rows *rows)
{
	const char *between = "";

	if (json_put(out, head, 0, 1))
		return -1;
	fputs(",\"entries\":[", out);
	for (size_t i = 0; i < rows->n; i++) {
		json_t *entry = rows->entry(rows->of, i);

		if (json_is_null(entry))
			continue;
		fputs(between, out);
		between = ",";
		if (json_put(out, entry, 0, 0))
			return -1;
	}
	fputc(']', out);
	if (rows->tail) {
		fputc(',', out);
		if (json_put(out, json_incref(rows->tail), 1, 1))
			return -1;
	}
	fputs("}\n", out);
	return 0;
}
