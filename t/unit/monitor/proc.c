/*
 * Lists of processes: of any length, and whether a number is still the same
 * process's.
 */
#include "monitor/base/proc.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/lib/tap.h"

#define MANY 100000

/* As the kernel writes them: with a space behind each. */
static void many(void)
{
	char path[] = "/tmp/cpprof-proc.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	proc_list list = {0};
	size_t right = 0;
	int bad;

	for (int i = 0; i < MANY; i++)
		fprintf(f, "%d ", 1000 + i);
	fclose(f);
	bad = proc_numbers(path, &list);
	ok(!bad && list.n == MANY, "a long list is whole (%zu of %d)", list.n,
		MANY);
	for (size_t i = 0; i < list.n; i++)
		right += list.v[i] == 1000 + (int)i;
	ok(right == list.n, "and no number is cut");
	unlink(path);
	vec_free(&list);
	ok(proc_numbers(path, &list) == 0 && list.n == 0, "no file, no list");
}

static void numbers(void)
{
	pid_t pid = fork();
	int fd;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0) {
		skip(3, "no pidfds");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return;
	}
	ok(proc_is_there(fd), "a process that runs has its number");
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
	ok(proc_is_there(fd), "one that has ended has it still");
	waitpid(pid, NULL, 0);
	ok(!proc_is_there(fd), "until it is waited for");
	close(fd);
}

int main(void)
{
	many();
	numbers();
	return done_testing();
}
