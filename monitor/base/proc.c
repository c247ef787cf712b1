/* Reads the text files of /proc, each anew with every call. */
#include "monitor/base/proc.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/sys/process_memory.h"
#include "lib/text.h"

#define LIST_TRIES 100

ssize_t proc_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	buf[0] = '\0';
	if (fd < 0)
		return -1;
	while (n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	buf[n] = '\0';
	return (ssize_t)n;
}

ssize_t proc_thread_file(
	pid_t pid, pid_t tid, const char *name, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid,
		name);
	return proc_read(path, buf, size);
}

/* The same of the process, or of any thread. */
static ssize_t process_file(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	return proc_read(path, buf, size);
}

/* The text behind "\nNAME:". */
static const char *field(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, name, n) == 0 && at[n] == ':')
			return at + n + 1;
	}
	return "";
}

/* The last number of a line, 0: there is no such line. */
static pid_t last_number(const char *line)
{
	pid_t last = 0;
	char *end;

	while (*line == '\t') {
		last = (pid_t)strtol(line, &end, 10);
		line = end;
	}
	return last;
}

bool proc_status(pid_t tid, struct proc_status *status)
{
	char text[4096];
	const char *state;
	unsigned uid[3] = {0};

	if (process_file(tid, "status", text, sizeof text) <= 0)
		return false;
	state = field(text, "State");
	sscanf(field(text, "Uid"), "%u %u %u", &uid[0], &uid[1], &uid[2]);
	*status = (struct proc_status){
		.tgid = atoi(field(text, "Tgid")),
		.parent = atoi(field(text, "PPid")),
		.tracer = atoi(field(text, "TracerPid")),
		.uid = uid[0],
		.one_uid = uid[0] == uid[1] && uid[1] == uid[2],
		.blocked = strtoull(field(text, "SigBlk"), NULL, 16),
		.ignored = strtoull(field(text, "SigIgn"), NULL, 16),
		.caught = strtoull(field(text, "SigCgt"), NULL, 16),
		.state = state[0] ? state[strspn(state, " \t")] : '?',
	};
	/* kernels before 4.1, or without PID namespaces, have none */
	status->inner = last_number(field(text, "NStgid"));
	if (status->inner <= 0)
		status->inner = status->tgid;
	status->inner_tid = last_number(field(text, "NSpid"));
	if (status->inner_tid <= 0)
		status->inner_tid = tid;
	return status->tgid > 0;
}

uid_t proc_owner(pid_t pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	return stat(path, &st) == 0 ? st.st_uid : geteuid();
}

/* What its stat has behind the name, which can have any characters; or "". */
static const char *behind_name(pid_t pid, char *text, size_t size)
{
	char *at;

	process_file(pid, "stat", text, size);
	at = strrchr(text, ')');
	return at ? at + 1 : "";
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t proc_began(pid_t pid)
{
	uint64_t ticks, boot = ns_of(CLOCK_REALTIME) - ns_of(CLOCK_BOOTTIME);
	char text[1024];

	if (sscanf(behind_name(pid, text, sizeof text),
		    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d"
		    " %*d %*d %*d %*d %*d %ju",
		    (uintmax_t *)&ticks) != 1)
		return 0;
	return boot + ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

bool proc_is_kernel(pid_t pid)
{
	unsigned flags = 0;
	char text[1024];

	if (sscanf(behind_name(pid, text, sizeof text),
		    " %*c %*d %*d %*d %*d %*d %u", &flags) != 1)
		return false;
	return flags & 0x00200000; /* PF_KTHREAD, linux/sched.h */
}

bool proc_has_ended(pid_t pid)
{
	/* a list of threads will not do: a thread may start another and end */
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	bool ended;

	if (fd < 0)
		return errno == ESRCH;
	ended = poll(&pollfd, 1, 0) > 0;
	close(fd);
	return ended;
}

bool proc_comm(pid_t tid, char name[16])
{
	char text[64];
	ssize_t n = process_file(tid, "comm", text, sizeof text);

	if (n <= 0)
		return false;
	if (text[n - 1] == '\n')
		text[n - 1] = '\0';
	snprintf(name, 16, "%.15s", text);
	return true;
}

void proc_exe(pid_t tid, char exe[PATH_MAX])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/exe", (int)tid);
	n = readlink(path, exe, PATH_MAX - 1);
	exe[n > 0 ? n : 0] = '\0';
}

uint64_t proc_auxv(pid_t pid, uint64_t type)
{
	Elf64_auxv_t auxv[64];
	ssize_t n = process_file(pid, "auxv", (char *)auxv, sizeof auxv);

	for (ssize_t i = 0; i < n / (ssize_t)sizeof *auxv; i++)
		if (auxv[i].a_type == type)
			return auxv[i].a_un.a_val;
	return 0;
}

/* The path that execve(2) was given for a process; false: not known. */
static bool exec_path(pid_t pid, char given[PATH_MAX])
{
	uint64_t at = proc_auxv(pid, AT_EXECFN);
	/* it is at the end of the stack, nearly always in its last page */
	size_t n = at ? process_memory(pid, at, given, 4096 - (at & 4095)) : 0;

	return memchr(given, '\0', n);
}

void proc_called(pid_t pid, const char *exe, char called[NAME_MAX + 1])
{
	char given[PATH_MAX], path[PATH_MAX + 64], now[PATH_MAX];
	struct stat program, link;

	*called = '\0';
	if (!exec_path(pid, given))
		return;
	proc_exe(pid, now); /* an exec since then makes it another */
	if (strcmp(now, exe) != 0)
		return;
	snprintf(path, sizeof path, "/proc/%d/%s/%s", (int)pid,
		*given == '/' ? "root" : "cwd", given);
	if (stat(path, &link))
		return;
	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	if (!stat(path, &program) && program.st_dev == link.st_dev &&
		program.st_ino == link.st_ino)
		snprintf(called, NAME_MAX + 1, "%.*s", NAME_MAX,
			text_base_name(given));
}

void proc_args(pid_t pid, const char *exe, char args[PROC_ARGS])
{
	char text[2 * PROC_ARGS], now[PATH_MAX];
	ssize_t n = process_file(pid, "cmdline", text, sizeof text), name;
	const char *program = text_base_name(exe);
	ssize_t titled = (ssize_t)strlen(program) + 2;

	*args = '\0';
	proc_exe(pid, now); /* an exec since then makes it another */
	if (n <= 0 || strcmp(now, exe) != 0)
		return;
	name = (ssize_t)strnlen(text, (size_t)n) + 1;
	/* a title, as of a server's processes: "NAME: what it does" */
	if (n > titled && !strncmp(text, program, (size_t)titled - 2) &&
		!strncmp(text + titled - 2, ": ", 2))
		name = titled;
	while (n > name && !text[n - 1] && (!text[n - 2] || text[n - 2] == ' '))
		n--;
	for (ssize_t i = name; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	if (name < n)
		snprintf(args, PROC_ARGS, "%.*s", (int)(n - name), text + name);
}

bool proc_fd_read_only(pid_t tid, int fd)
{
	char path[64], text[1024];

	snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)tid, fd);
	if (proc_read(path, text, sizeof text) <= 0)
		return false;
	return (strtoul(field(text, "flags"), NULL, 8) & O_ACCMODE) == O_RDONLY;
}

/* One reading, behind what the list has. */
static int list_threads(pid_t pid, proc_list *list)
{
	char path[64];
	struct dirent *entry;
	int bad = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !bad && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid > 0 && !vec_add(list, tid))
			bad = -1;
	}
	if (dir)
		closedir(dir);
	return bad;
}

/* Whether all that were listed are there still, and no more. */
static bool is_current(pid_t pid, const pid_t *tids, size_t n)
{
	char path[96];
	struct stat task;

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof path, "/proc/%d/task/%d", (int)pid,
			(int)tids[i]);
		if (access(path, F_OK))
			return false;
	}
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	return stat(path, &task) || task.st_nlink == n + 2;
}

int proc_threads(pid_t pid, proc_list *list)
{
	size_t before = list->n;

	/* the kernel's list lacks those behind one that ends just then */
	for (unsigned tries = LIST_TRIES; tries; tries--) {
		list->n = before;
		if (list_threads(pid, list))
			return -1;
		if (is_current(pid, list->v + before, list->n - before))
			break;
	}
	return 0;
}

int proc_numbers(const char *path, proc_list *list)
{
	FILE *f = fopen(path, "re");
	int number, bad = 0;

	while (f && !bad && fscanf(f, "%d", &number) == 1)
		if (!vec_add(list, number))
			bad = -1;
	if (f)
		fclose(f);
	return bad;
}

bool proc_is_there(int pidfd)
{
	return syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0 ||
	       errno != ESRCH;
}

int proc_descendants(pid_t pid, proc_list *list)
{
	size_t next = list->n;
	char path[96];

	for (;;) {
		proc_list threads = {0};
		int bad = proc_threads(pid, &threads);

		for (size_t i = 0; !bad && i < threads.n; i++) {
			snprintf(path, sizeof path, "/proc/%d/task/%d/children",
				(int)pid, (int)threads.v[i]);
			bad = proc_numbers(path, list);
		}
		vec_free(&threads);
		if (bad)
			return -1;
		if (next == list->n)
			return 0;
		pid = list->v[next++];
	}
}

long proc_syscall(pid_t tid)
{
	char text[256];

	if (process_file(tid, "syscall", text, sizeof text) <= 0)
		return -2;
	return strncmp(text, "running", 7) == 0 ? -1 : strtol(text, NULL, 10);
}
