/* out.c - records about names as messages, and back. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/symbol/out.h"

#define FULL 65536

/* A field more has to travel as well. */
static_assert(sizeof(struct cpd_function) == 64, "all of cpd_function");
static_assert(sizeof(struct cpd_addr) == 48, "all of cpd_addr");
static_assert(sizeof(struct cpd_frame) == 16, "all of cpd_frame");

int sym_out_flush(struct sym_out *out)
{
	const uint8_t *at = out->waiting.v;
	size_t left = out->waiting.n;

	while (left) {
		ssize_t n = write(out->fd, at, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		left -= (size_t)n;
	}
	out->waiting.n = 0;
	return out->waiting.failed ? -1 : 0;
}

static void put_text(struct bytes *b, const char *text)
{
	bytes_put(b, text, strlen(text) + 1);
}

static struct bytes *body(struct sym_out *out)
{
	out->body.n = 0;
	return &out->body;
}

static int send(struct sym_out *out, enum sym_message kind, bool now)
{
	if (out->body.failed)
		return -1;
	bytes_u8(&out->waiting, (uint8_t)kind);
	bytes_varint(&out->waiting, out->body.n);
	bytes_put(&out->waiting, out->body.v, out->body.n);
	return now || out->waiting.n >= FULL ? sym_out_flush(out) : 0;
}

uint32_t sym_out_function(
	struct sym_out *out, const struct cpd_function *function)
{
	struct bytes *b = body(out);

	if (out->fd < 0)
		return cpd_write_function(out->writer, function);
	bytes_varint(b, function->module);
	bytes_varint(b, function->lo);
	bytes_varint(b, function->hi);
	bytes_varint(b, function->source);
	bytes_varint(b, function->flags);
	put_text(b, function->name);
	put_text(b, function->linkage);
	put_text(b, function->file ? function->file : "");
	bytes_varint(b, function->line);
	if (send(out, SYM_MESSAGE_FUNCTION, false) < 0)
		return 0;
	return ++out->functions;
}

int sym_out_addr(struct sym_out *out, const struct cpd_addr *addr)
{
	struct bytes *b = body(out);

	if (out->fd < 0)
		return cpd_write_addr(out->writer, addr);
	bytes_varint(b, addr->module);
	bytes_varint(b, addr->addr);
	bytes_varint(b, addr->target);
	bytes_varint(b, addr->nframes);
	for (uint32_t i = 0; i < addr->nframes; i++) {
		bytes_varint(b, addr->frames[i].function);
		bytes_varint(b, addr->frames[i].line);
		put_text(b, addr->frames[i].file);
	}
	bytes_varint(b, addr->ntails);
	for (uint32_t i = 0; i < addr->ntails; i++) {
		bytes_varint(b, addr->tails[i].found);
		bytes_varint(b, addr->tails[i].via);
	}
	return send(out, SYM_MESSAGE_ADDR, false);
}

int sym_out_note(struct sym_out *out, const struct cpd_note *note)
{
	if (out->fd < 0)
		return cpd_write_note(out->writer, note);
	put_text(body(out), note->key);
	put_text(&out->body, note->text);
	return send(out, SYM_MESSAGE_NOTE, false);
}

int sym_out_module(struct sym_out *out, uint32_t module)
{
	if (out->fd < 0)
		return 0;
	bytes_varint(body(out), module);
	return send(out, SYM_MESSAGE_MODULE, true);
}

int sym_out_fetch(struct sym_out *out, uint64_t bytes)
{
	if (out->fd < 0)
		return 0;
	bytes_varint(body(out), bytes);
	return send(out, SYM_MESSAGE_FETCH, true);
}

static const char *get_text(struct cursor *c)
{
	const uint8_t *end = memchr(c->p, 0, cursor_left(c));

	if (!end) {
		c->bad = true;
		return "";
	}
	return (const char *)cursor_bytes(c, (size_t)(end - c->p) + 1);
}

/* The id of a function by its number in the stream; 0 stands for none. */
static uint32_t get_function(const struct sym_in *in, struct cursor *c)
{
	uint32_t number = cursor_varint32(c);

	if (number > in->functions.n)
		c->bad = true;
	return number && !c->bad ? in->functions.v[number - 1] : 0;
}

static int take_function(struct sym_in *in, struct cursor *c)
{
	struct cpd_function f = {.module = cursor_varint32(c)};
	uint32_t *slot = vec_push(&in->functions);

	f.lo = cursor_varint(c);
	f.hi = cursor_varint(c);
	f.source = cursor_varint32(c);
	f.flags = cursor_varint32(c);
	f.name = get_text(c);
	f.linkage = get_text(c);
	f.file = get_text(c);
	f.line = cursor_varint32(c);
	if (c->bad || !slot)
		return -1;
	*slot = cpd_write_function(in->writer, &f);
	return *slot ? 0 : -1;
}

static int take_frames(struct sym_in *in, struct cursor *c)
{
	uint32_t n = cursor_varint32(c);

	in->frames.n = 0;
	while (n-- && !c->bad) {
		struct cpd_frame *frame = vec_push(&in->frames);

		if (!frame)
			return -1;
		frame->function = get_function(in, c);
		frame->line = cursor_varint32(c);
		frame->file = get_text(c);
	}
	return 0;
}

static int take_tails(struct sym_in *in, struct cursor *c)
{
	uint32_t n = cursor_varint32(c);

	in->tails.n = 0;
	while (n-- && !c->bad) {
		struct cpd_tail *tail = vec_push(&in->tails);

		if (!tail)
			return -1;
		tail->found = get_function(in, c);
		tail->via = get_function(in, c);
	}
	return 0;
}

static int take_addr(struct sym_in *in, struct cursor *c)
{
	struct cpd_addr addr = {.module = cursor_varint32(c)};

	addr.addr = cursor_varint(c);
	addr.target = get_function(in, c);
	if (take_frames(in, c) < 0 || take_tails(in, c) < 0 || c->bad)
		return -1;
	addr.nframes = (uint32_t)in->frames.n;
	addr.frames = in->frames.v;
	addr.ntails = (uint32_t)in->tails.n;
	addr.tails = in->tails.v;
	in->addrs++;
	return cpd_write_addr(in->writer, &addr);
}

static int take_note(struct sym_in *in, struct cursor *c)
{
	struct cpd_note note = {.key = get_text(c)};

	note.text = get_text(c);
	return c->bad ? -1 : cpd_write_note(in->writer, &note);
}

static int take(struct sym_in *in, enum sym_message kind, struct cursor *c)
{
	switch (kind) {
	case SYM_MESSAGE_FUNCTION:
		return take_function(in, c);
	case SYM_MESSAGE_ADDR:
		return take_addr(in, c);
	case SYM_MESSAGE_NOTE:
		return take_note(in, c);
	case SYM_MESSAGE_MODULE:
		in->module = cursor_varint32(c);
		in->fetching = false;
		return c->bad ? -1 : 0;
	case SYM_MESSAGE_FETCH:
		in->fetched = cursor_varint(c);
		in->fetching = true;
		return c->bad ? -1 : 0;
	}
	return -1;
}

ssize_t sym_in_take(struct sym_in *in, const void *data, size_t n)
{
	const uint8_t *start = data;
	struct cursor c = cursor_of(data, n);
	size_t done = 0;

	while (done < n) {
		uint8_t kind = cursor_u8(&c);
		uint64_t size = cursor_varint(&c);
		struct cursor part;

		if (c.bad || size > cursor_left(&c))
			break;
		part = cursor_of(c.p, size);
		cursor_bytes(&c, size);
		if (take(in, kind, &part) < 0)
			return -1;
		done = (size_t)(c.p - start);
	}
	return (ssize_t)done;
}

void sym_in_fini(struct sym_in *in)
{
	vec_free(&in->functions);
	vec_free(&in->frames);
	vec_free(&in->tails);
}
