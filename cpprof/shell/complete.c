/* Finds the word before the cursor and hands candidates to readline; prints
   them sorted by their share of the run, each with what it is. */
#include "cpprof/shell/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "lib/order.h"
#include "lib/text.h"
#include "lib/vec.h"
#include "analyzer/report/layout.h"
#include "cpprof/session/candidates.h"
#include "cpprof/shell/line.h"
#include "cpprof/session/settings.h"
#include "cpprof/subcommand.h"

typedef VEC(char *) words_t;

/* What completion looks into. */
static const struct session *session;
static const struct shell_row *rows;

struct shown_word {
	char *text;
	const char *about;
	uint32_t function;
	bool several; /* functions of that name */
	double share; /* of the run; below 0: not known */
};

static VEC(struct shown_word) words;

static void forget_words(void)
{
	for (size_t i = 0; i < words.n; i++)
		free(words.v[i].text);
	vec_free(&words);
}

/* WORD stands for FUNCTION of the file (0: none), else for what ABOUT says,
   which is borrowed ("": nothing). */
static void show_word(const char *word, const char *about, uint32_t function)
{
	char *copy = strdup(word);

	if (!copy || !vec_add(&words, (struct shown_word){copy, about, function,
					      false, -1}))
		free(copy);
}

static int compare_texts(const void *a, const void *b)
{
	const struct shown_word *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Sorts the words and leaves one of each. */
static void make_unique(void)
{
	size_t n = 0;

	if (words.n)
		qsort(words.v, words.n, sizeof *words.v, compare_texts);
	for (size_t i = 0; i < words.n; i++) {
		struct shown_word *last = n ? &words.v[n - 1] : NULL;

		if (!last || strcmp(last->text, words.v[i].text)) {
			words.v[n++] = words.v[i];
			continue;
		}
		last->several |= last->function != words.v[i].function;
		free(words.v[i].text);
	}
	words.n = n;
}

/* By falling share, then by name. */
static int compare_shares(const void *a, const void *b)
{
	const struct shown_word *x = a, *y = b;

	return ORDER(y->share, x->share) ?: compare_texts(a, b);
}

/* The shares of the functions that PROFILE has; what it has not is less. */
static void find_shares(const struct profile *profile)
{
	size_t n = (size_t)session->data->nfunctions + 1;
	double *shares = calloc(n, sizeof *shares);

	for (size_t i = 0; shares && i < profile->n; i++)
		shares[*profile->entries[i].path] =
			profile_fraction(profile, &profile->entries[i]);
	for (size_t i = 0; shares && i < words.n; i++)
		words.v[i].share = shares[words.v[i].function];
	free(shares);
}

/* "94.2 %  libdb.so.2" */
static const char *about_function(const struct shown_word *word,
	const struct profile *profile, char *buf, size_t size)
{
	const char *module = session->data->functions[word->function].module;
	char figure[32] = "", shown[256];

	if (word->several)
		module = "in several modules";
	else if (profile && word->share > 0)
		snprintf(
			figure, sizeof figure, "%5.1f %%  ", 100 * word->share);
	else if (profile && word->function >= FN_FIRST_REAL)
		snprintf(figure, sizeof figure, "< %3g %%  ",
			100 * profile->threshold);
	snprintf(buf, size, "%s%s", figure,
		text_escape(module ? module : "", shown, sizeof shown));
	return buf;
}

/* A word, whole, and beside it or below what it is. */
static void put_line(const struct shown_word *word, const char *about,
	size_t width, size_t columns)
{
	bool long_word = layout_width(word->text) > width;
	char *fit = layout_wrap(
		about, columns > width + 3 ? columns - width - 3 : 1);
	struct layout_cell cells[] = {{long_word ? NULL : word->text, 0, false},
		{fit, width + 2, false}};

	if (long_word)
		fprintf(rl_outstream, "%s%s", word->text, *about ? "\n" : "");
	layout_cells(rl_outstream, cells, 2, 0);
	free(fit);
}

static void put_lines(
	size_t height, size_t columns, const struct profile *profile)
{
	size_t width = 0, n = words.n;
	char buf[512];

	if (n > height)
		n = height > 1 ? height - 1 : 1;
	for (size_t i = 0; i < n; i++) {
		size_t of = layout_width(words.v[i].text);

		width = of > width ? of : width;
	}
	width = width < columns / 2 ? width : columns / 2;
	for (size_t i = 0; i < n; i++) {
		const struct shown_word *word = &words.v[i];

		put_line(word,
			word->function
				? about_function(word, profile, buf, sizeof buf)
				: word->about,
			width, columns);
	}
	if (n < words.n)
		fprintf(rl_outstream, "... %zu more %s%s\n", words.n - n,
			words.v[0].function ? "function" : "word",
			words.n - n == 1 ? "" : "s");
}

/* Whether all words are functions, or some say what they are. */
static bool have_words(bool *functions)
{
	bool some = false;

	*functions = words.n > 0;
	for (size_t i = 0; i < words.n; i++) {
		*functions &= words.v[i].function != 0;
		some |= *words.v[i].about;
	}
	return *functions || some;
}

/* Of functions the heaviest that the screen has room for, else all or, where
   there are more, the words alone. */
static void show_matches(char **matches, int n, int longest)
{
	const struct profile *profile = NULL;
	bool functions, some;
	int height, columns;

	make_unique();
	some = have_words(&functions);
	rl_get_screen_size(&height, &columns);
	if (!some || (!functions && n + 2 > height)) {
		rl_display_match_list(matches, n, longest);
		rl_forced_update_display();
		return;
	}
	if (functions)
		profile = session_known_functions(session);
	if (profile)
		find_shares(profile);
	if (profile && words.n)
		qsort(words.v, words.n, sizeof *words.v, compare_shares);
	rl_crlf();
	put_lines(height > 3 ? (size_t)height - 2 : 1,
		columns > 0 ? (size_t)columns : LAYOUT_COLUMNS, profile);
	rl_forced_update_display();
}

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
	forget_words();
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
	rl_completion_display_matches_hook = show_matches;
	rows = commands;
	rl_attempted_completion_function = attempt;
	rl_completer_word_break_characters = " \t\n;";
	rl_completer_quote_characters = "'\"";
	rl_filename_quote_characters = " \t;";
	rl_filename_quoting_function = quote;
}
