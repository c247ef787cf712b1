/*
 * contexts.c - calls functions that are compiled with -finstrument-functions or
 * -pg in each way in which they can end, and writes the truth: a line for each
 * call, "main;one;two PID TID".  Usage: contexts WHAT [ARGUMENT]...
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN __attribute__((no_instrument_function, noinline))
#define OUT __attribute__((noinline))
#define DEPTH 64

/* --- the truth: on descriptor 3, also of children and other programs --- */

static __thread unsigned depth;
static __thread const char *stack[DEPTH];
static int is_quiet; /* only how many */
static unsigned long all;

static void OWN in(const char *name)
{
	char line[DEPTH * 12];
	size_t n = 0;

	__atomic_fetch_add(&all, 1, __ATOMIC_RELAXED);
	if (is_quiet)
		return;
	stack[depth++] = name;
	for (unsigned i = 0; i < depth; i++)
		n += (size_t)sprintf(line + n, "%s%s", i ? ";" : "", stack[i]);
	n += (size_t)sprintf(line + n, " %d %d\n", getpid(), gettid());
	if (write(3, line, n) < 0)
		_exit(99);
}

static void OWN out(void)
{
	if (!is_quiet)
		depth--;
}

/* --- the functions --- */

/* Inlined, right behind the hook of -pg. */
static inline __attribute__((always_inline, no_instrument_function)) void
inlined(void)
{
	__asm__ volatile("nop");
}

static void OUT leaf(void)
{
	inlined();
	in("leaf");
	out();
}

static void OUT one(void)
{
	char big[4000];

	in("one");
	memset(big, 1, sizeof big);
	__asm__ volatile("" ::"r"(big));
	leaf();
	out();
}

static int OUT compare(const void *a, const void *b)
{
	in("compare");
	leaf();
	out();
	return *(const int *)a - *(const int *)b;
}

static void OUT with_many(
	long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	in("with_many");
	if (a + b + c + d + e + f + g + h + i)
		leaf();
	out();
}

static void OUT sort(void)
{
	int v[20];

	in("sort");
	for (int i = 0; i < 20; i++)
		v[i] = i * 7 % 20;
	leaf();
	qsort(v, 20, sizeof *v, compare);
	leaf();
	with_many(1, 2, 3, 4, 5, 6, 7, 8, 9);
	one();
	with_many(1, 2, 3, 4, 5, 6, 7, 8, 9);
	out();
}

static jmp_buf back;

static void OUT jumps(int how)
{
	in("jumps");
	leaf();
	if (how)
		longjmp(back, how);
	out();
}

static void OUT jump(void)
{
	volatile unsigned at;

	in("jump");
	at = depth;
	for (volatile int i = 0; i < 5; i++) {
		if (setjmp(back) == 0)
			jumps(i);
		depth = at;
		one();
		leaf();
	}
	out();
}

static void OUT work(int n)
{
	in("work");
	while (n--)
		one();
	out();
}

static void *OUT thread(void *arg)
{
	in("thread");
	work(2);
	out();
	return arg;
}

static void OUT threads(int n)
{
	pthread_t t[50];

	in("threads");
	for (int i = 0; i < n; i += 50) {
		for (int k = 0; k < 50; k++)
			pthread_create(&t[k], NULL, thread, NULL);
		for (int k = 0; k < 50; k++)
			pthread_join(t[k], NULL);
	}
	out();
}

static void OUT child(int how)
{
	in("child");
	one();
	switch (how) {
	case 0:
		execl("/proc/self/exe", "contexts", "exit", NULL);
		break;
	case 1:
		kill(getpid(), SIGKILL);
		break;
	default:
		_exit(0);
	}
	out();
}

static void OUT forks(int n)
{
	in("forks");
	work(1);
	for (int i = 0; i < n; i++) {
		if (fork() == 0) {
			one();
			if (i % 2 == 0 && fork() == 0)
				child(i / 2 % 3);
			while (wait(NULL) > 0)
				;
			child(i % 3);
		}
		wait(NULL);
		one();
	}
	out();
}

static void *OUT late(void *arg)
{
	in("late");
	work(3);
	execl("/proc/self/exe", "contexts", "exit", NULL);
	return arg;
}

/* Another thread makes the process another program. */
static void OUT execs(void)
{
	pthread_t t;

	in("execs");
	work(1);
	pthread_create(&t, NULL, late, NULL);
	for (;;)
		pause();
}

static unsigned long OUT deep(unsigned long n)
{
	char big[16];
	unsigned long sum;

	in("deep");
	__asm__ volatile("" ::"r"(big) : "memory");
	sum = n ? deep(n - 1) + 1 : 0;
	out();
	return sum;
}

static void *OUT deeply(void *arg)
{
	in("deeply");
	if (deep(*(unsigned long *)arg) != *(unsigned long *)arg)
		abort();
	out();
	return NULL;
}

static void OUT handler(int sig)
{
	(void)sig;
	in("handler");
	leaf();
	out();
}

static void OUT spin(unsigned long n)
{
	in("spin");
	while (n--)
		leaf();
	out();
}

/* Handlers on a stack above and below, in hooks and elsewhere. */
static void OUT signals(unsigned long n)
{
	struct sigaction action = {
		.sa_handler = handler, .sa_flags = SA_ONSTACK};
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};

	in("signals");
	sigaltstack(&other, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	spin(n);
	setitimer(ITIMER_REAL, &never, NULL);
	one();
	out();
}

/* More contexts than there is memory for: twice as many at each level. */
#define TWICE(name, next)                                                      \
	static void OUT name(void)                                             \
	{                                                                      \
		in(#name);                                                     \
		next();                                                        \
		next();                                                        \
		out();                                                         \
	}
TWICE(l1, leaf)
TWICE(l2, l1)
TWICE(l3, l2)
TWICE(l4, l3)
TWICE(l5, l4)
TWICE(l6, l5)
TWICE(l7, l6)
TWICE(l8, l7)
TWICE(l9, l8)
TWICE(l10, l9)
TWICE(l11, l10)
TWICE(l12, l11)
TWICE(l13, l12)
TWICE(l14, l13)
TWICE(l15, l14)
TWICE(l16, l15)

static void OUT full(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	struct rlimit most;
	unsigned long pages;

	in("full");
	if (!f || fscanf(f, "%lu", &pages) != 1)
		_exit(98);
	most.rlim_cur = most.rlim_max = pages * 4096 + (1 << 20);
	setrlimit(RLIMIT_AS, &most);
	l16();
	out();
}

void __cyg_profile_func_enter(void *callee, void *site);
void __cyg_profile_func_exit(void *callee, void *site);

/* A function in memory that has no file. */
static void OUT generated(void)
{
	void *code = malloc(100000);

	in("generated");
	leaf();
	all++;
	__cyg_profile_func_enter(code, __builtin_return_address(0));
	leaf();
	__cyg_profile_func_exit(code, __builtin_return_address(0));
	free(code);
	out();
}

/* Two libraries, the second one where the first one was. */
static void OUT loads(char **libraries)
{
	in("loads");
	for (int i = 0; i < 6; i++) {
		void *library = dlopen(libraries[i % 2], RTLD_NOW);
		void (*call)(void (*)(const char *), void (*)(void));

		if (!library)
			_exit(98);
		*(void **)&call = dlsym(library, "call");
		call(in, out);
		dlclose(library);
	}
	out();
}

/* --- recursion by chance, as a generator has it --- */

static unsigned long chance;
static int budget;

static unsigned OWN draw(unsigned n)
{
	chance = chance * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(chance >> 33) % n;
}

static void any(int levels);

#define RECURSIVE(name)                                                        \
	static void OUT name(int levels)                                       \
	{                                                                      \
		in(#name);                                                     \
		for (unsigned i = draw(4); i-- > 0 && levels && budget > 0;)   \
			any(levels - 1);                                       \
		if (draw(3) == 0)                                              \
			leaf();                                                \
		out();                                                         \
	}
RECURSIVE(a)
RECURSIVE(b)
RECURSIVE(c)

static void OWN any(int levels)
{
	static void (*const each[])(int) = {a, b, c};

	budget--;
	each[draw(3)](levels);
}

/* In contexts that are new, too. */
static void OUT any_handler(int sig)
{
	(void)sig;
	in("any_handler");
	budget = 8;
	any(3);
	out();
}

/* A handler after each instruction of a hook, the first ones of a context too.
 */
static void OUT steps(void)
{
	struct sigaction action = {.sa_handler = any_handler};

	in("steps");
	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < 3; i++) {
		__asm__ volatile("sub $128, %%rsp\n\tpushf\n\t"
				 "orl $0x100, (%%rsp)\n\tpopf\n\t"
				 "add $128, %%rsp" ::
					 : "memory", "cc");
		one();
		__asm__ volatile("sub $128, %%rsp\n\tpushf\n\t"
				 "andl $~0x100, (%%rsp)\n\tpopf\n\t"
				 "add $128, %%rsp" ::
					 : "memory", "cc");
	}
	leaf();
	out();
}

static void OUT random_calls(unsigned long seed)
{
	in("random_calls");
	chance = seed;
	budget = 5000;
	while (budget > 0)
		any(24);
	out();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	is_quiet = strcmp(what, "deep") == 0 || strcmp(what, "signals") == 0 ||
		   strcmp(what, "steps") == 0 || strcmp(what, "full") == 0 ||
		   strcmp(what, "generated") == 0;
	in("main");
	if (strcmp(what, "sort") == 0)
		sort();
	else if (strcmp(what, "jump") == 0)
		jump();
	else if (strcmp(what, "threads") == 0)
		threads((int)n);
	else if (strcmp(what, "forks") == 0)
		forks((int)n);
	else if (strcmp(what, "execs") == 0)
		execs();
	else if (strcmp(what, "exit") == 0)
		work(1);
	else if (strcmp(what, "random") == 0)
		random_calls(n);
	else if (strcmp(what, "loads") == 0)
		loads(argv + 2);
	else if (strcmp(what, "signals") == 0)
		signals(n);
	else if (strcmp(what, "steps") == 0)
		steps();
	else if (strcmp(what, "generated") == 0)
		generated();
	else if (strcmp(what, "full") == 0)
		full();
	else if (strcmp(what, "deep") == 0) {
		pthread_attr_t attr;
		pthread_t t;

		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 1ul << 30);
		pthread_create(&t, &attr, deeply, &n);
		pthread_join(t, NULL);
	}
	if (is_quiet)
		printf("%lu\n", all);
	return 0;
}
