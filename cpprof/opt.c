/* Reads long and short options by their rows, and prints the rows as help. */
#include "cpprof/opt.h"

#include <string.h>

#include "lib/text.h"

#define OPTS_MAX 64

void opt_begin(struct opt_scan *scan, const struct opt *opts, bool stop,
	int argc, char **argv)
{
	*scan = (struct opt_scan){
		.opts = opts, .stop = stop, .argc = argc, .argv = argv};
}

/* Takes the argument of OPT from AFTER, or else from the next word. */
static int take_value(struct opt_scan *scan, const struct opt *opt,
	const char *shown, const char *after, const char **value,
	struct err *err)
{
	if (after) {
		*value = after;
	} else if (scan->next < scan->argc) {
		*value = scan->argv[scan->next++];
	} else {
		return err_say(err, shown, NULL, "missing argument",
			"it is used as --%s=%s", opt->name, opt->arg);
	}
	return 1;
}

static int unknown_long(
	struct opt_scan *scan, const char *word, size_t len, struct err *err)
{
	const char *names[OPTS_MAX], *near[1];
	char wrong[256];
	size_t n = 0;

	snprintf(wrong, sizeof wrong, "%.*s", (int)len, word);
	for (const struct opt *o = scan->opts; o->name && n < OPTS_MAX; o++)
		names[n++] = o->name;
	err_set(err, word - 2, NULL, "no such option");
	if (text_nearest(wrong, names, n, near, 1))
		return err_hint(err, "did you mean '--%s'?", near[0]);
	return err_hint(err, "--help lists the options");
}

/* The row for the LEN characters at WORD, whole or abbreviated. */
static const struct opt *find_long(
	struct opt_scan *scan, const char *word, size_t len, struct err *err)
{
	const struct opt *found = NULL, *second = NULL;

	for (const struct opt *o = scan->opts; len && o->name; o++) {
		if (strncmp(o->name, word, len) != 0)
			continue;
		if (!o->name[len])
			return o;
		if (found)
			second = o;
		else
			found = o;
	}
	if (second) {
		err_say(err, word - 2, NULL, "ambiguous option",
			"it could be '--%s' or '--%s'", found->name,
			second->name);
		return NULL;
	}
	if (!found)
		unknown_long(scan, word, len, err);
	return found;
}

/* Whether the option's argument may be left out. */
static bool may_lack(const struct opt *opt)
{
	return opt->arg && opt->arg[0] == '[';
}

static int next_long(struct opt_scan *scan, const char *word,
	const struct opt **opt, const char **value, struct err *err)
{
	size_t len = strcspn(word, "=");
	const char *after = word[len] ? word + len + 1 : NULL;

	*opt = find_long(scan, word, len, err);
	if (!*opt)
		return -1;
	if (may_lack(*opt)) {
		*value = after;
		return 1;
	}
	if ((*opt)->arg)
		return take_value(scan, *opt, word - 2, after, value, err);
	if (after)
		return err_say(err, word - 2, NULL, "takes no argument",
			"use --%s alone", (*opt)->name);
	return 1;
}

static int next_short(struct opt_scan *scan, const struct opt **opt,
	const char **value, struct err *err)
{
	char shown[3] = {'-', *scan->cluster, '\0'};
	const struct opt *o = scan->opts;

	while (o->name && (!o->letter || o->letter != shown[1]))
		o++;
	if (!o->name)
		return err_say(err, shown, NULL, "no such option",
			"--help lists the options");
	*opt = o;
	scan->cluster++;
	const char *rest = *scan->cluster ? scan->cluster : NULL;

	if (!rest || o->arg)
		scan->cluster = NULL;
	return o->arg ? take_value(scan, o, shown, rest, value, err) : 1;
}

static int finish(struct opt_scan *scan)
{
	if (scan->stop) {
		scan->operands = scan->argv + scan->next;
		scan->noperands = scan->argc - scan->next;
		return 0;
	}
	while (scan->next < scan->argc)
		scan->argv[scan->noperands++] = scan->argv[scan->next++];
	scan->operands = scan->argv;
	return 0;
}

int opt_next(struct opt_scan *scan, const struct opt **opt, const char **value,
	struct err *err)
{
	*value = NULL;
	if (scan->cluster)
		return next_short(scan, opt, value, err);
	while (scan->next < scan->argc) {
		char *word = scan->argv[scan->next];

		if (word[0] != '-' || !word[1]) {
			if (scan->stop)
				break;
			scan->argv[scan->noperands++] = word;
			scan->next++;
			continue;
		}
		scan->next++;
		if (strcmp(word, "--") == 0)
			break;
		if (word[1] == '-')
			return next_long(scan, word + 2, opt, value, err);
		scan->cluster = word + 1;
		return next_short(scan, opt, value, err);
	}
	return finish(scan);
}

/* "-r, --resource=NAME"; returns its length. */
static int left_column(const struct opt *o, char *buf, size_t size)
{
	char dash[5] = "";

	if (o->letter)
		snprintf(dash, sizeof dash, "-%c, ", o->letter);
	return snprintf(buf, size, "%-4s--%s%s%s", dash, o->name,
		o->arg && !may_lack(o) ? "=" : "", o->arg ? o->arg : "");
}

void opt_print(const struct opt *opts, FILE *out)
{
	char left[64];
	int width = 0;

	for (const struct opt *o = opts; o->name; o++) {
		int n = left_column(o, left, sizeof left);

		width = n > width ? n : width;
	}
	for (const struct opt *o = opts; o->name; o++) {
		left_column(o, left, sizeof left);
		fprintf(out, "  %-*s  %s\n", width, left, o->help);
	}
}
