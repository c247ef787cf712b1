/*
 * handler - work in a signal handler, on a stack of its own.
 *
 * on_signal works on an alternate signal stack (sigaltstack(2)).  It is called
 * a hundred times from interrupted_loop, by a timer, at any instruction of the
 * loop, and a hundred times from raising_loop, which raises the signal itself.
 * What the cpu profile must show: on_signal's work below both, through the
 * signal frame and from one stack to the other: main calls interrupted_loop
 * calls on_signal, as if it had.  As much of it below the one as the other, and
 * the rest in the loops' own bodies.
 *
 * --truth tells the cpu of both, us: what the handler took by its own reading
 * of the clock is taken off what the loop took in all; the work of the handler,
 * in turns; and the signals.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "samples/sample.h"

#define SIGNALS 100
#define SIGNAL_TURNS 2000000u
#define LOOP_TURNS 3000000u /* a round */
#define STACK_SIZE 65536u
#define TIMER_NS 4000000

static char *signal_stack;
static volatile sig_atomic_t signals, strays;
static volatile uint64_t handler_ns;
static timer_t timer;

static FRAME void on_signal(int signal)
{
	uint64_t from = sample_cpu_ns();
	char here;

	(void)signal;
	if (&here < signal_stack || &here >= signal_stack + STACK_SIZE)
		strays++;
	SPIN(SIGNAL_TURNS);
	handler_ns += sample_cpu_ns() - from;
	signals++;
}

static void set_timer(long ns)
{
	struct itimerspec spec = {.it_value.tv_nsec = ns};

	if (timer_settime(timer, 0, &spec, NULL) != 0)
		sample_fail("timer_settime: %s", strerror(errno));
}

/* Waits for one signal after the other, each once armed, in the loop. */
static FRAME void interrupted_loop(void)
{
	for (int i = 0; i < SIGNALS; i++) {
		set_timer(TIMER_NS);
		while (signals <= i)
			SPIN(LOOP_TURNS / 50);
	}
}

static FRAME void raising_loop(void)
{
	for (int i = 0; i < SIGNALS; i++) {
		SPIN(LOOP_TURNS);
		if (raise(SIGUSR1) != 0)
			sample_fail("raise: %s", strerror(errno));
	}
}

static void prepare(void)
{
	struct sigaction action = {.sa_flags = SA_ONSTACK | SA_RESTART};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	stack_t stack = {.ss_size = STACK_SIZE};

	signal_stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (signal_stack == MAP_FAILED)
		sample_fail("mmap: %s", strerror(errno));
	stack.ss_sp = signal_stack;
	action.sa_handler = on_signal;
	if (sigaltstack(&stack, NULL) != 0 ||
		sigaction(SIGUSR1, &action, NULL) != 0 ||
		timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		sample_fail("signal: %s", strerror(errno));
}

#define TOLD(loop)                                                             \
	do {                                                                   \
		uint64_t from_ = sample_cpu_ns(), of_handler_ = handler_ns;    \
		int signals_ = signals;                                        \
		loop();                                                        \
		from_ = sample_cpu_ns() - from_;                               \
		of_handler_ = handler_ns - of_handler_;                        \
		sample_truth_cpu(#loop, from_ - of_handler_);                  \
		sample_truth_cpu(#loop ";on_signal", of_handler_);             \
		signals_ = signals - signals_;                                 \
		sample_truth("signals", #loop, (uint64_t)signals_);            \
		sample_truth("work", #loop ";on_signal",                       \
			(uint64_t)signals_ *SIGNAL_TURNS);                     \
	} while (0)

int main(int argc, char **argv)
{
	sample_start(argc, argv, NULL);
	prepare();
	TOLD(interrupted_loop);
	TOLD(raising_loop);
	if (signals != 2 * SIGNALS || strays != 0)
		sample_fail("%d signals, %d on another stack", (int)signals,
			(int)strays);
	printf("%d signals\n", (int)signals);
	return sample_end();
}
