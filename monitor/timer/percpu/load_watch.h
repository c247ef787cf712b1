/*
 * load_watch.h - cuts a load of BPF programs short that keeps the kernel busy.
 *
 * The kernel checks programs before it loads them.  Here that takes 0.1 to 0.5
 * s of CPU time.  A kernel that does not take the types of functions checks
 * each function again for every call, for over a minute (bpf(BPF_BTF_LOAD)
 * refused once).  The check ends when its thread has a signal, and libbpf tries
 * again a few times; so another thread sends a SIGALRM, again and again, once
 * the thread has used too much CPU time.  (A timer for CPU time does not do:
 * its signal comes when the thread leaves the kernel.)
 *
 * Both calls come from the thread that loads.
 */
#ifndef CPPROF_PERCPU_LOAD_WATCH_H
#define CPPROF_PERCPU_LOAD_WATCH_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What a load may take of CPU time. */
#define LOAD_WATCH_S 2

struct load_watch {
	pthread_t watcher, loader;
	clockid_t clock; /* of the loader */
	uint64_t from;
	pthread_mutex_t lock;
	pthread_cond_t end;
	bool over;  /* the load is, under the lock */
	bool late;  /* it was cut short */
	bool there; /* the thread of the watcher runs */
	struct sigaction action;
	sigset_t mask;
};

void load_watch_begin(struct load_watch *watch);

/* Whether the load was cut short. */
bool load_watch_end(struct load_watch *watch);

#endif
