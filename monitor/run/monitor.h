/*
 * monitor.h - runs a program and writes what it consumes, and where.
 *
 * Nothing else in the folder is called from outside, except resource.h.
 */
#ifndef CPPROF_RUN_MONITOR
#define CPPROF_RUN_MONITOR

#include <stdbool.h>
#include <sys/types.h>

#include "lib/cpprofdata/writer.h"
#include "lib/run/run_files.h"
#include "monitor/base/result.h"
#include "monitor/contract/timer.h"
#include "monitor/resource/resource.h"

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
	unsigned randomize;   /* percent that intervals vary by; 0: not */
	const char *counted;  /* patterns of functions, for the resource arcs;
				 NULL: all of the program */
	uint64_t count_limit; /* of a function's calls; 0: none */
	bool asyncio;         /* stacks have who awaits a task; stop timers */
	bool no_preload;      /* put no object into the target */
	bool detach;    /* run argv in the calling process's place: see below */
	pid_t attach;   /* a process that runs already; 0: run argv */
	bool children;  /* attach: also the children it has already */
	uint64_t delay; /* ns until collecting begins */
	uint64_t duration; /* ns to collect for; 0: to the end */
	/* Called once a second while the target runs; NULL: not wanted. */
	void (*progress)(void *arg, const struct monitor_progress *progress);
	void *progress_arg;
	/* Called when collecting or its delay begins; NULL: not wanted. */
	void (*begun)(const struct monitor_config *config);
	/* Called once before the target runs, with what the target may notice
	   of a timer that was chosen.  NULL: not wanted. */
	void (*warn)(const char *resource, const char *text);
};

/* Reads "auto", "kernel" or "stop". */
int monitor_parse_timer(
	const char *word, enum timer_choice *choice, struct err *err);

/* Reads a percentage, with or without %; NULL stands for the default. */
int monitor_parse_randomize(
	const char *word, unsigned *percent, struct err *err);

/*
 * Offers what has WORD in its name or meaning: resources, events of the kernel,
 * and probes of the FILES and of the libraries that ldconfig knows; ABOUT are
 * the numbers that can be added up and where it is.  -1 with the error: there
 * is nothing, or this user may not know the kernel's events.
 */
int monitor_search(const char *word, char *const *files, int nfiles,
	void (*offer)(void *arg, const char *name, const char *about),
	void *arg, struct err *err);

/* How a request can be counted on this machine, for this user. */
struct monitor_choice {
	const char *costs; /* an event's, in the program */
	const char *slows; /* a program that does little else: "2x dd" */
	const char *timer; /* "kernel, per-task"; NULL: none can count it */
	bool user_only;    /* it sees nothing of kernel mode */
	uint64_t interval; /* the least that its rings have room for, if the
			      request's was not given */
	struct err why; /* what a better one, or any, lacks; "" reason: none is
			   better */
};

/*
 * Tries what the system may refuse of the timers of N requests; then
 * monitor_choose() of each on that MACHINE (zeros at first) tells what a run
 * would have.
 */
void monitor_try(const struct resource_request *requests, size_t n,
	enum timer_choice choice, struct timer_machine *machine);

void monitor_choose(const struct resource_request *request,
	enum timer_choice choice, struct timer_machine *machine,
	struct monitor_choice *chosen);

#define MONITOR_WEAKER 1024

/* The result of a run, for the summary on the terminal. */
struct monitor_summary {
	int status; /* the target's wait status; -1: unknown, or it still runs;
		       after a failure: if it ran to its end, else not set */
	uint64_t samples;
	uint64_t lost; /* samples */
	uint64_t truncated;
	bool copies; /* the kernel copied stacks, so much of each */
	uint64_t checked, contradicted; /* by the unwinder "check" */
	uint64_t processes, threads;
	uint64_t left; /* processes that run on after the target's end */
	pid_t oldest;  /* of them */
	char weaker[MONITOR_WEAKER]; /* as struct run_timers has it */
	struct err untraced; /* why the kernel refused to trace on, so that
				collecting ended early; no reason: it did not */
	double elapsed;      /* seconds */
	double cpu;          /* us that wait4 tells of; 0: it does not */
	double collected;    /* seconds of it with collecting on */
	struct monitor_books {
		uint64_t samples, lost, hits, weight, total; /* per request */
		uint64_t losing; /* what the lost ones stand for */
		uint64_t probes; /* what the run's own took of it */
		uint64_t used;   /* by wait4, where the total */
		int differs;     /* is far below, -1, or above, 1; 0: neither */
		uint64_t uncounted; /* processes, as struct account has it */
		bool estimate;
		bool inlined;   /* some calls are inlined and not counted */
		uint64_t execs; /* so often counting them ended at an exec */
	} resource[RESOURCES_MAX];
};

struct monitor;

/* Whether process PID is called NAME, or its program is. */
bool monitor_is_called(pid_t pid, const char *name);

/* 0 if there is an unwinder of that name, else -1 and ERR lists them. */
int monitor_check_unwinder(const char *name, struct err *err);

/* Borrows CONFIG and WRITER until monitor_free().  NULL: no memory. */
struct monitor *monitor_new(const struct monitor_config *config,
	struct cpd_writer *writer, struct err *err);

/*
 * Runs the target under its timers to its end and writes everything but names
 * and the end record to the writer.  ERR is set unless the result is
 * MONITOR_OK. Signals: the terminal's go to the target, which shares the
 * process group; SIGTERM and SIGHUP are passed on; SIGUSR1 turns collecting off
 * and on.  A second SIGINT or SIGTERM ends the monitoring alone: then the
 * summary's status is -1, and the target runs on until monitor_wait().  After a
 * failure no child is left.
 *
 * With `detach` the calling process becomes the target, and another process
 * returns, which is not related to it and passes no signals on.  A writer error
 * (a full disk) does not end the target: it runs to its end unobserved, and the
 * writer has the error.  To be called once.
 */
enum monitor_result monitor_run(struct monitor *monitor,
	struct monitor_summary *summary, struct err *err);

/* Whether a signal has asked for the end since the last call. */
bool monitor_is_asked(struct monitor *monitor);

/*
 * When the file is complete: waits for a target that still runs, without
 * timers, and takes its status.  Another SIGINT or SIGTERM ends cpprof.
 */
void monitor_wait(struct monitor *monitor, struct monitor_summary *summary);

/* How to open the files of the run; until monitor_free(). */
struct run_files monitor_files(const struct monitor *monitor);

void monitor_free(struct monitor *monitor);

#endif
