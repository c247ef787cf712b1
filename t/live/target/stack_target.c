/*
 * stack_target - stacks that a copy of 64 KiB does not hold, in one way or the
 * other; works for half a second of processor time.
 *
 *     stack_target holes       frames with large buffers never touched
 *     stack_target sites       deep stacks that are alike but for an outer
 *                              frame, by turns: half of the work is below
 *                              left(), and half of each below inner_left()
 *     stack_target switch      a second stack (makecontext), as large
 *     stack_target callers     below a frame larger than the copy, whose caller
 *                              changes by turns of a few microseconds:
 *                              left_caller() has work_left() done,
 *                              right_caller() work_right()
 *     stack_target one         the same, with one caller
 *     stack_target thread      a thread whose first function has such a frame
 *     stack_target popped      a function that has popped its return address,
 *                              called by two others in turns
 */
#include <pthread.h>
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
#define WITHIN 3000 /* frames that the copy holds */
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
	descend(WITHIN, 500000 / TURNS);
	sink++;
}

static KEEP void inner_right(void)
{
	descend(WITHIN, 500000 / TURNS);
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

static volatile unsigned worked;

static KEEP void work_left(void)
{
	for (unsigned i = 0; i < 2000; i++)
		worked += i;
}

static KEEP void work_right(void)
{
	for (unsigned i = 0; i < 2000; i++)
		worked += i;
}

static KEEP void large(void (*part)(void))
{
	char buffer[LARGE];

	__asm__ volatile("" ::"r"(buffer) : "memory");
	part();
	__asm__ volatile("" ::"r"(buffer) : "memory");
}

static KEEP void left_caller(void)
{
	large(work_left);
	sink++;
}

static KEEP void right_caller(void)
{
	large(work_right);
	sink++;
}

static void callers(void (*one)(void), void (*other)(void))
{
	struct timespec t;

	do {
		for (unsigned i = 0; i < 1000; i++)
			(i & 1 ? one : other)();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec == 0 && t.tv_nsec < 500000000);
}

static void *first_function(void *unused)
{
	char buffer[LARGE];

	__asm__ volatile("" ::"r"(buffer) : "memory");
	work(500000);
	__asm__ volatile("" ::"r"(buffer) : "memory");
	return unused;
}

static void thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, first_function, NULL))
		exit(99);
	pthread_join(id, NULL);
}

/* Works with its return address below the stack pointer, where unwind
   information says that it is. */
void popped(void);
__asm__(".text\n.type popped, @function\npopped:\n.cfi_startproc\n"
	"pop %rcx\n.cfi_adjust_cfa_offset -8\n"
	"mov $100000, %eax\n1: dec %eax\njnz 1b\n"
	"push %rcx\n.cfi_adjust_cfa_offset 8\nret\n"
	".cfi_endproc\n.size popped, .-popped\n");

static KEEP void left_of_popped(void)
{
	popped();
	sink++;
}

static KEEP void right_of_popped(void)
{
	popped();
	sink++;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "holes") == 0)
		hole(3);
	else if (argc == 2 && strcmp(argv[1], "sites") == 0)
		sites();
	else if (argc == 2 && strcmp(argv[1], "switch") == 0)
		switches();
	else if (argc == 2 && strcmp(argv[1], "callers") == 0)
		callers(left_caller, right_caller);
	else if (argc == 2 && strcmp(argv[1], "one") == 0)
		callers(left_caller, left_caller);
	else if (argc == 2 && strcmp(argv[1], "thread") == 0)
		thread();
	else if (argc == 2 && strcmp(argv[1], "popped") == 0)
		callers(left_of_popped, right_of_popped);
	else
		return 2;
	return 0;
}
