#include "analyzer/export/gzip.h"

#include <limits.h>
#include <string.h>

#include "analyzer/export/stacks.h"

#define WINDOW (15 + 16) /* the largest, with a header of gzip's */

static void pump(struct gzip *z, int flush)
{
	do {
		z->stream.next_out = z->room;
		z->stream.avail_out = sizeof z->room;
		deflate(&z->stream, flush);
		fwrite(z->room, 1, sizeof z->room - z->stream.avail_out,
			z->out);
	} while (!z->stream.avail_out);
}

int gzip_begin(struct gzip *z, FILE *out, int level, struct err *err)
{
	memset(&z->stream, 0, sizeof z->stream);
	z->out = out;
	if (deflateInit2(&z->stream, level, Z_DEFLATED, WINDOW, 8,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		return export_no_memory(err);
	return 0;
}

void gzip_put(struct gzip *z, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n) {
		size_t part = n < UINT_MAX ? n : UINT_MAX;

		z->stream.next_in = (unsigned char *)p;
		z->stream.avail_in = (unsigned)part;
		pump(z, Z_NO_FLUSH);
		p += part;
		n -= part;
	}
}

void gzip_end(struct gzip *z, int whole)
{
	if (whole)
		pump(z, Z_FINISH);
	deflateEnd(&z->stream);
}
