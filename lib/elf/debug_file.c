/* debug_file.c - tries each place for a debug file, and asks debuginfod. */
#include "lib/elf/debug_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/elf/build_id.h"
#include "lib/sys/regular.h"
#include "lib/text.h"

#define FOLDER "/usr/lib/debug"

struct identity { /* of the file that is wanted */
	struct debug_search *search;
	const unsigned char *build_id;
	size_t n;      /* 0: use the checksum */
	GElf_Word crc; /* 0: none */
	struct stat self;
};

static void opened(const struct identity *id, int fd)
{
	if (id->search->opened)
		id->search->opened(id->search->arg, fd);
}

static bool has_crc(int fd, GElf_Word crc)
{
	unsigned char buf[65536];
	uLong sum = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof buf, at)) > 0) {
		sum = crc32(sum, buf, (uInt)n);
		at += n;
	}
	return n == 0 && sum == crc;
}

/* The file at PATH below ROOT if it is the wanted one, or -1. */
static int open_same_below(
	const char *root, const char *path, const struct identity *id)
{
	int fd = regular_open_below(root, path);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && (st.st_dev != id->self.st_dev ||
					   st.st_ino != id->self.st_ino)) {
		opened(id, fd);
		if (id->n ? build_id_of_file(fd, id->build_id, id->n)
			  : id->crc && has_crc(fd, id->crc))
			return fd;
	}
	close(fd);
	return -1;
}

static int open_same(const char *path, const struct identity *id)
{
	int fd = id->search->sysroot
			 ? open_same_below(id->search->sysroot, path, id)
			 : -1;

	return fd >= 0 ? fd : open_same_below(NULL, path, id);
}

static int open_by_id(const struct identity *id, char **found)
{
	char path[BUILD_ID_PATH];
	int fd = -1;

	if (*build_id_path(id->build_id, id->n, path))
		fd = open_same(path, id);
	if (fd >= 0)
		*found = strdup(path);
	return fd;
}

/* NAME beside the file PATH, and where distributions put such files. */
static int open_beside(const struct identity *id, const char *path,
	const char *name, char **found)
{
	static const char *const places[][2] = {
		{"", "/"}, {"", "/.debug/"}, {FOLDER, "/"}};
	const char *slash = strrchr(path, '/');
	char try[2 * PATH_MAX];
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof places / sizeof *places; i++) {
		if (*places[i][0] && *path != '/')
			continue;
		snprintf(try, sizeof try, "%s%.*s%s%s", places[i][0],
			slash ? (int)(slash - path) : 1, slash ? path : ".",
			places[i][1], name);
		fd = open_same(try, id);
	}
	if (fd >= 0)
		*found = strdup(try);
	return fd;
}

static int open_by_name(const struct identity *id, const char *path,
	const char *name, char **found)
{
	char *real;
	int fd;

	if (!*name || strchr(name, '/') || strlen(name) > NAME_MAX ||
		strlen(path) >= PATH_MAX)
		return -1;
	fd = open_beside(id, path, name, found);
	if (fd >= 0)
		return fd;
	real = realpath(path, NULL);
	if (real && strcmp(real, path) != 0)
		fd = open_beside(id, real, name, found);
	free(real);
	return fd;
}

static int ask(const struct identity *id, char **found)
{
	return debuginfod_find(id->search, DEBUGINFOD_DEBUG_FILE, id->build_id,
		id->n, NULL, found);
}

int debug_file_find(Dwfl_Module *module, void **userdata, const char *name,
	Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
	char **found)
{
	struct identity id = {.search = *userdata, .crc = link ? crc : 0};
	GElf_Addr vaddr;
	char usual[NAME_MAX + 1];
	int n, fd;

	(void)name, (void)base;
	if (link &&
		!crc) /* libdwfl asks like this for a shared file: see below */
		return -1;
	n = dwfl_module_build_id(module, &id.build_id, &vaddr);
	id.n = n > 0 ? (size_t)n : 0;
	if (!path)
		path = "";
	if (stat(path, &id.self) != 0)
		memset(&id.self, 0, sizeof id.self);
	snprintf(usual, sizeof usual, "%.240s.debug", text_base_name(path));
	fd = open_by_id(&id, found);
	if (fd < 0)
		fd = open_by_name(&id, path, link ? link : usual, found);
	if (fd < 0)
		fd = ask(&id, found);
	if (fd < 0)
		errno = 0; /* a missing file is no error */
	return fd;
}

int debug_file_no_elf(Dwfl_Module *module, void **userdata, const char *name,
	Dwarf_Addr base, char **path, Elf **elf)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)path;
	(void)elf;
	return -1;
}

int debug_file_shared(struct debug_search *search, Dwarf *dwarf,
	const char *path, bool *needed)
{
	struct identity id = {.search = search};
	const char *name = NULL, *slash;
	const void *bits = NULL;
	char *found = NULL, *real, *beside = NULL;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bits);
	int fd;

	*needed = n != 0;
	if (n <= 0 || !name)
		return -1;
	id.build_id = bits;
	id.n = (size_t)n;
	fd = open_by_id(&id, &found);
	free(found);
	if (fd >= 0)
		return fd;
	real = realpath(path, NULL);
	path = real ? real : path;
	slash = strrchr(path, '/');
	if (*name == '/')
		fd = open_same(name, &id);
	else if (slash && asprintf(&beside, "%.*s/%s", (int)(slash - path),
				  path, name) > 0)
		fd = open_same(beside, &id);
	free(real);
	free(beside);
	found = NULL;
	if (fd < 0)
		fd = ask(&id, &found);
	free(found);
	return fd;
}
