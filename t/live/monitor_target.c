/*
 * monitor_target - a program that does one awkward thing, to be run bare and
 * under cpprof; what it prints must be the same.
 *
 *     monitor_target WHAT [ARGUMENT...]
 *
 * The table at the end says what there is.  Status 0 if all went well; 99 if
 * something that should not fail did.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static char *self;
static const char *arg1, *arg2;

static void must(int bad, const char *what)
{
	if (!bad)
		return;
	perror(what);
	_exit(99);
}

static void burn_us(long us)
{
	struct timespec t;
	long long from;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	from = t.tv_sec * 1000000000ll + t.tv_nsec;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec * 1000000000ll + t.tv_nsec - from < us * 1000ll);
}

static void wait_for(pid_t child)
{
	int status;

	must(waitpid(child, &status, 0) != child || status != 0, "child");
}

static int do_exit(void)
{
	return atoi(arg1);
}

static int do_signal(void)
{
	struct rlimit none = {0, 0};

	/* what a shell starts in the background ignores some */
	signal(atoi(arg1), SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
	raise(atoi(arg1));
	return 99;
}

/* Open descriptors, with what they are; the folder's own is left out. */
static int do_fds(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD), mode = fcntl(fd, F_GETFL);
		struct stat st;

		if (flags >= 0 && fstat(fd, &st) == 0)
			printf("%d %o %x %x %jx:%jx\n", fd, st.st_mode,
				(unsigned)flags, (unsigned)mode,
				(uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	}
	return 0;
}

static void print_status(void)
{
	static const char *const wanted[] = {"SigBlk", "SigIgn", "SigCgt",
		"Uid", "Gid", "Groups", "Cap", "NoNewPrivs", "Seccomp",
		"Cpus_allowed", "Umask", "Threads", "TracerPid", "CoreDumping"};
	FILE *f = fopen("/proc/self/status", "r");
	char line[512];

	must(!f, "status");
	while (fgets(line, sizeof line, f))
		for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
			if (strncmp(line, wanted[i], strlen(wanted[i])) == 0)
				fputs(line, stdout);
	fclose(f);
}

/* What it may ask of its parent and its group. */
static int do_parent(void)
{
	pid_t parent = getppid();
	struct sched_param param = {0};
	cpu_set_t set;

	usleep(300000); /* until the monitor is what it will be */
	sched_getparam(parent, &param);
	CPU_ZERO(&set);
	sched_getaffinity(parent, sizeof set, &set);
	printf("parent: policy %d priority %d nice %d group's %d on %d\n",
		sched_getscheduler(parent), param.sched_priority,
		getpriority(PRIO_PROCESS, (id_t)parent),
		getpriority(PRIO_PGRP, 0), CPU_COUNT(&set));
	return 0;
}

/* All that a program may find set when it begins. */
static int do_attributes(void)
{
	struct sched_param param;
	char cwd[4096];

	print_status();
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;

		if (getrlimit(i, &limit) == 0)
			printf("limit %d %jd %jd\n", i,
				(intmax_t)limit.rlim_cur,
				(intmax_t)limit.rlim_max);
	}
	errno = 0;
	printf("nice %d policy %d", getpriority(PRIO_PROCESS, 0),
		sched_getscheduler(0));
	sched_getparam(0, &param);
	printf(" priority %d\n", param.sched_priority);
	printf("group %d session %d foreground %d\n", getpgrp(), getsid(0),
		tcgetpgrp(0));
	printf("dumpable %d death %d subreaper slack %d\n",
		prctl(PR_GET_DUMPABLE), 0, prctl(PR_GET_TIMERSLACK));
	printf("cwd %s\n", getcwd(cwd, sizeof cwd));
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "_=", 2) != 0)
			printf("env %s\n", *e);
	return 0;
}

static void *short_life(void *us)
{
	pthread_setname_np(pthread_self(), "mayfly");
	burn_us((long)us);
	return NULL;
}

/* ARG1 threads, each of ARG2 us, a few at a time. */
static int do_mayflies(void)
{
	long n = atol(arg1);

	for (long done = 0; done < n;) {
		pthread_t t[8];
		int k = 0;

		for (; k < 8 && done < n; k++, done++)
			must(pthread_create(&t[k], NULL, short_life,
				     (void *)atol(arg2)),
				"pthread_create");
		while (k > 0)
			pthread_join(t[--k], NULL);
	}
	puts("done");
	return 0;
}

/* ARG1 processes, each of ARG2 us, one after the other. */
static int do_processes(void)
{
	for (long i = atol(arg1); i > 0; i--) {
		pid_t child = fork();

		must(child < 0, "fork");
		if (child == 0) {
			burn_us(atol(arg2));
			_exit(0);
		}
		wait_for(child);
	}
	puts("done");
	return 0;
}

static void *outlive(void *unused)
{
	burn_us(50000);
	puts("the thread went on");
	fflush(stdout);
	exit(7);
	return unused;
}

/* The leader ends first; a thread ends the process. */
static int do_leader_first(void)
{
	pthread_t t;

	must(pthread_create(&t, NULL, outlive, NULL), "pthread_create");
	pthread_exit(NULL);
}

static void *exec_here(void *unused)
{
	execl(self, self, "burn", "50000", (char *)NULL);
	return unused;
}

/* exec from a thread that is not the leader, with others there. */
static int do_exec_thread(void)
{
	pthread_t t;

	for (int i = 0; i < 3; i++)
		must(pthread_create(&t, NULL, short_life, (void *)10000000l),
			"pthread_create");
	must(pthread_create(&t, NULL, exec_here, NULL), "pthread_create");
	pthread_join(t, NULL);
	return 99;
}

static int do_burn(void)
{
	burn_us(atol(arg1));
	puts("done");
	return 0;
}

/* execs itself ARG1 times. */
static int do_exec_chain(void)
{
	long left = atol(arg1);
	char next[32];

	if (left == 0) {
		puts("end of the chain");
		return 0;
	}
	burn_us(200);
	snprintf(next, sizeof next, "%ld", left - 1);
	execl(self, self, "exec-chain", next, (char *)NULL);
	return 99;
}

static pid_t by_vfork(char **argv)
{
	pid_t child = vfork();

	if (child == 0) {
		execv(self, argv);
		_exit(99);
	}
	return child;
}

static pid_t by_clone3(void)
{
	struct clone_args args = {.exit_signal = SIGCHLD};
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof args);

	must(child < 0, "clone3");
	if (child == 0) {
		burn_us(200);
		_exit(0);
	}
	return child;
}

/* vfork, posix_spawn and clone3, ARG1 times each. */
static int do_spawns(void)
{
	char *argv[] = {self, "burn", "200", NULL};

	for (long i = atol(arg1); i > 0; i--) {
		pid_t child;

		wait_for(by_vfork(argv));
		must(posix_spawn(&child, self, NULL, NULL, argv, environ),
			"posix_spawn");
		wait_for(child);
		wait_for(by_clone3());
	}
	return 0;
}

static int do_close_all(void)
{
	printf("before\n");
	fflush(stdout);
	for (int fd = 0; fd < 4096; fd++)
		close(fd);
	burn_us(30000);
	return 3;
}

/* Leaves a daemon behind that writes ARG1 after ARG2 ms. */
static int do_daemon(void)
{
	if (fork())
		return 4;
	setsid();
	if (fork())
		_exit(0);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	for (long ms = atol(arg2); ms > 0; ms--) {
		burn_us(300);
		usleep(700);
	}
	must(open(arg1, O_CREAT | O_WRONLY, 0600) < 0, "open");
	return 0;
}

/* Faults on ARG1 pages, ARG2 times. */
static int do_flood(void)
{
	size_t pages = (size_t)atol(arg1), size = pages * 4096;

	for (long i = arg2 ? atol(arg2) : 1; i > 0; i--) {
		char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		must(at == MAP_FAILED, "mmap");
		madvise(at, size, MADV_NOHUGEPAGE);
		for (size_t k = 0; k < pages; k++)
			at[k * 4096] = 1;
		munmap(at, size);
	}
	puts("done");
	return 0;
}

/* Faults on the ARG2 pages of a file ARG1 that are on the disk alone. */
static int do_major(void)
{
	size_t pages = (size_t)atol(arg2), size = pages * 4096;
	int fd = open(arg1, O_CREAT | O_RDWR, 0600);
	struct rusage usage;
	char *at, page[4096];
	int sum = 0;

	must(fd < 0, "open");
	memset(page, 1, sizeof page);
	for (size_t i = 0; i < pages; i++)
		must(write(fd, page, sizeof page) != sizeof page, "write");
	must(fsync(fd), "fsync");
	must(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	must(at == MAP_FAILED || madvise(at, size, MADV_RANDOM), "mmap");
	for (size_t i = 0; i < pages; i++)
		sum += at[i * 4096];
	must(sum != (int)pages, "contents");
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_majflt);
	return 0;
}

/* Stops itself and is continued by a child; then ends with 6. */
static int do_stop_self(void)
{
	pid_t child = fork(), me = getpid();

	if (child == 0) {
		usleep(500000);
		kill(getppid() == me ? me : 0, SIGCONT);
		_exit(0);
	}
	raise(atoi(arg1));
	puts("went on");
	wait_for(child);
	return 6;
}

static volatile sig_atomic_t got[65];

static void on_signal(int sig)
{
	got[sig]++;
}

/* Says "ready", then every signal that comes, until ARG1 of them came. */
static int do_signals(void)
{
	sigset_t all, none;
	int n = atoi(arg1);

	sigfillset(&all);
	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int s = 1; s < 32; s++)
		signal(s, on_signal);
	puts("ready");
	fflush(stdout);
	while (n > 0) {
		sigsuspend(&none);
		for (int s = 1; s < 65; s++)
			for (; got[s] > 0; got[s]--, n--) {
				printf("signal %d\n", s);
				fflush(stdout);
			}
	}
	return 0;
}

/* The kernel's ns that this thread could have run and others did. */
static unsigned long long in_line(void)
{
	unsigned long long cpu, line = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	must(!f || fscanf(f, "%llu %llu", &cpu, &line) != 2, "schedstat");
	fclose(f);
	return line;
}

/* Works on processor number ARG1 until it is killed, or its parent is gone. */
static int do_occupy(void)
{
	pid_t parent = getppid();
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(atoi(arg1), &one);
	must(sched_setaffinity(0, sizeof one, &one), "sched_setaffinity");
	while (getppid() == parent)
		continue;
	return 0;
}

/*
 * Sleeps ARG1 times for a ms, on processor number ARG2 and behind all others
 * there, so that the most of each wait is in line; prints that part, in us.
 */
static int do_naps(void)
{
	struct timespec ms = {.tv_nsec = 1000000};
	struct sched_param param = {0};
	unsigned long long from;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(atoi(arg2), &one);
	must(sched_setaffinity(0, sizeof one, &one), "sched_setaffinity");
	must(sched_setscheduler(0, SCHED_IDLE, &param), "sched_setscheduler");
	from = in_line();
	for (int i = 0; i < atoi(arg1); i++)
		nanosleep(&ms, NULL);
	printf("%llu\n", (in_line() - from) / 1000);
	return 0;
}

/* Counts to ARG1, one step each 10 ms; says so before and after. */
static int do_count(void)
{
	puts("counting");
	fflush(stdout);
	for (long i = 0; i < atol(arg1); i++) {
		burn_us(5000);
		usleep(5000);
	}
	puts("counted");
	return 8;
}

static __attribute__((noinline)) void spin(long turns)
{
	volatile unsigned long sum = 0;

	while (turns-- > 0)
		sum = sum + (unsigned long)turns;
}

/* ARG1 times a third of a ms or so in spin(), and a system call. */
static int do_steps(void)
{
	for (long i = 0; i < atol(arg1); i++) {
		spin(1200000);
		getppid();
	}
	return 0;
}

/* A loop that turns so often as its argument says, with a frame. */
static const unsigned char loop_code[] = {
	0x55,             /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp,%rbp */
	0x48, 0xff, 0xcf, /* dec %rdi */
	0x75, 0xfb,       /* jnz */
	0x5d, 0xc3,       /* pop %rbp; ret */
};

static long page_of_code(char *page, long turns)
{
	long (*loop)(long) = (long (*)(long))(uintptr_t)page;

	memcpy(page, loop_code, sizeof loop_code);
	must(mprotect(page, 4096, PROT_READ | PROT_EXEC), "mprotect");
	return loop(turns);
}

/* Code in ARG1 pages of one mapping, each made executable for itself, run, and
   moved by mremap and run again. */
static int do_protect(void)
{
	long n = atol(arg1);
	char *memory = mmap(NULL, (size_t)n * 8192, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(memory == MAP_FAILED, "mmap");
	getppid();
	for (; n-- > 0; memory += 8192) {
		page_of_code(memory, 2000000);
		must(mremap(memory, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED,
			     memory + 4096) != memory + 4096,
			"mremap");
		((long (*)(long))(uintptr_t)(memory + 4096))(2000000);
	}
	return 0;
}

/* ARG1 mappings that cannot be joined, and ARG2 pages of code among them. */
static int do_mappings(void)
{
	long n = atol(arg1), codes = atol(arg2);
	char *page = NULL;

	for (long i = 0; i < n; i++) {
		page = mmap(NULL, 4096,
			i % 2 ? PROT_READ | PROT_WRITE : PROT_READ,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		must(page == MAP_FAILED, "mmap");
		if (i % (n / codes) == 1)
			page_of_code(page, 100000);
	}
	return 0;
}

/* ARG1 processes, one after the other, with code of their own. */
static int do_generators(void)
{
	for (long n = atol(arg1); n-- > 0;) {
		pid_t pid = fork();
		char *page;

		must(pid < 0, "fork");
		if (pid == 0) {
			page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			must(page == MAP_FAILED, "mmap");
			page_of_code(page, 8000000);
			_exit(0);
		}
		must(waitpid(pid, NULL, 0) != pid, "waitpid");
	}
	return 0;
}

static volatile uint64_t spent;
static void *volatile asked;

/* No compiler looks into one such function from another. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

APART void probed_leaf(void);
APART void probed_leaf(void)
{
	spent++;
}

/*
 * The instruction behind a return is the caller's.  A five-byte no-op the
 * kernel replaces, from Linux 6.18, by a call of its own page.
 */
void probed_return(void);
void probed_no_op(void);
__asm__(".text\n"
	".type probed_return, @function\n"
	"probed_return: ret\n"
	".size probed_return, . - probed_return\n"
	".p2align 6\n"
	".type probed_no_op, @function\n"
	"probed_no_op: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
	"ret\n"
	".size probed_no_op, . - probed_no_op\n");

APART static void unprobed_work(void)
{
	for (unsigned i = 0; i < 1500; i++)
		spent += i;
}

/* N times; what it took is added to *NS, by the thread's own clock. */
static void timed_work(unsigned n, uint64_t *ns)
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	while (n--)
		unprobed_work();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	*ns += (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000 +
	       (uint64_t)to.tv_nsec - (uint64_t)from.tv_nsec;
}

/*
 * ARG1 rounds of work, whose us it tells, and of calls and requests that take
 * next to nothing.
 */
static int do_probed(void)
{
	uint64_t ns = 0;

	for (int i = 0; i < atoi(arg1); i++) {
		timed_work(20, &ns);
		for (int k = 0; k < 20; k++) {
			probed_leaf();
			probed_return();
			probed_no_op();
			asked = malloc(100);
			free(asked);
			spent++;
		}
	}
	printf("%ju\n", (uintmax_t)ns / 1000);
	return 0;
}

APART static void fault_pages(char *pages)
{
	for (unsigned i = 0; i < 200; i++)
		pages[i * 4096] = 1;
}

/* ARG1 rounds of page faults, and of work without any, whose us it tells. */
static int do_faults(void)
{
	uint64_t ns = 0;

	for (int i = 0; i < atoi(arg1); i++) {
		char *pages = mmap(NULL, 200 * 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			return 1;
		fault_pages(pages);
		timed_work(200, &ns);
		munmap(pages, 200 * 4096);
	}
	printf("%ju\n", (uintmax_t)ns / 1000);
	return 0;
}

/* ARG1 requests of ARG2 bytes, which need not be had. */
static int do_asks(void)
{
	for (int i = 0; i < atoi(arg1); i++) {
		asked = malloc((size_t)atoll(arg2));
		free(asked);
	}
	return 0;
}

/* Reads and writes by 64 KiB that lie on the stack, which is read with them. */
static void *big_io(void *times)
{
	volatile char buffer[65536];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ssize_t n = 0;

	must(zero < 0 || null < 0, "/dev/zero, /dev/null");
	for (long i = (long)times; i > 0; i--) {
		n += read(zero, (char *)buffer, sizeof buffer);
		n += write(null, (char *)buffer, sizeof buffer);
	}
	close(zero);
	close(null);
	return n ? times : NULL;
}

/* Samples in the midst of others: THREADS of these. */
static int do_nested(void)
{
	pthread_t t[64];
	int n = atoi(arg1) < 64 ? atoi(arg1) : 64;

	for (int i = 0; i < n; i++)
		must(pthread_create(&t[i], NULL, big_io, (void *)atol(arg2)),
			"pthread_create");
	while (n > 0)
		pthread_join(t[--n], NULL);
	puts("done");
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} table[] = {
	{"exit", do_exit},
	{"signal", do_signal},
	{"fds", do_fds},
	{"attributes", do_attributes},
	{"parent", do_parent},
	{"nested", do_nested},
	{"mayflies", do_mayflies},
	{"processes", do_processes},
	{"leader-first", do_leader_first},
	{"exec-thread", do_exec_thread},
	{"exec-chain", do_exec_chain},
	{"burn", do_burn},
	{"spawns", do_spawns},
	{"close-all", do_close_all},
	{"daemon", do_daemon},
	{"flood", do_flood},
	{"major", do_major},
	{"stop-self", do_stop_self},
	{"signals", do_signals},
	{"count", do_count},
	{"naps", do_naps},
	{"occupy", do_occupy},
	{"protect", do_protect},
	{"steps", do_steps},
	{"mappings", do_mappings},
	{"generators", do_generators},
	{"probed", do_probed},
	{"faults", do_faults},
	{"asks", do_asks},
};

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	self = argv[0];
	arg1 = argc > 2 ? argv[2] : "0";
	arg2 = argc > 3 ? argv[3] : "1";
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strcmp(table[i].name, argv[1]) == 0)
			return table[i].run();
	return 2;
}
