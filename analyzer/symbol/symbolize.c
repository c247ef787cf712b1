/*
 * symbolize.c - starts the process that looks names up, takes what it finds,
 * and ends it.
 *
 * That process reads files that anybody may have made, with libraries that were
 * written for friendly ones.  It is forked from the process that has the run's
 * addresses, so it needs no input, and its results come back through a pipe
 * (lib/cpprofdata/relay.h).  Its limits may end it, it may crash, or it may use
 * no processor for long.  Then a new child goes on: without the debug
 * information of the module at hand, and after a second time without its file.
 * The other modules lose nothing.
 *
 * A fork with 100 MB of samples costs 2 ms; the two processes work in parallel.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/symbol/limit.h"
#include "analyzer/symbol/symbolize.h"
#include "analyzer/symbol/task.h"
#include "lib/elf/debuginfod.h"
#include "lib/clock.h"
#include "lib/cpprofdata/relay.h"

/* Without any use of a processor: reading waits for no pipe and no device. */
#define STALLED_NS 10000000000u
#define STALLED_FETCHING_NS 150000000000u
#define LOOK_MS 500
#define ROOM 262144

struct worker {
	struct cpd_relay relay;
	const struct symbolize_options *options;
	struct sym_task task;
	struct debug_search search;
	struct sym_limit limit;
	unsigned ended; /* children that did not come to their end */
	/* The child at hand: */
	pid_t pid;
	int fd;
	struct bytes buf; /* that came from it and is not taken yet */
	clockid_t clock;
	uint64_t cpu, moved; /* of its clock, and when that last went on */
	uint64_t fetched;    /* as last seen */
	bool stalled, stopped;
};

static void tell_fetch(void *worker, uint64_t bytes)
{
	((struct worker *)worker)->task.state->fetched = bytes + 1;
}

static void limit_opened(void *worker, int fd)
{
	sym_limit_file(&((struct worker *)worker)->limit, fd);
}

/* A note of the parent's own. */
static int note(struct worker *w, struct cpd_note *note)
{
	return w->relay.take ? w->relay.take(w->relay.arg, CPD_KIND_note, note)
			     : cpd_write_note(w->task.writer, note);
}

static int note_silent(const struct worker *w)
{
	char text[200];

	if (!w->search.silent)
		return 0;
	snprintf(text, sizeof text, DEBUGINFOD_SILENT,
		DEBUGINFOD_PATIENCE_SECONDS);
	return cpd_write_note(
		w->task.writer, &(struct cpd_note){"symbols", text});
}

static _Noreturn void be_child(struct worker *w, int fd, pid_t parent)
{
	const struct rlimit none = {0, 0};
	sigset_t signals;
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	/* what ends the run reaches the parent, which ends this */
	sigfillset(&signals);
	sigdelset(&signals, SIGXCPU);
	signal(SIGXCPU, SIG_DFL);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	setrlimit(RLIMIT_CORE, &none);
	sym_limit_begin(&w->limit, w->ended);
	w->task.limit = &w->limit;
	w->search = (struct debug_search){.sysroot = w->search.sysroot,
		.opened = limit_opened,
		.fetched = tell_fetch,
		.arg = w};
	w->task.progress = NULL; /* the parent shows it */
	cpd_relay_send(w->task.writer, fd);
	rc = sym_name_all(&w->task);
	if (rc == 0)
		rc = note_silent(w);
	if (rc == 0)
		rc = cpd_writer_flush(w->task.writer);
	_exit(rc == 0 ? 0 : SYM_LIMIT_STATUS);
}

/* -1: no process is to be had. */
static int start(struct worker *w)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	fcntl(fds[1], F_SETPIPE_SZ, ROOM);
	w->pid = fork();
	if (w->pid == 0) {
		close(fds[0]);
		be_child(w, fds[1], parent);
	}
	close(fds[1]);
	w->fd = fds[0];
	cpd_relay_begin(&w->relay);
	w->buf.n = 0;
	w->stalled = false;
	w->cpu = 0;
	w->moved = clock_now();
	if (w->pid < 0 || clock_getcpuclockid(w->pid, &w->clock) != 0) {
		close(w->fd);
		return -1;
	}
	return 0;
}

static void tell(struct worker *w)
{
	const struct symbolize_options *o = w->options;

	w->fetched = w->task.state->fetched;
	if (o && o->fetching && w->fetched)
		o->fetching(o->arg,
			cpd_writer_module(
				w->task.writer, w->task.state->module),
			w->fetched - 1);
	else if (o && o->progress)
		o->progress(o->arg, w->relay.addrs, w->task.addresses.n);
}

/* Whether the child does nothing, where nothing is to be waited for. */
static bool is_stalled(struct worker *w)
{
	struct timespec t = {0};
	uint64_t cpu, now = clock_now();

	clock_gettime(w->clock, &t);
	cpu = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (cpu != w->cpu || w->task.state->fetched != w->fetched) {
		w->cpu = cpu;
		w->moved = now;
		tell(w);
	}
	return now - w->moved > (w->fetched ? STALLED_FETCHING_NS : STALLED_NS);
}

/* 1: there was something, 0: the end, -1: a record that cannot be written. */
static int take_some(struct worker *w)
{
	ssize_t n;

	if (!bytes_room(&w->buf, ROOM))
		return -1;
	n = read(w->fd, w->buf.v + w->buf.n, ROOM);
	if (n < 0 && errno == EINTR)
		return 1;
	if (n <= 0)
		return 0;
	w->buf.n += (size_t)n;
	n = cpd_relay_take(&w->relay, w->buf.v, w->buf.n);
	if (n < 0)
		return -1;
	w->buf.n -= (size_t)n;
	memmove(w->buf.v, w->buf.v + n, w->buf.n);
	w->moved = clock_now();
	tell(w);
	return 1;
}

/* Whether the caller wants no more. */
static bool is_stopped(struct worker *w)
{
	const struct symbolize_options *o = w->options;

	w->stopped = o && o->stopped && o->stopped(o->arg);
	return w->stopped;
}

static int note_stopped(struct worker *w)
{
	return note(w, &(struct cpd_note){"symbols",
			       "a signal ended the look-up of names; what was "
			       "left has none"});
}

/* Until the child has ended; its wait status, or -1 as take_some(). */
static int take_all(struct worker *w)
{
	struct pollfd pollfd = {.fd = w->fd, .events = POLLIN};
	int more = 1, status = 0;

	while (more > 0 && !w->stalled && !is_stopped(w)) {
		int n = poll(&pollfd, 1, LOOK_MS);

		if (n > 0)
			more = take_some(w);
		else
			w->stalled = is_stalled(w);
	}
	close(w->fd);
	if (more < 0 || w->stalled || w->stopped)
		kill(w->pid, SIGKILL);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	return more < 0 ? -1 : status;
}

/* Why a child has not come to its end. */
static const char *reason(const struct worker *w, int status)
{
	if (w->stalled)
		return "reading it did not end";
	if (WIFEXITED(status) && WEXITSTATUS(status) == SYM_LIMIT_STATUS)
		return "reading it took too much memory for its size";
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return "reading it took too long for its size";
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return "the process that read it was killed";
	return "the process that read it crashed";
}

/* The module at hand is read in a simpler way from now on.  -1: writer. */
static int give_up_on(struct worker *w, const char *why)
{
	const struct cpd_module *about =
		cpd_writer_module(w->task.writer, w->task.state->module);
	char text[4400];
	uint32_t from;

	if (!about)
		return -1;
	if (w->task.plain[about->id] || about->kind != CPD_MODULE_ELF) {
		w->task.refused[about->id] = why;
		if (about->kind == CPD_MODULE_ELF)
			return 0; /* a note will say so */
		snprintf(text, sizeof text,
			"process %d: the functions of its generated code have "
			"no names (%s)",
			cpd_writer_pid(w->task.writer, about->process, &from),
			why);
	} else {
		w->task.plain[about->id] = true;
		snprintf(text, sizeof text,
			"%.4000s: its debug information was left out (%s); "
			"inlined functions and lines are missing",
			about->path, why);
	}
	return note(w, &(struct cpd_note){"symbols", text});
}

/* Starts children until all is named.  -1: no memory, or the writer's error. */
static int name_in_children(struct worker *w)
{
	uint32_t most = 2 * cpd_writer_modules(w->task.writer) + 2;

	while (w->ended < most) {
		int status;

		w->task.first = w->relay.addrs;
		w->task.state->module = 0;
		w->task.state->fetched = 0;
		if (cpd_writer_flush(w->task.writer) < 0)
			return -1;
		if (start(w) < 0) { /* no process: then it is done here */
			if (w->relay.take)
				return -1;
			w->task.state = NULL;
			return sym_name_all(&w->task);
		}
		status = take_all(w);
		if (w->stopped)
			return note_stopped(w);
		if (status == 0)
			return 0;
		if (status < 0 && cpd_writer_error(w->task.writer))
			return -1;
		w->ended++;
		if (w->task.state->module == 0 ||
			give_up_on(w, reason(w, status)) < 0)
			return -1;
	}
	return -1;
}

static int set_error(const struct cpd_writer *writer, struct err *err)
{
	const struct err *stuck = cpd_writer_error(writer);

	if (stuck)
		*err = *stuck;
	else
		err_set(err, NULL, "symbolize", "%s", strerror(ENOMEM));
	return -1;
}

int symbolize(struct cpd_writer *writer,
	const struct symbolize_options *options, struct err *err)
{
	struct worker w = {.relay.writer = writer, .options = options};
	size_t modules = cpd_writer_modules(writer) + 1;
	struct sym_state *state = mmap(NULL, sizeof *state,
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int bad = sym_addresses_init(&w.task.addresses, writer), rc = -1;

	w.task.writer = writer;
	w.task.search = &w.search;
	if (options) {
		w.task.files = options->files;
		w.task.progress = options->progress;
		w.task.arg = options->arg;
		w.task.late = options->late;
		w.search.sysroot = options->sysroot;
		w.relay.take = options->take;
		w.relay.arg = options->take_arg;
	}
	w.task.refused = calloc(modules, sizeof *w.task.refused);
	w.task.plain = calloc(modules, sizeof *w.task.plain);
	if (!bad && w.task.refused && w.task.plain && state != MAP_FAILED) {
		if (options && options->in_process) {
			rc = sym_name_all(&w.task);
		} else if (w.task.addresses.n) {
			w.task.state = state;
			rc = name_in_children(&w);
		} else {
			rc = 0;
		}
	}
	if (state != MAP_FAILED)
		munmap(state, sizeof *state);
	cpd_relay_fini(&w.relay);
	bytes_free(&w.buf);
	free(w.task.refused);
	free(w.task.plain);
	sym_addresses_fini(&w.task.addresses);
	return rc == 0 ? 0 : set_error(writer, err);
}
