/* go.c - finds and reads .gopclntab. */
#include "config.h"

#include <string.h>

#include "analyzer/symbol/table/go.h"

/* The start of the code, which is relocated in position independent
   programs. */
static uint64_t text_start(
	const struct go_table *go, struct elf_image *image, uint64_t addr)
{
	const struct elf_section *text = elf_image_section(image, ".text");
	const char *symbol;
	uint64_t start = 0;

	if (elf_image_slot(image, addr + GO_TABLE_TEXT, &start, &symbol) ==
		ELF_SLOT_ADDR)
		return start;
	return go->text || !text ? go->text : text->addr;
}

/* Looks in a section that holds other things too, or in a segment. */
static bool search(struct go_table *go, struct elf_image *image,
	const unsigned char *data, uint64_t size, uint64_t addr)
{
	uint64_t at = 0;

	if (!go_table_search(go, data, size, addr, &at))
		return false;
	if (go->version >= 18)
		go->text = text_start(go, image, addr + at);
	return true;
}

bool sym_go_open(struct go_table *go, struct elf_image *image)
{
	static const char *const sections[] = {
		".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro"};

	*go = (struct go_table){0};
	if (!image->native)
		return false;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		const struct elf_section *s =
			elf_image_section(image, sections[i]);

		if (s && s->data &&
			(i < 2 || elf_image_section(image, ".go.buildinfo")) &&
			search(go, image, s->data, s->size, s->addr))
			return true;
	}
	for (size_t i = 0; !image->sections.n && i < image->segments.n; i++) {
		const struct elf_segment *s = &image->segments.v[i];

		if (!s->exec && elf_image_bytes(image, s) &&
			search(go, image, elf_image_bytes(image, s), s->filesz,
				s->vaddr))
			return true;
	}
	*go = (struct go_table){0};
	return false;
}

static const char *file_name(
	const struct go_table *go, uint64_t record, int64_t number)
{
	unsigned size = go->version >= 18 ? 4 : 8; /* of the record's start */
	uint64_t base, at;

	if (number < 0)
		return NULL;
	if (go->version == 2) {
		/* files: offsets of names, behind the functions' table */
		if (!go_table_get(
			    go, go->functions + go->n * 16 + 8, 4, &base) ||
			!go_table_get(go, base + (uint64_t)number * 4, 4, &at))
			return NULL;
		return go_table_string(go, at);
	}
	if (!go_table_get(go, record + size + 28, 4, &base) ||
		!go_table_get(go, go->units + (base + (uint64_t)number) * 4, 4,
			&at) ||
		at == UINT32_MAX)
		return NULL;
	return go_table_string(go, go->files + at);
}

void sym_go_line(const struct go_table *go, const struct go_function *function,
	uint64_t addr, const char **file, uint32_t *line)
{
	int64_t value;

	*file = NULL;
	*line = 0;
	if (go_table_value(go, function, GO_FILE, addr, &value))
		*file = file_name(go, function->record, value);
	if (*file && go_table_value(go, function, GO_LINE, addr, &value) &&
		value > 0 && value <= INT32_MAX)
		*line = (uint32_t)value;
}
