/* cpprof run: runs a program and writes its profile. */
#include <string.h>
#include <sys/wait.h>

#include "cpprof/collect/collect.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"

const struct opt run_opts[] = {
	COLLECT_FIRST_ROWS,
	{"detach", 0, NULL, "start the program in cpprof's process",
		OPT_FLAG(struct collect, config.detach)},
	{"no-preload", 0, NULL, "load no counting object into the program",
		OPT_FLAG(struct collect, config.no_preload)},
	COLLECT_LAST_ROWS,
	OPT_HELP_ROW,
	{0},
};

void run_more(FILE *out)
{
	collect_list_resources(out);
}

static int check(const struct collect *run, struct err *err)
{
	if (strcmp(run->pattern, "-") == 0) {
		err_set(err, "-", NULL,
			"standard output belongs to the program");
		return err_hint(err, "open another descriptor: "
				     "-o /dev/fd/3 3>FILE");
	}
	if (run->config.detach && run->shell) {
		err_set(err, "--interactive", NULL,
			"not with --detach, which leaves the terminal to the "
			"program");
		return err_hint(err, "open the profile when the program has "
				     "ended: cpprof");
	}
	if (!run->config.argv[0]) {
		err_set(err, "run", NULL, "no program given");
		return err_hint(err,
			"it is used as: cpprof run [OPTIONS] -- PROG "
			"[ARGS...]");
	}
	return 0;
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
static int run_it(struct collect *run)
{
	struct monitor_summary summary = {.status = -1};
	enum monitor_result result;
	struct err err;

	result = collect_run(run, &summary, &err);
	if (result != MONITOR_OK) {
		message_error(&err);
		/* a user of cpprof run wants the status of the program */
		return result == MONITOR_FAILED && summary.status >= 0
			       ? exit_status(summary.status)
			       : run_failed(result);
	}
	collect_close(run, &summary);
	return exit_status(summary.status);
}

int cmd_run(const struct subcommand *self, int argc, char **argv)
{
	struct collect run;
	struct opt_scan scan;
	struct err err;
	int status;

	opt_begin(&scan, self->opts, true, argc, argv);
	if (collect_options(self, &scan, &run, &status))
		return status;
	run.config.argv = scan.operands;
	if (check(&run, &err) || collect_complete(&run, *scan.operands, &err))
		status = subcommand_fail(self, &err);
	else
		status = run_it(&run);
	collect_fini(&run);
	return status;
}
