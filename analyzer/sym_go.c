/* sym_go.c - reads .gopclntab. */
#include "config.h"

#include <string.h>

#include "sym_go.h"
#include "sym_table.h"

#define STEPS_MAX 1000000 /* of one function's table of values */

static bool get(
	const struct sym_go *go, uint64_t at, unsigned size, uint64_t *value)
{
	*value = 0;
	if (at > go->size || go->size - at < size)
		return false;
	memcpy(value, go->data + at, size);
	return true;
}

static const char *string_at(const struct sym_go *go, uint64_t at)
{
	uint64_t left = at < go->size ? go->size - at : 0;

	if (left > SYM_NAME_MAX)
		left = SYM_NAME_MAX;
	return left && memchr(go->data + at, '\0', left)
		       ? (const char *)go->data + at
		       : NULL;
}

/* The word at WORD of the header, as its number of 8 bytes behind the first. */
static bool header(const struct sym_go *go, unsigned word, uint64_t *value)
{
	return get(go, 8 + 8 * (uint64_t)word, 8, value);
}

/* The start of the code; relocated in position independent programs. */
static uint64_t text_start(
	const struct sym_go *go, const struct image *image, uint64_t table_addr)
{
	const struct image_section *text = image_section(image, ".text");
	const char *symbol;
	uint64_t addr = 0;

	if (image_slot(image, table_addr + 24, &addr, &symbol) == SLOT_ADDR)
		return addr;
	header(go, 2, &addr);
	return addr || !text ? addr : text->addr;
}

static bool read_header(
	struct sym_go *go, const struct image *image, uint64_t addr)
{
	unsigned k = go->version >= 18 ? 3 : 2;

	if (!header(go, 0, &go->n))
		return false;
	if (go->version == 2) {
		go->functions = 16;
		return true;
	}
	if (go->version >= 18)
		go->text = text_start(go, image, addr);
	return header(go, k, &go->names) && header(go, k + 1, &go->units) &&
	       header(go, k + 2, &go->files) && header(go, k + 3, &go->pcs) &&
	       header(go, k + 4, &go->functions);
}

static unsigned field_size(const struct sym_go *go)
{
	return go->version >= 18 ? 4 : 8;
}

static bool read_table(struct sym_go *go, const struct image *image,
	const unsigned char *data, uint64_t size, uint64_t addr)
{
	static const struct {
		uint32_t magic;
		unsigned version;
	} magics[] = {{0xfffffffb, 2}, {0xfffffffa, 16}, {0xfffffff0, 18},
		{0xfffffff1, 20}};
	uint32_t magic;

	*go = (struct sym_go){.data = data, .size = size};
	if (size < 16)
		return false;
	memcpy(&magic, data, sizeof magic);
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (magics[i].magic == magic)
			go->version = magics[i].version;
	/* no padding, instructions of any length, pointers of 8 bytes */
	if (!go->version || memcmp(data + 4, "\0\0\1\10", 4) != 0 ||
		!read_header(go, image, addr))
		return false;
	return go->functions < size && go->n > 0 &&
	       go->n < (size - go->functions) / (2 * field_size(go));
}

/* In a section that holds other things too, or has no name. */
static bool search(struct sym_go *go, const struct image *image,
	const unsigned char *data, uint64_t size, uint64_t addr)
{
	for (uint64_t at = -addr & 7; at + 16 <= size; at += 8)
		if (data[at + 1] == 0xff && data[at + 3] == 0xff &&
			read_table(go, image, data + at, size - at, addr + at))
			return true;
	return false;
}

bool sym_go_open(struct sym_go *go, const struct image *image)
{
	static const char *const sections[] = {
		".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro"};

	*go = (struct sym_go){0};
	if (!image->native)
		return false;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		const struct image_section *s =
			image_section(image, sections[i]);

		if (s && s->data &&
			(i < 2 || image_section(image, ".go.buildinfo")) &&
			search(go, image, s->data, s->size, s->addr))
			return true;
	}
	for (size_t i = 0; !image->sections.n && i < image->segments.n; i++) {
		const struct image_segment *s = &image->segments.v[i];

		if (!s->exec && s->data &&
			search(go, image, s->data, s->size, s->lo))
			return true;
	}
	*go = (struct sym_go){0};
	return false;
}

/* Where function I starts; that of number n is the end of the last. */
static bool start_of(const struct sym_go *go, uint64_t i, uint64_t *addr)
{
	unsigned size = field_size(go);

	if (!get(go, go->functions + i * 2 * size, size, addr))
		return false;
	*addr += go->text;
	return true;
}

bool sym_go_function(
	const struct sym_go *go, uint64_t i, struct sym_go_function *f)
{
	unsigned size = field_size(go);
	uint64_t record, name;

	if (i >= go->n || !start_of(go, i, &f->lo) ||
		!start_of(go, i + 1, &f->hi) ||
		!get(go, go->functions + i * 2 * size + size, size, &record))
		return false;
	/* Before 1.16 records are found from the start of the table. */
	f->record = record + (go->version == 2 ? 0 : go->functions);
	if (f->hi <= f->lo || record > go->size ||
		!get(go, f->record + size, 4, &name))
		return false;
	f->name = string_at(go, go->names + name);
	return true;
}

static bool number(const struct sym_go *go, uint64_t *at, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 35; shift += 7) {
		uint64_t byte;

		if (!get(go, (*at)++, 1, &byte))
			return false;
		*value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The value at ADDR in the pc-value table at AT: steps of value and pc. */
static bool value_at(const struct sym_go *go, uint64_t at, uint64_t lo,
	uint64_t addr, int64_t *value)
{
	uint64_t pc = lo, by, step;

	*value = -1;
	for (size_t i = 0; i < STEPS_MAX; i++) {
		if (!number(go, &at, &by) || (by == 0 && i > 0) ||
			!number(go, &at, &step))
			return false;
		*value += by & 1 ? -(int64_t)(by >> 1) - 1 : (int64_t)(by >> 1);
		pc += step;
		if (addr < pc)
			return true;
	}
	return false;
}

static const char *file_name(
	const struct sym_go *go, uint64_t record, int64_t number)
{
	uint64_t base, at;

	if (number < 0)
		return NULL;
	if (go->version == 2) {
		/* files: offsets of names, behind the functions' table */
		if (!get(go, go->functions + go->n * 16 + 8, 4, &base) ||
			!get(go, base + (uint64_t)number * 4, 4, &at))
			return NULL;
		return string_at(go, at);
	}
	if (!get(go, record + field_size(go) + 28, 4, &base) ||
		!get(go, go->units + (base + (uint64_t)number) * 4, 4, &at) ||
		at == UINT32_MAX)
		return NULL;
	return string_at(go, go->files + at);
}

void sym_go_line(const struct sym_go *go, uint64_t record, uint64_t lo,
	uint64_t addr, const char **file, uint32_t *line)
{
	unsigned size = field_size(go);
	uint64_t files, lines;
	int64_t value;

	*file = NULL;
	*line = 0;
	/* name, args, frame or deferreturn, pcsp; then these */
	if (!get(go, record + size + 16, 4, &files) ||
		!get(go, record + size + 20, 4, &lines))
		return;
	if (value_at(go, go->pcs + files, lo, addr, &value))
		*file = file_name(go, record, value);
	if (*file && value_at(go, go->pcs + lines, lo, addr, &value) &&
		value > 0 && value <= INT32_MAX)
		*line = (uint32_t)value;
}
