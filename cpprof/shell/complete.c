#include "cpprof/shell/complete.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "lib/vec.h"
#include "cpprof/session/exports.h"
#include "cpprof/shell/complete_show.h"
#include "cpprof/shell/line.h"
#include "cpprof/session/settings.h"
#include "cpprof/subcommand.h"

typedef VEC(char *) words_t;

/* What completion looks into. */
static const struct dataset *data;
static const struct shell_row *rows;

/* Owned by rl_completion_matches()'s callback while it runs. */
static words_t found;

/* Offers PREFIX and NAME in one word, see show_word(). */
static void add_word(const char *prefix, const char *name, const char *about,
	uint32_t function)
{
	size_t n = strlen(prefix), size = n + strlen(name) + 1;
	char **slot, *copy = malloc(size);

	if (!copy)
		return;
	memcpy(copy, prefix, n);
	memcpy(copy + n, name, size - n);
	show_word(copy, about, function);
	slot = vec_push(&found);
	if (slot)
		*slot = copy;
	else
		free(copy);
}

static void add(const char *prefix, const char *name)
{
	add_word(prefix, name, "", 0);
}

/* NAME if it begins with TEXT, which ABOUT explains. */
static void add_about(const char *text, const char *name, const char *about)
{
	if (strncmp(name, text, strlen(text)) == 0)
		add_word("", name, about, 0);
}

static void add_matching(const char *text, const char *name)
{
	add_about(text, name, "");
}

/* Names with control characters cannot be typed. */
static bool typable(const char *name)
{
	for (; *name; name++)
		if (iscntrl((unsigned char)*name))
			return false;
	return true;
}

/* Whether it is shown by a name other than its full one. */
static bool has_short(const struct function *f)
{
	return f->shown == f->name && f->brief != f->name;
}

/* Adds functions as "f"; as "module!f" where TEXT has that form. */
static void add_functions(const char *text)
{
	const char *bang = strchr(text, '!');
	size_t module = bang ? (size_t)(bang - text) : 0;
	const char *rest = bang ? bang + 1 : text;

	for (uint32_t i = FN_ALL; i <= data->nfunctions; i++) {
		const struct function *f = &data->functions[i];

		if (*text && f->shown != f->name && typable(f->shown) &&
			strncmp(f->shown, text, strlen(text)) == 0)
			add_word("", f->shown, "", i);
		if (!bang && has_short(f) && typable(f->brief) &&
			strncmp(f->brief, text, strlen(text)) == 0) {
			add_word("", f->brief, "", i);
			continue;
		}
		if (!f->name || !typable(f->name) ||
			strncmp(f->name, rest, strlen(rest)) != 0)
			continue;
		if (!bang) {
			add_word("", f->name, "", i);
		} else if (strncmp(f->module, text, module) == 0 &&
			   !f->module[module]) {
			char head[512];

			snprintf(head, sizeof head, "%s!", f->module);
			add_word(head, f->name, "", i);
		}
	}
}

/* Adds modules that begin with TEXT, each with BEHIND after it. */
static void add_modules(const char *text, const char *behind)
{
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++) {
		const char *module = data->functions[i].module;
		char name[512];

		if (!module || !*module || !typable(module) ||
			strncmp(module, text, strlen(text)) != 0)
			continue;
		snprintf(name, sizeof name, "%s%s", module, behind);
		add("", name);
	}
}

/* Adds functions that have TEXT inside, where none begins with it. */
static void add_functions_inside(const char *text)
{
	for (uint32_t i = FN_ALL; *text && i <= data->nfunctions; i++) {
		const struct function *f = &data->functions[i];
		const char *name = f->name;

		if (has_short(f) && strstr(f->brief, text))
			name = f->brief;
		if (name && typable(name) && strstr(name, text))
			add_word("", name, "", i);
	}
}

static char *next_found(const char *text, int state)
{
	static size_t i;

	(void)text;
	if (!state)
		i = 0;
	return i < found.n ? found.v[i++] : NULL;
}

static char **take_found(const char *text)
{
	char **matches = rl_completion_matches(text, next_found);

	vec_free(&found);
	return matches;
}

static char **complete_function(const char *text)
{
	char **matches;

	/* Has readline quote the names, as it does with those of files. */
	rl_filename_completion_desired = 1;
	rl_variable_bind("mark-directories", "off");
	add_functions(text);
	if (*text && !strchr(text, '!'))
		add_modules(text, "!");
	if (found.n) {
		matches = take_found(text);
		if (matches && !matches[1] && *matches[0] &&
			matches[0][strlen(matches[0]) - 1] == '!')
			rl_completion_suppress_append = 1;
		return matches;
	}
	add_functions_inside(text);
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

/* A process or thread as a name or a number. */
static void add_task(const char *text, const char *name, int32_t number)
{
	char word[16];

	if (*name && typable(name))
		add_matching(text, name);
	snprintf(word, sizeof word, "%d", (int)number);
	if (*text >= '0' && *text <= '9')
		add_matching(text, word);
}

static char **complete_task(bool threads, const char *text)
{
	uint32_t n = threads ? data->nthreads : data->nprocesses;

	rl_filename_completion_desired = 1;
	rl_variable_bind("mark-directories", "off");
	for (uint32_t i = 1; i <= n; i++) {
		const struct cpd_process *p = &data->processes[threads ? 0 : i];

		if (threads) {
			add_task(text, dataset_thread_name(data, i),
				data->threads[i].tid);
		} else {
			add_task(text, p->name, p->pid);
			add_task(text, dataset_program(p), p->pid);
		}
	}
	return take_found(text);
}

/* The words of "[on|off]". */
static void add_choices(const char *text, const char *values)
{
	while (strchr("[|", *values) && *values) {
		char word[64];
		size_t n = strcspn(++values, "|]");

		snprintf(word, sizeof word, "%.*s", (int)n, values);
		add_matching(text, word);
		values += n;
	}
}

/* An argument of KIND, of a command or setting whose arguments are VALUES. */
static char **complete_argument(
	enum completion kind, const char *values, const char *text)
{
	switch (kind) {
	case COMPLETE_NONE:
		return NULL;
	case COMPLETE_FUNCTION:
		return complete_function(text);
	case COMPLETE_FILE:
		return rl_completion_matches(
			text, rl_filename_completion_function);
	case COMPLETE_PROCESS:
	case COMPLETE_THREAD:
		return complete_task(kind == COMPLETE_THREAD, text);
	case COMPLETE_MODULE:
		rl_filename_completion_desired = 1;
		rl_variable_bind("mark-directories", "off");
		add_modules(text, "");
		break;
	case COMPLETE_GROUP:
		for (int k = GROUP_FUNCTION; k < GROUP_KINDS; k++)
			add_matching(text, dataset_group_names[k]);
		add_matching(text, "off");
		break;
	case COMPLETE_RESOURCE:
		for (uint32_t r = 1; r <= data->nresources; r++)
			add_about(text, data->resources[r].name,
				data->resources[r].title);
		break;
	case COMPLETE_CHOICE:
		add_choices(text, values);
		break;
	case COMPLETE_SETTING:
		for (const struct setting *s = settings; s->name; s++)
			if (!s->of_file)
				add_about(text, s->name, s->help);
		break;
	case COMPLETE_EXPORT:
		for (const struct export_format *f = export_formats; f->name;
			f++)
			add_about(text, f->name, f->help);
		break;
	case COMPLETE_HELP:
		for (const struct subcommand *s = subcommands; s->name; s++)
			add_about(text, s->name, s->help);
		for (const struct shell_row *c = rows; c->name; c++)
			add_about(text, c->name, c->help);
		break;
	}
	return take_found(text);
}

static char **complete_command(const char *text)
{
	for (const struct shell_row *c = rows; c->name; c++) {
		add_about(text, c->name, c->help);
		if (*text && c->alias)
			add_about(text, c->alias, c->help);
	}
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

void complete_begin(
	const struct session *session, const struct shell_row *commands)
{
	data = session->data;
	show_init(session);
	rows = commands;
	rl_attempted_completion_function = attempt;
	rl_completer_word_break_characters = " \t\n;";
	rl_completer_quote_characters = "'\"";
	rl_filename_quote_characters = " \t;";
	rl_filename_quoting_function = quote;
}
