/* Finds .gopclntab by its header, and reads functions, lines and stack
   depths. */
#include "lib/elf/go_table.h"

#include <stdlib.h>
#include <string.h>

#include "lib/leb128.h"
#include "lib/lower_bound.h"

#define STEPS_MAX 1000000 /* of one function's column */
#define LONGEST_NAME 4096
#define LARGEST_TABLE (1u << 30)
#define TEXT 24 /* where the table has the start of the code, 8 bytes */

/* The same in what the runtime keeps of the program (runtime.moduledata), which
   begins with the address of the table. */
#define MODULE_TEXT 176
#define MODULE_LOWEST 160 /* the first function */

/* The columns of a function's record, by their place in it. */
enum go_column { STACK, FILE_NUMBER, LINE };

/* SIZE bytes of the table, as a number; false: they lie outside. */
static bool get(
	const struct go_table *go, uint64_t at, unsigned size, uint64_t *value)
{
	*value = 0;
	if (at > go->size || go->size - at < size)
		return false;
	memcpy(value, go->data + at, size);
	return true;
}

/* The string at AT of the table; NULL: none there. */
static const char *string_at(const struct go_table *go, uint64_t at)
{
	uint64_t left = at < go->size ? go->size - at : 0;

	if (left > LONGEST_NAME)
		left = LONGEST_NAME;
	return left && memchr(go->data + at, '\0', left)
		       ? (const char *)go->data + at
		       : NULL;
}

/* Word number WORD of the header, of 8 bytes each. */
static bool header(const struct go_table *go, unsigned word, uint64_t *value)
{
	return get(go, 8 + 8 * (uint64_t)word, 8, value);
}

static bool read_header(struct go_table *go)
{
	unsigned k = go->version >= 18 ? 3 : 2;

	if (!header(go, 0, &go->n))
		return false;
	if (go->version == 2) {
		go->functions = 16;
		return true;
	}
	if (go->version >= 18)
		header(go, 2, &go->text);
	return header(go, k, &go->names) && header(go, k + 1, &go->units) &&
	       header(go, k + 2, &go->files) && header(go, k + 3, &go->pcs) &&
	       header(go, k + 4, &go->functions);
}

/* The size of fields that became smaller with 1.18. */
static unsigned field_size(const struct go_table *go)
{
	return go->version >= 18 ? 4 : 8;
}

/*
 * Whether a table begins at DATA.  From version 18 on `text` is the file's: 0
 * in programs that are relocated.
 */
static bool read_table(
	struct go_table *go, const unsigned char *data, uint64_t size)
{
	static const struct {
		uint32_t magic;
		unsigned version;
	} magics[] = {{0xfffffffb, 2}, {0xfffffffa, 16}, {0xfffffff0, 18},
		{0xfffffff1, 20}};
	uint32_t magic;

	*go = (struct go_table){.data = data, .size = size};
	if (size < 16)
		return false;
	memcpy(&magic, data, sizeof magic);
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (magics[i].magic == magic)
			go->version = magics[i].version;
	/* no padding, instructions of any length, pointers of 8 bytes */
	if (!go->version || memcmp(data + 4, "\0\0\1\10", 4) != 0 ||
		!read_header(go))
		return false;
	return go->functions < size && go->n > 0 &&
	       go->n < (size - go->functions) / (2 * field_size(go));
}

/* Finds a table in SIZE bytes from address ADDR on: *AT is its offset. */
static bool find_table(struct go_table *go, const unsigned char *data,
	uint64_t size, uint64_t addr, uint64_t *at)
{
	for (*at = -addr & 7; *at < size && size - *at >= 16; *at += 8)
		if (data[*at + 1] == 0xff && data[*at + 3] == 0xff &&
			read_table(go, data + *at, size - *at))
			return true;
	return false;
}

/* The pointer at AT, relocated or as the file has it; false: none. */
static bool pointer_at(struct elf_image *image, uint64_t at, uint64_t *value)
{
	const char *symbol;

	return elf_image_slot(image, at, value, &symbol) == ELF_SLOT_ADDR ||
	       elf_image_read(image, at, value, sizeof *value);
}

/* Whether MODULE is the runtime's of the table at ADDR: *START of the code. */
static bool is_module(const struct go_table *go, struct elf_image *image,
	uint64_t module, uint64_t addr, uint64_t *start)
{
	uint64_t table, lowest, first;

	return pointer_at(image, module, &table) && table == addr &&
	       pointer_at(image, module + MODULE_LOWEST, &lowest) &&
	       pointer_at(image, module + MODULE_TEXT, start) &&
	       get(go, go->functions, 4, &first) && *start &&
	       lowest == *start + first;
}

/* Looks for it in the segment, which has no relocations. */
static bool search_module(const struct go_table *go, struct elf_image *image,
	const struct elf_segment *s, uint64_t addr, uint64_t *start)
{
	uint64_t words[512];
	size_t n;

	for (uint64_t at = -s->vaddr & 7; at < s->filesz; at += n) {
		n = elf_image_read_some(
			image, s->vaddr + at, words, sizeof words);
		for (size_t i = 0; i < n / sizeof *words; i++)
			if (words[i] == addr &&
				is_module(go, image, s->vaddr + at + 8 * i,
					addr, start))
				return true;
		if (n < sizeof words)
			return false;
	}
	return false;
}

/*
 * The start of the code of the table at ADDR; position independent programs
 * relocate it.  Since Go 1.26 the table does not have it.
 */
static uint64_t text_start(
	const struct go_table *go, struct elf_image *image, uint64_t addr)
{
	const char *symbol;
	uint64_t start;
	GElf_Shdr s;

	if (elf_image_slot(image, addr + TEXT, &start, &symbol) ==
		ELF_SLOT_ADDR)
		return start;
	if (go->text)
		return go->text;
	if (elf_find_section(image->elf, ".go.module", &s) &&
		is_module(go, image, s.sh_addr, addr, &start))
		return start;
	for (size_t i = 0; i < image->segments.n; i++)
		if (!image->segments.v[i].exec &&
			search_module(
				go, image, &image->segments.v[i], addr, &start))
			return start;
	return elf_find_section(image->elf, ".text", &s) ? s.sh_addr : 0;
}

/* Looks through SIZE bytes at ADDR, which are read if IMAGE lends none. */
static bool search(struct go_table *go, struct elf_image *image, uint64_t addr,
	uint64_t size)
{
	unsigned char *own = NULL;
	uint64_t avail, at;
	const unsigned char *data = elf_image_at(image, addr, &avail);

	if (!data && size <= LARGEST_TABLE && size <= image->size) {
		own = malloc(size + 1);
		if (own && elf_image_read(image, addr, own, size)) {
			data = own;
			avail = size;
		}
	}
	if (!data || size > avail || !find_table(go, data, size, addr, &at)) {
		free(own);
		return false;
	}
	go->own = own;
	if (go->version >= 18)
		go->text = text_start(go, image, addr + at);
	return true;
}

static bool search_section(
	struct go_table *go, struct elf_image *image, const char *name)
{
	GElf_Shdr s;

	return elf_find_section(image->elf, name, &s) && s.sh_addr &&
	       s.sh_type != SHT_NOBITS &&
	       search(go, image, s.sh_addr, s.sh_size);
}

/* Of a file without sections. */
static bool search_segments(struct go_table *go, struct elf_image *image)
{
	bool sections = elf_nextscn(image->elf, NULL);

	for (size_t i = 0; !sections && i < image->segments.n; i++) {
		const struct elf_segment *s = &image->segments.v[i];

		if (!s->exec && search(go, image, s->vaddr, s->filesz))
			return true;
	}
	return false;
}

bool go_table_open(struct go_table *go, struct elf_image *image)
{
	GElf_Shdr shdr;

	/* gcc puts it among other data when it links a PIE program */
	if (image->native &&
		(search_section(go, image, ".gopclntab") ||
			search_section(go, image, ".data.rel.ro.gopclntab") ||
			(elf_find_section(image->elf, ".go.buildinfo", &shdr) &&
				search_section(go, image, ".data.rel.ro")) ||
			search_segments(go, image)))
		return true;
	*go = (struct go_table){0};
	return false;
}

void go_table_close(struct go_table *go)
{
	free(go->own);
	*go = (struct go_table){0};
}

/* The start of function I; that of number n is the end of the last. */
static bool start_of(const struct go_table *go, uint64_t i, uint64_t *addr)
{
	unsigned size = field_size(go);

	if (!get(go, go->functions + i * 2 * size, size, addr))
		return false;
	*addr += go->text;
	return true;
}

bool go_table_function(
	const struct go_table *go, uint64_t i, struct go_function *f)
{
	unsigned size = field_size(go);
	uint64_t record, name;

	if (i >= go->n || !start_of(go, i, &f->lo) ||
		!start_of(go, i + 1, &f->hi) ||
		!get(go, go->functions + i * 2 * size + size, size, &record))
		return false;
	/* Before 1.16 offsets of records count from the start of the table. */
	f->record = record + (go->version == 2 ? 0 : go->functions);
	if (f->hi <= f->lo || record > go->size ||
		!get(go, f->record + size, 4, &name))
		return false;
	f->name = string_at(go, go->names + name);
	return true;
}

bool go_table_find(
	const struct go_table *go, uint64_t addr, struct go_function *f)
{
	uint64_t start;
	size_t behind =
		LOWER_BOUND(go->n, i, start_of(go, i, &start) && start <= addr);

	return behind > 0 && go_table_function(go, behind - 1, f) &&
	       addr >= f->lo && addr < f->hi;
}

/* Go's own numbers have at most 32 bits. */
static bool number(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	return leb128_unsigned(at, end, value) && *value <= UINT32_MAX;
}

/* The value of the column for ADDR in function F.  False: it has none. */
static bool value_at(const struct go_table *go, const struct go_function *f,
	enum go_column column, uint64_t addr, int64_t *value)
{
	uint64_t at, pc = f->lo, by, step;
	const uint8_t *p, *end = go->data + go->size;

	*value = -1;
	/* name, args, frame or deferreturn; then these */
	if (!get(go, f->record + field_size(go) + 12 + 4 * column, 4, &at) ||
		at == 0)
		return false;
	at += go->pcs;
	if (at > go->size)
		return false;
	p = go->data + at;
	for (size_t i = 0; i < STEPS_MAX; i++) { /* steps of value and pc */
		if (!number(&p, end, &by) || (by == 0 && i > 0) ||
			!number(&p, end, &step))
			return false;
		*value += by & 1 ? -(int64_t)(by >> 1) - 1 : (int64_t)(by >> 1);
		pc += step;
		if (addr < pc)
			return true;
	}
	return false;
}

bool go_table_moved(const struct go_table *go, const struct go_function *f,
	uint64_t addr, int64_t *bytes)
{
	return value_at(go, f, STACK, addr, bytes);
}

static const char *file_name(
	const struct go_table *go, uint64_t record, int64_t file)
{
	uint64_t base, at;

	if (file < 0)
		return NULL;
	if (go->version == 2) {
		/* files: offsets of names, behind the functions' table */
		if (!get(go, go->functions + go->n * 16 + 8, 4, &base) ||
			!get(go, base + (uint64_t)file * 4, 4, &at))
			return NULL;
		return string_at(go, at);
	}
	if (!get(go, record + field_size(go) + 28, 4, &base) ||
		!get(go, go->units + (base + (uint64_t)file) * 4, 4, &at) ||
		at == UINT32_MAX)
		return NULL;
	return string_at(go, go->files + at);
}

void go_table_line(const struct go_table *go, const struct go_function *f,
	uint64_t addr, const char **file, uint32_t *line)
{
	int64_t value;

	*file = NULL;
	*line = 0;
	if (value_at(go, f, FILE_NUMBER, addr, &value))
		*file = file_name(go, f->record, value);
	if (*file && value_at(go, f, LINE, addr, &value) && value > 0 &&
		value <= INT32_MAX)
		*line = (uint32_t)value;
}

unsigned go_table_flags(const struct go_table *go, const struct go_function *f)
{
	/* args, deferreturn, three columns, npcdata, unit, from 1.20 on the
	   line where it starts; then a byte that marks special functions */
	unsigned behind = 4 + 7 * 4 + (go->version >= 20 ? 4 : 0) + 1;
	uint64_t flags;

	if (go->version < 16 ||
		!get(go, f->record + field_size(go) + behind, 1, &flags))
		return 0;
	return (unsigned)flags & (GO_OUTERMOST | GO_SWITCHES);
}
