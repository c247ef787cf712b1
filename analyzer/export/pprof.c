/*
 * pprof.c - profile.proto, which pprof and many others read, packed by gzip.
 *
 * The messages are ten of numbers and strings, whose encoding lib/protobuf.h
 * has in two functions.  Each is put where it is first needed, as the format
 * allows; the bytes of all go with the different stacks.
 *
 * A module has a range of addresses of its own, so that no two overlap:
 * addresses in the profile are those of the module's file, moved.  Those of
 * callers are less by one, as everywhere, so they lie in the call.
 *
 * A resource is a sample type.  A sample has its gticks there and 0 for the
 * others.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/gzip.h"
#include "analyzer/export/pprof_private.h"
#include "lib/order.h"
#include "lib/sum.h"
#include "lib/text.h"

void pprof_message(struct pprof *p, unsigned field, const struct bytes *message)
{
	pb_bytes(&p->whole, field, message->v, message->n);
	p->failed |= message->failed;
}

/* The strings of a profile are numbered in the order in which they come. */
uint32_t pprof_string(struct pprof *p, const char *s)
{
	uint32_t before = strings_count(&p->strings), id;
	char *escaped = export_name(s);

	if (!escaped) {
		p->failed = true;
		return 0;
	}
	id = strings_add(&p->strings, escaped, strlen(escaped));
	if (id == UINT32_MAX) {
		p->failed = true;
		id = 0;
	} else if (id == before) {
		struct bytes text = {
			(uint8_t *)escaped, strlen(escaped), 0, false};

		pprof_message(p, PPROF_STRING_TABLE, &text);
	}
	free(escaped);
	return id;
}

static const char *unit_of(const struct cpd_resource *r)
{
	return r->unit == CPD_USEC    ? "microseconds"
	       : r->unit == CPD_BYTES ? "bytes"
				      : "count";
}

static void value_type(
	struct pprof *p, unsigned field, const struct cpd_resource *r)
{
	struct bytes b = {0};

	pb_number(&b, VALUE_TYPE_TYPE, pprof_string(p, r->name));
	pb_number(&b, VALUE_TYPE_UNIT, pprof_string(p, unit_of(r)));
	pprof_message(p, field, &b);
	bytes_free(&b);
}

/* What the format has no field for. */

/* TEXT is in new memory; NULL: there was none. */
static void put_comment(struct pprof *p, char *text)
{
	if (text)
		pb_number(&p->whole, PPROF_COMMENT, pprof_string(p, text));
	else
		p->failed = true;
	free(text);
}

static void comment_command(struct pprof *p)
{
	const struct cpd_head *head = &p->data->head;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f) {
		fputs("command:", f);
		for (uint32_t i = 0; i < head->argc; i++)
			fprintf(f, " %s", head->argv[i]);
	}
	put_comment(p, text_end(f, &text));
}

static void comment_filters(struct pprof *p)
{
	const struct filters *filters = p->x->view.filters;
	char *text = NULL;
	size_t size;
	FILE *f;

	if (!filters || !filters->n)
		return;
	f = open_memstream(&text, &size);
	if (f) {
		fputs("filters:", f);
		for (size_t i = 0; i < filters->n; i++)
			fprintf(f, "%s %s %s", i ? "," : "",
				filter_names[filters->v[i].kind],
				filters->v[i].name);
	}
	put_comment(p, text_end(f, &text));
}

static void put_head(struct pprof *p)
{
	const struct dataset *data = p->data;
	const struct cpd_resource *first = &data->resources[p->first];
	struct bytes empty = {0};

	pprof_message(p, PPROF_STRING_TABLE, &empty);
	for (uint32_t r = 1; r <= data->nresources; r++) {
		if (!p->kept[r].on)
			continue;
		p->column[r] = p->ncolumns++;
		value_type(p, PPROF_SAMPLE_TYPE, first - p->first + r);
	}
	pb_number(&p->whole, PPROF_DEFAULT_SAMPLE_TYPE,
		pprof_string(p, first->name));
	value_type(p, PPROF_PERIOD_TYPE, first);
	pb_number(&p->whole, PPROF_PERIOD, first->interval);
	pb_number(&p->whole, PPROF_TIME_NANOS, data->head.start_unix);
	if (data->file.complete && data->end.time > data->head.start)
		pb_number(&p->whole, PPROF_DURATION_NANOS,
			data->end.time - data->head.start);
	comment_command(p);
	for (uint32_t r = 1; r <= data->nresources; r++)
		if (p->kept[r].on)
			put_comment(p, export_books(data, r));
	comment_filters(p);
	if (p->x->no_labels)
		pb_number(&p->whole, PPROF_COMMENT,
			pprof_string(p, PPROF_COUNTED));
}

/* Samples. */

static void add_label(
	struct pprof *p, const char *key, unsigned field, uint64_t value)
{
	struct bytes b = {0};

	pb_number(&b, LABEL_KEY, pprof_string(p, key));
	pb_number(&b, field, value);
	pb_bytes(&p->sample, SAMPLE_LABEL, b.v, b.n);
	p->failed |= b.failed;
	bytes_free(&b);
}

static void put_label(
	struct pprof *p, const char *key, const char *name, int32_t number)
{
	char *text = NULL;

	if (number >= 0 && asprintf(&text, "%s %" PRId32, name, number) < 0)
		p->failed = true;
	else
		add_label(
			p, key, LABEL_STR, pprof_string(p, text ? text : name));
	free(text);
}

static void put_labels(struct pprof *p, uint32_t thread)
{
	const struct cpd_thread *t = &p->data->threads[thread];
	const struct cpd_process *process;

	if (p->x->no_labels || !thread || t->process > p->data->nprocesses)
		return;
	process = &p->data->processes[t->process];
	put_label(p, "process", process->name, process->pid);
	put_label(p, "thread", dataset_thread_name(p->data, thread), t->tid);
	put_label(
		p, "command", *process->exe ? process->exe : process->name, -1);
}

/* Hits and samples, where the value alone says something else. */
static void put_counts(
	struct pprof *p, uint32_t resource, const struct tree_sums *sums)
{
	uint64_t interval = p->data->resources[resource].interval;

	if (sums->hits != sums->weight / interval)
		add_label(p, PPROF_HITS, LABEL_NUM, sums->hits);
	if (sums->samples != sums->hits)
		add_label(p, PPROF_SAMPLES, LABEL_NUM, sums->samples);
}

/* All but the locations, which are in p->stack. */
static void put_sample(struct pprof *p, uint32_t resource, uint32_t thread,
	const struct tree_sums *sums)
{
	uint64_t weight = sums->weight;

	p->sample.n = p->packed.n = 0;
	for (size_t i = 0; i < p->stack.n; i++)
		bytes_varint(&p->packed, p->stack.v[i]);
	pb_bytes(&p->sample, SAMPLE_LOCATION_ID, p->packed.v, p->packed.n);
	p->packed.n = 0;
	for (uint32_t i = 0; i < p->ncolumns; i++)
		bytes_varint(&p->packed, i != p->column[resource] ? 0
					 : weight < INT64_MAX     ? weight
								  : INT64_MAX);
	pb_bytes(&p->sample, SAMPLE_VALUE, p->packed.v, p->packed.n);
	put_labels(p, thread);
	if (sums->samples)
		put_counts(p, resource, sums);
	p->failed |= p->packed.failed;
	pprof_message(p, PPROF_SAMPLE, &p->sample);
}

static int compare_aggregates(const void *a, const void *b)
{
	const struct aggregate *x = *(const struct aggregate *const *)a;
	const struct aggregate *y = *(const struct aggregate *const *)b;

	return ORDER(x->resource, y->resource) ?: ORDER(x->node, y->node)
	       ?: ORDER(x->leaf, y->leaf) ?: ORDER(x->thread, y->thread);
}

/* Threads are told apart by labels, or by the group that is their outermost
   frame. */
static bool same_sample(const struct pprof *p, const struct aggregate *a,
	const struct aggregate *b)
{
	const struct tree_view *view = &p->x->view;

	if (a->resource != b->resource ||
		tree_place(p->data, view, a) != tree_place(p->data, view, b))
		return false;
	return a->thread == b->thread ||
	       (p->x->no_labels && stack_group(&p->stacks, a->thread) ==
					   stack_group(&p->stacks, b->thread));
}

static int put_samples(struct pprof *p, struct err *err)
{
	size_t all, n = 0;
	const struct aggregate *in_time =
		filters_aggregates(p->x->view.filters, p->data, &all);
	const struct aggregate **sorted =
		malloc((all + 1) * sizeof(const void *));

	if (!sorted)
		return err_memory(err, NULL, "export");
	for (size_t i = 0; i < all; i++) {
		const struct aggregate *one = &in_time[i];

		if (one->weight &&
			kept_stack(&p->kept[one->resource], one->thread,
				tree_place(p->data, &p->x->view, one)))
			sorted[n++] = one;
	}
	qsort(sorted, n, sizeof(const void *), compare_aggregates);
	for (size_t i = 0; i < n && !p->failed;) {
		const struct aggregate *one = sorted[i];
		struct tree_sums sums = {0};
		size_t from = i;

		for (; i < n && same_sample(p, one, sorted[i]); i++) {
			sum_add(&sums.weight, sorted[i]->weight);
			sum_add(&sums.hits, sorted[i]->hits);
			sum_add(&sums.samples, sorted[i]->samples);
		}
		pprof_stack(
			p, tree_place(p->data, &p->x->view, one), one->thread);
		put_sample(p, one->resource, one->thread, &sums);
		if (from / WORK_STEPS != i / WORK_STEPS &&
			work_ask(p->x->view.work, "writing", i, n, err)) {
			free(sorted);
			return -1;
		}
	}
	free(sorted);
	return 0;
}

static void put_losses(struct pprof *p)
{
	for (size_t i = 0; i < p->data->nlosses; i++) {
		const struct cpd_loss *loss = &p->data->losses[i];

		if (!kept_loss(&p->kept[loss->resource], loss))
			continue;
		pprof_loss(p, dataset_loss(loss->kind), loss->thread);
		put_sample(p, loss->resource, loss->thread,
			&(struct tree_sums){.weight = loss->gticks});
	}
}

static int write_profile(struct pprof *p, FILE *out, struct err *err)
{
	int bad;

	put_head(p);
	pprof_modules(p);
	put_losses(p);
	bad = put_samples(p, err);
	if (!bad && (p->failed || gzip_write(out, &p->whole, -1, false)))
		bad = err_memory(err, NULL, "export");
	return bad;
}

int export_pprof(FILE *out, const struct export *x, struct err *err)
{
	const struct dataset *data = x->data;
	struct pprof *p = calloc(1, sizeof *p);
	int bad = -1;

	if (!p)
		return err_memory(err, NULL, "export");
	p->x = x;
	p->data = data;
	p->first = x->view.resource;
	p->kept = kept_new(x, &p->stacks, err);
	if (!p->kept)
		goto out;
	p->column = calloc((size_t)data->nresources + 1, sizeof *p->column);
	p->modules = calloc((size_t)data->nmodules + 1, sizeof *p->modules);
	p->functions = calloc(dataset_numbers(data) + 1, sizeof *p->functions);
	p->nodes = calloc((size_t)data->nnodes + 1, sizeof *p->nodes);
	if (p->column && p->modules && p->functions && p->nodes)
		bad = write_profile(p, out, err);
	else
		err_memory(err, NULL, "export");
out:
	kept_free(p->kept, data);
	strings_free(&p->strings);
	pprof_tables_free(p);
	free(p->column);
	free(p->modules);
	free(p->functions);
	free(p->nodes);
	bytes_free(&p->whole);
	bytes_free(&p->sample);
	bytes_free(&p->packed);
	free(p);
	return bad;
}
