/*
 * stack_target - stacks that a copy of 64 KiB does not hold, in one way or the
 * other; works for half a second of processor time.
 *
 *     stack_target holes       frames with large buffers never touched
 *     stack_target sites       deep stacks that are alike but for an outer
 *                              frame, by turns: half of the work is below
 *                              left(), and half of each below inner_left()
 *     stack_target switch      a second stack (makecontext), as large
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define KEEP __attribute__((noinline))
#define LARGE (200 * 1024)
#define DEPTH 4000
#define TURNS 100
#define STACK (8u << 20)

static volatile unsigned sink;
static ucontext_t first, second;

static KEEP void work(long us)
{
	struct timespec t;
	long long from;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	from = t.tv_sec * 1000000000ll + t.tv_nsec;
	do {
		for (unsigned i = 0; i < 20000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000000000ll + t.tv_nsec - from < us * 1000ll);
}

static KEEP void hole(unsigned n)
{
	char buffer[LARGE];

	__asm__ volatile("" ::"r"(buffer) : "memory");
	if (n)
		hole(n - 1);
	else
		work(500000);
	__asm__ volatile("" ::"r"(buffer) : "memory");
}

static KEEP void descend(unsigned n, long us)
{
	if (n)
		descend(n - 1, us);
	else
		work(us);
	sink++;
}

static KEEP void inner_left(void)
{
	descend(DEPTH, 500000 / TURNS);
	sink++;
}

static KEEP void inner_right(void)
{
	descend(DEPTH, 500000 / TURNS);
	sink++;
}

static KEEP void middle(unsigned n, int turn)
{
	void (*inner)(void) = turn & 1 ? inner_left : inner_right;

	if (n)
		middle(n - 1, turn);
	else
		inner();
	sink++;
}

static KEEP void left(int turn)
{
	middle(DEPTH, turn);
	sink++;
}

static KEEP void right(int turn)
{
	middle(DEPTH, turn);
	sink++;
}

static KEEP void sites(void)
{
	for (int turn = 0; turn < TURNS; turn++)
		(turn & 2 ? left : right)(turn);
}

static void on_second(void)
{
	for (int turn = 0; turn < TURNS / 2; turn++) {
		descend(DEPTH, 500000 / TURNS);
		swapcontext(&second, &first);
	}
}

static KEEP void switches(void)
{
	second.uc_stack.ss_size = STACK;
	second.uc_stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (second.uc_stack.ss_sp == MAP_FAILED || getcontext(&second))
		exit(99);
	second.uc_link = &first;
	makecontext(&second, on_second, 0);
	for (int turn = 0; turn < TURNS / 2; turn++) {
		swapcontext(&first, &second);
		descend(DEPTH, 500000 / TURNS);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "holes") == 0)
		hole(3);
	else if (argc == 2 && strcmp(argv[1], "sites") == 0)
		sites();
	else if (argc == 2 && strcmp(argv[1], "switch") == 0)
		switches();
	else
		return 2;
	return 0;
}
