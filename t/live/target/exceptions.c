/*
 * exceptions - a program with floating point exceptions, which says how many of
 * each kind it raises, where, and what it sees of them.
 *
 *     exceptions kinds [again]  each kind in the main thread, in threads, in a
 *                               child, and again in another program
 *     exceptions LETTERS        what the letters say, in order:
 *         d  divides by zero        h  handles SIGFPE from here on
 *         e  feenableexcept()       m  the same in the vector unit alone
 *         i  divides a whole number by zero    k  raise(SIGFPE)
 *         w  waits for a line of its input
 *         s  a thousand divisions while signals come
 */
#include <fenv.h>
#include <float.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#define FRAME __attribute__((noinline))
#define STAY() __asm__ volatile("" ::: "memory")

static volatile double zero = 0, one = 1, big = DBL_MAX, least = DBL_MIN,
		       denormal = DBL_MIN / 4, result;
static volatile int none, whole, signals;
static sigjmp_buf back;

static FRAME void invalid(void)
{
	result = zero / zero;
}

static FRAME void divbyzero(void)
{
	result = one / zero;
}

static FRAME void overflow(void)
{
	result = big * big;
}

static FRAME void underflow(void)
{
	result = least * least;
}

static FRAME void denormals(void)
{
	result = denormal + one;
}

static FRAME void inexact(void)
{
	result = one / 3;
}

static const struct {
	const char *kind, *name;
	void (*raise)(void);
	int times;
} kinds[] = {
	{"invalid", "invalid", invalid, 1},
	{"divbyzero", "divbyzero", divbyzero, 2},
	{"overflow", "overflow", overflow, 3},
	{"underflow", "underflow", underflow, 4},
	{"denormal", "denormals", denormals, 5},
	{"inexact", "inexact", inexact, 6},
};

static FRAME void each(void)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (int n = 0; n < kinds[i].times; n++)
			kinds[i].raise();
	STAY();
}

static FRAME void *thread(void *unused)
{
	each();
	STAY();
	return unused;
}

static FRAME void child(void)
{
	each();
	STAY();
}

/* All of it, twice where this program runs again. */
static void tell(int runs)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		int n = kinds[i].times * runs;

		printf("truth fpe=%s main;each;%s %d\n", kinds[i].kind,
			kinds[i].name, n);
		printf("truth fpe=%s main;child;each;%s %d\n", kinds[i].kind,
			kinds[i].name, n);
		printf("truth fpe=%s thread;each;%s %d\n", kinds[i].kind,
			kinds[i].name, 3 * n);
	}
}

static int all_kinds(char **argv, bool again)
{
	pthread_t threads[3];
	int status, flags;

	feclearexcept(FE_ALL_EXCEPT);
	each();
	flags = fetestexcept(FE_ALL_EXCEPT);
	feclearexcept(FE_ALL_EXCEPT);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (fork() == 0) {
		child();
		_exit(0);
	}
	wait(&status);
	printf("flags %d, then %d, child %d\n", flags,
		fetestexcept(FE_ALL_EXCEPT), status);
	if (again) {
		fflush(stdout);
		execl(argv[0], argv[0], "kinds", NULL);
	}
	return 0;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	printf("signal %d code %d\n", signal, info->si_code);
	siglongjmp(back, 1);
}

static void on_signal(int signal)
{
	(void)signal;
	signals++;
	divbyzero();
}

static void *send(void *to)
{
	for (int i = 0; i < 200; i++) {
		pthread_kill(*(pthread_t *)to, SIGUSR1);
		usleep(100);
	}
	return NULL;
}

/* Divisions go on until all signals have come. */
static void storm(void)
{
	pthread_t self = pthread_self(), sender;

	signal(SIGUSR1, on_signal);
	pthread_create(&sender, NULL, send, &self);
	for (int i = 0; i < 1000; i++)
		divbyzero();
	pthread_join(sender, NULL);
	printf("signals %s\n", signals ? "came" : "did not come");
}

static void divide(int by)
{
	if (!sigsetjmp(back, 1))
		by ? divbyzero() : (void)(whole = 1 / none);
	printf("flags %d\n", fetestexcept(FE_ALL_EXCEPT));
}

/* Waits in a call that a tracer may interrupt unnoticed. */
static bool get_line(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	char line[8];

	fflush(stdout);
	return poll(&input, 1, -1) == 1 && fgets(line, sizeof line, stdin);
}

static void act(char letter)
{
	struct sigaction handler = {
		.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	if (letter == 'd' || letter == 'i')
		divide(letter == 'd');
	if (letter == 'h')
		sigaction(SIGFPE, &handler, NULL);
	if (letter == 'e')
		feenableexcept(FE_DIVBYZERO);
#ifdef __x86_64__
	if (letter == 'm')
		_MM_SET_EXCEPTION_MASK(_MM_MASK_MASK & ~_MM_MASK_DIV_ZERO);
#endif
	if (letter == 'k' && !sigsetjmp(back, 1))
		raise(SIGFPE);
	if (letter == 's')
		storm();
	if (letter == 'w' && !get_line())
		exit(9);
}

int main(int argc, char **argv)
{
	bool again = argc > 2;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "kinds") == 0) {
		if (argc < 3 && getenv("TELL"))
			tell(atoi(getenv("TELL")));
		return all_kinds(argv, again);
	}
	for (const char *letter = argv[1]; *letter; letter++)
		act(*letter);
	printf("enabled %d\n", fegetexcept());
	return 3;
}
