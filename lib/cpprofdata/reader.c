/* Reads chunks from a file, up to the last whole one. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/bytes.h"
#include "lib/cpprofdata/decode.h"
#include "lib/cpprofdata/format.h"
#include "lib/cpprofdata/reader.h"

/*
 * Where the bytes come from.  Files are read, not mapped: if one is truncated
 * meanwhile it ends early, where a mapping would kill the reader.
 */
struct source {
	const char *name;
	int fd;
	uint64_t offset; /* of the next byte */
};

/* Reads N bytes, fewer only at the end.  -1 on error. */
static ssize_t source_read(
	struct source *s, uint8_t *buf, size_t n, struct err *err)
{
	size_t got = 0;

	while (got < n) {
		ssize_t k = read(s->fd, buf + got, n - got);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return err_sys(err, s->name, "read");
		if (!k)
			break;
		got += (size_t)k;
	}
	s->offset += got;
	return (ssize_t)got;
}

/*
 * Appends N bytes to BUF, fewer only at the end.  Allocates as they come, since
 * N may be false.
 */
static int source_append(
	struct source *s, struct bytes *buf, size_t n, struct err *err)
{
	while (n) {
		size_t step = n < CPD_CHUNK_FULL ? n : CPD_CHUNK_FULL;
		ssize_t got;

		if (!bytes_room(buf, step))
			return err_memory(err, s->name, "read");
		got = source_read(s, buf->v + buf->n, step, err);
		if (got < 0)
			return -1;
		buf->n += (size_t)got;
		if ((size_t)got < step)
			break;
		n -= step;
	}
	return 0;
}

/* Says what FILE is instead, if its first bytes tell. */
static int not_ours(
	struct err *err, const struct source *s, const uint8_t *p, size_t n)
{
	static const struct {
		const char *start, *what;
	} others[] = {
		{"PERFILE2", "it was written by perf; read it with "
			     "'perf report'"},
		{"gmon", "it was written for gprof"},
		{"\177ELF", "it is a program; profile it with 'cpprof run'"},
	};

	err_set(err, s->name, "read", "Not a cpprofdata file");
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		size_t len = strlen(others[i].start);

		if (n >= len && !memcmp(p, others[i].start, len))
			return err_hint(err, "%s", others[i].what);
	}
	return err_hint(err, "name a file that 'cpprof run' wrote");
}

static int read_header(struct source *s, struct bytes *buf,
	struct cpd_result *result, struct err *err)
{
	uint32_t major;

	if (source_append(s, buf, CPD_HEADER_SIZE, err))
		return -1;
	if (!buf->n)
		return err_say(err, s->name, "read", "The file is empty",
			"nothing was written to it; was the run "
			"cut off at its start?");
	if (!cpd_is_ours(buf->v, buf->n))
		return not_ours(err, s, buf->v, buf->n);
	if (buf->n < CPD_HEADER_SIZE) {
		cpd_at_offset(err, s->name, buf->n,
			"The file ends within its header");
		return err_hint(err, "the run was cut off at its start, or "
				     "the copy was");
	}
	major = bytes_get_le16(buf->v + 8);
	result->minor = bytes_get_le16(buf->v + 10);
	if (major == CPD_VERSION_MAJOR)
		return 0;
	err_set(err, s->name, "read",
		"Written by %s cpprof (format %u.%u; this one reads %d.x)",
		major > CPD_VERSION_MAJOR ? "a newer" : "an older", major,
		result->minor, CPD_VERSION_MAJOR);
	return err_hint(err, "read it with the cpprof that wrote it");
}

/*
 * Reads the next chunk into BUF: 1.  0: the file ends, before it or within it.
 * -1: an error.
 */
static int read_chunk(struct source *s, struct bytes *buf,
	struct cpd_result *result, struct err *err)
{
	uint64_t start = s->offset;
	size_t size = CPD_CHUNK_HEADER_SIZE;

	buf->n = 0;
	if (source_append(s, buf, size, err))
		return -1;
	if (buf->n == size) {
		size = cpd_chunk_size(buf->v);
		if (!size)
			return cpd_at_offset(err, s->name, start + 4,
				"a chunk that is longer than any may be");
		if (source_append(s, buf, size - buf->n, err))
			return -1;
	}
	if (buf->n == size)
		return 1;
	result->dropped = buf->n;
	result->truncated = buf->n != 0;
	return 0;
}

static int read_all(struct source *s, struct cpd_decoder *d,
	struct cpd_result *result, struct err *err)
{
	struct bytes buf = {0};
	int more;

	*result = (struct cpd_result){0};
	more = read_header(s, &buf, result, err) ? -1 : 1;
	while (more > 0) {
		uint64_t start = s->offset;

		result->bytes = start;
		more = read_chunk(s, &buf, result, err);
		if (more > 0 && d->known.n[CPD_KIND_end])
			more = cpd_at_offset(err, s->name, start,
				"a chunk after the end record");
		else if (more > 0 && cpd_decode(d, buf.v, buf.n, start, err))
			more = -1;
	}
	result->complete = d->known.n[CPD_KIND_end] != 0;
	bytes_free(&buf);
	cpd_decoder_fini(d);
	return more;
}

int cpd_read(const char *path, const struct cpd_handlers *handlers, void *arg,
	struct cpd_result *result, struct err *err)
{
	struct source s = {.name = path, .fd = STDIN_FILENO};
	struct cpd_decoder d = {.on = handlers, .arg = arg};
	bool own = strcmp(path, "-") != 0;
	int status;

	if (!own)
		s.name = "standard input";
	else
		s.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (s.fd < 0) {
		int saved = errno;

		err_sys(err, path, "open");
		if (saved == ENOENT)
			err_hint(err,
				"'cpprof run -- PROG' writes a file named "
				"cpprofdata; -r names a resource in it");
		if (saved == EACCES)
			err_hint(err,
				"its owner may read it; another user where the "
				"owner allows that with chmod");
		return -1;
	}
	d.name = s.name;
	status = read_all(&s, &d, result, err);
	if (own)
		close(s.fd);
	return status;
}
