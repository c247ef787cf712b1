#include <stdio.h>
#include <string.h>

#include "lib/cpprofdata/decode.h"

/*
 * How the reading of one record ended: GOOD, a handler's refusal, or a static
 * string with the error in it.
 */
static const char good[] = "good", stopped[] = "stopped",
		  no_memory[] = "no memory";

#define MALFORMED "a record that is cut or has a number out of range"

/* Calls handler KIND with RECORD if there is one. */
#define HAND_OUT(d, kind, record, err)                                         \
	(!(d)->on->kind || !(d)->on->kind((d)->arg, record, err) ? good        \
								 : stopped)

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

static const char *read_string(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	size_t n = cursor_left(c);
	const uint8_t *s = cursor_bytes(c, n);
	const char **slot;

	(void)err;
	if (!n || n > CPD_STRING_MAX)
		return "a string that is empty or too long";
	if (memchr(s, 0, n))
		return "a string with a NUL in it";
	slot = vec_push(&d->strings);
	if (!slot)
		return no_memory;
	*slot = arena_strndup(&d->arena, (const char *)s, n);
	if (!*slot) {
		d->strings.n--;
		return no_memory;
	}
	return good;
}

static const char *read_head(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_head head = {0};

	head.start_unix = cursor_varint(c);
	head.start = cursor_varint(c);
	head.cwd = get_string(d, c);
	head.host = get_string(d, c);
	head.kernel = get_string(d, c);
	head.machine = get_string(d, c);
	head.version = get_string(d, c);
	head.ncpu = cursor_varint32(c);
	head.uid = cursor_varint32(c);
	head.argc = cursor_varint32(c);
	if (c->bad || head.argc > cursor_left(c)) /* a byte each, at least */
		return MALFORMED;
	d->argv.n = 0;
	for (uint32_t i = 0; i < head.argc; i++) {
		const char **arg = vec_push(&d->argv);

		if (!arg)
			return no_memory;
		*arg = get_string(d, c);
	}
	if (c->bad)
		return MALFORMED;
	head.argv = d->argv.v;
	d->known.head = true;
	return HAND_OUT(d, head, &head, err);
}

static const char *read_resource(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_resource r = {0};
	const char *why;
	uint64_t *interval;

	r.name = get_string(d, c);
	r.title = get_string(d, c);
	r.gtick = get_string(d, c);
	r.timer = get_string(d, c);
	r.unit = cursor_varint32(c);
	r.interval = cursor_varint(c);
	r.flags = cursor_varint32(c);
	if (c->bad)
		return MALFORMED;
	why = cpd_check_resource(&d->known, &r);
	if (why)
		return why;
	interval = vec_push(&d->intervals);
	if (!interval)
		return no_memory;
	*interval = r.interval;
	r.id = ++d->known.resources;
	return HAND_OUT(d, resource, &r, err);
}

static const char *read_process(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_process p = {0};
	const char *why;

	p.parent = cursor_varint32(c);
	p.pid = cursor_signed32(c);
	p.time = get_time(d, c);
	p.name = get_string(d, c);
	p.exe = get_string(d, c);
	p.flags = cursor_varint32(c);
	p.host = cursor_left(c) ? get_string(d, c) : "";
	if (c->bad)
		return MALFORMED;
	why = cpd_check_process(&d->known, &p);
	if (why)
		return why;
	p.id = ++d->known.processes;
	return HAND_OUT(d, process, &p, err);
}

static const char *read_thread(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_thread t = {0};
	const char *why;

	t.process = cursor_varint32(c);
	t.tid = cursor_signed32(c);
	t.time = get_time(d, c);
	t.name = get_string(d, c);
	if (c->bad)
		return MALFORMED;
	why = cpd_check_thread(&d->known, &t);
	if (why)
		return why;
	t.id = ++d->known.threads;
	return HAND_OUT(d, thread, &t, err);
}

static const char *read_rename(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_rename r = {0};
	const char *why;

	r.process = cursor_varint32(c);
	r.thread = cursor_varint32(c);
	r.time = get_time(d, c);
	r.name = get_string(d, c);
	if (c->bad)
		return MALFORMED;
	why = cpd_check_rename(&d->known, &r);
	return why ? why : HAND_OUT(d, rename, &r, err);
}

static const char *read_exit(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_exit e = {0};
	const char *why;

	e.process = cursor_varint32(c);
	e.thread = cursor_varint32(c);
	e.time = get_time(d, c);
	if (c->bad)
		return MALFORMED;
	why = cpd_check_exit(&d->known, &e);
	return why ? why : HAND_OUT(d, exit, &e, err);
}

static const char *read_module(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_module m = {0};
	const uint8_t *build_id;
	const char *why;

	m.kind = cursor_varint32(c);
	m.path = get_string(d, c);
	m.process = cursor_varint32(c);
	m.build_id_len = cursor_varint32(c);
	why = cpd_check_module(&d->known, &m);
	if (!c->bad && why)
		return why;
	build_id = cursor_bytes(c, m.build_id_len);
	if (c->bad)
		return MALFORMED;
	memcpy(m.build_id, build_id, m.build_id_len);
	m.id = ++d->known.modules;
	return HAND_OUT(d, module, &m, err);
}

static const char *read_map(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_map m = {0};
	const char *why;

	m.process = cursor_varint32(c);
	m.time = get_time(d, c);
	m.start = cursor_varint(c);
	m.len = cursor_varint(c);
	m.offset = cursor_varint(c);
	m.module = cursor_varint32(c);
	if (c->bad)
		return MALFORMED;
	why = cpd_check_map(&d->known, &m);
	return why ? why : HAND_OUT(d, map, &m, err);
}

static const char *read_total(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_total t = {0};
	const char *why;

	t.resource = cursor_varint32(c);
	t.gticks = cursor_varint(c);
	if (cursor_left(c) > 0)
		t.doubt = cursor_varint(c);
	if (c->bad)
		return MALFORMED;
	why = cpd_check_total(&d->known, &t);
	return why ? why : HAND_OUT(d, total, &t, err);
}

static const char *read_usage(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_usage u = {0};

	u.user = cursor_varint(c);
	u.system = cursor_varint(c);
	u.minor = cursor_varint(c);
	u.major = cursor_varint(c);
	u.waits = cursor_varint(c);
	u.preemptions = cursor_varint(c);
	return c->bad ? MALFORMED : HAND_OUT(d, usage, &u, err);
}

static const char *read_loss(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_loss l = {0};
	const char *why;

	l.resource = cursor_varint32(c);
	l.kind = cursor_varint32(c);
	l.thread = cursor_varint32(c);
	l.gticks = cursor_varint(c);
	l.samples = cursor_varint(c);
	if (c->bad)
		return MALFORMED;
	why = cpd_check_loss(&d->known, &l);
	return why ? why : HAND_OUT(d, loss, &l, err);
}

static const char *read_function(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_function f = {0};
	const char *why;

	f.module = cursor_varint32(c);
	f.lo = cursor_varint(c);
	f.hi = f.lo + cursor_varint(c);
	f.name = get_string(d, c);
	f.linkage = get_string(d, c);
	f.source = cursor_varint32(c);
	f.flags = cursor_varint32(c);
	f.file = "";
	if (cursor_left(c) > 0) {
		f.file = get_string(d, c);
		f.line = cursor_varint32(c);
	}
	if (c->bad)
		return MALFORMED;
	why = cpd_check_function(&d->known, &f);
	if (why)
		return why;
	f.id = ++d->known.functions;
	return HAND_OUT(d, function, &f, err);
}

static const char *read_addr(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_addr a = {0};
	const char *why;

	a.module = cursor_varint32(c);
	a.addr = cursor_varint(c);
	a.nframes = cursor_varint32(c);
	if (c->bad || a.nframes > cursor_left(c) / 3) /* three bytes each */
		return MALFORMED;
	d->frames.n = 0;
	for (uint32_t i = 0; i < a.nframes; i++) {
		struct cpd_frame *frame = vec_push(&d->frames);

		if (!frame)
			return no_memory;
		frame->function = cursor_varint32(c);
		frame->line = cursor_varint32(c);
		frame->file = get_string(d, c);
	}
	if (cursor_left(c) > 0)
		a.target = cursor_varint32(c);
	d->tails.n = 0;
	while (!c->bad && cursor_left(c) > 0) {
		struct cpd_tail *tail = vec_push(&d->tails);

		if (!tail)
			return no_memory;
		tail->found = cursor_varint32(c);
		tail->via = cursor_varint32(c);
	}
	if (c->bad)
		return MALFORMED;
	a.frames = d->frames.v;
	a.ntails = (uint32_t)d->tails.n;
	a.tails = d->tails.v;
	why = cpd_check_addr(&d->known, &a);
	return why ? why : HAND_OUT(d, addr, &a, err);
}

static const char *read_note(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_note n = {0};

	n.key = get_string(d, c);
	n.text = get_string(d, c);
	return c->bad ? MALFORMED : HAND_OUT(d, note, &n, err);
}

static const char *read_end(
	struct cpd_decoder *d, struct cursor *c, struct err *err)
{
	struct cpd_end e = {0};

	e.time = get_time(d, c);
	e.status = cursor_signed32(c);
	e.samples = cursor_varint(c);
	e.monitor_usec = cursor_varint(c);
	if (c->bad)
		return MALFORMED;
	d->known.end = true;
	return HAND_OUT(d, end, &e, err);
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
	return HAND_OUT(d, node, &n, err);
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
	else if (s.resource && s.resource <= d->intervals.n)
		s.weight = s.hits * d->intervals.v[s.resource - 1];
	else
		s.weight = 1; /* the resource will be refused */
	s.flags = bits & CPD_SAMPLE_BIT_FLAGS ? cursor_varint32(c) : 0;
	if (c->bad)
		return MALFORMED;
	why = cpd_check_sample(&d->known, &s);
	if (why)
		return why;
	d->last.thread = s.thread;
	d->last.resource = s.resource;
	d->last.node = s.node;
	d->known.samples = true;
	return HAND_OUT(d, sample, &s, err);
}

/* A record with a length: one of an unknown kind is skipped. */
static const char *read_long(
	struct cpd_decoder *d, unsigned kind, struct cursor *c, struct err *err)
{
	static const char *(*const readers[])(
		struct cpd_decoder *, struct cursor *, struct err *) = {
#define X(number, name) [number] = read_##name,
		CPD_RECORD_KINDS(X)
#undef X
	};
	uint64_t size = cursor_varint(c);
	const uint8_t *p;
	struct cursor body;

	if (c->bad || size > cursor_left(c))
		return "a record that is longer than its chunk";
	p = cursor_bytes(c, (size_t)size);
	body = cursor_of(p, (size_t)size);
	if (!kind)
		return "a record of kind 0";
	if (kind >= sizeof readers / sizeof *readers)
		return good;
	/* A later minor version may have added something at the end:
	   ignored. */
	return readers[kind](d, &body, err);
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

int cpd_decode(struct cpd_decoder *d, const void *payload, size_t size,
	uint64_t offset, struct err *err)
{
	struct cursor c = cursor_of(payload, size);
	char where[48];

	d->last = (struct cpd_delta){0};
	while (cursor_left(&c)) {
		uint64_t at = offset + (uint64_t)(c.p - c.start);
		const char *why = read_record(d, &c, err);

		if (why == good)
			continue;
		if (why == stopped)
			return -1;
		if (why == no_memory)
			return err_memory(err, d->name, "read");
		snprintf(where, sizeof where, "offset %llu",
			(unsigned long long)at);
		err_set(err, d->name, where, "%s", why);
		return err_hint(err, "the file is broken, or the program that "
				     "wrote it was");
	}
	return 0;
}

void cpd_decoder_fini(struct cpd_decoder *d)
{
	arena_fini(&d->arena);
	vec_free(&d->strings);
	vec_free(&d->intervals);
	vec_free(&d->argv);
	vec_free(&d->frames);
	vec_free(&d->tails);
}
