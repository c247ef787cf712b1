/* Packs with zlib, piece by piece, and writes that or its base64. */
#include "analyzer/export/gzip.h"

#include <limits.h>
#include <stdint.h>
#include <zlib.h>

#define WINDOW (15 + 16) /* the largest, with a header of gzip's */

/* A group of N bytes, 1 to 3, as four digits (RFC 4648, 4). */
static void put_group(FILE *out, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t group = 0;

	for (size_t i = 0; i < 3; i++)
		group = group << 8 | (i < n ? bytes[i] : 0);
	for (size_t i = 0; i < 4; i++)
		putc_unlocked(
			i > n ? '=' : digits[group >> (18 - 6 * i) & 63], out);
}

int gzip_write(FILE *out, const struct bytes *from, int level, bool base64)
{
	unsigned char room[3 * 8192];
	z_stream z = {.next_in = from->v};
	const unsigned char *end = from->v + from->n;
	size_t n;

	if (from->failed || deflateInit2(&z, level, Z_DEFLATED, WINDOW, 8,
				    Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	do {
		z.next_out = room;
		z.avail_out = sizeof room;
		while (z.avail_out && z.next_in < end) {
			size_t left = (size_t)(end - z.next_in);

			z.avail_in = left < INT_MAX ? (unsigned)left : INT_MAX;
			deflate(&z, Z_NO_FLUSH);
		}
		if (z.avail_out)
			deflate(&z, Z_FINISH);
		n = sizeof room - z.avail_out;
		if (!base64)
			fwrite(room, 1, n, out);
		for (size_t i = 0; base64 && i < n; i += 3)
			put_group(out, room + i, n - i < 3 ? n - i : 3);
	} while (!z.avail_out);
	deflateEnd(&z);
	return 0;
}
