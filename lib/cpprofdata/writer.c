/* Makes records of fields, and chunks of records. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/cpprofdata/records.h"
#include "lib/cpprofdata/writer_private.h"
#include "lib/lower_bound.h"

static void writer_free(struct cpd_writer *w)
{
	bytes_free(&w->chunk);
	bytes_free(&w->body);
	set_free(&w->nodes);
	strings_free(&w->strings);
	vec_free(&w->numbers);
	free(w->names);
	vec_free(&w->known.intervals);
	vec_free(&w->modules);
	arena_fini(&w->modules_arena);
	for (size_t i = 0; i < w->processes.n; i++)
		free(w->processes.v[i].thing);
	id_map_free(&w->processes);
	vec_free(&w->anon);
	free(w);
}

int cpd_writer_no_memory(struct cpd_writer *w)
{
	w->failed = true;
	return err_memory(&w->err, cpd_file_path(w->file), "write");
}

int cpd_writer_refuse(struct cpd_writer *w, const char *why)
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
	w->chunks++;
}

int cpd_writer_flush(struct cpd_writer *w)
{
	struct bytes *c = &w->chunk;

	if (w->failed)
		return -1;
	if (c->n == CPD_CHUNK_HEADER_SIZE)
		return 0;
	bytes_set_le32(c->v + 4, (uint32_t)(c->n - CPD_CHUNK_HEADER_SIZE));
	bytes_le32(c, (uint32_t)crc32(0, c->v, (uInt)c->n));
	if (c->failed)
		return cpd_writer_no_memory(w);
	if (cpd_file_write(w->file, c->v, c->n, &w->err)) {
		w->failed = true;
		return -1;
	}
	chunk_begin(w);
	return 0;
}

static int record_end(struct cpd_writer *w, enum cpd_kind kind)
{
	struct bytes *c = &w->chunk;

	if (w->body.failed)
		return cpd_writer_no_memory(w);
	/* The part of the chunk before it is less than a full one. */
	if (w->body.n > CPD_CHUNK_MAX - 2 * CPD_CHUNK_FULL)
		return cpd_writer_refuse(w, "a record that is too long");
	bytes_u8(c, (uint8_t)kind);
	bytes_varint(c, w->body.n);
	bytes_put(c, w->body.v, w->body.n);
	return cpd_writer_record_done(w);
}

static uint32_t put_string(struct cpd_writer *w, const char *s, size_t n)
{
	w->nstrings++;
	bytes_u8(&w->chunk, CPD_KIND_string);
	bytes_varint(&w->chunk, n);
	bytes_put(&w->chunk, s, n);
	return cpd_writer_record_done(w) ? 0 : w->nstrings;
}

/* The number of a string that is not too long; 0: no memory. */
static uint32_t number_of(struct cpd_writer *w, const char *s, size_t n)
{
	uint32_t known = strings_count(&w->strings);
	uint32_t i = strings_add(&w->strings, s, n);

	if (i == UINT32_MAX || !vec_reserve(&w->numbers, known + 1u))
		return cpd_writer_no_memory(w), 0;
	if (i == known) {
		w->numbers.v[i] = put_string(w, s, n);
		w->numbers.n = i + 1u;
	}
	return w->numbers.v[i];
}

/*
 * The number of S, which is written if it is new.  That may end the chunk.  A
 * string that is too long is cut and ends in "...".
 */
static uint32_t string_number(struct cpd_writer *w, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	uint32_t number;
	char *cut;

	if (w->failed || !n)
		return 0;
	if (n <= CPD_STRING_MAX)
		return number_of(w, s, n);
	cut = malloc(CPD_STRING_MAX);
	if (!cut)
		return cpd_writer_no_memory(w), 0;
	memcpy(cut, s, CPD_STRING_MAX - 3);
	memcpy(cut + CPD_STRING_MAX - 3, "...", 3);
	number = number_of(w, cut, CPD_STRING_MAX);
	free(cut);
	return number;
}

/* The number of the name of a thread or a process. */
static uint32_t name_number(struct cpd_writer *w, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	struct cpd_name *slot;

	if (w->failed || !n || n >= sizeof slot->s)
		return string_number(w, s);
	slot = &w->names[hash_bytes(s, n) & (CPD_NAMES - 1)];
	if (strcmp(slot->s, s) != 0) {
		memcpy(slot->s, s, n + 1);
		slot->number = put_string(w, s, n);
	}
	return slot->number;
}

struct cpd_writer *cpd_writer_open(const char *path, struct err *err)
{
	struct cpd_writer *w = calloc(1, sizeof *w);
	struct bytes header = {0};

	if (!w) {
		err_memory(err, path, "open");
		return NULL;
	}
	w->file = cpd_file_open(path, err);
	if (!w->file)
		goto out;
	w->names = calloc(CPD_NAMES, sizeof *w->names);
	bytes_room(&w->chunk, 2 * CPD_CHUNK_FULL);
	chunk_begin(w);
	bytes_put(&header, CPD_MAGIC, 8);
	bytes_le16(&header, CPD_VERSION_MAJOR);
	bytes_le16(&header, CPD_VERSION_MINOR);
	if (!w->names || w->chunk.failed || header.failed ||
		!cpd_nodes_room(&w->nodes)) {
		err_memory(err, path, "open");
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
	if (cpd_writer_flush(w))
		return -1;
	if (cpd_file_publish(w->file, &w->err))
		w->failed = true;
	return w->failed ? -1 : 0;
}

const struct err *cpd_writer_error(const struct cpd_writer *w)
{
	return w->failed ? &w->err : NULL;
}

uint32_t cpd_writer_modules(const struct cpd_writer *w)
{
	return w->known.n[CPD_KIND_module];
}

const struct cpd_module *cpd_writer_module(
	const struct cpd_writer *w, uint32_t id)
{
	return id && id <= w->known.n[CPD_KIND_module] ? &w->modules.v[id - 1]
						       : NULL;
}

int32_t cpd_writer_pid(
	const struct cpd_writer *w, uint32_t process, uint32_t *from)
{
	const struct cpd_kept_process *kept =
		id_map_get(&w->processes, process);

	*from = kept ? kept->from : 0;
	return kept ? kept->pid : 0;
}

void cpd_writer_end_process(struct cpd_writer *w, uint32_t process)
{
	struct cpd_kept_process *kept = id_map_get(&w->processes, process);

	while (kept && --kept->needs == 0) {
		process = kept->from;
		id_map_remove(&w->processes, kept->id, kept);
		free(kept);
		kept = id_map_get(&w->processes, process);
	}
}

uint32_t cpd_writer_nodes(const struct cpd_writer *w)
{
	return w->known.nodes;
}

struct cpd_node cpd_writer_node(const struct cpd_writer *w, uint32_t id)
{
	const struct cpd_nodes_entry *e = &w->nodes.v[id];

	return (struct cpd_node){id, e->parent, e->module, e->addr, e->flags};
}

uint64_t cpd_writer_node_time(const struct cpd_writer *w, uint32_t id)
{
	size_t i = LOWER_BOUND(w->anon_timed, k, w->anon.v[k].node < id);

	return i < w->anon_timed && w->anon.v[i].node == id ? w->anon.v[i].time
							    : 0;
}

static void put_fields(
	struct cpd_writer *w, const struct cpd_row *row, const void *record);

static void put_field(
	struct cpd_writer *w, const struct cpd_field *f, const void *record)
{
	uint32_t n = f->count ? cpd_field_count(f, record) : 0;
	struct bytes *b = &w->body;

	switch (f->type) {
	case CPD_FIELD_NUMBER:
		bytes_varint(b, cpd_field_number(f, record));
		break;
	case CPD_FIELD_SIGNED:
		bytes_signed(b, (int32_t)cpd_field_number(f, record));
		break;
	case CPD_FIELD_TIME:
		w->time = cpd_field_number(f, record);
		bytes_signed(b, (int64_t)(w->time - w->last.time));
		break;
	case CPD_FIELD_TEXT:
		bytes_varint(b, string_number(w, cpd_field_text(f, record)));
		break;
	case CPD_FIELD_NAME:
		bytes_varint(b, name_number(w, cpd_field_text(f, record)));
		break;
	case CPD_FIELD_LENGTH:
		bytes_varint(b, cpd_field_number(f, record) -
					cpd_field_number(f - 1, record));
		break;
	case CPD_FIELD_BYTES:
		bytes_varint(b, n);
		bytes_put(b, (const char *)record + f->at, n);
		break;
	case CPD_FIELD_LIST:
		bytes_varint(b, n);
		/* fall through */
	case CPD_FIELD_REST:
		for (uint32_t i = 0; i < n; i++)
			put_fields(w, f->elements,
				cpd_field_element(f, record, i));
		break;
	}
}

static bool is_empty(const struct cpd_field *f, const void *record)
{
	return f->type == CPD_FIELD_TEXT   ? !*cpd_field_text(f, record)
	       : f->type == CPD_FIELD_REST ? !cpd_field_count(f, record)
					   : !cpd_field_number(f, record);
}

static void put_fields(
	struct cpd_writer *w, const struct cpd_row *row, const void *record)
{
	size_t n = row->n;

	while (n > row->always && is_empty(&row->fields[n - 1], record))
		n--;
	for (size_t i = 0; i < n; i++)
		put_field(w, &row->fields[i], record);
}

/* A new process may yet make code, or run what another made before its fork. */
static bool keep_process(
	struct cpd_writer *w, const struct cpd_process *process)
{
	struct cpd_kept_process *own = malloc(sizeof *own), *from = NULL;

	if (!own)
		return false;
	*own = (struct cpd_kept_process){.id = w->known.n[CPD_KIND_process] + 1,
		.pid = process->pid,
		.needs = 1};
	if (!(process->flags & CPD_PROCESS_EXEC))
		from = id_map_get(&w->processes, process->parent);
	if (from && !from->owns)
		from = id_map_get(&w->processes, from->from);
	if (from) {
		from->needs++;
		own->from = from->id;
	}
	if (!id_map_put(&w->processes, own->id, own)) {
		free(own);
		return false;
	}
	return true;
}

static bool keep_module(struct cpd_writer *w, const struct cpd_module *module)
{
	struct cpd_kept_process *owner =
		id_map_get(&w->processes, module->process);
	struct cpd_module *own = vec_push(&w->modules);

	if (!own)
		return false;
	*own = *module;
	own->id = (uint32_t)w->modules.n;
	own->path = arena_strdup(
		&w->modules_arena, module->path ? module->path : "");
	if (module->kind == CPD_MODULE_ANON && owner && !owner->owns) {
		owner->owns = true;
		owner->needs++;
	}
	return own->path;
}

/* Keeps what the writer tells again. */
static bool keep(struct cpd_writer *w, enum cpd_kind kind, const void *record)
{
	return kind == CPD_KIND_process  ? keep_process(w, record)
	       : kind == CPD_KIND_module ? keep_module(w, record)
					 : true;
}

const struct bytes *cpd_encode(
	struct cpd_writer *w, enum cpd_kind kind, const void *record)
{
	uint32_t chunk;

	do { /* again if a string has ended the chunk: times refer back in it */
		chunk = w->chunks;
		w->body.n = 0;
		w->time = w->last.time;
		put_fields(w, &cpd_rows[kind], record);
	} while (chunk != w->chunks && !w->failed);
	return w->failed || w->body.failed ? NULL : &w->body;
}

int cpd_write_record(
	struct cpd_writer *w, enum cpd_kind kind, const void *record)
{
	const char *why;

	if (w->failed)
		return -1;
	why = cpd_check(&w->known, kind, record);
	if (why)
		return cpd_writer_refuse(w, why);
	if (!keep(w, kind, record))
		return cpd_writer_no_memory(w);
	cpd_encode(w, kind, record);
	w->last.time = w->time;
	if (w->failed || record_end(w, kind))
		return -1;
	return cpd_known_add(&w->known, kind, record) ? cpd_writer_no_memory(w)
						      : 0;
}

#define WRITE(name)                                                            \
	int cpd_write_##name(                                                  \
		struct cpd_writer *w, const struct cpd_##name *name)           \
	{                                                                      \
		return cpd_write_record(w, CPD_KIND_##name, name);             \
	}
#define WRITE_NUMBERED(name)                                                   \
	uint32_t cpd_write_##name(                                             \
		struct cpd_writer *w, const struct cpd_##name *name)           \
	{                                                                      \
		return cpd_write_record(w, CPD_KIND_##name, name)              \
			       ? 0                                             \
			       : w->known.n[CPD_KIND_##name];                  \
	}

WRITE(head)
WRITE_NUMBERED(resource)
WRITE_NUMBERED(process)
WRITE_NUMBERED(thread)
WRITE(rename)
WRITE(exit)
WRITE_NUMBERED(module)
WRITE(map)
WRITE(total)
WRITE(usage)
WRITE(loss)
WRITE_NUMBERED(function)
WRITE(addr)
WRITE(note)

int cpd_writer_close(
	struct cpd_writer *w, const struct cpd_end *end, struct err *err)
{
	int result = 0;

	if (cpd_write_record(w, CPD_KIND_end, end) || cpd_writer_flush(w)) {
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

int cpd_writer_end(struct cpd_writer *w, bool bad, const struct cpd_end *end,
	struct err *err)
{
	if (!w)
		return -1;
	if (!bad || cpd_writer_error(w))
		return cpd_writer_close(w, end, err);
	cpd_writer_abandon(w);
	return -1;
}
