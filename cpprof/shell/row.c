/* Finds a command by its name or by the beginning of it. */
#include "cpprof/shell/row.h"

#include <string.h>

#include "cpprof/message.h"
#include "lib/text.h"

#define ROWS_MAX 128

static int no_command(
	const struct shell_row *rows, const char *word, struct err *err)
{
	const char *names[ROWS_MAX];
	size_t n = 0;

	for (const struct shell_row *c = rows; c->name && n < ROWS_MAX - 1;
		c++) {
		names[n++] = c->name;
		if (c->alias)
			names[n++] = c->alias;
	}
	err_set(err, word, NULL, "no such command");
	return message_hint(err, word, names, n, "'help' lists the commands");
}

const struct shell_row *row_find(
	const struct shell_row *rows, const char *word, struct err *err)
{
	const struct shell_row *found = NULL;
	size_t len = strlen(word), n = 0;
	char list[256] = "";

	for (const struct shell_row *c = rows; c->name; c++) {
		if (c->alias && !strcmp(c->alias, word))
			return c;
		if (strncmp(c->name, word, len) != 0 || !len)
			continue;
		if (!c->name[len])
			return c;
		found = c;
		text_list(list, sizeof list, c->name);
		n++;
	}
	if (n == 1)
		return found;
	if (n == 0) {
		no_command(rows, word, err);
	} else {
		err_say(err, word, NULL, "ambiguous command", "it could be: %s",
			list);
	}
	return NULL;
}
