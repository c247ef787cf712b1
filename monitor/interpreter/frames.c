/* Makes what threads tell of their interpreters' frames frames of the file. */
#include "monitor/interpreter/frames.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/interpreter/lines.h"

#define LINES_MOST (1u << 20) /* of a function */

struct code_object {
	uint64_t addr, version;
	uint32_t function; /* number of it */
	uint32_t first, n; /* bytes of its table of lines */
	uint8_t *lines;
};

struct interpreted_process {
	struct hash known;
	VEC(struct code_object) codes;
};

void interpreted_process_free(struct interpreted_process *process)
{
	if (!process)
		return;
	for (size_t i = 0; i < process->codes.n; i++)
		free(process->codes.v[i].lines);
	vec_free(&process->codes);
	hash_free(&process->known);
	free(process);
}

void interpreters_fini(struct interpreters *all)
{
	for (size_t i = 0; i < all->files.n; i++)
		free(all->files.v[i].path);
	for (size_t i = 0; i < all->functions.n; i++) {
		free((char *)all->functions.v[i].name);
		free(all->functions.v[i].written);
	}
	vec_free(&all->files);
	vec_free(&all->functions);
	hash_free(&all->file_hash);
	hash_free(&all->function_hash);
	vec_free(&all->stack.frames);
	vec_free(&all->stack.activations);
}

/* Names. */

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c >= 0x10000) {
		*to++ = (char)(0xf0 | (c >> 18 & 7));
		*to++ = (char)(0x80 | (c >> 12 & 63));
	} else if (c >= 0x800) {
		*to++ = (char)(0xe0 | c >> 12);
	} else {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 63));
		return to;
	}
	*to++ = (char)(0x80 | (c >> 6 & 63));
	*to++ = (char)(0x80 | (c & 63));
	return to;
}

/* A string of KIND bytes a character, of N bytes; NULL: no memory. */
static char *utf8_of(const uint8_t *from, size_t n, uint64_t kind)
{
	char *text = malloc(4 * n + 1), *to = text;

	for (size_t i = 0; text && kind && i + kind <= n; i += kind) {
		uint32_t c = 0;

		memcpy(&c, from + i, kind < sizeof c ? kind : sizeof c);
		if (!c)
			break;
		to = put_utf8(to, c);
	}
	if (text)
		*to = '\0';
	return text;
}

/* Files and functions of the run. */

/* The number of the file at PATH, which is taken over; HASH_NONE. */
static uint32_t file_of(struct interpreters *all, char *path)
{
	uint64_t hash = hash_bytes(path, strlen(path));
	struct interpreted_file file = {.path = path};
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&all->file_hash, hash, &probe)) != HASH_NONE)
		if (strcmp(all->files.v[i].path, path) == 0) {
			free(path);
			return i;
		}
	i = (uint32_t)all->files.n;
	file.id = cpd_write_module(all->writer,
		&(struct cpd_module){.kind = CPD_MODULE_NO_CODE, .path = path});
	if (file.id && vec_add(&all->files, file) &&
		hash_add(&all->file_hash, hash, i))
		return i;
	if (all->files.n == i)
		free(path);
	return HASH_NONE;
}

static bool is_same(const struct interpreted_function *a,
	const struct interpreted_function *b)
{
	return a->file == b->file && a->first == b->first &&
	       a->least == b->least && a->most == b->most &&
	       strcmp(a->name, b->name) == 0;
}

/* Announces it and gives it its addresses. */
static bool write_function(
	struct interpreters *all, struct interpreted_function *f)
{
	struct interpreted_file *file = &all->files.v[f->file];
	uint32_t lines = f->most - f->least + 1;
	struct cpd_function record = {.module = file->id,
		.lo = file->next,
		.hi = file->next + lines + 1,
		.name = f->name,
		.linkage = "",
		.source = CPD_NAME_RUNTIME,
		.file = file->path,
		.line = f->first};

	f->lo = record.lo;
	f->written = calloc(lines / 8 + 1, 1);
	f->id = f->written ? cpd_write_function(all->writer, &record) : 0;
	file->next = record.hi;
	return f->id;
}

/* The number of F in the file at PATH, which is taken over with its name;
   HASH_NONE. */
static uint32_t function_of(
	struct interpreters *all, char *path, struct interpreted_function f)
{
	uint64_t hash = hash_bytes(f.name, strlen(f.name));
	size_t probe = 0;
	uint32_t i;

	f.file = file_of(all, path);
	if (f.file == HASH_NONE) {
		free((char *)f.name);
		return HASH_NONE;
	}
	hash = hash_with(hash, (uint64_t)f.file << 32 | f.first);
	while ((i = hash_next(&all->function_hash, hash, &probe)) != HASH_NONE)
		if (is_same(&all->functions.v[i], &f)) {
			free((char *)f.name);
			return i;
		}
	i = (uint32_t)all->functions.n;
	if (write_function(all, &f) && vec_add(&all->functions, f) &&
		hash_add(&all->function_hash, hash, i))
		return i;
	if (all->functions.n == i) {
		free((char *)f.name);
		free(f.written);
	}
	return HASH_NONE;
}

/* The address of LINE in a function, which is named; false: an error. */
static bool address_of(struct interpreters *all, uint32_t function,
	uint32_t line, struct interpreted_frame *frame)
{
	struct interpreted_function *f = &all->functions.v[function];
	const struct interpreted_file *file = &all->files.v[f->file];
	uint32_t i =
		line >= f->least && line <= f->most ? line - f->least + 1 : 0;
	struct cpd_frame source = {f->id, i ? line : 0, file->path};
	struct cpd_addr record = {.module = file->id,
		.addr = f->lo + i,
		.nframes = 1,
		.frames = &source};

	*frame = (struct interpreted_frame){file->id, record.addr};
	if (f->written[i / 8] & 1 << i % 8)
		return true;
	f->written[i / 8] |= (uint8_t)(1 << i % 8);
	return cpd_write_addr(all->writer, &record) == 0;
}

/* Code objects of a process. */

static struct code_object *find_code(const struct interpreted_process *process,
	const struct interpreter_item *item)
{
	uint64_t hash = hash_with(item->addr, item->version);
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&process->known, hash, &probe)) != HASH_NONE) {
		struct code_object *code = &process->codes.v[i];

		if (code->addr == item->addr && code->version == item->version)
			return code;
	}
	return NULL;
}

bool interpreted_process_knows(const struct interpreted_process *process,
	uint64_t addr, uint64_t version)
{
	const struct interpreter_item item = {.addr = addr, .version = version};

	return find_code(process, &item);
}

/* What is left of a row of items. */
struct items {
	const uint8_t *at;
	size_t n;
};

/* The next one, with its BYTES if it has some; false: there is none. */
static bool next_item(struct items *items, struct interpreter_item *item,
	const uint8_t **bytes)
{
	size_t size = sizeof *item;

	if (items->n < size)
		return false;
	memcpy(item, items->at, size);
	*bytes = items->at + size;
	if (item->kind == INTERPRETER_BYTES)
		size += ((size_t)item->value + 7) & ~(size_t)7;
	if (items->n < size)
		return false;
	items->at += size;
	items->n -= size;
	return true;
}

/* The next of a code object's names; NULL: it is not there. */
static char *next_name(struct items *items)
{
	struct interpreter_item item;
	const uint8_t *bytes;

	return next_item(items, &item, &bytes) && item.kind == INTERPRETER_BYTES
		       ? utf8_of(bytes, item.value, item.version)
		       : NULL;
}

/* Adds the code object of ITEM, whose names follow in ITEMS. */
static int add_code(struct interpreters *all,
	struct interpreted_process *process,
	const struct interpreter_item *item, struct items *items)
{
	struct code_object code = {
		item->addr, item->version, 0, item->value, 0, NULL};
	struct interpreted_function f = {.first = item->value};
	char *path = next_name(items), *name = next_name(items);
	struct interpreter_item table;
	const uint8_t *bytes;

	if (!path || !name || !next_item(items, &table, &bytes) ||
		table.kind != INTERPRETER_BYTES) {
		free(path);
		free(name);
		return 0; /* the walk could not read it */
	}
	lines_span(bytes, table.value, f.first, &f.least, &f.most);
	if (f.most - f.least >= LINES_MOST)
		f.least = f.most = f.first;
	f.name = name;
	code.function = function_of(all, path, f);
	code.n = table.value;
	code.lines = malloc(code.n + 1);
	if (!code.lines || code.function == HASH_NONE ||
		!hash_add(&process->known, hash_with(code.addr, code.version),
			(uint32_t)process->codes.n) ||
		!vec_add(&process->codes, code)) {
		free(code.lines);
		return -1;
	}
	memcpy(code.lines, bytes, code.n);
	return 0;
}

/* Adds the new code objects of what was told. */
static int add_codes(struct interpreters *all,
	struct interpreted_process *process, const struct told_frames *told)
{
	struct items items = {told->items.v, told->items.n};
	struct interpreter_item item;
	const uint8_t *bytes;

	while (next_item(&items, &item, &bytes))
		if (item.kind == INTERPRETER_CODE &&
			!find_code(process, &item) &&
			add_code(all, process, &item, &items))
			return -1;
	return 0;
}

int interpreters_tell(struct interpreters *all,
	struct interpreted_process **process, struct told_frames *told,
	const struct told_part *part)
{
	if (!*process)
		*process = calloc(1, sizeof **process);
	if (!*process)
		return -1;
	if (part->number != told->number)
		told->items.n = 0;
	if (!vec_reserve(&told->items, told->items.n + part->n))
		return -1;
	if (part->n)
		memcpy(told->items.v + told->items.n, part->items, part->n);
	told->items.n += part->n;
	told->number = part->number;
	told->end = part->end;
	return add_codes(all, *process, told);
}

/* Adds a frame; 1: it is not known what it is, -1: an error. */
static int add_frame(struct interpreters *all,
	const struct interpreted_process *process,
	const struct interpreter_item *item)
{
	const struct code_object *code = find_code(process, item);
	struct interpreted_frame frame;
	uint32_t line;

	if (!code)
		return 1;
	line = lines_at(code->lines, code->n, code->first, item->value);
	return address_of(all, code->function, line, &frame) &&
			       vec_add(&all->stack.frames, frame)
		       ? 0
		       : -1;
}

/* Adds an activation.  Those of one interpreter come by the way, from the
   innermost on; SEVERAL: it goes to its place among others'. */
static bool add_activation(
	struct interpreted_stack *stack, struct activation a, bool several)
{
	size_t i = stack->activations.n;
	struct activation *v;

	if (!vec_add(&stack->activations, a))
		return false;
	v = stack->activations.v;
	for (; several && i && v[i - 1].anchor > a.anchor; i--) {
		v[i] = v[i - 1];
		v[i - 1] = a;
	}
	return true;
}

int interpreters_take(struct interpreters *all,
	struct interpreted_process *process, const struct told_frames *told,
	uint16_t number)
{
	struct items items = {told->items.v, told->items.n};
	struct interpreted_stack *stack = &all->stack;
	struct interpreter_item item;
	const uint8_t *bytes;
	size_t known = 0;
	bool several = false;
	int failed = 0;

	stack->frames.n = stack->activations.n = 0;
	stack->torn = true;
	stack->begins = 0;
	if (number != told->number) {
		all->lost++;
		return 0;
	}
	while (failed >= 0 && next_item(&items, &item, &bytes)) {
		if (item.kind == INTERPRETER_FRAME && !failed)
			failed = add_frame(all, process, &item);
		several |= item.kind == INTERPRETER_STATE;
		if (item.kind == INTERPRETER_BEGINS) {
			stack->begins = item.addr;
			stack->frames.n = known;
			failed = 0;
		}
		if (item.kind != INTERPRETER_ANCHOR)
			continue;
		if (stack->frames.n > known &&
			!add_activation(stack,
				(struct activation){item.addr, known,
					stack->frames.n - known, 0},
				several))
			return -1;
		if (failed)
			break;
		known = stack->frames.n;
	}
	stack->torn = failed || told->end != INTERPRETER_WHOLE;
	return failed < 0 ? -1 : 0;
}
