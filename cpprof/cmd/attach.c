/* cpprof attach: profiles a process that runs already. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpprof/collect/collect.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"
#include "lib/text.h"

const struct opt attach_opts[] = {
	COLLECT_FIRST_ROWS,
	{"children", 0, NULL, "also its existing descendants",
		OPT_FLAG(struct collect, config.children)},
	COLLECT_LAST_ROWS,
	OPT_HELP_ROW,
	{0},
};

void attach_more(FILE *out)
{
	fputs("\nThe run ends with the process, after the duration or at "
	      "Ctrl-C; "
	      "the process goes\non untouched.  SIGUSR1 turns collecting off "
	      "and on.\n'cpprof run --help' lists the resources.\n",
		out);
}

/* The one process that is called NAME, but for this one. */
static int find_process(const char *name, long *found, struct err *err)
{
	char list[128] = "";
	size_t n = 0;
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == getpid() ||
			!monitor_is_called((pid_t)pid, name))
			continue;
		*found = pid;
		text_list(list, sizeof list, entry->d_name);
		n++;
	}
	if (proc)
		closedir(proc);
	if (n == 1)
		return 0;
	if (n)
		err_set(err, name, "attach", "%zu processes have that name", n);
	else
		err_set(err, name, "attach", "no process has that name");
	return n ? err_hint(err,
			   "give the number of one: %s; --children takes its "
			   "descendants, too",
			   list)
		 : err_hint(err, "'ps -e' prints the names of processes");
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
			err, "it is used as: cpprof attach [OPTIONS] PID|NAME");
	}
	if (scan->noperands > 1) {
		err_set(err, words[1], NULL, "one process at a time");
		return err_hint(err, "--children profiles its children, too");
	}
	errno = 0;
	pid = strtol(words[0], &end, 10);
	if (end != words[0] && !*end) {
		if (errno || pid <= 0 || pid != (pid_t)pid) {
			err_set(err, words[0], "attach",
				"not the number of a process");
			return err_hint(err,
				"'pidof NAME' or 'ps -e' prints process ids");
		}
	} else if (find_process(words[0], &pid, err)) {
		return -1;
	}
	config->attach = (pid_t)pid;
	scan->operands[1] = NULL; /* was an option, and is taken */
	config->argv = words;
	return 0;
}

int cmd_attach(const struct subcommand *self, int argc, char **argv)
{
	struct collect collect;
	struct monitor_summary summary = {0};
	struct opt_scan scan;
	struct err err;
	int status = 0;

	opt_begin(&scan, self->opts, false, argc, argv);
	if (collect_options(self, &scan, &collect, &status))
		return status;
	if (parse_pid(&scan, &collect.config, &err) ||
		collect_complete(&collect, *scan.operands, &err) ||
		collect_run(&collect, &summary, &err) != MONITOR_OK)
		status = subcommand_fail(self, &err);
	else
		collect_close(&collect, &summary);
	collect_fini(&collect);
	return status;
}
