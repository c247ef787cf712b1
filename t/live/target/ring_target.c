/*
 * Programs that fill the rings of perf events in ways of their own.
 *
 *   ring_target nest [ROUNDS]   threads with large buffers on their stacks, in
 *                               which system calls, faults and ticks nest
 *   ring_target edge [MS]       the stack pointer 4 bytes below the end of user
 *                               space: records whose size is no multiple of 8
 *   ring_target pages N         touches N new pages
 *   ring_target calls MS        calls a function that does nothing, often
 *   ring_target bursts N        N times 20000 system calls and new pages while
 *                               its parent is stopped, which then has time to
 *                               read
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define BURST 20000

static unsigned rounds = 200;

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void *nest(void *arg)
{
	char buffer[65536];
	int fd = memfd_create("nest", 0);

	for (unsigned i = 0; i < rounds; i++) {
		char *pages = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memset(buffer, (int)i, sizeof buffer);
		if (pwrite(fd, buffer, sizeof buffer, 0) < 0 ||
			pread(fd, buffer, sizeof buffer, 0) < 0 ||
			pages == MAP_FAILED)
			abort();
		for (size_t at = 0; at < 1 << 18; at += 4096)
			pages[at] = 1;
		munmap(pages, 1 << 18);
	}
	close(fd);
	return arg;
}

static int nest_all(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, nest, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* Where nothing may be pushed any more. */
static __attribute__((noinline)) void spin_at(uintptr_t sp)
{
	uint64_t n = 10000000;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %1, %%rsp\n"
			 "1:\tdec %0\n\t"
			 "jnz 1b\n\t"
			 "mov %%rbx, %%rsp"
			 : "+r"(n)
			 : "r"(sp)
			 : "rbx", "cc", "memory");
}

static int edge(uint64_t ms)
{
	uintptr_t end = 0x7ffffffff000, page = end - 4096;
	uint64_t until = now_ms() + ms;

	if (mmap((void *)page, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		    0) != (void *)page) {
		fputs("the end of user space is taken\n", stderr);
		return 77;
	}
	while (now_ms() < until)
		spin_at(end - 4);
	return 0;
}

static char *map_pages(size_t n)
{
	char *pages = mmap(NULL, n * 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, n * 4096, MADV_NOHUGEPAGE);
	return pages;
}

static int touch(size_t n)
{
	char *pages = map_pages(n);

	for (size_t i = 0; i < n; i++)
		pages[i * 4096] = 1;
	return 0;
}

__attribute__((noinline)) void often(void);

__attribute__((noinline)) void often(void)
{
	__asm__ volatile("");
}

static int call(uint64_t ms)
{
	uint64_t until = now_ms() + ms;

	while (now_ms() < until)
		for (int i = 0; i < 1000; i++)
			often();
	return 0;
}

static bool is_asleep(pid_t pid)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d %*s %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state == 'S';
}

/* All on one processor: in its ring. */
static int burst(unsigned times)
{
	char *pages = map_pages(BURST);
	pid_t parent = getppid();
	unsigned asleep;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	while (times--) {
		kill(parent, SIGSTOP);
		for (size_t i = 0; i < BURST; i++) {
			syscall(SYS_getppid);
			pages[i * 4096] = 1;
		}
		kill(parent, SIGCONT);
		madvise(pages, BURST * 4096, MADV_DONTNEED);
		for (asleep = 0; asleep < 30; usleep(10000))
			asleep = is_asleep(parent) ? asleep + 1 : 0;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 200;

	rounds = n;
	if (strcmp(what, "nest") == 0)
		return nest_all();
	if (strcmp(what, "edge") == 0)
		return edge(n);
	if (strcmp(what, "pages") == 0)
		return touch(n);
	if (strcmp(what, "calls") == 0)
		return call(n);
	if (strcmp(what, "bursts") == 0)
		return burst(n);
	fputs("usage: ring_target nest|edge|pages|calls|bursts [N]\n", stderr);
	return 2;
}
