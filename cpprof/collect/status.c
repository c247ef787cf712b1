/* Writes the status line and clears it. */
#include "cpprof/collect/status.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLEAR "\r\033[K"

/* Whether one of the process's standard descriptors is TERMINAL. */
static bool uses(pid_t pid, const struct stat *terminal)
{
	struct stat st;
	char path[64];

	for (int fd = 0; fd <= 2; fd++) {
		snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
		if (stat(path, &st) == 0 && S_ISCHR(st.st_mode) &&
			st.st_rdev == terminal->st_rdev)
			return true;
	}
	return false;
}

void status_init(
	struct status *status, const struct monitor_config *config, bool asked)
{
	struct stat st;

	*status = (struct status){.config = config};
	if (!isatty(STDERR_FILENO) || fstat(STDERR_FILENO, &st))
		return;
	/* The target of `run` has cpprof's terminal. */
	status->shared = !config->attach || uses(config->attach, &st);
	status->show = asked || !status->shared;
}

/* False for a terminal that is stopped or belongs to another job. */
static bool may_write(void)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

	return tcgetpgrp(STDERR_FILENO) == getpgrp() && poll(&p, 1, 0) > 0 &&
	       (p.revents & POLLOUT);
}

/* Writes in one piece; what cannot be written is dropped. */
static void put(const char *text, size_t n)
{
	ssize_t ignored = write(STDERR_FILENO, text, n);

	(void)ignored;
}

size_t status_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 2)
		return 80;
	return size.ws_col;
}

static void describe(const struct status *status,
	const struct monitor_progress *progress, FILE *out)
{
	const struct monitor_config *config = status->config;

	fprintf(out, "cpprof: %.0f s%s:", progress->elapsed,
		progress->collecting ? "" : ", not collecting");
	for (size_t i = 0; i < config->nrequests; i++) {
		uint64_t n = progress->resource[i].samples;

		fprintf(out, "%s %s %" PRIu64 " sample%s", i ? "," : "",
			config->requests[i].name, n, n == 1 ? "" : "s");
		if (progress->resource[i].lost)
			fprintf(out, " (%" PRIu64 " lost)",
				progress->resource[i].lost);
	}
}

void status_show(void *arg, const struct monitor_progress *progress)
{
	struct status *status = arg;
	size_t most = status_columns() - 1, n;
	char text[1024], line[1100];
	FILE *out;

	if (!status->show || !may_write())
		return;
	out = fmemopen(text, sizeof text, "w");
	if (!out)
		return;
	describe(status, progress, out);
	fclose(out);
	text[sizeof text - 1] = '\0';
	n = (size_t)snprintf(line, sizeof line, "%s%.*s%s",
		status->shared ? "" : CLEAR, (int)(most < 1023 ? most : 1023),
		text, status->shared ? "\n" : "");
	put(line, n);
	status->shown = !status->shared;
}

void status_clear(struct status *status)
{
	if (status->shown)
		put(CLEAR, strlen(CLEAR));
	status->shown = false;
}
