/* What all subcommands do with --help, a file's name and an error. */
#include "cpprof/subcommand.h"

#include "cpprof/message.h"

void subcommand_help(const struct subcommand *self, FILE *out)
{
	fprintf(out, "Usage: cpprof %s %s\n", self->name, self->args);
	fprintf(out, "%s\n\n", self->help);
	opt_print(self->opts, out);
	if (self->more) {
		fputc('\n', out);
		self->more(out);
	}
}

int subcommand_option(const struct subcommand *self, struct opt_scan *scan,
	const struct opt **opt, const char **value, int *status)
{
	struct err err;
	int got = opt_next(scan, opt, value, &err);

	if (got < 0) {
		*status = subcommand_fail(self, &err);
	} else if (got > 0 && (*opt)->id == OPT_HELP) {
		subcommand_help(self, stdout);
		*status = message_flush();
		got = -1;
	}
	return got;
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
	err_set(err, scan->operands[1], NULL, "one file at a time");
	err_hint(err, "'cpprof diff' compares files, 'cpprof merge' joins "
		      "them");
	return NULL;
}
