/* Writes commands as a shell takes them. */
#include "lib/run/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

char *command_quoted(const char *word, char *buf, size_t size)
{
	char shown[512], *quoted;

	quoted = text_quoted(text_escape(word, shown, sizeof shown));
	snprintf(buf, size, "%s", quoted ? quoted : "...");
	if (quoted && strlen(quoted) >= size && size > 1 && *quoted == '\'')
		buf[size - 2] = '\'';
	free(quoted);
	return buf;
}

char *command_on(const char *command, const char *file, char *buf, size_t size)
{
	char name[1024] = "";
	bool same = strcmp(file, DEFAULT_FILE) == 0;

	if (!same)
		command_quoted(file, name, sizeof name);
	snprintf(buf, size, "cpprof%s%s%s%s", *command ? " " : "", command,
		same ? "" : " ", name);
	return buf;
}
