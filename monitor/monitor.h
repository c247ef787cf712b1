/*
 * monitor.h - runs a program and writes what it consumes, and where.
 *
 * The door to monitor/: nothing else in the folder is called from outside but
 * resource.h.
 */
#ifndef CPPROF_MONITOR_H
#define CPPROF_MONITOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/cpprofdata/writer.h"
#include "lib/run_files.h"
#include "monitor/resource/resource.h"
#include "monitor/result.h"

struct monitor_progress { /* so far */
	double elapsed;   /* seconds */
	bool collecting;
	struct {
		uint64_t samples, lost; /* per request */
	} resource[RESOURCES_MAX];
};

struct monitor_config {
	const struct resource_request *requests;
	size_t nrequests;
	char *const *argv;    /* the target, ends with NULL */
	const char *version;  /* of cpprof, for the file's head */
	const char *unwinder; /* NULL: "auto" */
	enum timer_choice timer;
	unsigned randomize; /* percent that intervals vary by; 0: not */
	bool detach;    /* run argv in the calling process's place: see below */
	pid_t attach;   /* a process that runs already; 0: run argv */
	bool children;  /* attach: and those it has already */
	uint64_t delay; /* ns until collecting begins */
	uint64_t duration; /* ns to collect for; 0: to the end */
	/* Called once a second while the target runs; NULL: not wanted. */
	void (*progress)(void *arg, const struct monitor_progress *progress);
	void *progress_arg;
	/* Collecting begins, or its delay; NULL: not wanted. */
	void (*begun)(const struct monitor_config *config);
	/* What the target may notice of a timer that was chosen; once, before
	   it runs.  NULL: not wanted. */
	void (*warn)(const char *resource, const char *text);
};

/* Reads "auto", "kernel" or "stop". */
int monitor_parse_timer(
	const char *word, enum timer_choice *choice, struct err *err);

/* Reads a percentage, with or without %; NULL stands for the default. */
int monitor_parse_randomize(
	const char *word, unsigned *percent, struct err *err);

/* What a request comes to on this machine, for this user. */
struct monitor_choice {
	const char *timer; /* "kernel, per-task"; NULL: none can count it */
	struct err why;    /* what a better one lacks, or any; "" reason: none
			      is better */
};

/* Where many are to be chosen for: makes that quicker. */
void monitor_choose_many(enum timer_choice choice);

void monitor_choose(const struct resource_request *request,
	enum timer_choice choice, struct monitor_choice *chosen);

/* What a run came to, for the closing line. */
struct monitor_summary {
	int status; /* the target's wait status; -1: not known, or it runs on;
		       after a failure, too, where it ran to its end */
	uint64_t samples;
	uint64_t lost; /* samples */
	uint64_t truncated;
	uint64_t checked, contradicted; /* by the unwinder "check" */
	uint64_t processes, threads;
	struct err refused; /* why per-CPU timers were not to be had after all;
			       no reason: they were, or nobody asked */
	double elapsed;     /* seconds */
	double collected;   /* of them, those with collecting on */
	struct {
		uint64_t samples, hits, weight, total; /* per request */
		bool estimate;
		bool inlined;   /* some of the calls are no calls */
		uint64_t execs; /* where counting them ended */
	} resource[RESOURCES_MAX];
};

struct monitor;

/* 0 if there is an unwinder of that name, else -1 and ERR lists them. */
int monitor_check_unwinder(const char *name, struct err *err);

/* Borrows CONFIG and WRITER until monitor_free().  NULL: no memory. */
struct monitor *monitor_new(const struct monitor_config *config,
	struct cpd_writer *writer, struct err *err);

/*
 * Runs the target under its timers to its end and writes everything but names
 * and the end record to the writer.  ERR is set unless the result is
 * MONITOR_OK.  Signals: the terminal's go to the target, which shares the
 * process group; SIGTERM and SIGHUP are handed on; SIGUSR1 turns collecting
 * off and on.  A second SIGINT or SIGTERM ends the monitoring alone: then the
 * summary's status is -1, and the target runs on until monitor_wait().  After a
 * failure no child is left.
 *
 * With `detach` the calling process becomes the target, and what returns is
 * another one, which is not related to it and has no signal to hand on.  A
 * writer error (a full disk) does not end the target: it runs to its end
 * unobserved and the error is the writer's.  To be called once.
 */
enum monitor_result monitor_run(struct monitor *monitor,
	struct monitor_summary *summary, struct err *err);

/* Whether a signal has asked to end what is going on, since the last call. */
bool monitor_is_asked(struct monitor *monitor);

/*
 * When the file is complete: waits for a target that still runs, under no
 * timer, and takes its status.  Another SIGINT or SIGTERM ends cpprof.
 */
void monitor_wait(struct monitor *monitor, struct monitor_summary *summary);

/* How to open the files of the run; until monitor_free(). */
struct run_files monitor_files(const struct monitor *monitor);

void monitor_free(struct monitor *monitor);

#endif
