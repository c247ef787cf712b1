/*
 * collect.h - what `run` and `attach` share: their options, and the way from a
 * configuration to a finished file.
 */
#ifndef CPPROF_COLLECT_H
#define CPPROF_COLLECT_H

#include "lib/run/command.h"
#include "monitor/run/monitor.h"
#include "cpprof/subcommand.h"

enum {
	COLLECT_RESOURCE = 1,
	COLLECT_UNWINDER,
	COLLECT_TIMER,
	COLLECT_RANDOMIZE,
	COLLECT_COUNT,
	COLLECT_LIMIT,
	COLLECT_TIMES = 1 << 26
};

/* A time, kept as ns. */
#define COLLECT_TIME(member)                                                   \
	(COLLECT_TIMES + (int)offsetof(struct collect, member))

struct collect {
	struct resource_request requests[RESOURCES_MAX];
	struct monitor_config config;
	const char *pattern;
	char *output;                 /* the file; NULL until it is complete */
	struct timer_machine machine; /* found out for the choice */
	bool shell, status, quiet;
	bool usual; /* no resources were named */
};

/* The first rows of a subcommand's options, and the last ones. */
/* clang-format off */
#define COLLECT_FIRST_ROWS \
	{"resource", 'r', "NAME[:INTERVAL][,...]", "see 'cpprof resources'", \
		COLLECT_RESOURCE}, \
	{"count-calls", 0, "PATTERN[,...]", "count all calls of functions", \
		COLLECT_COUNT}, \
	{"count-limit", 0, "N", "... each of them up to N calls", \
		COLLECT_LIMIT}, \
	{"output", 'o', "FILE", "file, with %p %h %e; default " DEFAULT_FILE, \
		OPT_VALUE(struct collect, pattern)}, \
	{"unwinder", 0, "NAME", "auto, fast, libunwind, fp or check", \
		COLLECT_UNWINDER}, \
	{"timer", 0, "FAMILY", "auto, kernel, stop, per-cpu or per-task", \
		COLLECT_TIMER}, \
	{"asyncio", 0, NULL, "Python: who awaits a task is its caller", \
		OPT_FLAG(struct collect, config.asyncio)}, \
	{"delay", 0, "TIME", "begin to collect after TIME, such as 5s", \
		COLLECT_TIME(config.delay)}, \
	{"duration", 0, "TIME", "collect for TIME; default: to the end", \
		COLLECT_TIME(config.duration)}
#define COLLECT_LAST_ROWS \
	{"randomize", 0, "[=PERCENT]", "vary intervals at random; default 50%", \
		COLLECT_RANDOMIZE}, \
	{"interactive", 'i', NULL, "explore the profile when the run is over", \
		OPT_FLAG(struct collect, shell)}, \
	{"status", 0, NULL, "show the progress on the terminal", \
		OPT_FLAG(struct collect, status)}, \
	{"quiet", 'q', NULL, "print errors only", \
		OPT_FLAG(struct collect, quiet)}
/* clang-format on */

/* Begins COLLECT and takes the options, as subcommand_options(). */
int collect_options(const struct subcommand *self, struct opt_scan *scan,
	struct collect *collect, int *status);

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
	struct monitor_summary *summary, struct err *err);

/* Prints the summary of the run, and opens the shell where --shell asks for
   it. */
void collect_close(
	const struct collect *collect, const struct monitor_summary *summary);

/* --help: the names of the resources. */
void collect_list_resources(FILE *out);

#endif
