/*
 * subcommand.h - the subcommands of cpprof, one row each.
 *
 * The table drives the command line, --help and `cpprof help`, and a test
 * compares it with the manual: subcommand X is cmd/X.c and cpprof-X(1).
 */
#ifndef CPPROF_SUBCOMMAND_H
#define CPPROF_SUBCOMMAND_H

#include <stdio.h>

#include "cpprof/opt.h"

struct subcommand {
	const char *name;
	const char *args; /* behind the name in its usage line */
	const char *help; /* one line */
	const struct opt *opts;
	void (*more)(FILE *out); /* --help below the options; may be NULL */
	int failure;             /* exit status when its options are wrong */
	/* ARGV is what follows the name; returns the exit status. */
	int (*run)(const struct subcommand *self, int argc, char **argv);
};

extern const struct subcommand subcommands[]; /* ends with name NULL */

/* The row of that name, or NULL. */
const struct subcommand *subcommand_find(const char *name);

/* The hint of ERR: the subcommands nearest to WORD, or OTHERWISE; -1. */
int subcommand_near(struct err *err, const char *word, const char *otherwise);

/* What `cpprof NAME --help` prints; 24 lines (report: 48) of 80 columns at
   most. */
void subcommand_help(const struct subcommand *self, FILE *out);

/*
 * Takes all options of SELF: flags and values go to the struct INTO, to where
 * their rows say, any other to TAKE (0, or -1 and the error).  0; or -1 when
 * the program must exit with *STATUS, since --help or an error was printed.
 */
typedef int subcommand_take(
	void *arg, const struct opt *opt, const char *value, struct err *err);
int subcommand_options(const struct subcommand *self, struct opt_scan *scan,
	void *into, subcommand_take *take, void *arg, int *status);

/* Prints the error; returns SELF's exit status for it. */
int subcommand_fail(const struct subcommand *self, const struct err *err);

/*
 * The one FILE operand of SCAN, "cpprofdata" where there is none; NULL and an
 * error when there are more.
 */
const char *subcommand_file(const struct opt_scan *scan, struct err *err);

enum { OPT_VERSION = 1 };
extern const struct opt main_opts[];

extern const struct opt run_opts[], report_opts[], export_opts[], info_opts[],
	merge_opts[], import_opts[], help_opts[], shell_opts[],
	resources_opts[], attach_opts[], callgraph_opts[], list_opts[],
	diff_opts[], advise_opts[], symbolize_opts[];

int cmd_run(const struct subcommand *self, int argc, char **argv);
int cmd_attach(const struct subcommand *self, int argc, char **argv);
int cmd_callgraph(const struct subcommand *self, int argc, char **argv);
int cmd_list(const struct subcommand *self, int argc, char **argv);
int cmd_report(const struct subcommand *self, int argc, char **argv);
int cmd_advise(const struct subcommand *self, int argc, char **argv);
int cmd_diff(const struct subcommand *self, int argc, char **argv);
int cmd_export(const struct subcommand *self, int argc, char **argv);
int cmd_info(const struct subcommand *self, int argc, char **argv);
int cmd_import(const struct subcommand *self, int argc, char **argv);
int cmd_symbolize(const struct subcommand *self, int argc, char **argv);
int cmd_merge(const struct subcommand *self, int argc, char **argv);
int cmd_resources(const struct subcommand *self, int argc, char **argv);
int cmd_help(const struct subcommand *self, int argc, char **argv);
int cmd_shell(const struct subcommand *self, int argc, char **argv);

/* `cpprof --complete -- WORD...`: prints what the last word may become. */
int cmd_complete(int argc, char **argv);

/* The parts of --help below the options. */
void run_more(FILE *out);
void attach_more(FILE *out);
void report_more(FILE *out);
void shell_more(FILE *out);

/*
 * Opens the manual page of TOPIC ("run"; NULL: cpprof itself) through man(1).
 * 0, or -1 when there is no man or no such page.
 */
int help_open_page(const char *topic);

/* What `cpprof --help` prints; 24 lines of 80 columns at most. */
void main_help(FILE *out);

/* `cpprof --version`: the version, and the parts that were built in. */
void version_print(FILE *out);

#endif
