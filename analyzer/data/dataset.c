/*
 * dataset.c - reads a cpprofdata file into a dataset.
 *
 * By its row each record's texts are kept; then the record itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "analyzer/name/name_style.h"
#include "lib/cpprofdata/records.h"
#include "lib/sum.h"
#include "lib/impl.h"

static int out_of_memory(const struct dataset *data, struct err *err)
{
	return err_memory(err, data->path, "read");
}

/* A string of the file that lives as long as the dataset; NULL: no memory. */
static const char *keep(void *arg, const char *s)
{
	struct dataset_private *impl = arg;
	uint32_t id = strings_add(&impl->strings, s, strlen(s));

	return id == UINT32_MAX ? NULL : strings_get(&impl->strings, id);
}

/* Counts a record; asks now and then whether to go on. */
static int count_record(struct dataset_private *impl, struct err *err)
{
	return work_step(impl->work, "reading", ++impl->records, 0, err);
}

/*
 * One function per kind of record that needs one.  The reader has checked the
 * numbers in it, and its texts are kept.  -1: no memory.
 */

static int take_head(struct dataset *data, const struct cpd_head *head)
{
	size_t size = head->argc * sizeof *head->argv;
	const char **argv = arena_alloc(&data->impl->arena, size);

	if (!argv)
		return -1;
	if (size)
		memcpy(argv, head->argv, size);
	data->head = *head;
	data->head.argv = argv;
	return 0;
}

static int take_resource(
	struct dataset *data, const struct cpd_resource *resource)
{
	if (!vec_add(&data->impl->resources, *resource) ||
		!vec_push(&data->impl->books))
		return -1;
	dataset_find_lives(data);
	return 0;
}

static void take_rename(
	struct dataset_private *impl, const struct cpd_rename *rename)
{
	if (rename->thread)
		impl->threads.v[rename->thread].name = rename->name;
	else
		impl->processes.v[rename->process].name = rename->name;
}

static void take_exit(
	struct dataset_private *impl, const struct cpd_exit *record)
{
	if (record->thread)
		impl->thread_ends.v[record->thread] = record->time;
	else
		impl->process_ends.v[record->process] = record->time;
}

static int on_node(void *arg, const struct cpd_node *node, struct err *err)
{
	struct dataset *data = arg;
	struct dataset_private *impl = data->impl;
	const struct location like = {.addr = node->addr,
		.module = node->module,
		.flags = node->flags & CPD_NODE_EXACT};
	struct node *to;

	if (count_record(impl, err))
		return -1;
	to = vec_push(&impl->nodes);
	if (!to)
		return out_of_memory(data, err);
	to->parent = node->parent;
	to->location = dataset_locate(impl, &like);
	return to->location ? 0 : out_of_memory(data, err);
}

/* Samples. */

#define RESTS 20 /* intervals without a sample: nothing ran in them */

/* Up to TIME, what passed beyond WEIGHT without a sample of a clock. */
static void add_rest(struct books *books, const struct cpd_resource *r,
	uint64_t time, uint64_t weight)
{
	uint64_t spent = weight > r->interval ? weight : r->interval;

	if (time <= books->last || r->unit != CPD_USEC)
		return;
	if (books->last && (time - books->last) / 1000 / RESTS >= spent)
		books->rest += time - books->last - spent * 1000;
	books->last = time;
}

static int on_sample(
	void *arg, const struct cpd_sample *sample, struct err *err)
{
	struct dataset *data = arg;
	struct dataset_private *impl = data->impl;
	struct books *books;

	if (count_record(impl, err))
		return -1;
	if (aggregates_add(&impl->aggregates, sample, 0) ||
		dataset_follow(impl, sample))
		return out_of_memory(data, err);
	books = &impl->books.v[sample->resource];
	books->samples++;
	sum_add(&books->hits, sample->hits);
	sum_add(&books->weight, sample->weight);
	add_rest(books, &impl->resources.v[sample->resource], sample->time,
		sample->weight);
	books->squares += (double)sample->weight * (double)sample->weight;
	books->read_later += sample->flags & CPD_SAMPLE_READ_LATER ? 1 : 0;
	if (sample->flags & CPD_SAMPLE_UNFOLLOWED)
		sum_add(&books->unfollowed, sample->weight);
	return 0;
}

static bool is_truncated(const struct location *at)
{
	return at->nframes && at->frames->function == FN_TRUNCATED;
}

static bool any_truncated(const struct dataset_private *impl)
{
	for (size_t i = 1; i < impl->locations.n; i++)
		if (is_truncated(&impl->locations.v[i]))
			return true;
	return false;
}

/* Counts the samples of stacks below [truncated].  -1 when out of memory. */
static int count_truncated(struct dataset_private *impl)
{
	const struct node *nodes = impl->nodes.v;
	bool *truncated;

	if (!any_truncated(impl))
		return 0;
	truncated = calloc(impl->nodes.n, sizeof *truncated);
	if (!truncated)
		return -1;
	for (size_t i = 1; i < impl->nodes.n; i++)
		truncated[i] =
			nodes[i].parent
				? truncated[nodes[i].parent]
				: is_truncated(&impl->locations
							.v[nodes[i].location]);
	for (size_t i = 0; i < impl->aggregates.n; i++) {
		const struct aggregate *aggregate = &impl->aggregates.v[i];

		if (truncated[aggregate->node])
			impl->books.v[aggregate->resource].truncated +=
				aggregate->samples;
	}
	free(truncated);
	return 0;
}

static void take_total(
	struct dataset_private *impl, const struct cpd_total *total)
{
	struct books *books = &impl->books.v[total->resource];

	books->total = total->gticks;
	books->has_total = true;
	books->doubt = total->doubt;
}

static int take_loss(struct dataset_private *impl, const struct cpd_loss *loss)
{
	struct books *books = &impl->books.v[loss->resource];

	sum_add(&books->loss[loss->kind], loss->gticks);
	if (loss->kind == CPD_LOST)
		sum_add(&books->lost_samples, loss->samples);
	if (loss->kind == CPD_PROBES)
		sum_add(&books->probe_samples, loss->samples);
	if (loss->kind == CPD_SETUID)
		sum_add(&books->uncounted, loss->samples);
	return vec_add(&impl->losses, *loss) ? 0 : -1;
}

#define TAILS_MAX 256 /* of an address; no real file has more */

static int take_addr(struct dataset_private *impl, const struct cpd_addr *addr)
{
	uint32_t n = addr->nframes;
	struct raw_addr *to = vec_push(&impl->raw_addrs);

	if (n > DATASET_FRAMES_MAX)
		n = DATASET_FRAMES_MAX;
	if (!to)
		return -1;
	to->module = addr->module;
	to->addr = addr->addr;
	to->frames = arena_alloc(&impl->arena, n * sizeof *to->frames);
	if (!to->frames)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		const struct cpd_frame *from =
			&addr->frames[i + 1 < n ? i : addr->nframes - 1];

		to->frames[i].function = from->function;
		to->frames[i].line = from->line;
		to->frames[i].file = from->file;
	}
	to->nframes = n;
	to->target = addr->target;
	n = addr->ntails < TAILS_MAX ? addr->ntails : TAILS_MAX;
	if (!n)
		return 0;
	to->tails = arena_alloc(&impl->arena, n * sizeof *to->tails);
	if (!to->tails)
		return -1;
	memcpy(to->tails, addr->tails, n * sizeof *to->tails);
	to->ntails = n;
	return 0;
}

/* Code that a runtime made of one function several times, each better, is one
   function, and so is all that it made and gave no name; false: no memory. */
static bool take_function(
	struct dataset_private *impl, const struct cpd_function *from)
{
	struct cpd_function f = *from;
	size_t at, n = f.source == CPD_NAME_JIT ? name_tier(f.name, &at) : 0;
	const char *made = dataset_generated(&impl->modules.v[f.module]);
	char *name;

	if (f.source == CPD_NAME_NONE && made) {
		f.name = made;
		f.lo = f.hi = 0;
	}
	if (n) {
		if (asprintf(&name, "%.*s%s", (int)at, f.name,
			    f.name + at + n) < 0)
			return false;
		f.name = keep(impl, name);
		free(name);
	}
	return f.name && vec_add(&impl->raw_functions, f);
}

static int take_record(
	struct dataset *data, enum cpd_kind kind, const union cpd_record *r)
{
	struct dataset_private *impl = data->impl;
	bool added = true;

	switch (kind) {
	case CPD_KIND_head:
		return take_head(data, &r->head);
	case CPD_KIND_resource:
		return take_resource(data, &r->resource);
	case CPD_KIND_process:
		added = vec_add(&impl->processes, r->process) &&
			vec_push(&impl->process_ends);
		break;
	case CPD_KIND_thread:
		added = vec_add(&impl->threads, r->thread) &&
			vec_push(&impl->thread_ends);
		break;
	case CPD_KIND_rename:
		take_rename(impl, &r->rename);
		break;
	case CPD_KIND_exit:
		take_exit(impl, &r->exit);
		break;
	case CPD_KIND_module:
		added = vec_add(&impl->modules, r->module);
		break;
	case CPD_KIND_total:
		take_total(impl, &r->total);
		break;
	case CPD_KIND_loss:
		return take_loss(impl, &r->loss);
	case CPD_KIND_function:
		added = take_function(impl, &r->function);
		break;
	case CPD_KIND_addr:
		return take_addr(impl, &r->addr);
	case CPD_KIND_note:
		impl->imported |= strcmp(r->note.key, CPD_NOTE_IMPORT) == 0;
		added = vec_add(&impl->notes, r->note);
		break;
	case CPD_KIND_usage:
		data->usage = r->usage;
		data->has_usage = true;
		break;
	case CPD_KIND_end:
		data->end = r->end;
		for (uint32_t i = 1; i < impl->resources.n; i++)
			add_rest(&impl->books.v[i], &impl->resources.v[i],
				r->end.time, 0);
		break;
	default:
		break;
	}
	return added ? 0 : -1;
}

static int on_record(void *arg, int kind, void *record, struct err *err)
{
	struct dataset *data = arg;

	if (count_record(data->impl, err))
		return -1;
	return cpd_keep_texts(&cpd_rows[kind], record, keep, data->impl) ||
			       take_record(data, (enum cpd_kind)kind, record) ||
			       dataset_follow_record(data->impl, kind, record)
		       ? out_of_memory(data, err)
		       : 0;
}

static const struct cpd_handlers handlers = {
	.any = on_record, .node = on_node, .sample = on_sample};

/* The elements with id 0, and the first table. */
static int dataset_begin(struct dataset *data, const char *path)
{
	struct dataset_private *impl = data->impl;
	struct cpd_module *none;

	data->path = keep(impl, path);
	none = vec_push(&impl->modules);
	if (!data->path || !none || !vec_push(&impl->resources) ||
		!vec_push(&impl->books) || !vec_push(&impl->processes) ||
		!vec_push(&impl->threads) || !vec_push(&impl->process_ends) ||
		!vec_push(&impl->thread_ends) ||
		!vec_push(&impl->raw_functions) ||
		!vec_push(&impl->raw_addrs) || !vec_push(&impl->nodes) ||
		!vec_push(&impl->locations))
		return -1;
	none->path = "";
	impl->processes.v[0].name = impl->processes.v[0].exe = "";
	impl->processes.v[0].host = impl->processes.v[0].called = "";
	impl->processes.v[0].args = "";
	impl->threads.v[0].name = "";
	data->head.argv = NULL;
	data->head.cwd = data->head.host = data->head.kernel = "";
	data->head.machine = data->head.version = "";
	data->end.status = -1;
	return 0;
}

static void dataset_publish(struct dataset *data)
{
	struct dataset_private *impl = data->impl;

	data->resources = impl->resources.v;
	data->books = impl->books.v;
	data->nresources = (uint32_t)impl->resources.n - 1;
	data->processes = impl->processes.v;
	data->nprocesses = (uint32_t)impl->processes.n - 1;
	data->threads = impl->threads.v;
	data->nthreads = (uint32_t)impl->threads.n - 1;
	data->process_end = impl->process_ends.v;
	data->thread_end = impl->thread_ends.v;
	data->modules = impl->modules.v;
	data->nmodules = (uint32_t)impl->modules.n - 1;
	data->functions = impl->functions.v;
	data->nfunctions = (uint32_t)impl->functions.n - 1;
	data->nodes = impl->nodes.v;
	data->locations = impl->locations.v;
	data->nlocations = (uint32_t)impl->locations.n - 1;
	data->lost = impl->lost.v;
	data->nnodes = (uint32_t)impl->nodes.n - 1;
	data->aggregates = impl->aggregates.v;
	data->naggregates = impl->aggregates.n;
	data->losses = impl->losses.v;
	data->nlosses = impl->losses.n;
	data->notes = impl->notes.v;
	data->nnotes = impl->notes.n;
	data->imported = impl->imported;
}

static void mark_limited(struct dataset *data)
{
	struct dataset_private *impl = data->impl;

	for (size_t i = 0; i < data->nnotes; i++) {
		const char *text = data->notes[i].text;
		char *file; /* after a blank */
		uint64_t lo = strtoull(text, &file, 16);

		if (strcmp(data->notes[i].key, CPD_NOTE_LIMITED) != 0 ||
			*file != ' ')
			continue;
		for (size_t k = FN_FIRST_REAL; k < impl->functions.n; k++) {
			struct function *f = &impl->functions.v[k];

			if (f->lo != lo ||
				strcmp(data->modules[f->module_id].path,
					file + 1) != 0)
				continue;
			f->more_calls = true;
			impl->functions.v[f->base].more_calls = true;
		}
	}
}

/* Frees what only reading needed. */
static void dataset_settle(struct dataset_private *impl)
{
	hash_free(&impl->aggregates.known);
	for (size_t i = 0; i < LIVES_PAIRS; i++)
		lives_free(&impl->lives[i]);
	hash_free(&impl->locations.known);
	vec_free(&impl->sites);
	vec_free(&impl->raw_functions);
	vec_free(&impl->raw_addrs);
}

struct dataset *dataset_open(
	const char *path, const struct work *work, struct err *err)
{
	struct dataset *data = new_with_impl(struct dataset);
	int status = -1;

	if (!data) {
		err_memory(err, path, "read");
		return NULL;
	}
	data->path = path;
	data->impl->work = work;
	if (dataset_begin(data, path))
		out_of_memory(data, err);
	else
		status = cpd_read(path, &handlers, data, &data->file, err);
	if (!status &&
		(dataset_add_differences(data) || dataset_resolve(data) ||
			count_truncated(data->impl)))
		status = out_of_memory(data, err);
	if (status) {
		dataset_free(data);
		return NULL;
	}
	data->impl->work = NULL;
	dataset_settle(data->impl);
	dataset_publish(data);
	mark_limited(data);
	dataset_complete_tasks(data);
	if (dataset_make_groups(data)) {
		out_of_memory(data, err);
		dataset_free(data);
		return NULL;
	}
	return data;
}

void dataset_free(struct dataset *data)
{
	struct dataset_private *impl;

	if (!data)
		return;
	impl = data->impl;
	dataset_settle(impl);
	vec_free(&impl->lost);
	vec_free(&impl->resources);
	vec_free(&impl->books);
	vec_free(&impl->processes);
	vec_free(&impl->threads);
	vec_free(&impl->process_ends);
	vec_free(&impl->thread_ends);
	vec_free(&impl->modules);
	vec_free(&impl->functions);
	vec_free(&impl->nodes);
	vec_free(&impl->locations);
	vec_free(&impl->aggregates);
	vec_free(&impl->losses);
	vec_free(&impl->notes);
	arena_fini(&impl->arena);
	strings_free(&impl->strings);
	free(data);
}
