/*
 * memory - a program that touches memory of each kind, and says how many pages
 * of what it touched first, where, as truth.awk reads it (blanks are _).
 *
 *     memory FILE     which it makes and maps
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAME __attribute__((noinline))
#define STAY() __asm__ volatile("" ::: "memory")
#define PAGE 4096ul
#define STACK 1  /* pages, at least; more would not be in a copy */
#define BELOW 64 /* pages of a stack that are looked at */
#define MIB (1ul << 20)

static char zeros[32 * PAGE] __attribute__((aligned(4096)));
static char data[16 * PAGE] __attribute__((aligned(4096))) = {1};
static unsigned used[2];
static char *heap, *given, *moved;

/* Writes to N pages. */
static FRAME void touch(volatile char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i * PAGE] = 2;
	STAY();
}

static FRAME void use_heap(void)
{
	touch(heap, 11);
	STAY();
}

static FRAME void use_anonymous(void)
{
	touch(given, 13);
	STAY();
}

static FRAME void use_malloc(char *at)
{
	touch(at + PAGE - (uintptr_t)at % PAGE, 9);
	STAY();
}

static FRAME void use_data(void)
{
	touch(data + PAGE, 5);
	touch(zeros + PAGE, 17);
	STAY();
}

static FRAME void use_file(char *file)
{
	touch(file + MIB, 6);
	touch(file + 9 * MIB, 3);
	touch(file + 10 * MIB, 4);
	STAY();
}

/* What the kernel touches for a call. */
static FRAME void use_call(int zero)
{
	if (read(zero, given + 13 * PAGE, 8 * PAGE) != (ssize_t)(8 * PAGE))
		exit(1);
	STAY();
}

static FRAME void use_moved(void)
{
	touch(moved + 4 * PAGE, 4);
	STAY();
}

/* The C library has it moved by the kernel, to where there is room for it. */
static FRAME void use_realloc(char *at)
{
	at = realloc(at, 64 * MIB);
	touch(at + 2 * MIB, 7);
	STAY();
}

/* Twice more each: what was given back is touched again. */
static FRAME void use_again(char *file)
{
	char *at = file + 12 * MIB, *more = given + 24 * PAGE;

	touch(at, 5);
	touch(more, 4);
	for (int i = 0; i < 2; i++) {
		if (madvise(at, 2 * PAGE, MADV_DONTNEED) ||
			madvise(more, 4 * PAGE, MADV_DONTNEED))
			exit(1);
		touch(at, 2);
		touch(more, 4);
	}
	STAY();
}

static FRAME void use_child(void)
{
	touch(heap, 3);
	STAY();
}

/* Pages of the stack that are there, below AT. */
static unsigned count(const char *at)
{
	char *from = (char *)((uintptr_t)at & ~(PAGE - 1)) - BELOW * PAGE;
	unsigned n = 0;

	for (size_t i = 0; i < BELOW; i++) {
		unsigned char one = 0;

		/* what is not mapped yet is not there */
		if (mincore(from + i * PAGE, PAGE, &one) == 0)
			n += one & 1;
	}
	return n;
}

/* One call deeper each time, so that the whole stack of a fault is there. */
static FRAME void use_stack(int n)
{
	char block[PAGE];

	touch(block, 1);
	if (n)
		use_stack(n - 1);
	STAY();
}

static FRAME unsigned stack_pages(void)
{
	char here = 0;
	unsigned before;

	count(&here); /* so that the calls themselves touch nothing new */
	before = count(&here);
	use_stack(STACK);
	return count(&here) - before;
}

static FRAME void *worker(void *unused)
{
	prctl(PR_SET_NAME, "w3");
	used[1] = stack_pages();
	STAY();
	return unused;
}

static void *map(size_t size, int flags, int fd)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

/* A mapping that has grown, and had to go elsewhere for it. */
static char *move(void)
{
	char *at = map(12 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	return mremap(at, 4 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
}

static void tell(const char *file)
{
	const char *base = strrchr(file, '/');

	base = base ? base + 1 : file;
	printf("truth pagefaults main;use_heap;[heap] 11\n"
	       "truth pagefaults main;use_anonymous;[anonymous] 13\n"
	       "truth pagefaults main;use_malloc;[anonymous] 9\n"
	       "truth pagefaults main;use_data;[memory_data] 22\n"
	       "truth pagefaults main;use_file;[%s_0..8_MiB] 6\n"
	       "truth pagefaults main;use_file;[%s_8..16_MiB] 7\n"
	       "truth pagefaults main;use_again;[%s_8..16_MiB] 9\n"
	       "truth pagefaults main;use_again;[anonymous] 12\n"
	       "truth pagefaults main;use_call;[anonymous] 8\n"
	       "truth pagefaults main;use_child;[heap] 3\n"
	       "truth pagefaults main;stack_pages;use_stack;[stack] %u\n"
	       "truth pagefaults worker;stack_pages;use_stack;[stack_of_w3] "
	       "%u\n",
		base, base, base, used[0], used[1]);
}

int main(int argc, char **argv)
{
	int zero = open("/dev/zero", O_RDONLY), fd;
	pthread_t thread;
	char *file;

	if (argc < 2)
		return 2;
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 16 * MIB))
		return 1;
	file = map(16 * MIB, MAP_PRIVATE, fd);
	heap = sbrk(64 * PAGE);
	heap += PAGE - (uintptr_t)heap % PAGE;
	given = map(32 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	moved = move();
	use_heap();
	use_anonymous();
	use_malloc(malloc(MIB));
	use_data();
	use_file(file);
	use_call(zero);
	use_moved();
	use_realloc(malloc(MIB));
	use_again(file);
	used[0] = stack_pages();
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		use_child();
		_exit(0);
	}
	wait(NULL);
	tell(argv[1]);
	return 0;
}
