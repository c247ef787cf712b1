/*
 * coroutine - stacks that a program switches by itself.
 *
 * Three coroutines made by makecontext(3) take turns: first, second and third
 * work one, two and three parts in burn functions of their own, on a stack of
 * their own each, then swapcontext(3) back.  What the cpu profile must show:
 * those parts, each below its own coroutine, as --truth tells (us); the stack
 * of a coroutine ends at its first function, it is whole there and does not go
 * on to main, which did not call it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "samples/sample.h"

#define ROUNDS 20
#define PART 6000000u /* turns */
#define STACK_SIZE 65536u

static ucontext_t scheduler, contexts[3];
static unsigned switches;

static FRAME void burn_first(uint64_t turns)
{
	SPIN(turns);
}

static FRAME void burn_second(uint64_t turns)
{
	SPIN(turns);
}

static FRAME void burn_third(uint64_t turns)
{
	SPIN(turns);
}

#define BURN(coroutine, burn, turns)                                           \
	do {                                                                   \
		uint64_t from_ = sample_cpu_ns();                              \
		burn(turns);                                                   \
		sample_truth_cpu_at(                                           \
			#coroutine ";" #burn, sample_cpu_ns() - from_);        \
	} while (0)

static FRAME void yield(unsigned self)
{
	switches++;
	if (swapcontext(&contexts[self], &scheduler) != 0)
		sample_fail("swapcontext: %s", strerror(errno));
}

static FRAME void first(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		BURN(first, burn_first, PART);
		yield(0);
	}
}

static FRAME void second(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		BURN(second, burn_second, 2 * PART);
		yield(1);
	}
}

static FRAME void third(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		BURN(third, burn_third, 3 * PART);
		yield(2);
	}
}

static void create(ucontext_t *context, void (*function)(void))
{
	if (getcontext(context) != 0)
		sample_fail("getcontext: %s", strerror(errno));
	context->uc_stack.ss_size = STACK_SIZE;
	context->uc_stack.ss_sp = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (context->uc_stack.ss_sp == MAP_FAILED)
		sample_fail("mmap: %s", strerror(errno));
	context->uc_link = &scheduler;
	makecontext(context, function, 0);
}

static FRAME void schedule(void)
{
	/* once more than they yield: each runs to its end */
	for (unsigned round = 0; round <= ROUNDS; round++)
		for (unsigned i = 0; i < 3; i++)
			if (swapcontext(&scheduler, &contexts[i]) != 0)
				sample_fail("swapcontext: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	sample_start(argc, argv, NULL);
	create(&contexts[0], first);
	create(&contexts[1], second);
	create(&contexts[2], third);
	schedule();
	if (switches != 3 * ROUNDS)
		sample_fail("%u switches", switches);
	printf("%u switches\n", switches);
	return sample_end();
}
