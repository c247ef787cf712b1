/*
 * leb128.h - numbers of seven bits to a byte, lowest first (DWARF 5, 7.6).
 *
 * Both functions read at *AT, below END, and move *AT behind the number.  They
 * return false, with *AT as it was, when the number runs past the end or does
 * not fit 64 bits; a number has at most ten bytes.
 */
#ifndef CPPROF_LEB128_H
#define CPPROF_LEB128_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Reads one that ends within eight bytes, all at once: a loop would be
 * predicted wrongly where numbers of one and of three bytes alternate.
 */
static inline bool leb128_short(const uint8_t **at, uint64_t *value)
{
	uint64_t v, stop;

	memcpy(&v, *at, sizeof v);
	v = le64toh(v);
	stop = ~v & UINT64_C(0x8080808080808080);
	if (!stop)
		return false;
	*at += (unsigned)__builtin_ctzll(stop) / 8 + 1;
	v &= stop ^ (stop - 1);
	v = (v & UINT64_C(0x007f007f007f007f)) |
	    (v & UINT64_C(0x7f007f007f007f00)) >> 1;
	v = (v & UINT64_C(0x00003fff00003fff)) |
	    (v & UINT64_C(0x3fff00003fff0000)) >> 2;
	*value = (v & UINT64_C(0x000000000fffffff)) |
		 (v & UINT64_C(0x0fffffff00000000)) >> 4;
	return true;
}

static inline bool leb128_unsigned(
	const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *p = *at;
	uint64_t v = 0;

	if (end - p >= 8 && leb128_short(at, value))
		return true;

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
