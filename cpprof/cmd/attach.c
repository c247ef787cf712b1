/* cpprof attach: profiles a process that runs already. */
#include <errno.h>
#include <stdlib.h>

#include "cpprof/collect/collect.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"

enum { ATTACH_DELAY = COLLECT_OPTS, ATTACH_DURATION, ATTACH_CHILDREN };

const struct opt attach_opts[] = {
	COLLECT_FIRST_ROWS,
	{"delay", 0, "TIME", "begin to collect after TIME, such as 5s",
		ATTACH_DELAY},
	{"duration", 0, "TIME", "collect for TIME; default: to its end",
		ATTACH_DURATION},
	{"children", 0, NULL, "also its existing descendants", ATTACH_CHILDREN},
	COLLECT_LAST_ROWS,
	OPT_HELP_ROW,
	{0},
};

void attach_more(FILE *out)
{
	fputs("The run ends with the process, after the duration or at Ctrl-C; "
	      "the process goes\non untouched.  SIGUSR1 turns collecting off "
	      "and on.\n'cpprof run --help' lists the resources.\n",
		out);
}

static int parse_pid(const struct opt_scan *scan, struct monitor_config *config,
	struct err *err)
{
	char *const *words = scan->operands;
	char *end;
	long pid;

	if (scan->noperands == 0) {
		err_set(err, "attach", NULL, "no process given");
		return err_hint(
			err, "it is used as: cpprof attach [OPTIONS] PID");
	}
	if (scan->noperands > 1) {
		err_set(err, words[1], NULL, "one process at a time");
		return err_hint(err, "--children profiles its children, too");
	}
	errno = 0;
	pid = strtol(words[0], &end, 10);
	if (errno || *end || end == words[0] || pid <= 0 || pid != (pid_t)pid) {
		err_set(err, words[0], "attach", "not the number of a process");
		return err_hint(
			err, "'pidof NAME' or 'ps -e' prints process ids");
	}
	config->attach = (pid_t)pid;
	scan->operands[1] = NULL; /* was an option, and is taken */
	config->argv = words;
	return 0;
}

/* 0 to go on; -1 to exit with *STATUS. */
static int parse(const struct subcommand *self, int argc, char **argv,
	struct collect *collect, struct monitor_config *config, int *status)
{
	struct opt_scan scan;
	const struct opt *opt;
	const char *value;
	struct err err;
	int got, bad = 0;

	collect_init(collect);
	opt_begin(&scan, self->opts, false, argc, argv);
	while (!bad && (got = subcommand_option(
				self, &scan, &opt, &value, status)) > 0) {
		if (opt->id == ATTACH_DELAY)
			bad = collect_time(opt, value, &config->delay, &err);
		else if (opt->id == ATTACH_DURATION)
			bad = collect_time(opt, value, &config->duration, &err);
		else if (opt->id == ATTACH_CHILDREN)
			config->children = true;
		else
			bad = collect_option(collect, opt, value, &err);
	}
	if (!bad && got < 0)
		return -1;
	if (!bad && parse_pid(&scan, config, &err) == 0 &&
		collect_complete(collect, config->argv[0], &err) == 0)
		return 0;
	*status = subcommand_fail(self, &err);
	return -1;
}

int cmd_attach(const struct subcommand *self, int argc, char **argv)
{
	struct collect collect;
	struct monitor_config config = {0};
	struct monitor_summary summary = {0};
	struct err err;
	int status;

	if (parse(self, argc, argv, &collect, &config, &status) == 0) {
		status = 0;
		if (collect_run(&collect, &config, &summary, &err) ==
			MONITOR_OK)
			collect_close(&collect, &config, &summary);
		else
			status = subcommand_fail(self, &err);
	}
	collect_fini(&collect);
	return status;
}
