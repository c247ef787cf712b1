/*
 * proc_io - what /proc/PID/io says of a command, for cpprof's bytes to be held
 * against.
 *
 *     proc_io FILE COMMAND [ARGS...]
 *
 * Runs COMMAND and writes to FILE "PID RCHAR WCHAR": what the kernel counted as
 * read and written by it up to its end.  Exits with its status.
 *
 *     proc_io exec COMMAND [ARGS...]
 *
 * Prints how much the exec of COMMAND itself reads, of a process that is
 * stopped right behind it and killed.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(99);
}

static void read_io(pid_t pid, uint64_t *rchar, uint64_t *wchar)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
	f = fopen(path, "r");
	must(f != NULL, path);
	must(fscanf(f, "rchar: %" SCNu64 " wchar: %" SCNu64, rchar, wchar) == 2,
		path);
	fclose(f);
}

/* The parts of files that exec reads. */
static int print_exec(char **command)
{
	uint64_t rchar, wchar;
	pid_t pid = fork();
	int status;

	must(pid >= 0, "fork");
	if (pid == 0) {
		must(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0, "ptrace");
		execvp(command[0], command);
		_exit(127);
	}
	must(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status), "stop");
	read_io(pid, &rchar, &wchar);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("%" PRIu64 "\n", rchar);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t rchar, wchar;
	siginfo_t info;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "exec") == 0)
		return print_exec(argv + 2);
	pid = fork();
	must(pid >= 0, "fork");
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	/* it has ended and is still there */
	must(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0, "waitid");
	read_io(pid, &rchar, &wchar);
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	f = fopen(argv[1], "w");
	must(f != NULL, argv[1]);
	fprintf(f, "%d %" PRIu64 " %" PRIu64 "\n", (int)pid, rchar, wchar);
	must(fclose(f) == 0, argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
