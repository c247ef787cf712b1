/*
 * import.c - the table of formats, and which one an input has.
 */
#include "analyzer/import/import.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/import/lines.h"
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
	err_say(err, name, NULL, "no such import format", "there are: %s",
		list);
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

/* "...;... 12": the line's last word is a number.  A process and its number may
   stand above the frames: NEXT begins the next line. */
static bool is_stack_line(const char *line, int next)
{
	size_t n = strlen(line), digits = 0;

	while (n && strchr(" \t", line[n - 1]))
		n--;
	while (digits < n && isdigit((unsigned char)line[n - 1 - digits]))
		digits++;
	return digits && digits < n && line[n - 1 - digits] == ' ' &&
	       next != ' ' && next != '\t';
}

/* "#" and "# ...", as perf script has above its samples. */
static bool is_header(const char *line)
{
	return line[0] == '#' && (!line[1] || line[1] == ' ');
}

/* By the first line that is no header; where there is none, by the first. */
static bool is_folded(const char *path, FILE *in)
{
	struct lines l = {0};
	bool first = false, any = false, header = true;
	struct err err;
	char *line;

	lines_begin(&l, path, in, NULL);
	while (header && lines_next(&l, &line, &err) > 0) {
		int next = getc(in);

		ungetc(next, in);
		header = !*line || is_header(line);
		if (*line && (!any || !header))
			first = is_stack_line(line, next);
		any |= *line;
	}
	lines_end(&l);
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
		err_hint(err, "if a command was to write it, see what that "
			      "says: perf script | cpprof import -");
		return NULL;
	}
	if (is_binary((unsigned char *)head, n)) {
		if (memcmp(head, CPD_MAGIC, strlen(CPD_MAGIC)) != 0)
			return import_format_find("pprof", err);
		err_say(err, path, "import", "it is a cpprofdata file",
			"nothing needs to be imported");
		return NULL;
	}
	folded = is_folded(path, in);
	rewind(in);
	return import_format_find(folded ? "folded" : "perf", err);
}
