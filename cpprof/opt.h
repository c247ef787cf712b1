/*
 * opt.h - command-line options as rows.
 *
 * A subcommand's options are an array of rows that ends with a NULL name; the
 * parser, --help and the comparison with the manual all work from it.
 * Understood are --name=value, --name value, -n value, -nvalue, clustered
 * letters and unambiguous abbreviations of long names; `--` ends the options.
 * An argument that may be left out has to be --name=value.
 * Nothing is allocated: values and operands point into argv.
 */
#ifndef CPPROF_OPT_H
#define CPPROF_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"

struct opt {
	const char *name; /* long name without the dashes */
	int letter;       /* short name, 0 where there is none */
	const char *arg;  /* what its argument is called; NULL: takes none;
			     "[=WHAT]": may be left out, value NULL */
	const char *help; /* one line */
	int id;
};

/*
 * Ids that mean the same everywhere; others are the subcommand's own.  OPT_FLAG
 * makes a bool of the subcommand's struct true, OPT_VALUE keeps the string
 * there, see subcommand_options().
 */
enum { OPT_HELP = -1, OPT_FLAGS = 1 << 24, OPT_VALUES = 1 << 25 };
#define OPT_FLAG(type, member) (OPT_FLAGS + (int)offsetof(type, member))
#define OPT_VALUE(type, member) (OPT_VALUES + (int)offsetof(type, member))
#define OPT_HELP_ROW                                                           \
	{                                                                      \
		"help", 'h', NULL, "print this help", OPT_HELP                 \
	}

struct opt_scan {
	const struct opt *opts;
	bool stop; /* the first operand ends the options */
	int argc;
	char **argv;     /* is reordered */
	char **operands; /* valid once opt_next() has returned 0 */
	int noperands;
	int next;            /* the parser's own from here on */
	const char *cluster; /* rest of an argument of short options */
};

/* ARGV without the program's or subcommand's name. */
void opt_begin(struct opt_scan *scan, const struct opt *opts, bool stop,
	int argc, char **argv);

/*
 * The next option: 1 with its row and value (NULL where it takes none), 0 at
 * the end, -1 with an error: unknown (with the nearest), ambiguous, argument
 * missing or not wanted.
 */
int opt_next(struct opt_scan *scan, const struct opt **opt, const char **value,
	struct err *err);

/* The rows as --help shows them. */
void opt_print(const struct opt *opts, FILE *out);

#endif
