/*
 * load KIND N: a target whose size is N in one respect and the same in all
 * others; some 0.5 s of work in all.
 *
 *     threads N   N threads at a time share the work
 *     procs N     N processes at a time share it
 *     touch N     first touches of N pages, each a page fault
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURNS 400000000u
#define PAGE 4096

static unsigned long count;
static pthread_barrier_t all_there;

static void fail(const char *what, int why)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(why));
	exit(1);
}

static __attribute__((noinline)) void spin(uint64_t turns)
{
	uint64_t x = 1;

	for (; turns > 0; turns--) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

static void *thread(void *unused)
{
	pthread_barrier_wait(&all_there);
	spin(TURNS / count);
	return unused;
}

static void threads(void)
{
	pthread_t *ids = calloc(count, sizeof *ids);
	int failed = pthread_barrier_init(&all_there, NULL, (unsigned)count);

	if (!ids || failed)
		fail("threads", failed ? failed : ENOMEM);
	for (unsigned long i = 0; i < count; i++) {
		failed = pthread_create(&ids[i], NULL, thread, NULL);
		if (failed)
			fail("pthread_create", failed);
	}
	for (unsigned long i = 0; i < count; i++)
		pthread_join(ids[i], NULL);
	free(ids);
}

/* All wait until the pipe's last writer, this process, has closed it. */
static void child(const int *gate)
{
	char byte;

	close(gate[1]);
	while (read(gate[0], &byte, 1) < 0 && errno == EINTR)
		;
	spin(TURNS / count);
	_exit(0);
}

static void procs(void)
{
	int gate[2], status, bad = 0;

	if (pipe(gate) != 0)
		fail("pipe", errno);
	for (unsigned long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork", errno);
		if (pid == 0)
			child(gate);
	}
	close(gate[0]);
	close(gate[1]);
	while (wait(&status) > 0)
		bad |= status;
	if (bad)
		fail("a child", ECHILD);
}

static void touch(void)
{
	size_t size = count * PAGE;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages == MAP_FAILED)
		fail("mmap", errno);
	madvise(pages, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += PAGE)
		*(volatile char *)(pages + i) = 1;
	munmap(pages, size);
}

int main(int argc, char **argv)
{
	char *end = NULL;

	count = argc == 3 ? strtoul(argv[2], &end, 10) : 0;
	if (!count || *end) {
		fprintf(stderr, "usage: load threads|procs|touch N\n");
		return 2;
	}
	if (!strcmp(argv[1], "threads"))
		threads();
	else if (!strcmp(argv[1], "procs"))
		procs();
	else if (!strcmp(argv[1], "touch"))
		touch();
	else
		return 2;
	return 0;
}
