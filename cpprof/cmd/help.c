/* cpprof help: the manual, through man(1). */

#include <fcntl.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpprof/message.h"
#include "cpprof/subcommand.h"

const struct opt help_opts[] = {
	OPT_HELP_ROW,
	{0},
};

/* Runs man with two arguments; its exit status, or 127. */
static int man(const char *option, const char *page, bool quiet)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int null = quiet ? open("/dev/null", O_RDWR) : -1;

		if (quiet && (dup2(null, STDOUT_FILENO) < 0 ||
				     dup2(null, STDERR_FILENO) < 0))
			_exit(127);
		/* Lines of a narrow terminal that cannot be broken. */
		setenv("MANROFFOPT", "-Wbreak", 0);
		if (option)
			execlp("man", "man", option, page, (char *)NULL);
		else
			execlp("man", "man", page, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		return 127;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* The page beside a program that was not installed: ../man/PAGE.1 or .7. */
static bool page_nearby(const char *page, char *path, size_t size)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	char *slash;

	if (n < 0)
		return false;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (const char *section = "17"; *section; section++) {
		n = snprintf(
			path, size, "%s/../man/%s.%c", exe, page, *section);
		if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
			return true;
	}
	return false;
}

int help_open_page(const char *topic)
{
	char page[256], path[PATH_MAX + 300];

	snprintf(page, sizeof page, topic ? "cpprof-%s" : "cpprof%s",
		topic ? topic : "");
	if (page_nearby(page, path, sizeof path))
		return man("-l", path, false) == 0 ? 0 : -1;
	if (man("-w", page, true) != 0)
		return -1;
	return man(NULL, page, false) == 0 ? 0 : -1;
}

int cmd_help(const struct subcommand *self, int argc, char **argv)
{
	const struct subcommand *about = self;
	struct opt_scan scan;
	const char *topic;
	struct err err;
	int status;

	opt_begin(&scan, self->opts, false, argc, argv);
	if (subcommand_options(self, &scan, NULL, NULL, NULL, &status))
		return status;
	topic = scan.noperands ? scan.operands[0] : NULL;
	if (topic && strcmp(topic, "tutorial") != 0) {
		about = subcommand_find(topic);
		if (!about) {
			err_set(&err, topic, "help", "no such subcommand");
			subcommand_near(&err, topic,
				"cpprof --help lists the subcommands; inside "
				"the shell, help lists its commands");
			return subcommand_fail(self, &err);
		}
	}
	if (help_open_page(topic) == 0)
		return 0;
	if (topic)
		subcommand_help(about, stdout);
	else
		main_help(stdout);
	return message_flush();
}
