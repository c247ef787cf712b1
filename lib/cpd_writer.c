#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "arena.h"
#include "bytes.h"
#include "cpd_file.h"
#include "cpd_format.h"
#include "cpd_nodes.h"
#include "cpd_reader.h"
#include "cpd_writer.h"
#include "vec.h"

struct cpd_writer {
	struct cpd_file *file;
	struct bytes chunk; /* begins with room for the chunk's header */
	struct bytes body;  /* of the record being made */
	struct cpd_delta last;
	struct cpd_known known;
	struct cpd_nodes nodes;
	struct strings *strings;
	uint32_t nstrings;                 /* written */
	VEC(uint64_t) intervals;           /* [resource - 1] */
	VEC(struct cpd_module) modules;    /* [module - 1] */
	VEC(struct cpd_process) processes; /* [process - 1], without strings */
	VEC(struct cpd_lookup) anon;       /* nodes of memory without a file */
	size_t anon_timed;                 /* of them, those with a time */
	bool failed;
	struct err err;
};

static void writer_free(struct cpd_writer *w)
{
	bytes_free(&w->chunk);
	bytes_free(&w->body);
	cpd_nodes_fini(&w->nodes);
	strings_free(w->strings);
	vec_free(&w->intervals);
	vec_free(&w->modules);
	vec_free(&w->processes);
	vec_free(&w->anon);
	free(w);
}

static int no_memory(struct cpd_writer *w)
{
	w->failed = true;
	return err_set(
		&w->err, cpd_file_path(w->file), "write", "Out of memory");
}

/* A record that a reader would refuse never gets into the file. */
static int refuse(struct cpd_writer *w, const char *why)
{
	w->failed = true;
	return err_set(&w->err, cpd_file_path(w->file), "write",
		"Internal error: %s", why);
}

static void chunk_begin(struct cpd_writer *w)
{
	w->chunk.n = 0;
	bytes_le32(&w->chunk, CPD_CHUNK_RECORDS);
	bytes_le32(&w->chunk, 0);
	w->last = (struct cpd_delta){0};
}

static int chunk_write(struct cpd_writer *w)
{
	struct bytes *c = &w->chunk;

	if (w->failed)
		return -1;
	if (c->n == CPD_CHUNK_HEADER_SIZE)
		return 0;
	bytes_set_le32(c->v + 4, (uint32_t)(c->n - CPD_CHUNK_HEADER_SIZE));
	bytes_le32(c, (uint32_t)crc32(0, c->v, (uInt)c->n));
	if (c->failed)
		return no_memory(w);
	if (cpd_file_write(w->file, c->v, c->n, &w->err)) {
		w->failed = true;
		return -1;
	}
	chunk_begin(w);
	return 0;
}

/* After each record: looks for lost memory, and writes a full chunk. */
static int record_done(struct cpd_writer *w)
{
	if (w->chunk.failed)
		return no_memory(w);
	return w->chunk.n < CPD_CHUNK_FULL ? 0 : chunk_write(w);
}

/*
 * Begins a record of that kind, if it may stand here (WHY is NULL); its body is
 * to be put into the bytes returned.  NULL if not, or after an error.
 */
static struct bytes *record(
	struct cpd_writer *w, enum cpd_kind kind, const char *why)
{
	if (w->failed)
		return NULL;
	why = why ? why : cpd_check_order(&w->known, kind);
	if (why) {
		refuse(w, why);
		return NULL;
	}
	w->body.n = 0;
	return &w->body;
}

/* Writes the record begun with record(). */
static int record_end(struct cpd_writer *w, enum cpd_kind kind)
{
	struct bytes *c = &w->chunk;

	if (w->body.failed)
		return no_memory(w);
	/* What lies before it in the chunk is less than a full one. */
	if (w->body.n > CPD_CHUNK_MAX - 2 * CPD_CHUNK_FULL)
		return refuse(w, "a record that is too long");
	bytes_u8(c, (uint8_t)kind);
	bytes_varint(c, w->body.n);
	bytes_put(c, w->body.v, w->body.n);
	return record_done(w);
}

/*
 * The number of S, which is written if it is new.  As that may end the chunk,
 * a record's strings come before anything that refers back.  One too long is
 * cut and ends in "...".
 */
static uint32_t string(struct cpd_writer *w, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	const char *rest = n > CPD_STRING_MAX ? "..." : "";
	char *cut = NULL;
	uint32_t id;

	if (w->failed || !n)
		return 0;
	if (*rest) {
		n = CPD_STRING_MAX;
		cut = malloc(n);
		if (!cut) {
			no_memory(w);
			return 0;
		}
		memcpy(cut, s, n - 3);
		memcpy(cut + n - 3, rest, 3);
		s = cut;
	}
	id = strings_add(w->strings, s, n);
	if (id == UINT32_MAX) {
		no_memory(w);
		id = 0;
	} else if (id > w->nstrings) {
		w->nstrings = id;
		bytes_u8(&w->chunk, CPD_KIND_string);
		bytes_varint(&w->chunk, n);
		bytes_put(&w->chunk, s, n);
		record_done(w);
	}
	free(cut);
	return id;
}

static void put_time(struct cpd_writer *w, struct bytes *b, uint64_t time)
{
	bytes_signed(b, (int64_t)(time - w->last.time));
	w->last.time = time;
}

struct cpd_writer *cpd_writer_open(const char *path, struct err *err)
{
	struct cpd_writer *w = calloc(1, sizeof *w);
	struct bytes header = {0};

	if (!w) {
		err_set(err, path, "open", "Out of memory");
		return NULL;
	}
	w->file = cpd_file_open(path, err);
	if (!w->file)
		goto out;
	w->strings = strings_new();
	bytes_room(&w->chunk, 2 * CPD_CHUNK_FULL);
	chunk_begin(w);
	bytes_put(&header, CPD_MAGIC, 8);
	bytes_le16(&header, CPD_VERSION_MAJOR);
	bytes_le16(&header, CPD_VERSION_MINOR);
	if (!w->strings || w->chunk.failed || header.failed ||
		!cpd_nodes_room(&w->nodes)) {
		err_set(err, path, "open", "Out of memory");
		goto out;
	}
	if (cpd_file_write(w->file, header.v, header.n, err))
		goto out;
	bytes_free(&header);
	return w;
out:
	if (w->file)
		cpd_file_abandon(w->file);
	bytes_free(&header);
	writer_free(w);
	return NULL;
}

int cpd_writer_publish(struct cpd_writer *w)
{
	if (chunk_write(w))
		return -1;
	if (cpd_file_publish(w->file, &w->err))
		w->failed = true;
	return w->failed ? -1 : 0;
}

int cpd_write_head(struct cpd_writer *w, const struct cpd_head *head)
{
	const char *texts[] = {head->cwd, head->host, head->kernel,
		head->machine, head->version};
	struct bytes *b = record(w, CPD_KIND_head, NULL);

	if (!b)
		return -1;
	bytes_varint(b, head->start_unix);
	bytes_varint(b, head->start);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		bytes_varint(b, string(w, texts[i]));
	bytes_varint(b, head->ncpu);
	bytes_varint(b, head->uid);
	bytes_varint(b, head->argc);
	for (uint32_t i = 0; i < head->argc; i++)
		bytes_varint(b, string(w, head->argv[i]));
	if (w->failed || record_end(w, CPD_KIND_head))
		return -1;
	w->known.head = true;
	return 0;
}

uint32_t cpd_write_resource(
	struct cpd_writer *w, const struct cpd_resource *resource)
{
	const char *texts[] = {resource->name, resource->title, resource->gtick,
		resource->timer};
	struct bytes *b = record(
		w, CPD_KIND_resource, cpd_check_resource(&w->known, resource));
	uint64_t *interval;

	if (!b)
		return 0;
	interval = vec_push(&w->intervals);
	if (!interval)
		return no_memory(w), 0;
	*interval = resource->interval;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		bytes_varint(b, string(w, texts[i]));
	bytes_varint(b, resource->unit);
	bytes_varint(b, resource->interval);
	bytes_varint(b, resource->flags);
	if (w->failed || record_end(w, CPD_KIND_resource))
		return 0;
	return ++w->known.resources;
}

uint32_t cpd_write_process(
	struct cpd_writer *w, const struct cpd_process *process)
{
	struct bytes *b = record(
		w, CPD_KIND_process, cpd_check_process(&w->known, process));
	uint32_t name = string(w, process->name);
	uint32_t exe = string(w, process->exe);
	uint32_t host = string(w, process->host);
	struct cpd_process *own;

	if (!b || w->failed)
		return 0;
	own = vec_push(&w->processes);
	if (!own)
		return no_memory(w), 0;
	*own = *process;
	own->id = w->known.processes + 1;
	own->name = own->exe = own->host = "";
	bytes_varint(b, process->parent);
	bytes_signed(b, process->pid);
	put_time(w, b, process->time);
	bytes_varint(b, name);
	bytes_varint(b, exe);
	bytes_varint(b, process->flags);
	if (host)
		bytes_varint(b, host);
	if (record_end(w, CPD_KIND_process))
		return 0;
	return ++w->known.processes;
}

uint32_t cpd_write_thread(struct cpd_writer *w, const struct cpd_thread *thread)
{
	struct bytes *b =
		record(w, CPD_KIND_thread, cpd_check_thread(&w->known, thread));
	uint32_t name = string(w, thread->name);

	if (!b || w->failed)
		return 0;
	bytes_varint(b, thread->process);
	bytes_signed(b, thread->tid);
	put_time(w, b, thread->time);
	bytes_varint(b, name);
	if (record_end(w, CPD_KIND_thread))
		return 0;
	return ++w->known.threads;
}

int cpd_write_rename(struct cpd_writer *w, const struct cpd_rename *rename)
{
	struct bytes *b =
		record(w, CPD_KIND_rename, cpd_check_rename(&w->known, rename));
	uint32_t name = string(w, rename->name);

	if (!b || w->failed)
		return -1;
	bytes_varint(b, rename->process);
	bytes_varint(b, rename->thread);
	put_time(w, b, rename->time);
	bytes_varint(b, name);
	return record_end(w, CPD_KIND_rename);
}

int cpd_write_exit(struct cpd_writer *w, const struct cpd_exit *exit)
{
	struct bytes *b =
		record(w, CPD_KIND_exit, cpd_check_exit(&w->known, exit));

	if (!b)
		return -1;
	bytes_varint(b, exit->process);
	bytes_varint(b, exit->thread);
	put_time(w, b, exit->time);
	return record_end(w, CPD_KIND_exit);
}

uint32_t cpd_write_module(struct cpd_writer *w, const struct cpd_module *module)
{
	struct bytes *b =
		record(w, CPD_KIND_module, cpd_check_module(&w->known, module));
	uint32_t path = string(w, module->path);
	struct cpd_module *own;

	if (!b || w->failed)
		return 0;
	own = vec_push(&w->modules);
	if (!own)
		return no_memory(w), 0;
	*own = *module;
	own->id = w->known.modules + 1;
	own->path = strings_get(w->strings, path);
	bytes_varint(b, module->kind);
	bytes_varint(b, path);
	bytes_varint(b, module->process);
	bytes_varint(b, module->build_id_len);
	bytes_put(b, module->build_id, module->build_id_len);
	if (record_end(w, CPD_KIND_module))
		return 0;
	return ++w->known.modules;
}

int cpd_write_map(struct cpd_writer *w, const struct cpd_map *map)
{
	struct bytes *b =
		record(w, CPD_KIND_map, cpd_check_map(&w->known, map));

	if (!b)
		return -1;
	bytes_varint(b, map->process);
	put_time(w, b, map->time);
	bytes_varint(b, map->start);
	bytes_varint(b, map->len);
	bytes_varint(b, map->offset);
	bytes_varint(b, map->module);
	return record_end(w, CPD_KIND_map);
}

static void put_node(struct cpd_writer *w, const struct cpd_node *n)
{
	struct bytes *c = &w->chunk;
	uint32_t distance = n->id - n->parent;
	unsigned bits =
		(distance == 1 ? CPD_NODE_BIT_CHILD : 0) |
		(n->module == w->last.module ? CPD_NODE_BIT_MODULE : 0) |
		(n->flags & CPD_NODE_EXACT ? CPD_NODE_BIT_EXACT : 0) |
		(n->flags > CPD_NODE_EXACT ? CPD_NODE_BIT_FLAGS : 0);

	bytes_u8(c, (uint8_t)(CPD_KIND_NODE | bits));
	if (!(bits & CPD_NODE_BIT_CHILD))
		bytes_varint(c, distance);
	if (!(bits & CPD_NODE_BIT_MODULE))
		bytes_varint(c, n->module);
	if (bits & CPD_NODE_BIT_FLAGS)
		bytes_varint(c, n->flags >> 1);
	bytes_signed(c, (int64_t)(n->addr - w->last.addr));
	w->last.module = n->module;
	w->last.addr = n->addr;
}

/*
 * Code in memory without a file comes and goes: when it was first met tells
 * which it was.  The time is that of the sample to come.
 */
static int note_anon(struct cpd_writer *w, const struct cpd_node *n)
{
	struct cpd_lookup *lookup;

	if (!n->module || w->modules.v[n->module - 1].kind != CPD_MODULE_ANON)
		return 0;
	lookup = vec_push(&w->anon);
	if (!lookup)
		return no_memory(w);
	lookup->module = n->module;
	lookup->addr = n->addr - !(n->flags & CPD_NODE_EXACT);
	return 0;
}

/* The rare half of cpd_node(): a new one. */
static uint32_t add_node(
	struct cpd_writer *w, struct cpd_node *n, uint64_t hash)
{
	const char *why = cpd_check_order(&w->known, CPD_KIND_NODE);

	why = why ? why : cpd_check_node(&w->known, n);
	if (why)
		return refuse(w, why), 0;
	if (!cpd_nodes_room(&w->nodes))
		return no_memory(w), 0;
	n->id = w->known.nodes + 1;
	put_node(w, n);
	if (record_done(w) || note_anon(w, n))
		return 0;
	*cpd_nodes_find(&w->nodes, hash, n->parent, n->module, n->addr,
		n->flags) = (struct cpd_nodes_entry){
		hash, n->addr, n->parent, n->module, n->flags, n->id};
	w->nodes.n++;
	w->nodes.hashes[n->id] = hash;
	return w->known.nodes = n->id;
}

static uint32_t node_with_hash(
	struct cpd_writer *w, struct cpd_node *n, uint64_t hash)
{
	uint32_t id = cpd_nodes_find(
		&w->nodes, hash, n->parent, n->module, n->addr, n->flags)
			      ->id;

	return id ? id : add_node(w, n, hash);
}

/* The hash of a node by its number; unknown ones are refused later. */
static uint64_t hash_of(const struct cpd_writer *w, uint32_t id)
{
	return id <= w->known.nodes ? w->nodes.hashes[id] : 0;
}

uint32_t cpd_node(struct cpd_writer *w, uint32_t parent, uint32_t module,
	uint64_t addr, uint32_t flags)
{
	struct cpd_node n = {0, parent, module, addr, flags};

	if (w->failed)
		return 0;
	return node_with_hash(
		w, &n, cpd_nodes_hash(hash_of(w, parent), module, addr, flags));
}

#define PATH_PART 16 /* as many lines of cache are waited for at once */

uint32_t cpd_node_path(
	struct cpd_writer *w, uint32_t parent, struct cpd_step *steps, size_t n)
{
	struct cpd_node node = {.parent = parent};
	uint64_t hash[PATH_PART], last;

	if (w->failed)
		return 0;
	last = hash_of(w, parent);
	for (size_t i = 0; i < n; i += PATH_PART) {
		size_t part = n - i < PATH_PART ? n - i : PATH_PART;

		for (size_t j = 0; j < part; j++) {
			const struct cpd_step *s = &steps[i + j];

			last = hash[j] = cpd_nodes_hash(
				last, s->module, s->addr, s->flags);
			__builtin_prefetch(cpd_nodes_slot(&w->nodes, last));
		}
		for (size_t j = 0; j < part; j++) {
			struct cpd_step *s = &steps[i + j];

			node.module = s->module;
			node.addr = s->addr;
			node.flags = s->flags;
			s->node = node_with_hash(w, &node, hash[j]);
			if (!s->node)
				return 0;
			node.parent = s->node;
		}
	}
	return node.parent;
}

int cpd_write_sample(struct cpd_writer *w, const struct cpd_sample *s)
{
	const char *why = cpd_check_order(&w->known, CPD_KIND_SAMPLE);
	struct bytes *c = &w->chunk;
	unsigned bits = 0;

	if (w->failed)
		return -1;
	why = why ? why : cpd_check_sample(&w->known, s);
	if (why)
		return refuse(w, why);
	bits |= s->thread == w->last.thread ? CPD_SAMPLE_BIT_THREAD : 0;
	bits |= s->resource == w->last.resource ? CPD_SAMPLE_BIT_RESOURCE : 0;
	bits |= s->hits == 1 ? CPD_SAMPLE_BIT_ONE : 0;
	bits |= s->weight == s->hits * w->intervals.v[s->resource - 1]
			? CPD_SAMPLE_BIT_WEIGHT
			: 0;
	bits |= s->flags ? CPD_SAMPLE_BIT_FLAGS : 0;
	bytes_u8(c, (uint8_t)(CPD_KIND_SAMPLE | bits));
	put_time(w, c, s->time);
	bytes_signed(c, (int64_t)s->node - w->last.node);
	if (!(bits & CPD_SAMPLE_BIT_THREAD))
		bytes_varint(c, s->thread);
	if (!(bits & CPD_SAMPLE_BIT_RESOURCE))
		bytes_varint(c, s->resource);
	if (!(bits & CPD_SAMPLE_BIT_ONE))
		bytes_varint(c, s->hits);
	if (!(bits & CPD_SAMPLE_BIT_WEIGHT))
		bytes_varint(c, s->weight);
	if (bits & CPD_SAMPLE_BIT_FLAGS)
		bytes_varint(c, s->flags);
	w->last.thread = s->thread;
	w->last.resource = s->resource;
	w->last.node = s->node;
	w->known.samples = true;
	while (w->anon_timed < w->anon.n)
		w->anon.v[w->anon_timed++].time = s->time;
	return record_done(w);
}

int cpd_write_total(struct cpd_writer *w, const struct cpd_total *total)
{
	struct bytes *b =
		record(w, CPD_KIND_total, cpd_check_total(&w->known, total));

	if (!b)
		return -1;
	bytes_varint(b, total->resource);
	bytes_varint(b, total->gticks);
	return record_end(w, CPD_KIND_total);
}

int cpd_write_loss(struct cpd_writer *w, const struct cpd_loss *loss)
{
	struct bytes *b =
		record(w, CPD_KIND_loss, cpd_check_loss(&w->known, loss));

	if (!b)
		return -1;
	bytes_varint(b, loss->resource);
	bytes_varint(b, loss->kind);
	bytes_varint(b, loss->thread);
	bytes_varint(b, loss->gticks);
	bytes_varint(b, loss->samples);
	return record_end(w, CPD_KIND_loss);
}

uint32_t cpd_write_function(
	struct cpd_writer *w, const struct cpd_function *function)
{
	struct bytes *b = record(
		w, CPD_KIND_function, cpd_check_function(&w->known, function));
	uint32_t name = string(w, function->name);
	uint32_t linkage = string(w, function->linkage);

	if (!b || w->failed)
		return 0;
	bytes_varint(b, function->module);
	bytes_varint(b, function->lo);
	bytes_varint(b, function->hi - function->lo);
	bytes_varint(b, name);
	bytes_varint(b, linkage);
	bytes_varint(b, function->source);
	bytes_varint(b, function->flags);
	if (record_end(w, CPD_KIND_function))
		return 0;
	return ++w->known.functions;
}

int cpd_write_addr(struct cpd_writer *w, const struct cpd_addr *addr)
{
	struct bytes *b =
		record(w, CPD_KIND_addr, cpd_check_addr(&w->known, addr));

	if (!b)
		return -1;
	bytes_varint(b, addr->module);
	bytes_varint(b, addr->addr);
	bytes_varint(b, addr->nframes);
	for (uint32_t i = 0; i < addr->nframes; i++) {
		bytes_varint(b, addr->frames[i].function);
		bytes_varint(b, addr->frames[i].line);
		bytes_varint(b, string(w, addr->frames[i].file));
	}
	if (addr->target)
		bytes_varint(b, addr->target);
	return w->failed ? -1 : record_end(w, CPD_KIND_addr);
}

int cpd_write_note(struct cpd_writer *w, const struct cpd_note *note)
{
	struct bytes *b = record(w, CPD_KIND_note, NULL);

	if (!b)
		return -1;
	bytes_varint(b, string(w, note->key));
	bytes_varint(b, string(w, note->text));
	return w->failed ? -1 : record_end(w, CPD_KIND_note);
}

static int write_end(struct cpd_writer *w, const struct cpd_end *end)
{
	struct bytes *b = record(w, CPD_KIND_end, NULL);

	if (!b)
		return -1;
	put_time(w, b, end->time);
	bytes_signed(b, end->status);
	bytes_varint(b, end->samples);
	bytes_varint(b, end->monitor_usec);
	return record_end(w, CPD_KIND_end);
}

int cpd_writer_flush(struct cpd_writer *w)
{
	return chunk_write(w);
}

const struct err *cpd_writer_error(const struct cpd_writer *w)
{
	return w->failed ? &w->err : NULL;
}

uint32_t cpd_writer_modules(const struct cpd_writer *w)
{
	return w->known.modules;
}

const struct cpd_module *cpd_writer_module(
	const struct cpd_writer *w, uint32_t id)
{
	return id && id <= w->known.modules ? &w->modules.v[id - 1] : NULL;
}

const struct cpd_process *cpd_writer_process(
	const struct cpd_writer *w, uint32_t id)
{
	return id && id <= w->processes.n ? &w->processes.v[id - 1] : NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct cpd_lookup *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

struct cpd_lookup *cpd_writer_lookups(const struct cpd_writer *w, size_t *n)
{
	struct cpd_lookup *v = cpd_nodes_lookups(&w->nodes, n), *found;

	for (size_t i = 0; v && i < w->anon_timed; i++) {
		found = bsearch(&w->anon.v[i], v, *n, sizeof *v, by_address);
		if (found && (!found->time || w->anon.v[i].time < found->time))
			found->time = w->anon.v[i].time;
	}
	return v;
}

struct cpd_call *cpd_writer_calls(const struct cpd_writer *w, size_t *n)
{
	return cpd_nodes_calls(&w->nodes, n);
}

int cpd_writer_close(
	struct cpd_writer *w, const struct cpd_end *end, struct err *err)
{
	int result = 0;

	if (write_end(w, end) || chunk_write(w)) {
		*err = w->err;
		cpd_file_fail(w->file, CPD_HEADER_SIZE, err);
		result = -1;
	} else {
		result = cpd_file_close(w->file, err);
	}
	writer_free(w);
	return result;
}

void cpd_writer_abandon(struct cpd_writer *w)
{
	cpd_file_abandon(w->file);
	writer_free(w);
}
