/*
 * What people see against the profiles it is made from, on random recursive
 * trees: each line of a tree or a list is a call path of the profile with its
 * weight, none is missing but those a chain passes over, and the mark of
 * recursion stands where the sum asks for it; the table has the totals and
 * selves of the function profiles, and its selves add up to all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/report.h"
#include "t/lib/made_file.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define FUNCTIONS 6
#define STACKS 25
#define DEPTH 9
#define RUNS 300
#define WORDS 4096

static const char *path;
static uint64_t address(uint32_t f)
{
	return MADE_SIZE * (uint64_t)(f + 1);
}

static void write_names(struct cpd_writer *w)
{
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		char name[] = {(char)('a' + f), '\0'};

		made_function(w,
			(struct cpd_function){
				.module = 1, .lo = address(f), .name = name});
	}
}

/* Chains are as likely as branches: a stack goes on like the one before. */
static void write_stacks(struct cpd_writer *w)
{
	uint32_t stack[DEPTH] = {0}, n = 0;

	for (int i = 0; i < STACKS; i++) {
		uint32_t keep = draw(n < DEPTH ? n + 1 : DEPTH), node = 0;

		n = keep + 1 + draw(DEPTH - keep);
		n = n > DEPTH ? DEPTH : n;
		for (uint32_t k = keep; k < n; k++)
			stack[k] = draw(FUNCTIONS);
		stack[0] = 0;
		for (uint32_t k = 0; k < n; k++)
			node = cpd_node(
				w, node, 1, address(stack[k]), CPD_NODE_EXACT);
		for (uint32_t k = 1 + (draw(4) ? 0 : draw(500)); k > 0; k--)
			cpd_write_sample(w, &(struct cpd_sample){.time = 1,
						    .thread = 1,
						    .resource = 1,
						    .node = node,
						    .hits = 1,
						    .weight = 1});
	}
}

static struct dataset *random_data(void)
{
	static const struct cpd_resource faults = {.name = "faults",
		.title = "Faults",
		.gtick = "fault",
		.unit = CPD_COUNT,
		.interval = 1,
		.timer = "t"};
	struct cpd_writer *w = made_begin(path, &faults);

	made_program(w);
	write_stacks(w);
	write_names(w);
	return made_open(w, path, 0);
}

/* A line of a report: what it says. */
struct said {
	size_t indent;
	char words[WORDS]; /* "abc": the functions of its path */
	uint64_t weight;
	bool marked;
};

/*
 * "   1 234*   a > b > c": the functions are single letters.  The first line of
 * a table tells where texts begin, in *BASE, which is 0 before.
 */
static bool parse(const char *line, struct said *said, size_t *base)
{
	size_t n = 0, begin = strcspn(line, "abcdef");

	memset(said, 0, sizeof *said);
	if (!*base)
		*base = begin;
	said->indent = begin - *base;
	for (const char *p = line; p < line + begin; p++) {
		if (*p >= '0' && *p <= '9')
			said->weight = said->weight * 10 + (uint64_t)(*p - '0');
		said->marked |= *p == '*';
	}
	for (const char *p = line + begin; *p; p++)
		if (*p >= 'a' && *p <= 'f')
			said->words[n++] = *p;
	return n > 0 && begin >= *base;
}

static void reverse(char *word)
{
	for (size_t i = 0, n = strlen(word); i < n / 2; i++) {
		char c = word[i];

		word[i] = word[n - 1 - i];
		word[n - 1 - i] = c;
	}
}

static void word_of(const struct profile *profile,
	const struct profile_entry *entry, char word[static 64])
{
	for (uint32_t i = 0; i < entry->length; i++)
		word[i] = *profile->tree->data->functions[entry->path[i]].name;
	word[entry->length] = '\0';
}

static const struct profile_entry *entry_of(
	const struct profile *profile, const char *wanted)
{
	char word[64];

	for (size_t i = 0; i < profile->n; i++) {
		word_of(profile, &profile->entries[i], word);
		if (!strcmp(word, wanted))
			return &profile->entries[i];
	}
	return NULL;
}

/* Whether LONG goes on from SHORT by one function, in the profile's sense. */
static bool goes_on(
	const struct profile *profile, const char *from, const char *with)
{
	size_t n = strlen(from);

	return strlen(with) == n + 1 &&
	       !strncmp(profile->kind == PROFILE_UP ? with + 1 : with, from, n);
}

/* What goes on from the path WORD: how many, their sum, the only one. */
struct after {
	size_t n;
	uint64_t sum, only;
	char word[64];
};

static struct after after(const struct profile *profile, const char *word)
{
	struct after a = {0};
	char next[64];

	for (size_t i = 0; i < profile->n; i++) {
		word_of(profile, &profile->entries[i], next);
		if (!goes_on(profile, word, next))
			continue;
		a.n++;
		a.sum += profile->entries[i].weight;
		a.only = profile->entries[i].weight;
		strcpy(a.word, next);
	}
	return a;
}

static bool passed_over(const struct profile *profile, const char *word)
{
	struct after a = after(profile, word);
	const struct profile_entry *entry = entry_of(profile, word);

	return a.n == 1 && (double)a.only >= 0.99 * (double)entry->weight;
}

static char *write_text(const struct profile *profile, unsigned char form)
{
	struct report_options options = {.columns = 200,
		.whole = true,
		.unit = true,
		.no_fold = true,
		.inside = true,
		.form = form};
	struct err err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (report_formats[0].write(out, profile, &options, &err))
		diag("%s", err.reason);
	fclose(out);
	return text;
}

/*
 * The path that a line stands for: its own steps, in a tree behind those that
 * are above it by its indent.  False where the profile knows better.
 */
static bool check_line(const struct profile *profile, struct said *said,
	char above[64][64], bool list, size_t *lines)
{
	size_t level = said->indent / 2;
	bool up = profile->kind == PROFILE_UP;
	const struct profile_entry *entry;
	char word[200], last[64];

	if (up && !list) /* it reads outward */
		reverse(said->words);
	if (list)
		snprintf(word, sizeof word, "%.60s", said->words);
	else if (level && up)
		snprintf(word, sizeof word, "%.60s%.60s", said->words,
			above[level - 1]);
	else
		snprintf(word, sizeof word, "%.60s%.60s",
			level ? above[level - 1] : "", said->words);
	if (strlen(word) > 60)
		return false;
	strcpy(last, word);
	strcpy(above[level], last);
	entry = entry_of(profile, last);
	++*lines;
	return entry && entry->weight == said->weight &&
	       !passed_over(profile, last) &&
	       said->marked ==
		       (!list && profile->kind == PROFILE_DOWN &&
			       after(profile, last).sum > entry->weight);
}

static bool check_paths(const struct profile *profile, unsigned char form)
{
	char *text = write_text(profile, form), *rest = text, *line;
	static char above[64][64];
	size_t lines = 0, wanted = 0, base = 0;
	bool good = true;
	char word[64];
	struct said *said = malloc(sizeof *said);

	while (good && (line = strsep(&rest, "\n")) && *line && *line != '*')
		good = parse(line, said, &base) &&
		       check_line(profile, said, above,
			       form == REPORT_FORM_LIST, &lines);
	for (size_t i = 0; i < profile->n; i++) {
		word_of(profile, &profile->entries[i], word);
		wanted += !passed_over(profile, word);
	}
	free(text);
	free(said);
	return good && lines == wanted;
}

static uint64_t weight_of(const struct profile *profile, uint32_t function)
{
	for (size_t i = 0; i < profile->n; i++)
		if (*profile->entries[i].path == function)
			return profile->entries[i].weight;
	return 0;
}

/* "  1 234  12  a  p" */
static bool check_table(const struct tree *tree, const struct profile *totals,
	const struct profile *selves)
{
	char *text = write_text(totals, REPORT_FORM_TREE), *rest = text, *line;
	uint64_t sum = 0;
	size_t rows = 0;
	bool good = true;

	line = strsep(&rest, "\n"); /* the head */
	while (good && (line = strsep(&rest, "\n")) && *line) {
		char *name = line + strlen(line), *p;
		uint64_t figures[2] = {0};
		int column = 0;

		/* the module is the last word, the name the one before */
		while (name > line && *name != 'p')
			name--;
		do
			name--;
		while (name > line && *name == ' ');
		for (p = line + strspn(line, " "); p < name && column < 2;
			p++) {
			if (*p >= '0' && *p <= '9')
				figures[column] = figures[column] * 10 +
						  (uint64_t)(*p - '0');
			else if (p[0] == ' ' && p[1] == ' ')
				column++, p += strspn(p, " ") - 1;
		}
		for (uint32_t f = FN_FIRST_REAL; f <= tree->data->nfunctions;
			f++) {
			if (*tree->data->functions[f].name != *name)
				continue;
			good &= weight_of(totals, f) == figures[0] &&
				weight_of(selves, f) == figures[1];
			rows++;
		}
		sum += figures[1];
	}
	free(text);
	return good && rows == totals->n && sum == tree_total(tree, 0)->weight;
}

static bool check_tree(const struct dataset *data, struct err *err)
{
	struct tree_view view = {.resource = 1};
	struct tree *tree = tree_new(data, &view, err);
	struct profile *totals, *selves, *p;
	bool good = true;

	for (uint32_t f = FN_FIRST_REAL; f <= data->nfunctions; f++)
		for (int up = 0; up < 2; up++) {
			p = profile_new(tree, up ? PROFILE_UP : PROFILE_DOWN,
				&f, 1, draw(2) ? 0 : 0.02, err);
			good &= check_paths(p, REPORT_FORM_TREE) &&
				check_paths(p, REPORT_FORM_LIST);
			profile_free(p);
		}
	totals = profile_new(tree, PROFILE_FUNCTION, NULL, 0, 0, err);
	selves = profile_new(tree, PROFILE_BODY, NULL, 0, 0, err);
	good &= check_table(tree, totals, selves);
	profile_free(totals);
	profile_free(selves);
	tree_free(tree);
	return good;
}

int main(void)
{
	struct err err;
	int good = 0;

	path = temp_file();
	for (int i = 0; i < RUNS; i++) {
		struct dataset *data = random_data();

		good += check_tree(data, &err);
		dataset_free(data);
	}
	ok(good == RUNS, "what people see is the profile: %d of %d", good,
		RUNS);
	temp_file_remove(path);
	return done_testing();
}
