/* cpprof attach: profiles a process that runs already. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpprof/collect/collect.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"
#include "lib/text.h"

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

/* Whether process PID is called NAME, or its program is. */
static bool is_called(const char *pid, const char *name)
{
	char path[64], is[PATH_MAX] = "";
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
	f = fopen(path, "re");
	if (f && !fgets(is, sizeof is, f))
		is[0] = '\0';
	if (f)
		fclose(f);
	is[strcspn(is, "\n")] = '\0';
	if (!strcmp(is, name))
		return true;
	snprintf(path, sizeof path, "/proc/%.20s/exe", pid);
	n = readlink(path, is, sizeof is - 1);
	is[n > 0 ? n : 0] = '\0';
	return !strcmp(text_base_name(is), name);
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
			!is_called(entry->d_name, name))
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
	return n ? err_hint(err, "give the number of one: %s", list)
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
