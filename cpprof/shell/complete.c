/* Finds the word before the cursor and hands candidates to readline. */
#include "cpprof/shell/complete.h"

#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "lib/vec.h"
#include "cpprof/session/candidates.h"
#include "cpprof/shell/complete_show.h"
#include "cpprof/shell/line.h"
#include "cpprof/session/settings.h"
#include "cpprof/subcommand.h"

typedef VEC(char *) words_t;

/* What completion looks into. */
static const struct session *session;
static const struct shell_row *rows;

/* What readline is to be given, by rl_completion_matches()'s callback. */
static words_t found;

/* Keeps a candidate, as struct candidates has it. */
static void keep(
	void *arg, const char *word, const char *about, uint32_t function)
{
	char *copy = strdup(word);

	(void)arg;
	if (!copy)
		return;
	show_word(copy, about, function);
	if (!vec_add(&found, copy))
		free(copy);
}

static struct candidates typed_so_far(const char *text)
{
	return (struct candidates){
		.data = session->data, .text = text, .offer = keep};
}

static char *next_found(const char *text, int state)
{
	static size_t next;

	(void)text;
	if (!state)
		next = 0;
	return next < found.n ? found.v[next++] : NULL;
}

static char **take_found(const char *text)
{
	char **matches = rl_completion_matches(text, next_found);

	vec_free(&found);
	return matches;
}

/* Has readline quote the names, as it does with those of files. */
static void quote_names(void)
{
	rl_filename_completion_desired = 1;
	rl_variable_bind("mark-directories", "off");
}

static char **complete_function(const char *text)
{
	const struct candidates c = typed_so_far(text);
	char **matches;

	candidates_of(&c, COMPLETE_FUNCTION, "");
	if (found.n) {
		matches = take_found(text);
		if (matches && !matches[1] && *matches[0] &&
			matches[0][strlen(matches[0]) - 1] == '!')
			rl_completion_suppress_append = 1;
		return matches;
	}
	candidates_inside(&c);
	matches = take_found(text);
	/* Matches inside names have no common beginning: keep what was
	   typed. */
	if (matches && matches[1]) {
		free(matches[0]);
		matches[0] = strdup(text);
		if (!matches[0])
			abort();
	}
	return matches;
}

static void add_commands(const char *text, bool aliases)
{
	const struct candidates c = typed_so_far(text);

	for (const struct shell_row *r = rows; r->name; r++) {
		candidates_add(&c, r->name, r->help);
		if (aliases && *text && r->alias)
			candidates_add(&c, r->alias, r->help);
	}
}

/* An argument of KIND, of a command or setting whose arguments are VALUES. */
static char **complete_argument(
	enum completion kind, const char *values, const char *text)
{
	const struct candidates c = typed_so_far(text);

	switch (kind) {
	case COMPLETE_NONE:
		return NULL;
	case COMPLETE_FILE:
		return rl_completion_matches(
			text, rl_filename_completion_function);
	case COMPLETE_FUNCTION:
		quote_names();
		return complete_function(text);
	case COMPLETE_PROCESS:
	case COMPLETE_THREAD:
	case COMPLETE_MODULE:
		quote_names();
		break;
	case COMPLETE_HELP:
		for (const struct subcommand *s = subcommands; s->name; s++)
			candidates_add(&c, s->name, s->help);
		add_commands(text, false);
		break;
	default:
		break;
	}
	candidates_of(&c, kind, values);
	return take_found(text);
}

static char **complete_command(const char *text)
{
	add_commands(text, true);
	return take_found(text);
}

/* The row of the command that what is before the cursor is an argument of; in
   FIRST its first argument. */
static const struct shell_row *context(
	int start, size_t *nargs, bool *redirected, char *first, size_t size)
{
	const struct shell_row *row = NULL;
	char *before = strndup(rl_line_buffer, (size_t)start);
	const char *rest = before;
	struct line_command command;
	struct err err;

	err_clear(&err);
	*nargs = 0;
	*redirected = false;
	if (!before)
		return NULL;
	if (start && strchr("'\"", before[start - 1]))
		before[start - 1] = '\0';
	while (line_next(&rest, &command, &err) > 0) {
		row = command.ended ? NULL
				    : row_find(rows, command.words[0], &err);
		*nargs = command.ended ? 0 : command.n;
		*redirected = !command.ended && command.redirected;
		snprintf(first, size, "%s",
			command.n > 1 ? command.words[1] : "");
		line_free(&command);
	}
	/* The file or command of a redirection is being typed. */
	if (strcmp(err.object, ">") == 0 || strcmp(err.object, "|") == 0)
		*redirected = true;
	free(before);
	return row;
}

/* `list --asm': the function is the second argument. */
static bool option_first(const struct shell_row *row, size_t nargs)
{
	return nargs == 2 && !strncmp(row->args, "[--", 3) &&
	       strstr(rl_line_buffer, " --");
}

static char **attempt(const char *text, int start, int end)
{
	const struct shell_row *row;
	const struct setting *set;
	size_t nargs;
	bool redirected;
	char first[64] = "";

	(void)end;
	show_begin();
	rl_attempted_completion_over = 1;
	rl_variable_bind("mark-directories", "on");
	row = context(start, &nargs, &redirected, first, sizeof first);
	if (redirected)
		return complete_argument(COMPLETE_FILE, "", text);
	if (nargs == 0)
		return complete_command(text);
	set = row && row->complete == COMPLETE_SETTING && nargs == 2
		      ? setting_named(first)
		      : NULL;
	if (set)
		return complete_argument(COMPLETE_CHOICE, set->values, text);
	if (!row || (nargs > 1 && row->complete != COMPLETE_GROUP &&
			    !option_first(row, nargs)))
		return NULL;
	return complete_argument(row->complete, row->args, text);
}

static char *quote(char *text, int match, char *quote_pointer)
{
	size_t size = 2 * strlen(text) + 8;
	char mark = *quote_pointer, *buf = malloc(size), *to = buf;

	if (!buf)
		return NULL;
	if (!mark)
		mark = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
	*quote_pointer = mark;
	*to++ = mark;
	for (; *text; text++) {
		*to++ = *text;
		if (*text == mark)
			*to++ = mark;
	}
	if (match == SINGLE_MATCH)
		*to++ = mark;
	*to = '\0';
	return buf;
}

void complete_begin(const struct session *of, const struct shell_row *commands)
{
	session = of;
	show_init(of);
	rows = commands;
	rl_attempted_completion_function = attempt;
	rl_completer_word_break_characters = " \t\n;";
	rl_completer_quote_characters = "'\"";
	rl_filename_quote_characters = " \t;";
	rl_filename_quoting_function = quote;
}
