/*
 * cpprof --complete -- WORD...: what the last word of a command line may
 * become, for the completion of bash, zsh and fish.  The words before it follow
 * `cpprof`.
 *
 * Each line is a word, a tab, and what it means.  ":files", ":commands" and
 * ":pids" stand for what those shells know themselves.  Names are as reports
 * show them.
 */
#include <string.h>
#include <unistd.h>

#include "lib/run/command.h"
#include "lib/text.h"
#include "monitor/run/monitor.h"
#include "cpprof/message.h"
#include "cpprof/session/candidates.h"
#include "cpprof/session/settings.h"
#include "cpprof/subcommand.h"

/* What arguments and operands are, by what they are called. */
static const struct {
	const char *called;
	enum completion kind;
} arguments[] = {
	{"F", COMPLETE_FUNCTION},
	{"[=F]", COMPLETE_FUNCTION},
	{"R", COMPLETE_RESOURCE},
	{"R[,...]", COMPLETE_RESOURCE},
	{"M", COMPLETE_MODULE},
	{"G", COMPLETE_GROUP},
	{"NAME|PID", COMPLETE_PROCESS},
	{"NAME|TID", COMPLETE_THREAD},
	{"FORMAT", COMPLETE_CHOICE},
	{"FAMILY", COMPLETE_CHOICE},
	{"STYLE", COMPLETE_CHOICE},
	{"FORM", COMPLETE_CHOICE},
	{"NAME", COMPLETE_CHOICE},
	{"NAME[:INTERVAL][,...]", COMPLETE_MEASURED},
	{"[RESOURCE...]", COMPLETE_MEASURED},
	{"[TOPIC]", COMPLETE_HELP},
	{"PROG", COMPLETE_COMMAND},
	{"PID|NAME", COMPLETE_PID},
	{"FILE", COMPLETE_FILE},
	{"OUT", COMPLETE_FILE},
	{"DIR", COMPLETE_FILE},
	{"SCRIPT", COMPLETE_FILE},
};

static enum completion kind_of(const char *called, enum completion otherwise)
{
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		if (strcmp(arguments[i].called, called) == 0)
			return arguments[i].kind;
	return otherwise;
}

/* A command line that is being typed. */
struct typing {
	const struct subcommand *sub;
	const struct opt *opt; /* whose value is typed; NULL: none */
	int operands;          /* before the word */
	bool ended;            /* by -- */
	const char *file;      /* the profile that it is about */
	char before[256];      /* of the word: "--resource=cpu," */
	const char *text;      /* the rest of it */
};

static void print(
	void *arg, const char *word, const char *about, uint32_t function)
{
	const struct typing *t = arg;
	char shown[256];

	(void)function;
	printf("%s%s\t%s\n", t->before, word,
		text_escape(about, shown, sizeof shown));
}

static const struct opt *find_opt(
	const struct subcommand *sub, const char *word, size_t n)
{
	for (const struct opt *o = sub->opts; o->name; o++) {
		if (word[1] == '-' && strlen(o->name) == n - 2 &&
			!strncmp(o->name, word + 2, n - 2))
			return o;
		if (n == 2 && o->letter == word[1])
			return o;
	}
	return NULL;
}

/* The option whose value is to follow in the next word. */
static const struct opt *awaits(const struct subcommand *sub, const char *word)
{
	const struct opt *o =
		strchr(word, '=') ? NULL : find_opt(sub, word, strlen(word));

	return o && o->arg && *o->arg != '[' ? o : NULL;
}

static void take_word(struct typing *t, const char *word)
{
	if (t->opt) {
		t->opt = NULL;
	} else if (!t->ended && strcmp(word, "--") == 0) {
		t->ended = true;
	} else if (!t->ended && *word == '-' && word[1]) {
		t->opt = awaits(t->sub, word);
	} else {
		t->operands++;
		/* what follows a program is its own */
		t->ended |= strstr(t->sub->args, "PROG") != NULL;
		if (access(word, R_OK) == 0)
			t->file = word;
	}
}

/* Splits the word that is typed: --name=value, and a list at its last comma. */
static void take_last(struct typing *t, const char *word)
{
	size_t n = strcspn(word, "=");
	const char *comma;

	t->text = word;
	if (!t->opt && !t->ended && !strncmp(word, "--", 2) && word[n]) {
		t->opt = find_opt(t->sub, word, n);
		t->text = word + n + 1;
	}
	comma = t->opt && strstr(t->opt->arg ? t->opt->arg : "", "...")
			? strrchr(t->text, ',')
			: NULL;
	if (comma)
		t->text = comma + 1;
	snprintf(t->before, sizeof t->before, "%.*s", (int)(t->text - word),
		word);
}

static void print_found(void *c, const char *name, const char *about)
{
	candidates_add(c, name, about);
}

/* Resources that can be profiled here, less those that stand for many. */
static void print_resources(struct candidates *c)
{
	struct err ignored;

	if (strchr(c->text, ':'))
		monitor_search(c->text, NULL, 0, print_found, c, &ignored);
	for (const struct resource *r = resources; r->name; r++)
		if (!strpbrk(r->name, "/N"))
			candidates_add(c, r->name, r->title);
}

static void print_topics(const struct candidates *c)
{
	for (const struct subcommand *s = subcommands; s->name; s++)
		candidates_add(c, s->name, s->help);
	candidates_add(c, "tutorial", "a first walk");
}

/* The values that an option's help lists: "auto (default), a or b; ...". */
static void print_listed(const struct candidates *c, const char *help)
{
	char list[128], *rest = list, *word;
	bool last = false; /* what follows are words about it */

	snprintf(list, sizeof list, "%.*s", (int)strcspn(help, ":;"), help);
	while ((word = strsep(&rest, " ,"))) {
		if (!*word || *word == '(')
			continue;
		if (strcmp(word, "or") == 0) {
			last = true;
			continue;
		}
		candidates_add(c, word, "");
		if (last)
			break;
	}
}

static void print_choices(const struct typing *t, const struct candidates *c)
{
	const struct setting *setting =
		t->opt->id == OPT_SETTING ? setting_named(t->opt->name) : NULL;

	if (setting)
		candidates_of(c, COMPLETE_CHOICE, setting->values);
	else
		print_listed(c, t->opt->help);
}

/* What is in the profile. */
static void print_of_file(
	const struct typing *t, struct candidates *c, enum completion kind)
{
	struct err err;
	struct session *s = session_open(t->file, &err);

	c->data = s ? s->data : NULL;
	candidates_of(c, kind, "");
	session_close(s);
}

static void print_argument(
	const struct typing *t, struct candidates *c, enum completion kind)
{
	switch (kind) {
	case COMPLETE_NONE:
		break;
	case COMPLETE_CHOICE:
		print_choices(t, c);
		break;
	case COMPLETE_MEASURED:
		print_resources(c);
		break;
	case COMPLETE_HELP:
		print_topics(c);
		break;
	case COMPLETE_COMMAND:
		puts(":commands");
		break;
	case COMPLETE_PID:
		puts(":pids");
		break;
	case COMPLETE_FILE:
		puts(":files");
		break;
	default:
		print_of_file(t, c, kind);
	}
}

/* What the operand that is typed is, from the usage: "[OPTIONS] F [FILE]". */
static enum completion operand(const struct typing *t)
{
	char usage[128], *rest = usage, *word;
	enum completion kind = COMPLETE_FILE;

	snprintf(usage, sizeof usage, "%s", t->sub->args);
	for (int i = 0; i <= t->operands && (word = strsep(&rest, " "));) {
		if (!strcmp(word, "[OPTIONS]") || !strcmp(word, "[--]"))
			continue;
		kind = kind_of(word, COMPLETE_FILE);
		i++;
	}
	return kind;
}

static void print_options(const struct candidates *c, const struct opt *opts)
{
	for (const struct opt *o = opts; o->name; o++) {
		char word[64];

		snprintf(word, sizeof word, "--%s%s", o->name,
			o->arg && *o->arg != '[' ? "=" : "");
		candidates_add(c, word, o->help);
	}
}

int cmd_complete(int argc, char **argv)
{
	struct typing t = {.file = DEFAULT_FILE, .text = ""};
	struct candidates c = {.reported = true, .offer = print, .arg = &t};

	if (argc && strcmp(*argv, "--") == 0) {
		argv++;
		argc--;
	}
	if (argc)
		t.text = argv[argc - 1];
	t.sub = argc > 1 ? subcommand_find(argv[0]) : NULL;
	for (int i = 1; t.sub && i < argc - 1; i++)
		take_word(&t, argv[i]);
	if (t.sub)
		take_last(&t, argv[argc - 1]);
	c.text = t.text;
	if (!t.sub && *t.text == '-') {
		print_options(&c, main_opts);
	} else if (!t.sub) {
		print_topics(&c);
		puts(":files");
	} else if (t.opt) {
		print_argument(&t, &c,
			kind_of(t.opt->arg ? t.opt->arg : "", COMPLETE_NONE));
	} else if (!t.ended && *t.text == '-') {
		print_options(&c, t.sub->opts);
	} else {
		print_argument(&t, &c, operand(&t));
	}
	return message_flush();
}
