#include "analyzer/export/points.h"

#include <stdlib.h>

#include "analyzer/export/stacks.h"
#include "lib/scratch.h"
#include "lib/vec.h"

#define BUFFER 512u /* points of a run that are in memory while it is read */

struct run {                        /* its points are numbered in the file */
	uint64_t next, end, marked; /* next: not read yet */
	struct point *buffer;
	uint64_t from, to; /* what is in the buffer */
};

struct points {
	struct point *room; /* the run that is filled */
	size_t n;
	bool ordered; /* that of the run is the sorted order */
	FILE *file;   /* NULL: all are in the room */
	uint64_t written;
	VEC(struct run) runs;
	struct run *current; /* it has the least point, up to ... */
	struct point limit;  /* ... this one, the least of the others */
	bool limited;        /* others have points */
};

static int compare(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

struct points *points_new(struct err *err)
{
	struct points *p = calloc(1, sizeof *p);

	if (p)
		p->room = malloc(POINTS_RUN * sizeof *p->room);
	if (!p || !p->room) {
		export_no_memory(err);
		free(p);
		return NULL;
	}
	p->ordered = true;
	return p;
}

void points_free(struct points *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->file && i < p->runs.n; i++)
		free(p->runs.v[i].buffer);
	if (p->file)
		fclose(p->file);
	vec_free(&p->runs);
	free(p->room);
	free(p);
}

static int file_failed(const char *op, struct err *err)
{
	err_sys(err, "temporary file", op);
	return err_hint(err, "TMPDIR names a folder with room for it");
}

/* BUFFER: where its points are; NULL: in the file. */
static int end_run(struct points *p, struct point *buffer, struct err *err)
{
	struct run *run = vec_push(&p->runs);

	if (!run)
		return export_no_memory(err);
	if (!p->ordered)
		qsort(p->room, p->n, sizeof *p->room, compare);
	*run = (struct run){.next = p->written,
		.end = p->written + p->n,
		.buffer = buffer,
		.from = p->written,
		.to = p->written + p->n};
	return 0;
}

static int write_run(struct points *p, struct err *err)
{
	if (end_run(p, NULL, err))
		return -1;
	if (!p->file) {
		p->file = scratch_open();
		if (!p->file)
			return file_failed("open", err);
	}
	if (fwrite(p->room, sizeof *p->room, p->n, p->file) < p->n)
		return file_failed("write", err);
	p->written += p->n;
	p->n = 0;
	p->ordered = true;
	return 0;
}

int points_add(struct points *p, const struct point *point, struct err *err)
{
	if (p->n == POINTS_RUN && write_run(p, err))
		return -1;
	if (p->n && compare(&p->room[p->n - 1], point) > 0)
		p->ordered = false;
	p->room[p->n++] = *point;
	return 0;
}

int points_sort(struct points *p, struct err *err)
{
	if (!p->file)
		return end_run(p, p->room, err);
	if (write_run(p, err))
		return -1;
	free(p->room);
	p->room = NULL;
	if (fflush(p->file) != 0)
		return file_failed("write", err);
	for (size_t i = 0; i < p->runs.n; i++) {
		struct run *run = &p->runs.v[i];

		run->from = run->to = 0;
		run->buffer = malloc(BUFFER * sizeof *run->buffer);
		if (!run->buffer)
			return export_no_memory(err);
	}
	return 0;
}

void points_mark(struct points *p)
{
	for (size_t i = 0; i < p->runs.n; i++)
		p->runs.v[i].marked = p->runs.v[i].next;
}

void points_back(struct points *p)
{
	for (size_t i = 0; i < p->runs.n; i++)
		p->runs.v[i].next = p->runs.v[i].marked;
	p->current = NULL;
}

/* The next point of a run that has one. */
static const struct point *head(
	struct points *p, struct run *run, struct err *err)
{
	uint64_t n = run->end - run->next;

	if (run->next >= run->from && run->next < run->to)
		return &run->buffer[run->next - run->from];
	n = n < BUFFER ? n : BUFFER;
	if (fseeko(p->file, (off_t)(run->next * sizeof(struct point)),
		    SEEK_SET) != 0 ||
		fread(run->buffer, sizeof *run->buffer, n, p->file) < n) {
		file_failed("read", err);
		return NULL;
	}
	run->from = run->next;
	run->to = run->next + n;
	return run->buffer;
}

/* Finds the run with the least point, the earliest of those; -1: cannot read.
 */
static int choose(struct points *p, struct err *err)
{
	const struct point *least = NULL;
	struct point best = {0};

	p->current = NULL;
	p->limited = false;
	for (size_t i = 0; i < p->runs.n; i++) {
		struct run *run = &p->runs.v[i];

		if (run->next == run->end)
			continue;
		least = head(p, run, err);
		if (!least)
			return -1;
		if (p->current && compare(least, &best) >= 0) {
			if (!p->limited || compare(least, &p->limit) < 0)
				p->limit = *least;
			p->limited = true;
			continue;
		}
		p->limited = p->current != NULL;
		p->limit = best;
		best = *least;
		p->current = run;
	}
	return 0;
}

const struct point *points_next(struct points *p, struct err *err)
{
	const struct point *point = NULL;

	if (p->current && p->current->next < p->current->end) {
		point = head(p, p->current, err);
		if (!point)
			return NULL;
		if (p->limited && compare(point, &p->limit) > 0)
			point = NULL;
	}
	if (!point) {
		if (choose(p, err) < 0)
			return NULL;
		point = head(p, p->current, err);
	}
	if (point)
		p->current->next++;
	return point;
}
