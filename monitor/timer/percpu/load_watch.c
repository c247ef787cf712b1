#include "monitor/timer/percpu/load_watch.h"

#include <errno.h>

#define ROUND_NS 100000000

static uint64_t time_of(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Waits for a round, or until the load is over. */
static void wait_a_round(struct load_watch *w)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ROUND_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_clockwait(&w->end, &w->lock, CLOCK_MONOTONIC, &until);
}

static void *watch(void *arg)
{
	struct load_watch *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->over) {
		if (time_of(w->clock) - w->from > LOAD_WATCH_S * 1000000000ull)
			w->late = true;
		if (w->late)
			pthread_kill(w->loader, SIGALRM);
		wait_a_round(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void on_alarm(int signal)
{
	(void)signal;
}

void load_watch_begin(struct load_watch *w)
{
	struct sigaction action = {.sa_handler = on_alarm};
	sigset_t set;

	*w = (struct load_watch){.loader = pthread_self(),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.end = PTHREAD_COND_INITIALIZER};
	if (pthread_getcpuclockid(w->loader, &w->clock))
		return;
	w->from = time_of(w->clock);
	sigfillset(&set);
	pthread_sigmask(SIG_SETMASK, &set, &w->mask);
	w->there = !pthread_create(&w->watcher, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &w->mask, NULL);
	if (!w->there)
		return;
	sigaction(SIGALRM, &action, &w->action);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool load_watch_end(struct load_watch *w)
{
	if (!w->there)
		return false;
	pthread_mutex_lock(&w->lock);
	w->over = true;
	pthread_cond_signal(&w->end);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->watcher, NULL);
	/* a last SIGALRM came before the end of one of these calls */
	pthread_sigmask(SIG_SETMASK, &w->mask, NULL);
	sigaction(SIGALRM, &w->action, NULL);
	return w->late;
}
