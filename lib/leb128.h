/*
 * leb128.h - numbers of seven bits to a byte, lowest first (DWARF 5, 7.6).
 *
 * Both functions read at *AT, below END, and move *AT behind the number.  They
 * return false, with *AT as it was, when the number runs past the end or does
 * not fit 64 bits; a number has at most ten bytes.
 */
#ifndef CPPROF_LEB128_H
#define CPPROF_LEB128_H

#include <stdbool.h>
#include <stdint.h>

static inline bool leb128_unsigned(
	const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *p = *at;
	uint64_t v = 0;

	for (unsigned shift = 0; p < end; shift += 7) {
		uint8_t byte = *p++;

		if (shift == 63 && byte > 1)
			return false;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*at = p;
			*value = v;
			return true;
		}
	}
	return false;
}

static inline bool leb128_signed(
	const uint8_t **at, const uint8_t *end, int64_t *value)
{
	const uint8_t *p = *at;
	uint64_t v = 0;

	for (unsigned shift = 0; p < end; shift += 7) {
		uint8_t byte = *p++;

		if (shift == 63 && byte != 0 && byte != 0x7f)
			return false;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte >= 0x80)
			continue;
		if (byte & 0x40 && shift < 57)
			v |= UINT64_MAX << (shift + 7);
		*at = p;
		*value = (int64_t)v;
		return true;
	}
	return false;
}

#endif
