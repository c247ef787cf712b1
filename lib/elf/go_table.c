#include "lib/elf/go_table.h"

#include <string.h>

#include "lib/leb128.h"
#include "lib/lower_bound.h"

#define STEPS_MAX 1000000 /* of one function's column */
#define LONGEST_NAME 4096

bool go_table_get(
	const struct go_table *go, uint64_t at, unsigned size, uint64_t *value)
{
	*value = 0;
	if (at > go->size || go->size - at < size)
		return false;
	memcpy(value, go->data + at, size);
	return true;
}

const char *go_table_string(const struct go_table *go, uint64_t at)
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
	return go_table_get(go, 8 + 8 * (uint64_t)word, 8, value);
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

bool go_table_read(
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

bool go_table_search(struct go_table *go, const unsigned char *data,
	uint64_t size, uint64_t addr, uint64_t *at)
{
	for (*at += -(addr + *at) & 7; *at < size && size - *at >= 16; *at += 8)
		if (data[*at + 1] == 0xff && data[*at + 3] == 0xff &&
			go_table_read(go, data + *at, size - *at))
			return true;
	return false;
}

/* The start of function I; that of number n is the end of the last. */
static bool start_of(const struct go_table *go, uint64_t i, uint64_t *addr)
{
	unsigned size = field_size(go);

	if (!go_table_get(go, go->functions + i * 2 * size, size, addr))
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
		!go_table_get(
			go, go->functions + i * 2 * size + size, size, &record))
		return false;
	/* Before 1.16 offsets of records count from the start of the table. */
	f->record = record + (go->version == 2 ? 0 : go->functions);
	if (f->hi <= f->lo || record > go->size ||
		!go_table_get(go, f->record + size, 4, &name))
		return false;
	f->name = go_table_string(go, go->names + name);
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

bool go_table_value(const struct go_table *go, const struct go_function *f,
	enum go_column column, uint64_t addr, int64_t *value)
{
	uint64_t at, pc = f->lo, by, step;
	const uint8_t *p, *end = go->data + go->size;

	*value = -1;
	/* name, args, frame or deferreturn; then these */
	if (!go_table_get(
		    go, f->record + field_size(go) + 12 + 4 * column, 4, &at) ||
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

unsigned go_table_flags(const struct go_table *go, const struct go_function *f)
{
	/* args, deferreturn, three columns, npcdata, unit, from 1.20 on the
	   line where it starts; then a byte that marks special functions */
	unsigned behind = 4 + 7 * 4 + (go->version >= 20 ? 4 : 0) + 1;
	uint64_t flags;

	if (go->version < 16 ||
		!go_table_get(
			go, f->record + field_size(go) + behind, 1, &flags))
		return 0;
	return (unsigned)flags & (GO_OUTERMOST | GO_SWITCHES);
}
