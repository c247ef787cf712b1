/*
 * dataset.c - reads a cpprofdata file into a dataset.
 *
 * One handler per kind of record copies what is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "lib/sum.h"
#include "lib/impl.h"

static int out_of_memory(const struct dataset *data, struct err *err)
{
	return err_memory(err, data->path, "read");
}

/* For what the reader promises and memory safety needs: it is checked again. */
static int broken(const struct dataset *data, struct err *err, const char *what)
{
	return err_set(err, data->path, "read", "%s out of order", what);
}

/* A string of the file that lives as long as the dataset; where memory is out,
   which kept() tells, "". */
static const char *keep(struct dataset *data, const char *s)
{
	uint32_t id = strings_add(
		&data->impl->strings, s ? s : "", s ? strlen(s) : 0);

	data->impl->failed |= id == UINT32_MAX;
	return strings_get(&data->impl->strings, id);
}

static int kept(const struct dataset *data, struct err *err)
{
	return data->impl->failed ? out_of_memory(data, err) : 0;
}

/* Counts a record; asks now and then whether to go on. */
static int count_record(struct dataset *data, struct err *err)
{
	struct dataset_private *impl = data->impl;

	return work_step(impl->work, "reading", ++impl->records, 0, err);
}

static int on_head(void *arg, const struct cpd_head *head, struct err *err)
{
	struct dataset *data = arg;
	struct cpd_head *to = &data->head;
	const char **argv;

	*to = *head;
	argv = arena_alloc(
		&data->impl->arena, ((size_t)head->argc + 1) * sizeof *argv);
	to->argc = 0;
	to->argv = argv;
	to->cwd = keep(data, head->cwd);
	to->host = keep(data, head->host);
	to->kernel = keep(data, head->kernel);
	to->machine = keep(data, head->machine);
	to->version = keep(data, head->version);
	if (!argv)
		return out_of_memory(data, err);
	for (; to->argc < head->argc; to->argc++)
		argv[to->argc] = keep(data, head->argv[to->argc]);
	return kept(data, err);
}

static int on_resource(
	void *arg, const struct cpd_resource *resource, struct err *err)
{
	struct dataset *data = arg;
	struct cpd_resource *to;

	if (resource->id != data->impl->resources.n)
		return broken(data, err, "resource");
	to = vec_push(&data->impl->resources);
	if (!to || !vec_push(&data->impl->books))
		return out_of_memory(data, err);
	*to = *resource;
	to->name = keep(data, resource->name);
	to->title = keep(data, resource->title);
	to->gtick = keep(data, resource->gtick);
	to->timer = keep(data, resource->timer);
	if (!to->interval)
		to->interval = 1;
	dataset_find_lives(data);
	return kept(data, err);
}

static int on_process(
	void *arg, const struct cpd_process *process, struct err *err)
{
	struct dataset *data = arg;
	struct cpd_process *to;

	if (process->id != data->impl->processes.n)
		return broken(data, err, "process");
	to = vec_push(&data->impl->processes);
	if (!to || !vec_push(&data->impl->process_ends))
		return out_of_memory(data, err);
	*to = *process;
	to->name = keep(data, process->name);
	to->exe = keep(data, process->exe);
	to->host = keep(data, process->host);
	return kept(data, err);
}

static int on_thread(
	void *arg, const struct cpd_thread *thread, struct err *err)
{
	struct dataset *data = arg;
	struct cpd_thread *to;

	if (thread->id != data->impl->threads.n)
		return broken(data, err, "thread");
	to = vec_push(&data->impl->threads);
	if (!to || !vec_push(&data->impl->thread_ends))
		return out_of_memory(data, err);
	*to = *thread;
	to->name = keep(data, thread->name);
	return kept(data, err);
}

static int on_rename(
	void *arg, const struct cpd_rename *rename, struct err *err)
{
	struct dataset *data = arg;
	struct dataset_private *impl = data->impl;
	const char *name = keep(data, rename->name);

	if (rename->thread && rename->thread < impl->threads.n)
		impl->threads.v[rename->thread].name = name;
	else if (!rename->thread && rename->process < impl->processes.n)
		impl->processes.v[rename->process].name = name;
	return kept(data, err);
}

static int on_exit_record(
	void *arg, const struct cpd_exit *record, struct err *err)
{
	struct dataset *data = arg;
	struct dataset_private *impl = data->impl;
	uint32_t process = record->process, thread = record->thread;

	(void)err;
	if (thread && thread < impl->thread_ends.n) {
		impl->thread_ends.v[thread] = record->time;
	} else if (!thread && process < impl->process_ends.n) {
		impl->process_ends.v[process] = record->time;
	}
	return 0;
}

static int on_module(
	void *arg, const struct cpd_module *module, struct err *err)
{
	struct dataset *data = arg;
	struct cpd_module *to;

	if (module->id != data->impl->modules.n)
		return broken(data, err, "module");
	to = vec_push(&data->impl->modules);
	if (!to)
		return out_of_memory(data, err);
	*to = *module;
	to->path = keep(data, module->path);
	return kept(data, err);
}

static int on_node(void *arg, const struct cpd_node *node, struct err *err)
{
	struct dataset *data = arg;
	struct dataset_private *impl = data->impl;
	const struct location like = {.addr = node->addr,
		.module = node->module,
		.flags = node->flags & CPD_NODE_EXACT};
	struct node *to;

	if (node->id != impl->nodes.n || node->parent >= node->id ||
		node->module >= impl->modules.n)
		return broken(data, err, "node");
	if (count_record(data, err))
		return -1;
	to = vec_push(&impl->nodes);
	if (!to)
		return out_of_memory(data, err);
	to->parent = node->parent;
	to->location = dataset_locate(impl, &like);
	return to->location ? 0 : out_of_memory(data, err);
}

/* Samples. */

static int on_sample(
	void *arg, const struct cpd_sample *sample, struct err *err)
{
	struct dataset *data = arg;
	struct dataset_private *impl = data->impl;
	struct books *books;

	if (!sample->resource || sample->resource >= impl->resources.n ||
		sample->node >= impl->nodes.n ||
		sample->thread >= impl->threads.n)
		return broken(data, err, "sample");
	if (count_record(data, err))
		return -1;
	if (aggregates_add(&impl->aggregates, sample, 0) ||
		dataset_follow(impl, sample))
		return out_of_memory(data, err);
	books = &impl->books.v[sample->resource];
	books->samples++;
	sum_add(&books->hits, sample->hits);
	sum_add(&books->weight, sample->weight);
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

static int on_total(void *arg, const struct cpd_total *total, struct err *err)
{
	struct dataset *data = arg;
	struct books *books;

	if (!total->resource || total->resource >= data->impl->resources.n)
		return broken(data, err, "total");
	books = &data->impl->books.v[total->resource];
	books->total = total->gticks;
	books->has_total = true;
	books->doubt = total->doubt;
	return 0;
}

static int on_loss(void *arg, const struct cpd_loss *loss, struct err *err)
{
	struct dataset *data = arg;
	struct books *books;

	if (!loss->resource || loss->resource >= data->impl->resources.n ||
		(unsigned)loss->kind >= CPD_LOSS_KINDS ||
		loss->thread >= data->impl->threads.n)
		return broken(data, err, "loss");
	if (!vec_add(&data->impl->losses, *loss))
		return out_of_memory(data, err);
	books = &data->impl->books.v[loss->resource];
	sum_add(&books->loss[loss->kind], loss->gticks);
	if (loss->kind == CPD_LOST)
		sum_add(&books->lost_samples, loss->samples);
	if (loss->kind == CPD_PROBES)
		sum_add(&books->probe_samples, loss->samples);
	if (loss->kind == CPD_SETUID)
		sum_add(&books->uncounted, loss->samples);
	return 0;
}

static int on_function(
	void *arg, const struct cpd_function *function, struct err *err)
{
	struct dataset *data = arg;
	struct cpd_function *to;

	if (function->id != data->impl->raw_functions.n ||
		function->module >= data->impl->modules.n)
		return broken(data, err, "function");
	to = vec_push(&data->impl->raw_functions);
	if (!to)
		return out_of_memory(data, err);
	*to = *function;
	to->name = keep(data, function->name);
	to->linkage = keep(data, function->linkage);
	to->file = keep(data, function->file);
	return kept(data, err);
}

#define TAILS_MAX 256 /* of an address; no real file has more */

static int keep_tails(struct dataset *data, const struct cpd_addr *from,
	struct raw_addr *to, struct err *err)
{
	struct dataset_private *impl = data->impl;
	uint32_t n = from->ntails < TAILS_MAX ? from->ntails : TAILS_MAX;

	if (!n)
		return 0;
	to->tails = arena_alloc(&impl->arena, n * sizeof *to->tails);
	if (!to->tails)
		return out_of_memory(data, err);
	for (uint32_t i = 0; i < n; i++) {
		const struct cpd_tail *tail = &from->tails[i];

		if (tail->found < impl->raw_functions.n &&
			tail->via < impl->raw_functions.n)
			to->tails[to->ntails++] = *tail;
	}
	return 0;
}

static int on_addr(void *arg, const struct cpd_addr *addr, struct err *err)
{
	struct dataset *data = arg;
	struct dataset_private *impl = data->impl;
	uint32_t n = addr->nframes;
	struct raw_addr *to;

	if (!n)
		return broken(data, err, "address");
	if (count_record(data, err))
		return -1;
	if (n > DATASET_FRAMES_MAX)
		n = DATASET_FRAMES_MAX;
	to = vec_push(&impl->raw_addrs);
	if (!to)
		return out_of_memory(data, err);
	to->module = addr->module;
	to->addr = addr->addr;
	to->frames = arena_alloc(&impl->arena, n * sizeof *to->frames);
	if (!to->frames)
		return out_of_memory(data, err);
	for (uint32_t i = 0; i < n; i++) {
		const struct cpd_frame *from =
			&addr->frames[i + 1 < n ? i : addr->nframes - 1];

		if (!from->function || from->function >= impl->raw_functions.n)
			return broken(data, err, "function of an address");
		to->frames[i].function = from->function;
		to->frames[i].line = from->line;
		to->frames[i].file = keep(data, from->file);
	}
	to->nframes = n;
	to->target = addr->target < impl->raw_functions.n ? addr->target : 0;
	if (to->target && keep_tails(data, addr, to, err))
		return -1;
	return kept(data, err);
}

static int on_note(void *arg, const struct cpd_note *note, struct err *err)
{
	struct dataset *data = arg;
	struct cpd_note *to = vec_push(&data->impl->notes);

	if (!to)
		return out_of_memory(data, err);
	to->key = keep(data, note->key);
	to->text = keep(data, note->text);
	data->impl->imported |= strcmp(note->key, CPD_NOTE_IMPORT) == 0;
	return kept(data, err);
}

static int on_usage(void *arg, const struct cpd_usage *usage, struct err *err)
{
	struct dataset *data = arg;

	(void)err;
	data->usage = *usage;
	data->has_usage = true;
	return 0;
}

static int on_end(void *arg, const struct cpd_end *end, struct err *err)
{
	struct dataset *data = arg;

	(void)err;
	data->end = *end;
	return 0;
}

static const struct cpd_handlers handlers = {
	.head = on_head,
	.resource = on_resource,
	.process = on_process,
	.thread = on_thread,
	.rename = on_rename,
	.exit = on_exit_record,
	.module = on_module,
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

/* The elements with id 0, and the first table. */
static int dataset_begin(struct dataset *data, const char *path)
{
	struct dataset_private *impl = data->impl;
	struct cpd_module *none;

	data->path = keep(data, path);
	none = vec_push(&impl->modules);
	if (impl->failed || !none || !vec_push(&impl->resources) ||
		!vec_push(&impl->books) || !vec_push(&impl->processes) ||
		!vec_push(&impl->threads) || !vec_push(&impl->process_ends) ||
		!vec_push(&impl->thread_ends) ||
		!vec_push(&impl->raw_functions) ||
		!vec_push(&impl->raw_addrs) || !vec_push(&impl->nodes) ||
		!vec_push(&impl->locations))
		return -1;
	none->path = "";
	impl->processes.v[0].name = impl->processes.v[0].exe = "";
	impl->processes.v[0].host = "";
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
