/* merge_join.c - reads the inputs one after the other and writes. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/cpprofdata/merge_private.h"
#include "lib/cpprofdata/reader.h"
#include "lib/text.h"

#define RUN_NOTE "run" /* key of the note on a file that was merged */

static void add(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

/* --- before the samples --- */

static int write_head(
	struct cpd_merge *m, const char *version, char *const *argv)
{
	struct cpd_head head = m->base->head;
	char cwd[PATH_MAX] = "";

	for (size_t i = 0; i < m->n; i++) {
		const struct cpd_head *h = &m->inputs[i].head;

		if (strcmp(h->host, head.host))
			head.host = "several";
		if (strcmp(h->kernel, head.kernel))
			head.kernel = "several";
		if (strcmp(h->machine, head.machine))
			head.machine = "several";
		if (h->ncpu > head.ncpu)
			head.ncpu = h->ncpu;
	}
	if (getcwd(cwd, sizeof cwd))
		head.cwd = cwd;
	m->host = head.host;
	head.version = version;
	head.uid = (uint32_t)getuid();
	head.argv = (const char *const *)argv;
	while (head.argv[head.argc])
		head.argc++;
	return cpd_write_head(m->writer, &head);
}

/* Files with different intervals for a resource: reports show the largest. */
static int note_intervals(struct cpd_merge *m, const struct cpd_resource *r,
	uint64_t least, uint64_t most)
{
	char a[32], b[32], text[256];
	struct cpd_note note = {"intervals", text};

	text_gticks(least, (enum text_unit)r->unit, a, sizeof a);
	text_gticks(most, (enum text_unit)r->unit, b, sizeof b);
	snprintf(text, sizeof text, "%.100s: %s to %s; hits are of each run's",
		r->name, a, b);
	return cpd_write_note(m->writer, &note);
}

/* One record for all inputs, by the first one's order. */
static int write_resource(struct cpd_merge *m, size_t i)
{
	struct cpd_resource r = m->inputs[0].resources.v[i];
	uint64_t least = r.interval;
	uint32_t common = r.flags;

	for (size_t k = 1; k < m->n; k++) {
		const struct cpd_resource *other =
			cpd_merge_find_resource(&m->inputs[k], r.name);

		if (other->interval < least)
			least = other->interval;
		if (other->interval > r.interval)
			r.interval = other->interval;
		if (strcmp(other->timer, r.timer))
			r.timer = "several";
		r.flags |= other->flags;
		common &= other->flags;
	}
	if (!(common & CPD_RESOURCE_EVENTS))
		r.flags &= ~(uint32_t)CPD_RESOURCE_EVENTS;
	if (!cpd_write_resource(m->writer, &r))
		return -1;
	return least == r.interval ? 0
				   : note_intervals(m, &r, least, r.interval);
}

static int write_front(
	struct cpd_merge *m, const char *version, char *const *argv)
{
	size_t n = m->inputs[0].resources.n;

	m->sums = calloc(n ? n : 1, sizeof *m->sums);
	if (!m->sums || write_head(m, version, argv))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (write_resource(m, i))
			return -1;
	return 0;
}

/* --- records --- */

/* The new number; 0 for 0 and for numbers that the file did not announce. */
#define MAPPED(vec, id) ((id) < (vec).n ? (vec).v[id] : 0)

/*
 * The next number becomes TO.  -1: TO is 0, because the writer or memory
 * failed; message_why() tells which.
 */
static int map(struct merge_numbers *all, uint32_t to)
{
	uint32_t *slot = to ? vec_push(all) : NULL;

	if (!slot)
		return -1;
	*slot = to;
	return 0;
}

static int on_resource(void *arg, const struct cpd_resource *r, struct err *err)
{
	struct cpd_merge *m = arg;
	const struct merge_input *first = &m->inputs[0];

	(void)err;
	for (uint32_t i = 0; i < first->resources.n; i++)
		if (strcmp(first->resources.v[i].name, r->name) == 0)
			return map(&m->resources, i + 1);
	return -1;
}

static int on_process(void *arg, const struct cpd_process *p, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_process to = *p;
	uint32_t id;

	(void)err;
	to.parent = MAPPED(m->processes, p->parent);
	to.time += m->shift;
	if (!*p->host)
		to.host = m->in->head.host;
	if (strcmp(to.host, m->host) == 0)
		to.host = "";
	if (!m->pid)
		m->pid = p->pid;
	m->merged.processes++;
	id = cpd_write_process(m->writer, &to);
	cpd_writer_end_process(m->writer, id); /* its code has names already */
	return map(&m->processes, id);
}

static int on_thread(void *arg, const struct cpd_thread *t, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_thread to = *t;

	(void)err;
	to.process = MAPPED(m->processes, t->process);
	to.time += m->shift;
	return map(&m->threads, cpd_write_thread(m->writer, &to));
}

static int on_rename(void *arg, const struct cpd_rename *r, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_rename to = *r;

	(void)err;
	to.process = MAPPED(m->processes, r->process);
	to.thread = MAPPED(m->threads, r->thread);
	to.time += m->shift;
	return cpd_write_rename(m->writer, &to);
}

static int on_exit_(void *arg, const struct cpd_exit *e, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_exit to = *e;

	(void)err;
	to.process = MAPPED(m->processes, e->process);
	to.thread = MAPPED(m->threads, e->thread);
	to.time += m->shift;
	return cpd_write_exit(m->writer, &to);
}

static int on_module(void *arg, const struct cpd_module *r, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_module to = *r;

	(void)err;
	to.process = MAPPED(m->processes, r->process);
	return map(&m->modules, cpd_merge_module(&m->tables, m->writer, &to));
}

static int on_map(void *arg, const struct cpd_map *r, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_map to = *r;

	(void)err;
	to.process = MAPPED(m->processes, r->process);
	to.module = MAPPED(m->modules, r->module);
	to.time += m->shift;
	return cpd_write_map(m->writer, &to);
}

/* Counts one more record. */
static int count_record(struct cpd_merge *m, struct err *err)
{
	return work_step(m->work, "merging", ++m->records, 0, err);
}

static int on_node(void *arg, const struct cpd_node *n, struct err *err)
{
	struct cpd_merge *m = arg;

	if (count_record(m, err))
		return -1;
	return map(&m->nodes,
		cpd_node(m->writer, MAPPED(m->nodes, n->parent),
			MAPPED(m->modules, n->module), n->addr, n->flags));
}

static int on_sample(void *arg, const struct cpd_sample *s, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_sample to = *s;

	if (count_record(m, err))
		return -1;
	to.time += m->shift;
	to.thread = MAPPED(m->threads, s->thread);
	to.resource = MAPPED(m->resources, s->resource);
	to.node = MAPPED(m->nodes, s->node);
	if (to.resource)
		add(&m->sums[to.resource - 1].booked, s->weight);
	m->merged.samples++;
	return cpd_write_sample(m->writer, &to);
}

static int on_total(void *arg, const struct cpd_total *t, struct err *err)
{
	struct cpd_merge *m = arg;
	uint32_t resource = MAPPED(m->resources, t->resource);

	(void)err;
	if (!resource)
		return -1;
	m->sums[resource - 1].own_total = t->gticks;
	m->sums[resource - 1].has_total = true;
	add(&m->sums[resource - 1].doubt, t->doubt);
	return 0;
}

static int on_usage(void *arg, const struct cpd_usage *u, struct err *err)
{
	struct cpd_merge *m = arg;

	(void)err;
	add(&m->usage.user, u->user);
	add(&m->usage.system, u->system);
	add(&m->usage.minor, u->minor);
	add(&m->usage.major, u->major);
	add(&m->usage.waits, u->waits);
	add(&m->usage.preemptions, u->preemptions);
	m->has_usage = true;
	return 0;
}

static int on_loss(void *arg, const struct cpd_loss *l, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_loss to = *l;

	(void)err;
	to.resource = MAPPED(m->resources, l->resource);
	to.thread = MAPPED(m->threads, l->thread);
	if (to.resource)
		add(&m->sums[to.resource - 1].booked, l->gticks);
	return cpd_write_loss(m->writer, &to);
}

static int on_function(void *arg, const struct cpd_function *f, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_function to = *f;

	(void)err;
	to.module = MAPPED(m->modules, f->module);
	return map(&m->functions, cpd_merge_function(&m->tables, &to));
}

static int on_addr(void *arg, const struct cpd_addr *a, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_frame *frames = calloc(a->nframes, sizeof *frames);
	struct cpd_tail *tails = calloc(a->ntails + 1, sizeof *tails);
	struct cpd_addr to = *a;
	int bad;

	if (count_record(m, err) || !frames || !tails) {
		free(frames);
		free(tails);
		return -1;
	}
	for (uint32_t i = 0; i < a->nframes; i++) {
		frames[i] = a->frames[i];
		frames[i].function =
			MAPPED(m->functions, a->frames[i].function);
	}
	for (uint32_t i = 0; i < a->ntails; i++) {
		tails[i].found = MAPPED(m->functions, a->tails[i].found);
		tails[i].via = MAPPED(m->functions, a->tails[i].via);
	}
	to.frames = frames;
	to.tails = tails;
	to.module = MAPPED(m->modules, a->module);
	to.target = MAPPED(m->functions, a->target);
	bad = cpd_merge_addr(&m->tables, &to);
	free(frames);
	free(tails);
	return bad;
}

static int on_note(void *arg, const struct cpd_note *n, struct err *err)
{
	struct cpd_merge *m = arg;
	struct merge_note *to = vec_push(&m->notes);

	(void)err;
	if (!to)
		return -1;
	to->key = arena_strdup(&m->notes_arena, n->key);
	to->text = arena_strdup(&m->notes_arena, n->text);
	m->is_merged |= strcmp(n->key, RUN_NOTE) == 0;
	return to->key && to->text ? 0 : -1;
}

static int on_end(void *arg, const struct cpd_end *end, struct err *err)
{
	struct cpd_merge *m = arg;

	(void)err;
	m->end = *end;
	m->ended = true;
	return 0;
}

static const struct cpd_handlers joining = {
	.resource = on_resource,
	.process = on_process,
	.thread = on_thread,
	.rename = on_rename,
	.exit = on_exit_,
	.module = on_module,
	.map = on_map,
	.node = on_node,
	.sample = on_sample,
	.total = on_total,
	.loss = on_loss,
	.function = on_function,
	.addr = on_addr,
	.note = on_note,
	.end = on_end,
	.usage = on_usage,
};

/* --- one file --- */

static int begin_file(struct cpd_merge *m, const struct merge_input *in)
{
	const struct cpd_head *base = &m->base->head;

	m->in = in;
	m->shift = base->start - in->head.start + in->head.start_unix -
		   base->start_unix;
	m->resources.n = m->processes.n = m->threads.n = 0;
	m->modules.n = m->nodes.n = m->functions.n = 0;
	m->notes.n = 0;
	arena_fini(&m->notes_arena);
	m->is_merged = m->ended = m->has_usage = false;
	m->pid = 0;
	m->end = (struct cpd_end){.status = -1, .time = in->head.start};
	for (size_t i = 0; i < m->inputs[0].resources.n; i++) {
		m->sums[i].booked = 0;
		m->sums[i].has_total = false;
	}
	/* number 0 is nothing, and stays so */
	return vec_push(&m->resources) && vec_push(&m->processes) &&
			       vec_push(&m->threads) && vec_push(&m->modules) &&
			       vec_push(&m->nodes) && vec_push(&m->functions)
		       ? 0
		       : -1;
}

static void put_status(char *buf, size_t size, int status)
{
	if (status == -1)
		snprintf(buf, size, "end not known");
	else if (WIFSIGNALED(status))
		snprintf(buf, size, "killed by signal %d", WTERMSIG(status));
	else
		snprintf(buf, size, "exit status %d", WEXITSTATUS(status));
}

/* What ran, where and when. */
static int note_run(struct cpd_merge *m)
{
	const struct merge_input *in = m->in;
	time_t seconds = (time_t)(in->head.start_unix / 1000000000);
	char when[64] = "at an unknown time", status[64], *text;
	struct cpd_note note = {.key = RUN_NOTE};
	struct tm tm;
	int bad;

	if (gmtime_r(&seconds, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &tm);
	put_status(status, sizeof status, m->end.status);
	if (asprintf(&text, "process %" PRId32 " on %s, %s, %s: %s", m->pid,
		    in->head.host, when, status, in->command) < 0)
		return -1;
	note.text = text;
	bad = cpd_write_note(m->writer, &note);
	free(text);
	return bad;
}

/*
 * The file's notes, each with its process's number; those of a merge have it.
 */
static int write_notes(struct cpd_merge *m)
{
	for (size_t i = 0; i < m->notes.n; i++) {
		const struct merge_note *n = &m->notes.v[i];
		struct cpd_note note = {n->key, n->text};
		char *text = NULL;
		int bad;

		if (!m->is_merged &&
			asprintf(&text, "process %" PRId32 " on %s: %s", m->pid,
				m->in->head.host, n->text) < 0)
			return -1;
		if (text)
			note.text = text;
		bad = cpd_write_note(m->writer, &note);
		free(text);
		if (bad)
			return -1;
	}
	return m->is_merged ? 0 : note_run(m);
}

static int end_file(struct cpd_merge *m)
{
	uint64_t time = m->end.time + m->shift;

	for (size_t i = 0; i < m->inputs[0].resources.n; i++) {
		struct merge_sum *sum = &m->sums[i];

		add(&sum->total, sum->has_total ? sum->own_total : sum->booked);
	}
	if (time > m->whole.time)
		m->whole.time = time;
	if (!m->whole.status)
		m->whole.status = m->end.status;
	add(&m->whole.monitor_usec, m->end.monitor_usec);
	m->merged.files++;
	m->nusages += m->has_usage;
	m->merged.unfinished += !m->ended;
	return write_notes(m);
}

/* A failure without an error was the writer's, or no memory. */
static int message_why(const struct cpd_merge *m, struct err *err)
{
	if (cpd_writer_error(m->writer)) {
		*err = *cpd_writer_error(m->writer);
		return -1;
	}
	return *err->reason ? -1 : cpd_merge_no_memory(err);
}

static int join(struct cpd_merge *m, struct err *err)
{
	struct cpd_result result;

	for (size_t i = 0; i < m->n; i++) {
		err_clear(err);
		if (begin_file(m, &m->inputs[i]) ||
			cpd_read(
				m->inputs[i].path, &joining, m, &result, err) ||
			end_file(m))
			return message_why(m, err);
	}
	return 0;
}

static int write_back(struct cpd_merge *m)
{
	for (size_t i = 0; i < m->inputs[0].resources.n; i++) {
		struct cpd_total total = {
			.resource = (uint32_t)i + 1,
			.gticks = m->sums[i].total,
			.doubt = m->sums[i].doubt,
		};

		if (cpd_write_total(m->writer, &total))
			return -1;
	}
	if (m->nusages == m->n && cpd_write_usage(m->writer, &m->usage))
		return -1;
	return cpd_merge_tables_write(&m->tables, m->writer);
}

int cpd_merge_write(struct cpd_merge *m, struct cpd_writer *w,
	const char *version, char *const *argv, struct cpd_end *end,
	struct cpd_merged *merged, const struct work *work, struct err *err)
{
	m->writer = w;
	m->work = work;
	err_clear(err);
	if (write_front(m, version, argv))
		return message_why(m, err);
	if (join(m, err))
		return -1;
	err_clear(err);
	if (write_back(m))
		return message_why(m, err);
	m->whole.samples = m->merged.samples;
	*end = m->whole;
	*merged = m->merged;
	return 0;
}
