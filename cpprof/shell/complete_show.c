/* Sorts the words that TAB offers by their share of the run, and prints them.
 */
#include "cpprof/shell/complete_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "lib/order.h"
#include "lib/text.h"
#include "lib/vec.h"
#include "analyzer/report/layout.h"

struct shown_word {
	char *text;
	const char *about;
	uint32_t function;
	bool several; /* functions of that name */
	double share; /* of the run; below 0: not known */
};

static const struct session *session;
static VEC(struct shown_word) words;

void show_begin(void)
{
	for (size_t i = 0; i < words.n; i++)
		free(words.v[i].text);
	vec_free(&words);
}

void show_word(const char *word, const char *about, uint32_t function)
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

static void put_line(const struct shown_word *word, const char *about,
	size_t width, size_t columns)
{
	char *left = layout_shorten(word->text, width);
	char *right = layout_shorten(
		about, columns > width + 3 ? columns - width - 3 : 1);

	if (left && right) {
		fputs(left, rl_outstream);
		if (*right) {
			layout_pad(rl_outstream, layout_width(left), width + 2);
			fputs(right, rl_outstream);
		}
		fputc('\n', rl_outstream);
	}
	free(left);
	free(right);
}

static void put_lines(
	size_t rows, size_t columns, const struct profile *profile)
{
	size_t width = 0, n = words.n;
	char buf[512];

	if (n > rows)
		n = rows > 1 ? rows - 1 : 1;
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
		fprintf(rl_outstream, "... %zu more\n", words.n - n);
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
	int rows, columns;

	make_unique();
	some = have_words(&functions);
	rl_get_screen_size(&rows, &columns);
	if (!some || (!functions && n + 2 > rows)) {
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
	put_lines(rows > 3 ? (size_t)rows - 2 : 1,
		columns > 0 ? (size_t)columns : LAYOUT_COLUMNS, profile);
	rl_forced_update_display();
}

void show_init(const struct session *s)
{
	session = s;
	rl_completion_display_matches_hook = show_matches;
}
