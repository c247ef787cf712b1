/*
 * perf.c - what `perf script' prints.
 *
 * The text is read twice: resources have to be known before the first sample,
 * and each event is one.  An inlined call is printed like a frame, above the
 * one that it is part of; together they are one place.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/import/build.h"
#include "analyzer/import/lines.h"
#include "analyzer/import/perf_line.h"
#include "lib/arena.h"
#include "lib/sum.h"
#include "lib/set.h"

struct event { /* its number in `names' is its place, plus 1 */
	uint64_t samples, periods, least, most;
	bool odd, without; /* build_is_odd() has some; has no period */
	uint32_t resource;
	uint64_t interval, divide;
	bool ours;
};

struct perf_process {
	int32_t pid;
	uint32_t name; /* in `comms' */
	bool is_main;  /* which is its main thread's */
};

struct perf_reader {
	const struct import *im;
	struct build *b;
	struct lines l;
	struct strings names; /* of events, and what has to last */
	VEC(struct event) events;
	struct strings comms;
	SET_OF(struct perf_process) processes;
	VEC(struct build_comment) comments;
	VEC(uint32_t) places; /* of the sample at hand, innermost first */
	VEC(struct build_frame) inlined; /* above the frame to come */
	struct perf_frame held; /* the frame at hand: what it is depends on the
				   next line */
	char *name;             /* its symbol; NULL: none is held */
	struct perf_srcline source; /* of it */
	struct arena arena;         /* of one sample */
	uint32_t pseudo;            /* the outermost is no code: its node */
	enum cpd_loss_kind loss;
	bool is_loss;
	uint64_t first, last; /* times */
	bool open;            /* a sample is being read */
	bool record;          /* what is read is a record of another kind */
	struct cpd_sample sample;
	uint64_t hits; /* of it */
	uint64_t told; /* of the sample to come; 0: not told */
	bool weighed;  /* any sample had a period */
	bool bare;     /* any had none */
};

enum perf_line { EMPTY, COMMENT, EVENT, RECORD, FRAME, SOURCE, WRONG };

/*
 * What a line is, taken apart into *EVENT or *FRAME.  Both may begin with
 * blanks, and the name of a process may look like an address (dd); but only an
 * event has a time.
 */
static enum perf_line line_kind(const struct perf_reader *r, char *line,
	struct perf_event *event, struct perf_frame *frame)
{
	bool indented = *line == ' ' || *line == '\t';
	bool timed = indented && (r->open || r->record);

	if (*line == '#')
		return COMMENT;
	if (!line[strspn(line, " \t")])
		return EMPTY;
	if (perf_record_line(line, timed))
		return RECORD;
	if (perf_event_line(line, timed, event))
		return EVENT;
	if (r->record && indented)
		return COMMENT;
	if (!r->open)
		return WRONG;
	/* Some copies of such texts have lost the blanks. */
	if (perf_frame_line(line, frame))
		return indented || *frame->dso ? FRAME : WRONG;
	return indented && perf_is_srcline(line) ? SOURCE : WRONG;
}

/* The first reading. */

static struct event *event_of(struct perf_reader *r, const char *name)
{
	uint32_t id;

	if (!*name)
		name = "samples";
	id = strings_add(&r->names, name, strlen(name));
	if (id == UINT32_MAX || (id > r->events.n && !vec_push(&r->events))) {
		build_no_memory(r->b);
		return NULL;
	}
	return &r->events.v[id - 1];
}

/* NULL: the text tells no processes, or no memory. */
static struct perf_process *process_of(struct perf_reader *r, int32_t pid)
{
	const struct perf_process key = {.pid = pid};
	uint32_t i;

	if (pid < 0)
		return NULL;
	i = set_add(&r->processes, &key, sizeof key.pid);
	if (i != HASH_NONE)
		return &r->processes.v[i];
	build_no_memory(r->b);
	return NULL;
}

static void set_name(struct perf_reader *r, struct perf_process *p,
	const struct perf_event *e)
{
	p->name = strings_add(&r->comms, e->comm, strlen(e->comm));
	p->is_main = e->tid == e->pid;
	if (p->name == UINT32_MAX)
		build_no_memory(r->b);
}

/* A process is called what its main thread is, or else the first that comes. */
static void name_process(struct perf_reader *r, const struct perf_event *e)
{
	struct perf_process *p = process_of(r, e->pid);

	if (p && (!p->name || (!p->is_main && e->tid == e->pid)))
		set_name(r, p, e);
}

/* At the moment of E: an exec changes it. */
static const char *process_name(
	struct perf_reader *r, const struct perf_event *e)
{
	struct perf_process *p = process_of(r, e->pid);

	if (p && e->tid == e->pid)
		set_name(r, p, e);
	return p ? strings_get(&r->comms, p->name) : e->comm;
}

static void count_event(struct perf_reader *r, const struct perf_event *e)
{
	struct event *event = event_of(r, e->event);

	if (!event)
		return;
	name_process(r, e);
	if (e->has_time && (!r->first || e->time < r->first))
		r->first = e->time;
	if (!e->has_period || !e->period) {
		event->without = true;
		return;
	}
	if (!event->samples++ || e->period < event->least)
		event->least = e->period;
	if (e->period > event->most)
		event->most = e->period;
	event->odd |= build_is_odd(e->period);
	sum_add(&event->periods, e->period);
}

static int wrong_line(const struct perf_reader *r, struct err *err)
{
	lines_error(&r->l, err, "neither an event nor a frame");
	return err_hint(err,
		"cpprof reads the output of `perf script' with its default "
		"fields, or -F comm,pid,tid,time,period,event,ip,sym,symoff,"
		"dso");
}

static void take_comment(struct perf_reader *r, const char *line)
{
	struct build_comment c;

	line += strspn(line, "# ");
	if (!build_comment(line, &c))
		return;
	if (!vec_add(&r->comments, c))
		build_no_memory(r->b);
	/* In the order of the file, and also if it has no samples. */
	event_of(r, c.name);
}

static int find_events(struct perf_reader *r, struct err *err)
{
	struct perf_event event;
	struct perf_frame frame;
	char *line;
	int got = 0;

	lines_begin(&r->l, r->im->path, r->im->in, r->im->work);
	while (!build_broken(r->b) &&
		(got = lines_next(&r->l, &line, err)) > 0) {
		switch (line_kind(r, line, &event, &frame)) {
		case COMMENT:
			take_comment(r, line);
			break;
		case EVENT:
			r->open = true;
			r->record = false;
			count_event(r, &event);
			break;
		case RECORD:
			r->open = false;
			r->record = true;
			break;
		case EMPTY:
			r->open = r->record = false;
			break;
		case WRONG:
			return wrong_line(r, err);
		default:
			break;
		}
		if (r->events.n > 1000)
			return lines_error(&r->l, err, "too many events");
	}
	r->open = r->record = false;
	return got;
}

/* Periods of 1, of what is no clock, are each event. */
static uint32_t flags_of(const struct event *e, bool clock)
{
	if (e->least != e->most)
		return CPD_RESOURCE_RANDOM;
	return e->samples && !e->without && !clock && e->most == 1
		       ? CPD_RESOURCE_EVENTS
		       : 0;
}

static void make_resource(struct perf_reader *r, uint32_t number)
{
	struct event *e = &r->events.v[number];
	const char *name = strings_get(&r->names, number + 1);
	const struct build_comment *c = NULL;
	bool clock = strncmp(name, "cpu-clock", 9) == 0 ||
		     strncmp(name, "task-clock", 10) == 0;
	struct build_unit unit = build_unit(
		clock && !e->without ? "nanoseconds" : "count", !e->odd);

	for (size_t i = 0; i < r->comments.n; i++)
		if (strcmp(r->comments.v[i].name, name) == 0)
			c = &r->comments.v[i];
	e->interval = 1;
	if (c) {
		e->ours = true;
		e->interval = c->interval;
		unit = build_unit(strcmp(c->gtick, "us") == 0 ? "microseconds"
				  : strcmp(c->gtick, "byte") == 0 ? "bytes"
								  : "count",
			true);
	} else if (e->samples) {
		e->interval = e->periods / e->samples / unit.divide;
	}
	e->divide = unit.divide;
	if (!e->interval)
		e->interval = 1;
	e->resource = build_resource(r->b, name, &unit,
		c            ? c->gtick
		: unit.gtick ? NULL
		: e->samples ? "event"
			     : "sample",
		e->interval, c ? build_flags(c) : flags_of(e, clock));
}

/* The second reading. */

static uint32_t module_of(struct perf_reader *r, const char *dso)
{
	return build_module(r->b, *dso ? dso : "[unknown]", NULL, 0);
}

static uint32_t thread_of(struct perf_reader *r, const struct perf_event *e)
{
	return build_thread(
		r->b, &(struct build_task){.pid = e->pid < 0 ? e->tid : e->pid,
			      .tid = e->tid,
			      .process = process_name(r, e),
			      .exe = "",
			      .name = e->comm,
			      .time = e->has_time ? e->time : 0});
}

static const struct perf_event nobody = {.comm = "[none]"};

/* A loss may be of no one thread. */
static bool is_nobody(const struct perf_event *e)
{
	return e->pid == nobody.pid && e->tid == nobody.tid &&
	       strcmp(e->comm, nobody.comm) == 0;
}

static void begin_sample(struct perf_reader *r, const struct perf_event *e)
{
	struct event *event = event_of(r, e->event);

	if (!event)
		return;
	r->open = true;
	r->places.n = r->inlined.n = 0;
	r->pseudo = 0;
	r->is_loss = false;
	r->sample = (struct cpd_sample){.time = e->has_time ? e->time : 0,
		.resource = event->resource,
		.thread = is_nobody(e) ? 0 : thread_of(r, e),
		.weight = 1};
	if (e->has_time && e->time > r->last)
		r->last = e->time;
	if (e->has_period && e->period) {
		r->weighed = true;
		r->sample.weight = e->period / event->divide;
	} else {
		r->bare = true;
	}
	r->hits = r->told       ? r->told
		  : event->ours ? r->sample.weight / event->interval
				: 1;
	r->told = 0;
	if (!r->sample.weight)
		r->sample.weight = 1;
}

static char *keep(struct perf_reader *r, const char *s)
{
	char *copy = arena_strdup(&r->arena, s);

	if (!copy)
		build_no_memory(r->b);
	return copy;
}

static void push_frame(struct perf_reader *r, const char *name,
	const struct perf_srcline *source)
{
	/* Inlined ones beyond what a place can have are left out. */
	if (r->inlined.n + 1 >= BUILD_FRAMES_MAX)
		r->inlined.n--;
	if (!vec_add(&r->inlined, (struct build_frame){.name = name,
					  .linkage = "",
					  .file = "",
					  .in = source->file,
					  .line = source->line}))
		build_no_memory(r->b);
}

static void push_place(struct perf_reader *r, const struct perf_frame *f)
{
	if (build_broken(r->b) ||
		!vec_add(&r->places,
			build_place(r->b, module_of(r, f->dso), r->inlined.v,
				r->inlined.n, f->offset)))
		build_no_memory(r->b);
	r->inlined.n = 0;
	arena_fini(&r->arena);
}

/* The name may be of several functions, of which but the first are inlined. */
static void push_java(struct perf_reader *r, char *name, const char *dso)
{
	static const struct perf_srcline unknown;
	char *arrow;

	while ((arrow = perf_java_inlined(name, dso))) {
		*arrow = '\0';
		push_frame(r, arrow + strlen("->"), &unknown);
	}
}

/* OUTERMOST: it was the last.  A frame without a file may be no code then. */
static void settle_frame(struct perf_reader *r, bool outermost)
{
	struct perf_frame f = r->held;
	char *name = r->name;

	r->name = NULL;
	if (!name)
		return;
	if (outermost && !*f.dso && f.offset == UINT64_MAX && !r->inlined.n) {
		r->is_loss = build_is_loss(name, &r->loss);
		r->pseudo = r->is_loss ? 0 : build_pseudo(r->b, name);
		if (r->pseudo || (r->is_loss && !r->places.n))
			return;
	}
	push_java(r, name, f.dso);
	push_frame(r, name, &r->source);
	if (!f.inlined)
		push_place(r, &f);
}

static void take_frame(struct perf_reader *r, const struct perf_frame *f)
{
	bool known = strcmp(f->dso, "[unknown]") != 0;

	settle_frame(r, false);
	r->held = *f;
	r->held.dso = known ? keep(r, f->dso) : "";
	r->name = r->held.dso ? keep(r, f->symbol) : NULL;
	r->source = (struct perf_srcline){0};
}

static void take_source(struct perf_reader *r, char *line)
{
	struct perf_srcline source;

	perf_srcline_read(line, &source);
	if (!r->name)
		return;
	if (source.file) {
		r->source = source;
		r->source.file = keep(r, source.file);
	}
	if (source.inlined && !*r->held.dso)
		r->held.inlined = true;
}

static void end_sample(struct perf_reader *r)
{
	uint32_t node;

	if (!r->open)
		return;
	r->open = false;
	settle_frame(r, true);
	if (r->is_loss && !r->places.n) {
		build_loss(r->b, r->sample.resource, r->loss, r->sample.thread,
			r->sample.weight);
		return;
	}
	if (!r->sample.thread)
		r->sample.thread = thread_of(r, &nobody);
	node = r->pseudo;
	for (size_t i = r->places.n; i-- > 0;)
		node = build_node(r->b, node, r->places.v[i]);
	r->sample.node = node ? node : build_no_stack(r->b);
	build_samples(r->b, &r->sample, r->hits, 1);
}

/* Without a stack, perf prints the place behind the event. */
static void take_rest(struct perf_reader *r, char *rest)
{
	struct perf_frame frame;

	if (perf_frame_line(rest, &frame) && *frame.dso)
		take_frame(r, &frame);
}

/* cpprof's own, above a sample whose weight does not tell them. */
static void take_hits(struct perf_reader *r, const char *line)
{
	static const char head[] = "# hits ";

	if (strncmp(line, head, strlen(head)) == 0)
		r->told = strtoull(line + strlen(head), NULL, 10);
}

static int read_line(struct perf_reader *r, char *line, struct err *err)
{
	struct perf_frame frame;
	struct perf_event event;

	switch (line_kind(r, line, &event, &frame)) {
	case RECORD:
		end_sample(r);
		r->record = true;
		break;
	case EMPTY:
		end_sample(r);
		r->record = false;
		break;
	case EVENT:
		end_sample(r);
		r->record = false;
		begin_sample(r, &event);
		take_rest(r, event.rest);
		break;
	case FRAME:
		take_frame(r, &frame);
		break;
	case SOURCE:
		take_source(r, line);
		break;
	case COMMENT:
		take_hits(r, line);
		break;
	case WRONG:
		return wrong_line(r, err);
	default:
		break;
	}
	return 0;
}

static int read_samples(struct perf_reader *r, struct err *err)
{
	char *line;
	int got = 0;

	lines_begin(&r->l, r->im->path, r->im->in, r->im->work);
	while (!build_broken(r->b) && (got = lines_next(&r->l, &line, err)) > 0)
		if (read_line(r, line, err) < 0)
			return -1;
	if (got == 0)
		end_sample(r);
	return got;
}

static void tell_weight(struct perf_reader *r)
{
	struct imported *done = r->im->done;

	snprintf(done->weight, sizeof done->weight, "%s",
		r->weighed && r->bare
			? "a sample's weight is its period, or 1 where none is "
			  "printed"
		: r->weighed ? "a sample's weight is its period"
			     : "each sample has the weight 1: no periods are "
			       "printed");
	done->end = r->last;
}

static int read_text(struct perf_reader *r, struct err *err)
{
	if (find_events(r, err) < 0)
		return -1;
	build_head(r->b, 0, r->first);
	for (uint32_t i = 0; i < r->events.n && !build_broken(r->b); i++)
		make_resource(r, i);
	if (read_samples(r, err) < 0)
		return -1;
	tell_weight(r);
	return build_end(r->b, err);
}

int import_perf(const struct import *im, struct err *err)
{
	struct perf_reader r = {.im = im, .b = build_new(im, err)};
	int bad = -1;

	if (!r.b)
		return -1;
	bad = read_text(&r, err);
	lines_end(&r.l);
	vec_free(&r.events);
	set_free(&r.processes);
	vec_free(&r.comments);
	vec_free(&r.places);
	vec_free(&r.inlined);
	arena_fini(&r.arena);
	strings_free(&r.names);
	strings_free(&r.comms);
	build_free(r.b);
	return bad;
}
