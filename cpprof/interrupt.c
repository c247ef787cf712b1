/* Signal handlers that note the signal, and how the former ones come back. */
#include "cpprof/interrupt.h"

#include <signal.h>
#include <stddef.h>

#define SIGNALS 4

static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static struct sigaction before[SIGNALS];
static size_t taken; /* of the signals, from the first */
static volatile sig_atomic_t came;

static void on_signal(int sig)
{
	came = sig;
}

void interrupt_begin(bool all)
{
	struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = SA_RESTART};

	came = 0;
	taken = all ? SIGNALS : 1;
	for (size_t i = 0; i < taken; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void interrupt_end(void)
{
	for (size_t i = 0; i < taken; i++)
		sigaction(signals[i], &before[i], NULL);
	taken = 0;
}

int interrupt_came(void)
{
	return came;
}

void interrupt_clear(void)
{
	came = 0;
}

void interrupt_obey(void)
{
	interrupt_end();
	if (came)
		raise(came);
}
