#include "analyzer/export/packer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Multiples of 3, so that base64 pads the last piece alone. */
#define ROOM (3 * 16384)

struct packer {
	FILE *out;
	z_stream deflate;
	unsigned char in[ROOM], packed[ROOM];
	size_t nin;
	bool failed;
};

struct packer *packer_begin(FILE *out)
{
	struct packer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->out = out;
	if (deflateInit(&p->deflate, Z_BEST_COMPRESSION) != Z_OK) {
		free(p);
		return NULL;
	}
	p->deflate.next_out = p->packed;
	p->deflate.avail_out = sizeof p->packed;
	return p;
}

/* Base64 (RFC 4648, 4) of N bytes. */
static void put_base64(FILE *out, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;
		char four[4];

		if (i + 1 < n)
			three |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < n)
			three |= bytes[i + 2];
		for (int k = 0; k < 4; k++)
			four[k] = digits[three >> (18 - 6 * k) & 63];
		if (i + 1 >= n)
			four[2] = '=';
		if (i + 2 >= n)
			four[3] = '=';
		fwrite(four, 1, sizeof four, out);
	}
}

static void flush_packed(struct packer *p)
{
	put_base64(p->out, p->packed, sizeof p->packed - p->deflate.avail_out);
	p->deflate.next_out = p->packed;
	p->deflate.avail_out = sizeof p->packed;
}

/* Deflates what has come in; HOW as zlib has it. */
static void squeeze(struct packer *p, int how)
{
	int status = Z_OK;

	p->deflate.next_in = p->in;
	p->deflate.avail_in = (uInt)p->nin;
	p->nin = 0;
	while (!p->failed && status != Z_STREAM_END &&
		(p->deflate.avail_in || how == Z_FINISH)) {
		status = deflate(&p->deflate, how);
		p->failed = status != Z_OK && status != Z_STREAM_END;
		if (!p->deflate.avail_out)
			flush_packed(p);
	}
}

void packer_bytes(struct packer *p, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		size_t part = sizeof p->in - p->nin;

		if (part > n)
			part = n;
		memcpy(p->in + p->nin, at, part);
		p->nin += part;
		at += part;
		n -= part;
		if (p->nin == sizeof p->in)
			squeeze(p, Z_NO_FLUSH);
	}
}

void packer_number(struct packer *p, uint64_t n)
{
	unsigned char bytes[10];
	size_t count = 0;

	do {
		bytes[count] = (unsigned char)(n & 127);
		n >>= 7;
		bytes[count++] |= n ? 128 : 0;
	} while (n);
	packer_bytes(p, bytes, count);
}

int packer_end(struct packer *p)
{
	int status;

	squeeze(p, Z_FINISH);
	flush_packed(p);
	status = p->failed ? -1 : 0;
	deflateEnd(&p->deflate);
	free(p);
	return status;
}
