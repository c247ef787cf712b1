/* What all subcommands do with --help, a file's name and an error. */
#include "cpprof/subcommand.h"
#include "lib/run/command.h"

#include "cpprof/message.h"

void subcommand_help(const struct subcommand *self, FILE *out)
{
	fprintf(out, "Usage: cpprof %s %s\n", self->name, self->args);
	fprintf(out, "%s\n", self->help);
	opt_print(self->opts, out);
	if (self->more)
		self->more(out);
}

/* Where a flag or value goes. */
static void *place(void *into, const struct opt *opt)
{
	return (char *)into + (opt->id & ~(OPT_FLAGS | OPT_VALUES));
}

int subcommand_options(const struct subcommand *self, struct opt_scan *scan,
	void *into, subcommand_take *take, void *arg, int *status)
{
	const struct opt *opt;
	const char *value;
	struct err err;
	int got, bad = 0;

	while (!bad && (got = opt_next(scan, &opt, &value, &err)) > 0) {
		if (opt->id == OPT_HELP) {
			subcommand_help(self, stdout);
			*status = message_flush();
			return -1;
		}
		if (opt->id & OPT_FLAGS)
			*(bool *)place(into, opt) = true;
		else if (opt->id & OPT_VALUES)
			*(const char **)place(into, opt) = value;
		else
			bad = take(arg, opt, value, &err);
	}
	if (!bad && got == 0)
		return 0;
	*status = subcommand_fail(self, &err);
	return -1;
}

int subcommand_fail(const struct subcommand *self, const struct err *err)
{
	message_error(err);
	return self->failure;
}

const char *subcommand_file(const struct opt_scan *scan, struct err *err)
{
	if (scan->noperands == 0)
		return DEFAULT_FILE;
	if (scan->noperands == 1)
		return scan->operands[0];
	err_say(err, scan->operands[1], NULL, "one file at a time",
		"'cpprof diff' compares files, 'cpprof merge' joins "
		"them");
	return NULL;
}
