/*
 * collect.h - what `run` and `attach` share: their options, and the way from a
 * configuration to a finished file.
 */
#ifndef CPPROF_COLLECT_H
#define CPPROF_COLLECT_H

#include "monitor/run/monitor.h"
#include "cpprof/opt.h"

enum {
	COLLECT_RESOURCE = 1,
	COLLECT_OUTPUT,
	COLLECT_UNWINDER,
	COLLECT_TIMER,
	COLLECT_RANDOMIZE,
	COLLECT_SHELL,
	COLLECT_STATUS,
	COLLECT_QUIET,
	COLLECT_OPTS /* a subcommand's own begin here */
};

/* The first rows of a subcommand's options, and the last ones. */
#define COLLECT_FIRST_ROWS                                                     \
	{"resource", 'r', "NAME[:INTERVAL][,...]", "see 'cpprof resources'",   \
		COLLECT_RESOURCE},                                             \
		{"output", 'o', "FILE",                                        \
			"file, with %p %h %e; default " DEFAULT_FILE,          \
			COLLECT_OUTPUT},                                       \
		{"unwinder", 0, "NAME", "auto, fast, libunwind, fp or check",  \
			COLLECT_UNWINDER},                                     \
	{                                                                      \
		"timer", 0, "FAMILY",                                          \
			"auto, kernel, stop, per-cpu or per-task",             \
			COLLECT_TIMER                                          \
	}
#define COLLECT_LAST_ROWS                                                      \
	{"randomize", 0, "[=PERCENT]",                                         \
		"vary intervals at random; default 50%", COLLECT_RANDOMIZE},   \
		{"interactive", 'i', NULL,                                     \
			"explore the profile when the run is over",            \
			COLLECT_SHELL},                                        \
		{"status", 0, NULL, "show the progress on the terminal",       \
			COLLECT_STATUS},                                       \
	{                                                                      \
		"quiet", 'q', NULL, "print errors only", COLLECT_QUIET         \
	}

struct collect {
	struct resource_request requests[RESOURCES_MAX];
	size_t nrequests;
	const char *pattern, *unwinder;
	char *output; /* the file; NULL until it is complete */
	enum timer_choice timer;
	struct timer_machine machine; /* found out for the choice */
	unsigned randomize;           /* percent */
	bool shell, status, quiet;
	bool usual; /* no resources were named */
};

void collect_init(struct collect *collect);

/* Takes one of the rows above. */
int collect_option(struct collect *collect, const struct opt *opt,
	const char *value, struct err *err);

/* Reads the TIME that is the value of OPT, to *NS. */
int collect_time(const struct opt *opt, const char *value, uint64_t *ns,
	struct err *err);

/*
 * When all options are taken: the usual resources where none is named, and the
 * name of the file for PROGRAM.
 */
int collect_complete(
	struct collect *collect, const char *program, struct err *err);

void collect_fini(struct collect *collect);

/*
 * Observes what CONFIG names (its other fields are filled from COLLECT), and
 * writes the file with all names.
 */
enum monitor_result collect_run(struct collect *collect,
	struct monitor_config *config, struct monitor_summary *summary,
	struct err *err);

/* Prints the summary of the run, and opens the shell where --shell asks for
   it. */
void collect_close(const struct collect *collect,
	const struct monitor_config *config,
	const struct monitor_summary *summary);

/* --help: the names of the resources. */
void collect_list_resources(FILE *out);

#endif
