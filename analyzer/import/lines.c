/* Reads a line at a time, and refuses those that are no text or too long. */
#include "analyzer/import/lines.h"

#include <inttypes.h>
#include <sys/stat.h>

/* A stack of a hundred thousand frames is a legal line. */
#define LINE_MAX_BYTES (64u << 20)

#define LINES_ASK 5000 /* between two looks at who waits */

void lines_begin(
	struct lines *l, const char *path, FILE *in, const struct work *work)
{
	struct stat st;

	l->path = path;
	l->in = in;
	l->work = work;
	l->number = l->at = 0;
	l->size = fstat(fileno(in), &st) == 0 ? (uint64_t)st.st_size : 0;
	rewind(in);
}

int lines_error(const struct lines *l, struct err *err, const char *what)
{
	char where[64];

	snprintf(where, sizeof where, "line %" PRIu64, l->number);
	return err_set(err, l->path, where, "%s", what);
}

int lines_next(struct lines *l, char **line, struct err *err)
{
	FILE *in = l->in;
	int c;

	l->text.n = 0;
	l->number++;
	if (l->number % LINES_ASK == 0 &&
		work_ask(l->work, "reading", l->at, l->size, err))
		return -1;
	while ((c = getc_unlocked(in)) != EOF && c != '\n') {
		if (!c)
			return lines_error(l, err, "a NUL: it is no text");
		if (l->text.n >= LINE_MAX_BYTES)
			return lines_error(l, err, "too long");
		bytes_u8(&l->text, (uint8_t)c);
	}
	if (ferror(in))
		return err_sys(err, l->path, "read");
	l->at += l->text.n + 1;
	if (c == EOF && !l->text.n)
		return 0;
	if (l->text.n && l->text.v[l->text.n - 1] == '\r')
		l->text.n--;
	bytes_u8(&l->text, 0);
	if (l->text.failed)
		return err_memory(err, l->path, "read");
	*line = (char *)l->text.v;
	return 1;
}

void lines_end(struct lines *l)
{
	bytes_free(&l->text);
}
