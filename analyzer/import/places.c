/*
 * places.c - functions and places of a file that is being built, and their
 * names at its end.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/import/build_private.h"

#define FUNCTION_SPAN (1ull << 32)
#define SPARE_SPAN                                                             \
	(1ull << 31) /* from here on: places without an offset of              \
			their own */

static uint32_t function(
	struct build *b, uint32_t module, const struct build_frame *frame)
{
	const struct build_function f = {.number = frame->number,
		.module = module,
		.name = build_string(b, frame->name),
		.linkage = build_string(b, frame->linkage),
		.file = build_string(b, frame->file),
		.declared = frame->declared};

	return build_find(
		b, &b->functions, &f, offsetof(struct build_function, id));
}

static bool address_taken(struct build *b, uint32_t module, uint64_t addr)
{
	uint64_t hash = hash_with(hash_mix(addr), module);
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&b->addresses, hash, &probe)) != HASH_NONE)
		if (b->places.v[i].addr == addr &&
			b->places.v[i].module == module)
			return true;
	return false;
}

/*
 * The offset itself where it is still free: one place may come with several
 * chains of inlined calls, and places without offsets all want the first.
 */
static uint64_t address(
	struct build *b, uint32_t module, uint32_t outermost, uint64_t offset)
{
	uint64_t base = outermost * FUNCTION_SPAN, addr = base + offset;
	struct build_function *f = &b->functions.v[outermost];

	if (offset >= SPARE_SPAN || address_taken(b, module, addr))
		addr = base + SPARE_SPAN + b->spare++ % SPARE_SPAN;
	if (addr - base >= f->size)
		f->size = addr - base + 1;
	return addr;
}

static uint64_t hash_place(const struct build *b, const struct build_place *p)
{
	uint64_t hash = hash_with(hash_mix(p->asked), p->module);

	for (uint32_t i = 0; i < p->nframes; i++)
		hash = hash_with(
			hash_with(hash,
				(uint64_t)b->frames.v[p->frames + i].function
						<< 32 |
					b->frames.v[p->frames + i].line),
			b->frames.v[p->frames + i].file);
	return hash;
}

static bool same_place(const struct build *b, const struct build_place *x,
	const struct build_place *y)
{
	return x->asked == y->asked && x->module == y->module &&
	       x->nframes == y->nframes &&
	       memcmp(b->frames.v + x->frames, b->frames.v + y->frames,
		       x->nframes * sizeof *b->frames.v) == 0;
}

static bool push_lines(struct build *b, uint32_t module,
	const struct build_frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *file = frames[i].in ? frames[i].in : frames[i].file;

		b->failed |= !vec_add(&b->frames,
			(struct build_line){function(b, module, &frames[i]),
				frames[i].line, build_string(b, file)});
	}
	return !b->failed;
}

uint32_t build_place(struct build *b, uint32_t module,
	const struct build_frame *frames, size_t n, uint64_t offset)
{
	struct build_place p = {.asked = offset,
				   .module = module,
				   .frames = (uint32_t)b->frames.n,
				   .nframes = (uint32_t)n},
			   *slot;
	uint32_t i, outermost;
	uint64_t hash;
	size_t probe = 0;

	if (!module || !n || !push_lines(b, module, frames, n))
		return 0;
	hash = hash_place(b, &p);
	while ((i = hash_next(&b->places_known, hash, &probe)) != HASH_NONE)
		if (same_place(b, &b->places.v[i], &p)) {
			b->frames.n = p.frames;
			return i;
		}
	outermost = b->frames.v[p.frames + n - 1].function;
	p.addr = address(
		b, module, outermost, offset == BUILD_NO_OFFSET ? 0 : offset);
	i = (uint32_t)b->places.n;
	slot = hash_add(&b->places_known, hash, i) &&
			       hash_add(&b->addresses,
				       hash_with(hash_mix(p.addr), module), i)
		       ? vec_push(&b->places)
		       : NULL;
	if (!slot) {
		b->failed = true;
		return 0;
	}
	*slot = p;
	return i;
}

static void write_function(struct build *b, uint32_t number)
{
	struct build_function *f = &b->functions.v[number];
	const char *name = strings_get(b->strings, f->name);
	bool generated = b->modules.v[f->module - 1].generated;
	uint64_t lo = f->size ? number * FUNCTION_SPAN : 0;

	f->id = cpd_write_function(b->w,
		&(struct cpd_function){.module = f->module,
			.lo = lo,
			.hi = lo + f->size,
			.name = name,
			.linkage = strings_get(b->strings, f->linkage),
			.source = generated ? CPD_NAME_JIT : CPD_NAME_SYMTAB,
			.flags = strcmp(name, "main") == 0 ? CPD_FUNCTION_MAIN
							   : 0,
			.file = strings_get(b->strings, f->file),
			.line = f->declared});
}

static void write_place(struct build *b, const struct build_place *p)
{
	struct cpd_frame frames[BUILD_FRAMES_MAX];

	for (uint32_t i = 0; i < p->nframes; i++) {
		const struct build_line *line = &b->frames.v[p->frames + i];
		const struct build_function *f =
			&b->functions.v[line->function];

		frames[i] = (struct cpd_frame){f->id, line->line,
			line->line ? strings_get(b->strings, line->file) : ""};
	}
	cpd_write_addr(b->w, &(struct cpd_addr){.module = p->module,
				     .addr = p->addr,
				     .nframes = p->nframes,
				     .frames = frames});
}

int build_end(struct build *b, struct err *err)
{
	const struct err *failed;

	for (size_t i = 1; i < b->functions.n && !build_broken(b); i++)
		write_function(b, (uint32_t)i);
	for (size_t i = 1; i < b->places.n && !build_broken(b); i++)
		write_place(b, &b->places.v[i]);
	if (b->whole)
		build_note(b, "samples",
			"the file has more samples than cpprof writes one by "
			"one: some stacks are one sample of many hits");
	failed = cpd_writer_error(b->w);
	if (failed) {
		*err = *failed;
		return -1;
	}
	if (b->excess)
		return err_set(err, b->im->path, "import", "%s", b->excess);
	if (b->failed)
		return err_memory(err, b->im->path, "import");
	if (b->done->samples)
		return 0;
	err_set(err, b->im->path, "import", "there is no sample in it");
	return err_hint(err, "is it the right file, and the right --from?");
}
