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
#include "lib/sum.h"
#include "lib/text.h"

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
	r.flags &= common |
		   ~(uint32_t)(CPD_RESOURCE_EVENTS | CPD_RESOURCE_NO_PROBES);
	if (!cpd_write_resource(m->writer, &r))
		return -1;
	return least == r.interval ? 0
				   : note_intervals(m, &r, least, r.interval);
}

static int write_front(
	struct cpd_merge *m, const char *version, char *const *argv)
{
	if (write_head(m, version, argv))
		return -1;
	for (size_t i = 0; i < m->inputs[0].resources.n; i++)
		if (write_resource(m, i))
			return -1;
	return 0;
}

/* --- records --- */

/*
 * The next record of KIND has the number TO.  -1: TO is 0, because the writer
 * or memory failed; message_why() tells which.
 */
static int add_number(struct cpd_merge *m, enum cpd_kind kind, uint32_t to)
{
	return to && vec_add(&m->numbers[kind], to) ? 0 : -1;
}

static uint32_t number_of(void *arg, enum cpd_kind kind, uint32_t id)
{
	const struct cpd_merge *m = arg;

	return m->numbers[kind].v[id];
}

static uint32_t find_resource(
	const struct cpd_merge *m, const struct cpd_resource *r)
{
	const struct merge_input *first = &m->inputs[0];

	return (uint32_t)(cpd_merge_find_resource(first, r->name) -
			  first->resources.v) +
	       1;
}

static uint32_t join_process(struct cpd_merge *m, struct cpd_process *p)
{
	uint32_t id;

	if (!*p->host)
		p->host = m->in->head.host;
	if (strcmp(p->host, m->host) == 0)
		p->host = "";
	if (!m->pid)
		m->pid = p->pid;
	m->merged.processes++;
	id = cpd_write_process(m->writer, p);
	cpd_writer_end_process(m->writer, id); /* its code has names already */
	return id;
}

/* The sum is written at the end. */
static int join_total(struct cpd_merge *m, const struct cpd_total *t)
{
	struct merge_sum *sum = &m->sums[t->resource - 1];

	sum_add(&sum->total, t->gticks);
	sum->totals++;
	sum_add(&sum->doubt, t->doubt);
	return 0;
}

static int join_usage(struct cpd_merge *m, const struct cpd_usage *u)
{
	sum_add(&m->usage.user, u->user);
	sum_add(&m->usage.system, u->system);
	sum_add(&m->usage.minor, u->minor);
	sum_add(&m->usage.major, u->major);
	sum_add(&m->usage.waits, u->waits);
	sum_add(&m->usage.preemptions, u->preemptions);
	m->has_usage = true;
	return 0;
}

/* Writes R, or keeps it until the end of the file or of the merge. */
static int join_record(
	struct cpd_merge *m, enum cpd_kind kind, union cpd_record *r)
{
	switch (kind) {
	case CPD_KIND_head:
		return m->renaming ? cpd_write_head(m->writer, &r->head) : 0;
	case CPD_KIND_resource:
		return add_number(m, kind,
			m->renaming
				? cpd_write_resource(m->writer, &r->resource)
				: find_resource(m, &r->resource));
	case CPD_KIND_process:
		return add_number(m, kind, join_process(m, &r->process));
	case CPD_KIND_thread:
		return add_number(
			m, kind, cpd_write_thread(m->writer, &r->thread));
	case CPD_KIND_module:
		return add_number(m, kind,
			cpd_merge_module(&m->tables, m->writer, &r->module));
	case CPD_KIND_function:
		return add_number(m, kind,
			cpd_merge_function(
				&m->tables, m->writer, &r->function));
	case CPD_KIND_addr:
		return cpd_merge_addr(&m->tables, &r->addr);
	case CPD_KIND_total:
		return join_total(m, &r->total);
	case CPD_KIND_usage:
		return join_usage(m, &r->usage);
	case CPD_KIND_note:
		return cpd_merge_note(m, &r->note);
	case CPD_KIND_end:
		m->end = r->end;
		m->ended = true;
		return 0;
	default:
		break;
	}
	return cpd_write_record(m->writer, kind, r);
}

/* Counts one more record. */
static int count_record(struct cpd_merge *m, struct err *err)
{
	return work_step(m->work, "merging", ++m->records, 0, err);
}

static int on_record(void *arg, int kind, void *record, struct err *err)
{
	struct cpd_merge *m = arg;
	const struct cpd_row *row = &cpd_rows[kind];

	if (count_record(m, err) || cpd_renumber(row, record, number_of, m))
		return -1;
	for (size_t i = 0; i < row->n; i++)
		if (row->fields[i].type == CPD_FIELD_TIME)
			cpd_field_set(&row->fields[i], record,
				cpd_field_number(&row->fields[i], record) +
					m->shift);
	return join_record(m, kind, record);
}

static int on_node(void *arg, const struct cpd_node *n, struct err *err)
{
	struct cpd_merge *m = arg;
	uint32_t node;

	if (count_record(m, err))
		return -1;
	node = cpd_node(m->writer, m->nodes.v[n->parent],
		number_of(m, CPD_KIND_module, n->module), n->addr, n->flags);
	return node && vec_add(&m->nodes, node) ? 0 : -1;
}

static int on_sample(void *arg, const struct cpd_sample *s, struct err *err)
{
	struct cpd_merge *m = arg;
	struct cpd_sample to = *s;

	if (count_record(m, err))
		return -1;
	to.time += m->shift;
	to.thread = number_of(m, CPD_KIND_thread, s->thread);
	to.resource = number_of(m, CPD_KIND_resource, s->resource);
	to.node = m->nodes.v[s->node];
	m->merged.end.samples++;
	return cpd_write_sample(m->writer, &to);
}

static const struct cpd_handlers joining = {
	.any = on_record,
	.node = on_node,
	.sample = on_sample,
};

/* --- one file --- */

static int begin_file(struct cpd_merge *m, const struct merge_input *in)
{
	const struct cpd_head *base = &m->base->head;

	m->in = in;
	m->shift = base->start - in->head.start + in->head.start_unix -
		   base->start_unix;
	m->nodes.n = m->notes.n = 0;
	arena_fini(&m->notes_arena);
	m->ended = m->has_usage = false;
	m->is_merged = m->renaming != NULL;
	m->pid = 0;
	m->end = (struct cpd_end){
		.status = -1, .time = in->head.start + m->shift};
	/* number 0 is nothing, and stays so */
	for (size_t i = 0; i < CPD_KINDS; i++) {
		m->numbers[i].n = 0;
		if (!vec_push(&m->numbers[i]))
			return -1;
	}
	return vec_push(&m->nodes) ? 0 : -1;
}

static void put_status(char *buf, size_t size, int status)
{
	if (status == -1)
		snprintf(buf, size, "end not known");
	else if (!*text_killed(status, buf, size))
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
		struct cpd_note note = m->notes.v[i];
		char *text = NULL;
		int bad;

		if (!m->is_merged &&
			asprintf(&text, "process %" PRId32 " on %s: %s", m->pid,
				m->in->head.host, note.text) < 0)
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
	struct cpd_end *whole = &m->merged.end;

	if (m->end.time > whole->time)
		whole->time = m->end.time;
	if (!whole->status)
		whole->status = m->end.status;
	sum_add(&whole->monitor_usec, m->end.monitor_usec);
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
			(m->renaming && cpd_merge_name(m, err)) || end_file(m))
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

		/* of the sum nothing is known where one file has none */
		if (m->sums[i].totals == m->n &&
			cpd_write_total(m->writer, &total))
			return -1;
	}
	if (m->nusages == m->n && cpd_write_usage(m->writer, &m->usage))
		return -1;
	return cpd_merge_tables_write(&m->tables, m->writer);
}

static int write_all(struct cpd_merge *m, const char *version,
	char *const *argv, struct cpd_merged *merged, struct err *err)
{
	size_t n = m->inputs[0].resources.n;

	err_clear(err);
	m->sums = calloc(n ? n : 1, sizeof *m->sums);
	if (!m->sums || (!m->renaming && write_front(m, version, argv)))
		return message_why(m, err);
	if (join(m, err))
		return -1;
	err_clear(err);
	if (write_back(m))
		return message_why(m, err);
	*merged = m->merged;
	return 0;
}

int cpd_merge_write(struct cpd_merge *m, struct cpd_writer *w,
	const char *version, char *const *argv, struct cpd_merged *merged,
	struct err *err)
{
	m->writer = w;
	return write_all(m, version, argv, merged, err);
}

int cpd_merge_rename(struct cpd_merge *m, struct cpd_writer *w,
	struct cpd_renaming *renaming, struct cpd_merged *merged,
	struct err *err)
{
	m->writer = w;
	m->renaming = renaming;
	m->host = m->base->head.host;
	return write_all(m, NULL, NULL, merged, err);
}
