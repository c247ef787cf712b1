/*
 * hole_target - works below large frames that are never touched, and says what
 * the samples taken meanwhile cost it in faults of the kernel's.
 *
 *     hole_target still      nothing else changes
 *     hole_target faults     it touches a new page now and then
 *     hole_target changes    an outer frame changes all the time
 *     hole_target fills      by turns below a hole, in hollow(), and where the
 *                            hole was, in filled(); what is outside of it does
 *                            not change
 *
 * Prints the kernel's page faults in the thread while it works for half a
 * second of processor time (but for fills): each is a read of a page that is
 * absent.  Exit status 77: they cannot be counted here.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define LARGE (200 * 1024)
#define WORK_NS 500000000ll
#define PAGE 4096
#define PAGES 100000 /* more than are touched */
#define TURNS 50
#define HOLLOW (1024 * 1024)
#define SKIPPED (5 * PAGE)
#define DEPTH 8000

static volatile unsigned sink;
static volatile unsigned *outer; /* in a frame outside of the holes */
static char *pages, *pages_end;
static int counter;

static int open_counter(const char *where)
{
	struct perf_event_attr attr = {
		.size = sizeof attr,
		.type = PERF_TYPE_TRACEPOINT,
	};
	FILE *file = fopen(where, "r");
	unsigned long id;
	int n;

	if (!file)
		return -1;
	n = fscanf(file, "%lu", &id);
	fclose(file);
	if (n != 1)
		return -1;
	attr.config = id;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static uint64_t kernel_faults(void)
{
	uint64_t n;

	if (read(counter, &n, sizeof n) != sizeof n)
		exit(77);
	return n;
}

static long long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static KEEP void work(void)
{
	uint64_t before = kernel_faults();
	long long from = cpu_ns();

	do {
		for (unsigned i = 0; i < 20000; i++)
			sink += i;
		if (outer)
			++*outer;
		if (pages && pages < pages_end) {
			*(volatile char *)pages = 1;
			pages += PAGE;
		}
	} while (cpu_ns() - from < WORK_NS);
	printf("%llu\n", (unsigned long long)(kernel_faults() - before));
}

static KEEP void hole(unsigned n)
{
	char buffer[LARGE];

	__asm__ volatile("" ::"r"(buffer) : "memory");
	if (n)
		hole(n - 1);
	else
		work();
	__asm__ volatile("" ::"r"(buffer) : "memory");
}

static KEEP void work_ns(long long ns)
{
	long long from = cpu_ns();

	do {
		for (unsigned i = 0; i < 20000; i++)
			sink += i;
	} while (cpu_ns() - from < ns);
}

static KEEP void hollow(unsigned n)
{
	work_ns(WORK_NS / TURNS);
	sink += n;
}

static KEEP void filled(unsigned n)
{
	if (n)
		filled(n - 1);
	else
		work_ns(WORK_NS / TURNS);
	sink++;
}

/* Makes SIZE unused bytes below AT absent again. */
static KEEP void forget(uintptr_t at, size_t size)
{
	at = (at - 2 * PAGE) / PAGE * PAGE;
	if (madvise((void *)(at - size), size, MADV_DONTNEED) != 0)
		exit(99);
}

static volatile unsigned turn;
static volatile const size_t sizes[] = {HOLLOW, SKIPPED};
static void (*volatile const inner[])(unsigned) = {hollow, filled};

static KEEP void fill(void)
{
	for (turn = 0; turn < TURNS; turn++) {
		char buffer[sizes[turn % 2]];

		__asm__ volatile("" ::"r"(buffer) : "memory");
		if (turn % 2 == 0)
			forget((uintptr_t)buffer + HOLLOW, HOLLOW / 2);
		inner[turn % 2](DEPTH);
	}
}

/* Puts so much between it and the top that the marks of the stack are apart. */
static KEEP void far_out(unsigned n)
{
	volatile char buffer[PAGE];

	for (unsigned i = 0; i < PAGE; i++)
		buffer[i] = (char)n;
	if (n)
		far_out(n - 1);
	else
		fill();
	sink += (unsigned)buffer[n];
}

int main(int argc, char **argv)
{
	volatile unsigned changing = 0;
	const char *how = argc == 2 ? argv[1] : "";

	if (strcmp(how, "fills") == 0) {
		far_out(100);
		return 0;
	}
	counter = open_counter("/sys/kernel/tracing/events/exceptions/"
			       "page_fault_kernel/id");
	if (counter < 0)
		counter = open_counter("/sys/kernel/debug/tracing/events/"
				       "exceptions/page_fault_kernel/id");
	if (counter < 0)
		return 77;
	if (strcmp(how, "changes") == 0)
		outer = &changing;
	else if (strcmp(how, "faults") == 0) {
		pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (pages == MAP_FAILED)
			return 99;
		madvise(pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
		pages_end = pages + (size_t)PAGES * PAGE;
	} else if (strcmp(how, "still") != 0)
		return 2;
	hole(3);
	return 0;
}
