#include "analyzer/export/packer.h"

#include <stdlib.h>

#include "lib/bytes.h"
#include "analyzer/export/gzip.h"

#define PENDING (1 << 16)

/* What gzip writes comes in through TEXT. */
struct packer {
	FILE *out, *text;
	struct gzip gzip;
	struct bytes pending;  /* not yet packed */
	unsigned char rest[3]; /* not yet written: less than a group */
	size_t nrest;
};

/* A group of N bytes, 1 to 3, as four digits (RFC 4648, 4). */
static void put_group(FILE *out, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t group = 0;
	char four[4];

	for (size_t i = 0; i < 3; i++)
		group = group << 8 | (i < n ? bytes[i] : 0);
	for (size_t i = 0; i < 4; i++)
		four[i] = i > n ? '=' : digits[group >> (18 - 6 * i) & 63];
	fwrite(four, 1, sizeof four, out);
}

static ssize_t put_base64(void *cookie, const char *bytes, size_t n)
{
	struct packer *p = cookie;

	for (size_t i = 0; i < n; i++) {
		p->rest[p->nrest++] = (unsigned char)bytes[i];
		if (p->nrest < sizeof p->rest)
			continue;
		put_group(p->out, p->rest, p->nrest);
		p->nrest = 0;
	}
	return (ssize_t)n;
}

struct packer *packer_begin(FILE *out)
{
	const cookie_io_functions_t writes = {.write = put_base64};
	struct packer *p = calloc(1, sizeof *p);
	struct err err;

	if (p)
		p->text = fopencookie(p, "w", writes);
	if (!p || !p->text) {
		free(p);
		return NULL;
	}
	p->out = out;
	if (gzip_begin(&p->gzip, p->text, Z_BEST_COMPRESSION, &err) < 0) {
		fclose(p->text);
		free(p);
		return NULL;
	}
	return p;
}

static void pack_pending(struct packer *p)
{
	gzip_put(&p->gzip, p->pending.v, p->pending.n);
	p->pending.n = 0;
}

void packer_bytes(struct packer *p, const void *bytes, size_t n)
{
	pack_pending(p);
	gzip_put(&p->gzip, bytes, n);
}

void packer_number(struct packer *p, uint64_t n)
{
	bytes_varint(&p->pending, n);
	if (p->pending.n >= PENDING)
		pack_pending(p);
}

int packer_end(struct packer *p)
{
	int status = p->pending.failed ? -1 : 0;

	pack_pending(p);
	gzip_end(&p->gzip, !status);
	if (fclose(p->text))
		status = -1;
	if (p->nrest)
		put_group(p->out, p->rest, p->nrest);
	bytes_free(&p->pending);
	free(p);
	return status;
}
