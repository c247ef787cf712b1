/* Checks a chunk, reads its records by their rows and calls the handlers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/cpprofdata/decode.h"
#include "lib/cpprofdata/records.h"

/*
 * How the reading of one record ended: NULL if well, or a handler's refusal, or
 * a static string with the error in it.
 */
static const char stopped[] = "stopped", no_memory[] = "no memory";

#define MALFORMED "a record that is cut or has a number out of range"

static uint64_t get_time(struct cpd_decoder *d, struct cursor *c)
{
	return d->last.time += (uint64_t)cursor_signed(c);
}

/*
 * The string with the number that comes next; an unknown one makes the cursor
 * bad.
 */
static const char *get_string(struct cpd_decoder *d, struct cursor *c)
{
	uint32_t id = cursor_varint32(c);

	if (!id)
		return "";
	if (id <= d->strings.n)
		return d->strings.v[id - 1];
	c->bad = true;
	return "";
}

static const char *read_string(struct cpd_decoder *d, struct cursor *c)
{
	size_t n = cursor_left(c);
	const uint8_t *s = cursor_bytes(c, n);
	const char *copy;

	if (!n || n > CPD_STRING_MAX)
		return "a string that is empty or too long";
	if (memchr(s, 0, n))
		return "a string with a NUL in it";
	copy = arena_strndup(&d->arena, (const char *)s, n);
	return copy && vec_add(&d->strings, copy) ? NULL : no_memory;
}

static void set_pointer(
	const struct cpd_field *f, void *record, const void *pointer)
{
	memcpy((char *)record + f->at, &pointer, sizeof pointer);
}

static void set_count(const struct cpd_field *f, void *record, uint32_t count)
{
	memcpy((char *)record + f->count, &count, sizeof count);
}

/* A longer one than its member is not read: it will be refused. */
static void get_bytes(const struct cpd_field *f, void *record, struct cursor *c)
{
	uint32_t n = cursor_varint32(c);
	const uint8_t *bytes = n <= f->size ? cursor_bytes(c, n) : NULL;

	if (bytes)
		memcpy((char *)record + f->at, bytes, n);
	set_count(f, record, n);
}

static const char *get_fields(struct cpd_decoder *d, const struct cpd_row *row,
	void *record, struct cursor *c);

static const char *get_list(struct cpd_decoder *d, const struct cpd_field *f,
	void *record, struct cursor *c)
{
	bool rest = f->type == CPD_FIELD_REST;
	uint32_t n = rest ? UINT32_MAX : cursor_varint32(c), i;
	const struct cpd_row *row = f->elements;
	const char *why = NULL;

	/* a number has a byte, at least */
	if (c->bad || (!rest && n > cursor_left(c) / row->n))
		return MALFORMED;
	for (i = 0; i < n && !why && (!rest || cursor_left(c)); i++) {
		if (!vec_reserve_(&d->lists[rest].v, &d->lists[rest].cap,
			    (i + 1) * row->size, 1))
			return no_memory;
		why = get_fields(
			d, row, (char *)d->lists[rest].v + i * row->size, c);
	}
	set_pointer(f, record, d->lists[rest].v);
	set_count(f, record, i);
	return why;
}

static const char *get_field(struct cpd_decoder *d, const struct cpd_field *f,
	void *record, struct cursor *c)
{
	switch (f->type) {
	case CPD_FIELD_NUMBER:
		cpd_field_set(f, record,
			f->size == 4 ? cursor_varint32(c) : cursor_varint(c));
		break;
	case CPD_FIELD_SIGNED:
		cpd_field_set(f, record, (uint64_t)cursor_signed32(c));
		break;
	case CPD_FIELD_TIME:
		cpd_field_set(f, record, get_time(d, c));
		break;
	case CPD_FIELD_TEXT:
	case CPD_FIELD_NAME:
		set_pointer(f, record, get_string(d, c));
		break;
	case CPD_FIELD_LENGTH:
		cpd_field_set(f, record,
			cpd_field_number(f - 1, record) + cursor_varint(c));
		break;
	case CPD_FIELD_BYTES:
		get_bytes(f, record, c);
		break;
	case CPD_FIELD_LIST:
	case CPD_FIELD_REST:
		return get_list(d, f, record, c);
	}
	return NULL;
}

static const char *get_fields(struct cpd_decoder *d, const struct cpd_row *row,
	void *record, struct cursor *c)
{
	const char *why = NULL;

	memset(record, 0, row->size);
	for (size_t i = 0; i < row->n && !why; i++) {
		const struct cpd_field *f = &row->fields[i];

		if (i < row->always || cursor_left(c))
			why = get_field(d, f, record, c);
		else if (f->type == CPD_FIELD_TEXT)
			set_pointer(f, record, "");
	}
	return why ? why : c->bad ? MALFORMED : NULL;
}

/* Calls the handler of KIND with RECORD if there is one. */
static const char *hand_out(struct cpd_decoder *d, enum cpd_kind kind,
	union cpd_record *record, struct err *err)
{
	const struct cpd_handlers *on = d->on;
	int bad = 0;

	if (on->any)
		return on->any(d->arg, kind, record, err) ? stopped : NULL;
	switch (kind) {
#define X(number, name)                                                        \
	case number:                                                           \
		bad = on->name && on->name(d->arg, &record->name, err);        \
		break;
		CPD_RECORDS(X)
#undef X
	default:
		break;
	}
	return bad ? stopped : NULL;
}

static void tell_apart(struct cpd_resource *r)
{
	if (!(r->flags & CPD_RESOURCE_APART) && !strcmp(r->name, "blocked"))
		r->name = CPD_BLOCKED_IN_LINE;
}

static const char *read_fields(struct cpd_decoder *d, enum cpd_kind kind,
	struct cursor *c, struct err *err)
{
	const struct cpd_row *row = &cpd_rows[kind];
	union cpd_record record;
	const char *why = get_fields(d, row, &record, c);

	if (!why)
		why = cpd_check(&d->known, kind, &record);
	if (why)
		return why;
	if (cpd_known_add(&d->known, kind, &record))
		return no_memory;
	if (row->numbered)
		record.id = d->known.n[kind];
	if (kind == CPD_KIND_resource)
		tell_apart(&record.resource);
	return hand_out(d, kind, &record, err);
}

static const char *read_node(
	struct cpd_decoder *d, unsigned bits, struct cursor *c, struct err *err)
{
	struct cpd_node n = {.id = d->known.nodes + 1};
	uint32_t distance = 1;
	const char *why;

	if (bits & ~(unsigned)CPD_NODE_BITS)
		return "a node with unknown bits";
	if (!(bits & CPD_NODE_BIT_CHILD))
		distance = cursor_varint32(c);
	n.module = bits & CPD_NODE_BIT_MODULE ? d->last.module
					      : cursor_varint32(c);
	if (bits & CPD_NODE_BIT_FLAGS) {
		n.flags = cursor_varint32(c);
		if (n.flags > UINT32_MAX >> 1)
			return MALFORMED;
		n.flags <<= 1;
	}
	n.flags |= bits & CPD_NODE_BIT_EXACT ? CPD_NODE_EXACT : 0;
	n.addr = d->last.addr + (uint64_t)cursor_signed(c);
	if (c->bad)
		return MALFORMED;
	if (!distance || distance > n.id)
		return "a node whose parent does not come before it";
	n.parent = n.id - distance;
	why = cpd_check_node(&d->known, &n);
	if (why)
		return why;
	d->last.module = n.module;
	d->last.addr = n.addr;
	d->known.nodes++;
	return d->on->node && d->on->node(d->arg, &n, err) ? stopped : NULL;
}

static const char *read_sample(
	struct cpd_decoder *d, unsigned bits, struct cursor *c, struct err *err)
{
	struct cpd_sample s = {0};
	const char *why;

	if (bits & ~(unsigned)CPD_SAMPLE_BITS)
		return "a sample with unknown bits";
	s.time = get_time(d, c);
	s.node = d->last.node + (uint32_t)cursor_signed(c);
	s.thread = bits & CPD_SAMPLE_BIT_THREAD ? d->last.thread
						: cursor_varint32(c);
	s.resource = bits & CPD_SAMPLE_BIT_RESOURCE ? d->last.resource
						    : cursor_varint32(c);
	s.hits = bits & CPD_SAMPLE_BIT_ONE ? 1 : cursor_varint32(c);
	if (!(bits & CPD_SAMPLE_BIT_WEIGHT))
		s.weight = cursor_varint(c);
	else if (s.resource && s.resource <= d->known.intervals.n)
		s.weight = s.hits * d->known.intervals.v[s.resource - 1];
	else
		s.weight = 1; /* the resource will be refused */
	s.flags = bits & CPD_SAMPLE_BIT_FLAGS ? cursor_varint32(c) : 0;
	s.life = d->last.life;
	s.page = d->last.page;
	d->last.life = d->last.page = 0;
	if (c->bad)
		return MALFORMED;
	why = cpd_check_sample(&d->known, &s);
	if (why)
		return why;
	d->last.thread = s.thread;
	d->last.resource = s.resource;
	d->last.node = s.node;
	d->known.samples = true;
	return d->on->sample && d->on->sample(d->arg, &s, err) ? stopped : NULL;
}

/* A record with a length: one of an unknown kind is skipped. */
static const char *read_long(
	struct cpd_decoder *d, unsigned kind, struct cursor *c, struct err *err)
{
	uint64_t size = cursor_varint(c);
	const uint8_t *p;
	struct cursor body;

	if (c->bad || size > cursor_left(c))
		return "a record that is longer than its chunk";
	p = cursor_bytes(c, (size_t)size);
	body = cursor_of(p, (size_t)size);
	if (!kind)
		return "a record of kind 0";
	if (kind == CPD_KIND_string)
		return read_string(d, &body);
	if (kind == CPD_KIND_life) {
		d->last.life = cursor_varint(&body);
		return body.bad ? MALFORMED : NULL;
	}
	if (kind == CPD_KIND_page) {
		d->last.paged += (uint64_t)cursor_signed(&body);
		d->last.page = d->last.paged;
		return body.bad ? MALFORMED : NULL;
	}
	/* A later minor version may have other kinds, or something at the end:
	   ignored. */
	return kind < CPD_KINDS ? read_fields(d, kind, &body, err) : NULL;
}

static const char *read_record(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	unsigned first = cursor_u8(c);
	int kind = first & CPD_KIND_SAMPLE ? CPD_KIND_SAMPLE
		   : first & CPD_KIND_NODE ? CPD_KIND_NODE
					   : (int)first;
	const char *why = cpd_check_order(&d->known, kind);

	if (why)
		return why;
	if (kind == CPD_KIND_SAMPLE)
		return read_sample(d, first & 0x7f, c, err);
	if (kind == CPD_KIND_NODE)
		return read_node(d, first & 0x3f, c, err);
	return read_long(d, first, c, err);
}

int cpd_at_offset(
	struct err *err, const char *name, uint64_t offset, const char *what)
{
	char where[48];

	snprintf(
		where, sizeof where, "offset %llu", (unsigned long long)offset);
	return err_set(err, name, where, "%s", what);
}

size_t cpd_chunk_size(const uint8_t header[CPD_CHUNK_HEADER_SIZE])
{
	size_t payload = bytes_get_le32(header + 4);

	return payload > CPD_CHUNK_MAX
		       ? 0
		       : CPD_CHUNK_HEADER_SIZE + payload + CPD_CHUNK_CRC_SIZE;
}

static int decode_records(struct cpd_decoder *d, struct cursor *c,
	uint64_t offset, struct err *err)
{
	d->last = (struct cpd_delta){0};
	while (cursor_left(c)) {
		uint64_t at = offset + (uint64_t)(c->p - c->start);
		const char *why = read_record(d, c, err);

		if (!why)
			continue;
		if (why == stopped)
			return -1;
		if (why == no_memory)
			return err_memory(err, d->name, "read");
		cpd_at_offset(err, d->name, at, why);
		return err_hint(err, "the file is broken, or the program that "
				     "wrote it was");
	}
	return 0;
}

int cpd_decode(struct cpd_decoder *d, const uint8_t *chunk, size_t size,
	uint64_t offset, struct err *err)
{
	struct cursor c = cursor_of(chunk + CPD_CHUNK_HEADER_SIZE,
		size - CPD_CHUNK_HEADER_SIZE - CPD_CHUNK_CRC_SIZE);

	if (crc32(0, chunk, (uInt)(size - CPD_CHUNK_CRC_SIZE)) !=
		bytes_get_le32(c.end)) {
		cpd_at_offset(err, d->name, offset,
			"the checksum of this chunk does not match its bytes");
		return err_hint(err, "the file was damaged after it was "
				     "written");
	}
	if (bytes_get_le32(chunk) != CPD_CHUNK_RECORDS)
		return 0;
	return decode_records(d, &c, offset + CPD_CHUNK_HEADER_SIZE, err);
}

void cpd_decoder_fini(struct cpd_decoder *d)
{
	arena_fini(&d->arena);
	vec_free(&d->strings);
	vec_free(&d->known.intervals);
	free(d->lists[0].v);
	free(d->lists[1].v);
}
