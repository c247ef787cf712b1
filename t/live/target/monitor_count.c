/*
 * monitor_count - the kernel's own count of what a command consumes, for the
 * books to be held against: plain counting events (no samples), inherited by
 * all that descends from the command.
 *
 *     monitor_count FILE COMMAND [ARGS...]
 *
 * Counts from its own main on, and from the command's exec on, and writes to
 * FILE "EVENT OWN COMMAND" for cpu (us), pagefaults, minorfaults, majorfaults,
 * then "rusage CPU-us MINOR MAJOR" of the command.  Exits with its status.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	uint64_t config;
	unsigned scale;
} events[] = {
	{"cpu", PERF_COUNT_SW_TASK_CLOCK, 1000},
	{"pagefaults", PERF_COUNT_SW_PAGE_FAULTS, 1},
	{"minorfaults", PERF_COUNT_SW_PAGE_FAULTS_MIN, 1},
	{"majorfaults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1},
};

#define N (sizeof events / sizeof *events)

static int own[N], command[N];

/* Counts event number I in PID (0: here, at once; else from its exec on). */
static int count(size_t i, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof attr,
		.type = PERF_TYPE_SOFTWARE,
		.config = events[i].config,
		.inherit = 1,
		.disabled = pid != 0,
		.enable_on_exec = pid != 0,
		.exclude_kernel = geteuid() != 0,
		.exclude_hv = geteuid() != 0,
	};
	int fd = (int)syscall(
		SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		perror("monitor_count: perf_event_open");
		exit(125);
	}
	return fd;
}

static unsigned long long value(int fd, unsigned scale)
{
	unsigned long long v = 0;

	if (read(fd, &v, sizeof v) != sizeof v)
		exit(125);
	return v / scale;
}

/* Waits until the events are there, then becomes the command. */
static _Noreturn void become(const int *go, char **argv)
{
	char byte;

	close(go[1]);
	while (read(go[0], &byte, 1) > 0)
		;
	close(go[0]);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status, go[2];
	pid_t child;
	FILE *out;

	if (argc < 3 || pipe(go))
		return 125;
	for (size_t i = 0; i < N; i++)
		own[i] = count(i, 0);
	child = fork();
	if (child == 0)
		become(go, argv + 2);
	for (size_t i = 0; child > 0 && i < N; i++)
		command[i] = count(i, child);
	close(go[0]);
	close(go[1]);
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return 125;
	out = fopen(argv[1], "w");
	if (!out)
		return 125;
	for (size_t i = 0; i < N; i++)
		fprintf(out, "%s %llu %llu\n", events[i].name,
			value(own[i], events[i].scale),
			value(command[i], events[i].scale));
	fprintf(out, "rusage %lld %ld %ld\n",
		(long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
				1000000 +
			usage.ru_utime.tv_usec + usage.ru_stime.tv_usec,
		usage.ru_minflt, usage.ru_majflt);
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
