/* cpprof run: runs a program and writes its profile. */
#include <string.h>
#include <sys/wait.h>

#include "cpprof/collect/collect.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"

enum { RUN_DELAY = COLLECT_OPTS, RUN_DURATION, RUN_DETACH, RUN_NO_PRELOAD };

const struct opt run_opts[] = {
	COLLECT_FIRST_ROWS,
	{"delay", 0, "TIME", "begin to collect after TIME, such as 5s",
		RUN_DELAY},
	{"duration", 0, "TIME", "collect for TIME; default: to the end",
		RUN_DURATION},
	{"detach", 0, NULL, "start the program in cpprof's process",
		RUN_DETACH},
	{"no-preload", 0, NULL, "load no counting object into the program",
		RUN_NO_PRELOAD},
	COLLECT_LAST_ROWS,
	OPT_HELP_ROW,
	{0},
};

void run_more(FILE *out)
{
	collect_list_resources(out);
}

static int check(const struct collect *run, bool detach, char *const *program,
	struct err *err)
{
	if (strcmp(run->pattern, "-") == 0) {
		err_set(err, "-", NULL,
			"standard output belongs to the program");
		return err_hint(err, "open another descriptor: "
				     "-o /dev/fd/3 3>FILE");
	}
	if (detach && run->shell) {
		err_set(err, "--interactive", NULL,
			"not with --detach, which leaves the terminal to the "
			"program");
		return err_hint(err, "open the profile when the program has "
				     "ended: cpprof");
	}
	if (!program[0]) {
		err_set(err, "run", NULL, "no program given");
		return err_hint(err,
			"it is used as: cpprof run [OPTIONS] -- PROG "
			"[ARGS...]");
	}
	return 0;
}

/* 0 to go on; -1 to exit with *STATUS. */
static int parse(const struct subcommand *self, int argc, char **argv,
	struct collect *run, struct monitor_config *config, int *status)
{
	struct opt_scan scan;
	const struct opt *opt;
	const char *value;
	struct err err;
	int got, bad = 0;

	collect_init(run);
	opt_begin(&scan, self->opts, true, argc, argv);
	while (!bad && (got = subcommand_option(
				self, &scan, &opt, &value, status)) > 0) {
		if (opt->id == RUN_DELAY || opt->id == RUN_DURATION)
			bad = collect_time(opt, value,
				opt->id == RUN_DELAY ? &config->delay
						     : &config->duration,
				&err);
		else if (opt->id == RUN_DETACH)
			config->detach = true;
		else if (opt->id == RUN_NO_PRELOAD)
			config->no_preload = true;
		else
			bad = collect_option(run, opt, value, &err);
	}
	if (!bad && got < 0)
		return -1;
	config->argv = scan.operands;
	if (!bad && check(run, config->detach, scan.operands, &err) == 0 &&
		collect_complete(run, *scan.operands, &err) == 0)
		return 0;
	*status = subcommand_fail(self, &err);
	return -1;
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

static int run_failed(enum monitor_result result)
{
	switch (result) {
	case MONITOR_NOT_FOUND:
		return EXIT_RUN_NOT_FOUND;
	case MONITOR_NOT_EXECUTABLE:
		return EXIT_RUN_NOT_EXECUTABLE;
	default:
		return EXIT_RUN_FAILED;
	}
}

/* Returns the exit status. */
static int run_it(struct collect *run, struct monitor_config *config)
{
	struct monitor_summary summary = {.status = -1};
	enum monitor_result result;
	struct err err;

	result = collect_run(run, config, &summary, &err);
	if (result != MONITOR_OK) {
		message_error(&err);
		/* a user of cpprof run wants the status of the program */
		return result == MONITOR_FAILED && summary.status >= 0
			       ? exit_status(summary.status)
			       : run_failed(result);
	}
	collect_close(run, config, &summary);
	return exit_status(summary.status);
}

int cmd_run(const struct subcommand *self, int argc, char **argv)
{
	struct collect run;
	struct monitor_config config = {0};
	int status;

	if (parse(self, argc, argv, &run, &config, &status) == 0)
		status = run_it(&run, &config);
	collect_fini(&run);
	return status;
}
