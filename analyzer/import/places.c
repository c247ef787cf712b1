/*
 * places.c - functions and places of a file that is being built, and their
 * names at its end.
 */
#include <string.h>

#include "lib/elf/demangle.h"
#include "analyzer/import/build_private.h"

#define FUNCTION_SPAN (1ull << 32)
#define ADDRESS_KEY (offsetof(struct build_address, module) + sizeof(uint32_t))
#define LINE_NUMBERS (sizeof(struct build_line) / sizeof(uint32_t))
#define SPARE_SPAN                                                             \
	(1ull << 31) /* from here on: places without an offset of              \
			their own */

static uint32_t function(
	struct build *b, uint32_t module, const struct build_frame *frame)
{
	const struct build_function f = {.number = frame->number,
		.module = module,
		.name = build_text(
			b, frame->name, demangle_go_base(frame->name)),
		.linkage = build_string(b, frame->linkage),
		.file = build_string(b, frame->file),
		.declared = frame->declared};

	return build_find(
		b, &b->functions, &f, offsetof(struct build_function, id));
}

/*
 * The offset itself where it is still free: one place may come with several
 * chains of inlined calls, and places without offsets all want the first.
 */
static uint64_t address(
	struct build *b, uint32_t module, uint32_t outermost, uint64_t offset)
{
	uint64_t base = outermost * FUNCTION_SPAN;
	struct build_address at = {base + offset, module};
	struct build_function *f = &b->functions.v[outermost];

	if (offset >= SPARE_SPAN ||
		set_find(&b->addresses, &at, ADDRESS_KEY) != HASH_NONE)
		at.addr = base + SPARE_SPAN + b->spare++ % SPARE_SPAN;
	if (at.addr - base >= f->size)
		f->size = at.addr - base + 1;
	build_find(b, &b->addresses, &at, ADDRESS_KEY);
	return at.addr;
}

uint32_t build_place(struct build *b, uint32_t module,
	const struct build_frame *frames, size_t n, uint64_t offset)
{
	struct build_place p = {.asked = offset, .module = module};
	struct build_line lines[BUILD_FRAMES_MAX];
	size_t before = b->places.n;
	uint32_t i;

	if (!module || !n)
		return 0;
	for (i = 0; i < n; i++)
		lines[i] = (struct build_line){function(b, module, &frames[i]),
			frames[i].line,
			build_string(b,
				frames[i].in ? frames[i].in : frames[i].file)};
	p.frames = lists_add(&b->frames, (const uint32_t *)lines,
		(uint32_t)(n * LINE_NUMBERS));
	b->failed |= p.frames == HASH_NONE;
	i = build_find(b, &b->places, &p, offsetof(struct build_place, addr));
	if (b->places.n > before)
		b->places.v[i].addr = address(b, module, lines[n - 1].function,
			offset == BUILD_NO_OFFSET ? 0 : offset);
	return b->failed ? 0 : i;
}

static void write_function(struct build *b, uint32_t number)
{
	struct build_function *f = &b->functions.v[number];
	const char *name = strings_get(&b->strings, f->name);
	bool generated = b->modules.v[f->module - 1].generated;
	uint64_t lo = f->size ? number * FUNCTION_SPAN : 0;

	f->id = cpd_write_function(b->w,
		&(struct cpd_function){.module = f->module,
			.lo = lo,
			.hi = lo + f->size,
			.name = name,
			.linkage = strings_get(&b->strings, f->linkage),
			.source = generated ? CPD_NAME_JIT : CPD_NAME_SYMTAB,
			.flags = strcmp(name, "main") == 0 ? CPD_FUNCTION_MAIN
							   : 0,
			.file = strings_get(&b->strings, f->file),
			.line = f->declared});
}

static void write_place(struct build *b, const struct build_place *p)
{
	const struct number_list *list = &b->frames.list.v[p->frames];
	const struct build_line *lines = (const void *)list->v;
	struct cpd_frame frames[BUILD_FRAMES_MAX];
	uint32_t n = list->n / LINE_NUMBERS;

	for (uint32_t i = 0; i < n; i++)
		frames[i] = (struct cpd_frame){
			b->functions.v[lines[i].function].id, lines[i].line,
			lines[i].line ? strings_get(&b->strings, lines[i].file)
				      : ""};
	cpd_write_addr(b->w, &(struct cpd_addr){.module = p->module,
				     .addr = p->addr,
				     .nframes = n,
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
	return err_say(err, b->im->path, "import", "there is no sample in it",
		"is it the right file, and the right --from?");
}
