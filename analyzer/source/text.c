/* text.c - source files. */
#include "analyzer/source/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sys/regular.h"
#include "lib/vec.h"

int source_paths_add(struct source_paths *paths, const char *folder)
{
	char *copy = strdup(folder);

	if (copy && vec_add(paths, copy))
		return 0;
	free(copy);
	return -1;
}

void source_paths_fini(struct source_paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free(paths->v[i]);
	vec_free(paths);
	free(paths->sysroot);
	paths->sysroot = NULL;
}

/* --- finding --- */

/* Adds to the reasons why there is no text. */
__attribute__((format(printf, 2, 3))) static void missed(
	struct source_text *text, const char *format, ...)
{
	size_t used = strlen(text->why);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text->why + used, sizeof text->why - used, format, ap);
	va_end(ap);
}

/* The file PATH, which is freed where it cannot be read; -1 and errno. */
static int try_path(struct source_text *text, char *path)
{
	int fd = regular_open(AT_FDCWD, path, 0, NULL, NULL), reason = errno;

	if (fd >= 0) {
		text->path = path;
		return fd;
	}
	free(path);
	errno = reason;
	return -1;
}

/* Below FOLDER: NAME whole, then without its first folders. */
static int try_folder(
	struct source_text *text, const char *folder, const char *name)
{
	for (const char *rest = name; rest; rest = strchr(rest, '/')) {
		char *path;
		int fd;

		rest += strspn(rest, "/");
		if (!*rest)
			break;
		if (asprintf(&path, "%s/%s", folder, rest) < 0) {
			errno = ENOMEM;
			return -1;
		}
		fd = try_path(text, path);
		if (fd >= 0 || errno == ENOMEM)
			return fd;
	}
	errno = ENOENT;
	return -1;
}

/* What debuginfod has as NAME of MODULE; -1: nothing. */
static int fetch(struct source_text *text, const char *name,
	const struct cpd_module *module, struct source_paths *paths)
{
	int fd;

	if (!paths || !module || *name != '/')
		return -1;
	fd = debuginfod_find(&paths->search, DEBUGINFOD_SOURCE,
		module->build_id, module->build_id_len, name, &text->path);
	if (paths->search.silent)
		missed(text, "; " DEBUGINFOD_SILENT,
			DEBUGINFOD_PATIENCE_SECONDS);
	return fd;
}

/* NAME on the machine of the sysroot; -1: there is none. */
static int try_sysroot(struct source_text *text, const char *name,
	const struct source_paths *paths)
{
	const char *root = paths ? paths->search.sysroot : NULL;
	int fd = root && *name == '/' ? regular_open_below(root, name) : -1;

	if (fd < 0 && root)
		missed(text, "%snot below %s", *text->why ? ", " : "", root);
	if (fd < 0 || asprintf(&text->path, "%s%s", root, name) > 0)
		return fd;
	text->path = NULL;
	close(fd);
	errno = ENOMEM;
	return -1;
}

/* Open for reading; -1 where it was not found, or with ENOMEM. */
static int find(struct source_text *text, const char *name,
	const struct cpd_module *module, struct source_paths *paths)
{
	char *path;
	int fd;

	for (size_t i = 0; paths && i < paths->n; i++) {
		fd = try_folder(text, paths->v[i], name);
		if (fd >= 0 || errno == ENOMEM)
			return fd;
		missed(text, "%snot below %s", *text->why ? ", " : "",
			paths->v[i]);
	}
	fd = try_sysroot(text, name, paths);
	if (fd >= 0 || errno == ENOMEM)
		return fd;
	path = strdup(name);
	if (!path) {
		errno = ENOMEM;
		return -1;
	}
	fd = try_path(text, path);
	if (fd >= 0 || errno == ENOMEM)
		return fd;
	missed(text, "%s%s: %s", *text->why ? ", " : "", name,
		errno == EINVAL ? "no regular file" : strerror(errno));
	fd = fetch(text, name, module, paths);
	errno = ENOENT;
	return fd;
}

/* --- reading --- */

static char *read_all(int fd, size_t size)
{
	char *bytes = malloc(size + 1);
	size_t done = 0;

	if (!bytes)
		return NULL;
	while (done < size) {
		ssize_t got = pread(fd, bytes + done, size - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	bytes[done] = '\0';
	memset(bytes + done, 0, size + 1 - done);
	return bytes;
}

static int cut(struct source_text *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += text->bytes[i] == '\n';
	text->lines = calloc(n + 3, sizeof *text->lines);
	if (!text->lines)
		return -1;
	n = 0;
	for (size_t at = 0; at < size;) {
		const char *end = memchr(text->bytes + at, '\n', size - at);

		text->lines[n++] = at;
		at = end ? (size_t)(end - text->bytes) + 1 : size;
		text->lines[n] = at;
	}
	text->n = (uint32_t)n;
	return 0;
}

static int load(struct source_text *text, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || st.st_size < 0 ||
		(uint64_t)st.st_size > SOURCE_TEXT_MAX) {
		missed(text, "%s%s: too large", *text->why ? ", " : "",
			text->path);
		free(text->path);
		text->path = NULL;
		return 0;
	}
	text->modified = st.st_mtim.tv_sec;
	text->bytes = read_all(fd, (size_t)st.st_size);
	return text->bytes ? cut(text, (size_t)st.st_size) : -1;
}

int source_text_open(struct source_text *text, const char *name,
	const struct cpd_module *module, struct source_paths *paths)
{
	int fd, status;

	*text = (struct source_text){0};
	if (!*name) {
		missed(text, "its name is not known");
		return 0;
	}
	fd = find(text, name, module, paths);
	if (fd < 0)
		return errno == ENOMEM ? -1 : 0;
	status = load(text, fd);
	close(fd);
	return status;
}

void source_text_fini(struct source_text *text)
{
	free(text->path);
	free(text->bytes);
	free(text->lines);
	*text = (struct source_text){0};
}

char *source_text_line(const struct source_text *text, uint32_t number)
{
	size_t begin, end;

	if (!number || number > text->n)
		return strdup("");
	begin = text->lines[number - 1];
	end = text->lines[number];
	while (end > begin &&
		(text->bytes[end - 1] == '\n' || text->bytes[end - 1] == '\r'))
		end--;
	return strndup(text->bytes + begin, end - begin);
}
