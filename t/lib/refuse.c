/*
 * refuse - runs a command for which system calls fail, as under a container's
 * seccomp profile.
 *
 *     refuse ERRNO CALL[,CALL...] COMMAND [ARGS...]
 *
 * ERRNO is EPERM, EACCES or ENOSYS, or KILL: the process that makes the call is
 * killed there.  Calls are those of the table below; CALL:N is only the call
 * whose first argument is N (bpf:0 makes a map, bpf:28 a link), CALL@N the one
 * whose second is.  77: this kernel has no seccomp filters.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_MAX 16

static const struct {
	const char *name;
	unsigned value;
} actions[] = {{"EPERM", SECCOMP_RET_ERRNO | EPERM},
	{"EACCES", SECCOMP_RET_ERRNO | EACCES},
	{"ENOSYS", SECCOMP_RET_ERRNO | ENOSYS},
	{"KILL", SECCOMP_RET_KILL_PROCESS}},
  calls[] = {
	  {"perf_event_open", SYS_perf_event_open},
	  {"bpf", SYS_bpf},
	  {"ptrace", SYS_ptrace},
	  {"process_vm_readv", SYS_process_vm_readv},
	  {"sched_setscheduler", SYS_sched_setscheduler},
	  {"signalfd4", SYS_signalfd4},
	  {"poll", SYS_poll},
	  {"ppoll", SYS_ppoll},
	  {"socketpair", SYS_socketpair},
	  {"wait4", SYS_wait4},
	  {"waitid", SYS_waitid},
	  {"clone3", SYS_clone3},
	  {"ioctl", SYS_ioctl},
	  {"openat2", SYS_openat2},
};

static struct sock_filter code[5 * CALLS_MAX + 2];
static unsigned short n;

static void emit(struct sock_filter instruction)
{
	code[n++] = instruction;
}

static void load(size_t offset)
{
	emit((struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

/* Skips N instructions unless what was loaded is VALUE. */
static void skip_unless(unsigned value, unsigned char n_skipped)
{
	emit((struct sock_filter)BPF_JUMP(
		BPF_JMP | BPF_JEQ | BPF_K, value, 0, n_skipped));
}

static int refuse_call(char *name, unsigned action)
{
	char *argument = strpbrk(name, ":@");
	int which = argument && *argument == '@';

	if (argument)
		*argument++ = '\0';
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (strcmp(calls[i].name, name) != 0)
			continue;
		load(offsetof(struct seccomp_data, nr));
		skip_unless(calls[i].value, argument ? 3 : 1);
		if (argument) {
			load(offsetof(struct seccomp_data, args[which]));
			skip_unless((unsigned)strtoul(argument, NULL, 10), 1);
		}
		emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
		return 0;
	}
	fprintf(stderr, "refuse: no call %s in the table\n", name);
	return -1;
}

int main(int argc, char **argv)
{
	struct sock_fprog program = {.filter = code};
	unsigned action = 0;
	char *name;

	if (argc < 4)
		return 2;
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(actions[i].name, argv[1]) == 0)
			action = actions[i].value;
	if (!action)
		return 2;
	for (int i = 0; i < CALLS_MAX && (name = strsep(&argv[2], ",")); i++)
		if (refuse_call(name, action))
			return 2;
	emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
