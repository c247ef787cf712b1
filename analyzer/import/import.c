/*
 * import.c - the table of formats, and which one an input has.
 */
#include "analyzer/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/scratch.h"
#include "lib/text.h"

const struct import_format import_formats[] = {
	{"perf", "what `perf script' prints", import_perf},
	{"folded", "'root;...;leaf count' lines", import_folded},
	{"pprof", "pprof's profile.proto, packed by gzip or not", import_pprof},
	{0},
};

const struct import_format *import_format_find(
	const char *name, struct err *err)
{
	char list[256] = "";

	for (const struct import_format *f = import_formats; f->name; f++) {
		if (strcmp(f->name, name) == 0)
			return f;
		text_list(list, sizeof list, f->name);
	}
	err_set(err, name, NULL, "no such import format");
	err_hint(err, "there are: %s", list);
	return NULL;
}

/* A copy that can be read twice. */
static FILE *copy(FILE *from, const char *path, struct err *err)
{
	FILE *to = scratch_open();
	char room[1 << 16];
	size_t n;

	if (!to) {
		err_sys(err, path, "temporary file");
		return NULL;
	}
	while ((n = fread(room, 1, sizeof room, from)) > 0)
		if (fwrite(room, 1, n, to) < n)
			break;
	if (ferror(from) || fflush(to) != 0 || ferror(to)) {
		err_sys(err, path, "copy");
		fclose(to);
		return NULL;
	}
	rewind(to);
	return to;
}

FILE *import_open(const char *path, struct err *err)
{
	FILE *in =
		strcmp(path, "-") == 0
			? fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), "r")
			: fopen(path, "re");
	FILE *again;
	struct stat st;

	if (!in || fstat(fileno(in), &st) != 0) {
		err_sys(err, path, "open");
		if (in)
			fclose(in);
		return NULL;
	}
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		err_sys(err, path, "open");
		fclose(in);
		return NULL;
	}
	if (S_ISREG(st.st_mode) && lseek(fileno(in), 0, SEEK_SET) == 0)
		return in;
	again = copy(in, path, err);
	fclose(in);
	return again;
}

/* Bytes that no text has. */
static bool is_binary(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < ' ' && !strchr("\t\n\r\f\033", p[i]))
			return true;
	return memchr(p, 0, n) != NULL;
}

/* What is told of a line, which may be as long as it likes. */
struct first_line {
	char head[2];
	char tail[64]; /* the last bytes; N of the whole line */
	size_t n;
	int next; /* the byte behind its end, or EOF */
};

static bool next_line(FILE *in, struct first_line *l)
{
	int c;

	memset(l, 0, sizeof *l);
	while ((c = getc_unlocked(in)) != EOF && c != '\n') {
		if (l->n < sizeof l->head)
			l->head[l->n] = (char)c;
		l->tail[l->n++ % sizeof l->tail] = (char)c;
	}
	l->next = c == EOF ? EOF : getc_unlocked(in);
	if (l->next != EOF)
		ungetc(l->next, in);
	return l->n || c != EOF;
}

static char from_end(const struct first_line *l, size_t back)
{
	return back < l->n && back < sizeof l->tail
		       ? l->tail[(l->n - 1 - back) % sizeof l->tail]
		       : '\0';
}

/* "...;... 12": the line's last word is a number. */
static bool ends_in_count(const struct first_line *l)
{
	size_t at = 0, digits = 0;
	char c;

	while ((c = from_end(l, at)) && strchr(" \t\r", c))
		at++;
	while ((c = from_end(l, at + digits)) && strchr("0123456789", c))
		digits++;
	return digits && c == ' ';
}

/* "#" and "# ...", as perf script has above its samples. */
static bool is_header(const struct first_line *l)
{
	return l->head[0] == '#' && (l->n == 1 || l->head[1] == ' ');
}

/* A process and its number may stand above the frames. */
static bool is_stack_line(const struct first_line *l)
{
	return ends_in_count(l) && l->next != ' ' && l->next != '\t';
}

/* By the first line that is no header; where there is none, by the first. */
static bool is_folded(FILE *in)
{
	struct first_line l;
	bool first = false, any = false;

	while (next_line(in, &l)) {
		if (!l.n)
			continue;
		if (!is_header(&l))
			return is_stack_line(&l);
		first = any ? first : is_stack_line(&l);
		any = true;
	}
	return first;
}

const struct import_format *import_detect(
	const char *path, FILE *in, struct err *err)
{
	char head[8192];
	size_t n = fread(head, 1, sizeof head, in);
	bool folded;

	if (ferror(in)) {
		err_sys(err, path, "read");
		return NULL;
	}
	rewind(in);
	if (!n) {
		err_set(err, path, "import", "it is empty");
		return NULL;
	}
	if (is_binary((unsigned char *)head, n)) {
		if (memcmp(head, CPD_MAGIC, strlen(CPD_MAGIC)) != 0)
			return import_format_find("pprof", err);
		err_set(err, path, "import", "it is a cpprofdata file");
		err_hint(err, "nothing needs to be imported");
		return NULL;
	}
	folded = is_folded(in);
	rewind(in);
	return import_format_find(folded ? "folded" : "perf", err);
}
