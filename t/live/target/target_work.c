/* monitor_target: work that is counted: faults, steps, code, calls, requests,
 * reads */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "t/live/target/monitor_target.h"

int do_burn(void)
{
	burn_us(atol(arg1));
	puts("done");
	return 0;
}

/* Faults on ARG1 pages, ARG2 times. */
int do_flood(void)
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
int do_major(void)
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
int do_occupy(void)
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

/* How often others took this thread's processor from it. */
static long preempted(void)
{
	struct rusage usage;

	must(getrusage(RUSAGE_THREAD, &usage), "getrusage");
	return usage.ru_nivcsw;
}

/*
 * Sleeps ARG1 times for a ms, on processor number ARG2 and behind all others
 * there, so that the most of each wait is in line; prints that part, in us, of
 * the naps around which nobody took the processor.
 */
int do_naps(void)
{
	struct timespec ms = {.tv_nsec = 1000000};
	struct sched_param param = {0};
	unsigned long long from, to, sum = 0;
	long before;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(atoi(arg2), &one);
	must(sched_setaffinity(0, sizeof one, &one), "sched_setaffinity");
	must(sched_setscheduler(0, SCHED_IDLE, &param), "sched_setscheduler");
	for (int i = 0; i < atoi(arg1); i++) {
		before = preempted();
		from = in_line();
		nanosleep(&ms, NULL);
		to = in_line();
		sum += preempted() == before ? to - from : 0;
	}
	printf("%llu\n", sum / 1000);
	return 0;
}

/* Counts to ARG1, one step each 10 ms; says so before and after. */
int do_count(void)
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
int do_steps(void)
{
	for (long i = 0; i < atol(arg1); i++) {
		spin(1200000);
		getppid();
	}
	return 0;
}

static long contended_ns;

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *take_turns(void *lock)
{
	for (long i = 0, before; i < atol(arg1); i++) {
		spin(200000);
		before = now_ns();
		pthread_mutex_lock(lock);
		contended_ns += now_ns() - before;
		spin(200000);
		pthread_mutex_unlock(lock);
	}
	return NULL;
}

/* Four threads that ARG1 times work for some 60 us, and so long with a lock.
   Says how long they were at it, us. */
int do_contended(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		must(pthread_create(&threads[i], NULL, take_turns, &lock) != 0,
			"pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", contended_ns / 1000);
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
int do_protect(void)
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
int do_mappings(void)
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

/* What a JIT compiler tells of a page of code: in a perf map, or a jitdump. */
static void tell_of_code(const char *page)
{
	int dump = strcmp(arg2, "dump") == 0;
	char path[64];
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
		uint32_t kind, length;
		uint64_t load_time;
		uint32_t load_pid, load_tid;
		uint64_t vma, addr, code_size, index;
		char name[16];
	} log = {.magic = 0x4a695444,
		.version = 1,
		.size = 40,
		.pid = (uint32_t)getpid(),
		.length = 56 + sizeof log.name,
		.addr = (uintptr_t)page,
		.code_size = 4096,
		.name = "generated_loop"};
	FILE *f;

	snprintf(path, sizeof path, dump ? "jit-%d.dump" : "/tmp/perf-%d.map",
		(int)getpid());
	f = fopen(path, "w+");
	must(!f, path);
	if (!dump)
		fprintf(f, "%jx 1000 generated_loop\n",
			(uintmax_t)(uintptr_t)page);
	else if (fwrite(&log, sizeof log, 1, f) != 1 || fflush(f) ||
		 mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f),
			 0) == MAP_FAILED)
		exit(1);
	fclose(f);
}

/*
 * ARG1 processes, one after the other, with code of their own; ARG2: map or
 * dump tells its name.
 */
int do_generators(void)
{
	for (long n = atol(arg1); n-- > 0;) {
		pid_t pid = fork();
		char *page;

		must(pid < 0, "fork");
		if (pid == 0) {
			page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			must(page == MAP_FAILED, "mmap");
			if (*arg2 != '1')
				tell_of_code(page);
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
 * kernel replaces, from Linux 6.18, by a call of its own page; and one that it
 * executes from a copy.
 */
void probed_return(void);
void probed_test(void);
void probed_no_op(void);
__asm__(".text\n"
	".type probed_return, @function\n"
	"probed_return: ret\n"
	".size probed_return, . - probed_return\n"
	".p2align 6\n"
	".type probed_no_op, @function\n"
	"probed_no_op: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
	"ret\n"
	".size probed_no_op, . - probed_no_op\n"
	".type probed_test, @function\n"
	"probed_test: test %rdi, %rdi\n"
	"ret\n"
	".size probed_test, . - probed_test\n");

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
 * next to nothing.  No two rounds are as long: a clock of such a period would
 * look into the same part of each.
 */
int do_probed(void)
{
	uint64_t ns = 0;
	unsigned random = 1;

	for (int i = 0; i < atoi(arg1); i++) {
		random = random * 1103515245 + 12345;
		timed_work(random >> 16 & 63, &ns);
		for (int k = 0; k < 20; k++) {
			probed_leaf();
			probed_return();
			probed_no_op();
			probed_test();
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
int do_faults(void)
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

/* ARG1 requests of ARG2 bytes, which may fail. */
int do_asks(void)
{
	for (int i = 0; i < atoi(arg1); i++) {
		asked = malloc((size_t)atoll(arg2));
		free(asked);
	}
	return 0;
}

/* Reads and writes by 32 KiB that lie on the stack, which is copied with them.
 */
static void *big_io(void *times)
{
	volatile char buffer[32768];
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
int do_nested(void)
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
