/* The table of modules, by identity; opens their files, reads their images. */
#include "monitor/space/module.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/arch/arch.h"
#include "lib/sys/descriptors.h"
#include "lib/sys/regular.h"
#include "monitor/space/jit_dump.h"

#define DESCRIPTORS 1024 /* of a process, that are tried */
#define ROOM 8           /* descriptors that are left to others */
#define OPENED_MOST 128  /* files, until those not in use are closed */
#define SIZES_NOTED 256  /* perf maps of the latest processes */

void modules_init(struct modules *modules, struct cpd_writer *writer)
{
	memset(modules, 0, sizeof *modules);
	modules->writer = writer;
}

static void forget_code(struct module *module)
{
	if (module->code)
		module->code_free(module->code);
	module->code = NULL;
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void module_free(struct module *module)
{
	if (!module) /* one that could not be announced */
		return;
	forget_code(module);
	elf_image_free(module->image);
	jit_map_close(&module->map);
	close_file(&module->dump);
	close_file(&module->file);
	free(module->python);
	free(module->key);
	free(module);
}

void modules_fini(struct modules *modules)
{
	for (size_t i = 0; i < modules->by_id.n; i++)
		module_free(modules->by_id.v[i]);
	jit_folders_close(&modules->folders);
	vec_free(&modules->by_id);
	hash_free(&modules->known);
	memset(modules, 0, sizeof *modules);
}

static enum cpd_module_kind kind_of(const char *path)
{
	if (strcmp(path, "[vdso]") == 0)
		return CPD_MODULE_VDSO;
	/* "//anon", "[heap]", "[stack]", "[uprobes]", "/dev/zero (deleted)";
	   "/memfd:name (deleted)" with generated code has a file and is one */
	if (path[0] != '/' || strncmp(path, "//", 2) == 0 ||
		strcmp(path, "/dev/zero (deleted)") == 0 ||
		strncmp(path, "/SYSV", 5) == 0)
		return CPD_MODULE_ANON;
	return CPD_MODULE_ELF;
}

bool module_has_file(const char *path)
{
	return kind_of(path) == CPD_MODULE_ELF;
}

static char *key_of(const struct module_identity *id, enum cpd_module_kind kind)
{
	char hex[BUILD_ID_TEXT], *key;
	int n;

	build_id_text(id->build_id, id->build_id_len, hex);
	if (kind == CPD_MODULE_VDSO)
		n = asprintf(&key, "[vdso]");
	else if (kind == CPD_MODULE_ANON)
		n = asprintf(&key, "%u", id->process);
	else if (id->build_id_len)
		n = asprintf(&key, "%s %s", hex, id->path);
	else
		n = asprintf(&key, "%u:%u:%ju:%ju %s", id->major, id->minor,
			(uintmax_t)id->inode, (uintmax_t)id->generation,
			id->path);
	return n < 0 ? NULL : key;
}

/* The image of the file at PATH, if it is the mapped one. */
static struct elf_image *image_at(
	const char *path, const struct module_identity *id)
{
	int fd = regular_open(AT_FDCWD, path, 0, NULL, NULL);
	struct elf_image *image = fd >= 0 ? elf_image_open(fd) : NULL;

	if (image && !module_is_file(id, fd, image)) {
		elf_image_free(image);
		return NULL;
	}
	return image;
}

/*
 * The image of a file without a name that the process still has open; for users
 * who may not read map_files.
 */
static struct elf_image *image_of_descriptor(const struct module_identity *id)
{
	struct elf_image *image = NULL;
	const struct dirent *entry;
	char path[64], to[4200];
	unsigned left = DESCRIPTORS;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)id->pid);
	dir = opendir(path);
	while (dir && !image && left-- && (entry = readdir(dir))) {
		snprintf(path, sizeof path, "/proc/%d/fd/%.20s", (int)id->pid,
			entry->d_name);
		n = readlink(path, to, sizeof to - 1);
		to[n > 0 ? n : 0] = '\0';
		if (strcmp(to, id->path) == 0)
			image = image_at(path, id);
	}
	if (dir)
		closedir(dir);
	return image;
}

/*
 * Opens a file by its path; through the process if that has another mount
 * namespace; through the mapping itself if the file was deleted or replaced.
 */
static struct elf_image *open_image(const struct module_identity *id)
{
	struct elf_image *image = image_at(id->path, id);
	char path[4200];

	if (image)
		return image;
	snprintf(path, sizeof path, "/proc/%d/root%s", (int)id->pid, id->path);
	image = image_at(path, id);
	if (image)
		return image;
	/* the program itself, for users who may not read map_files */
	snprintf(path, sizeof path, "/proc/%d/exe", (int)id->pid);
	image = image_at(path, id);
	if (image)
		return image;
	snprintf(path, sizeof path, "/proc/%d/map_files/%jx-%jx", (int)id->pid,
		(uintmax_t)id->start, (uintmax_t)id->end);
	image = image_at(path, id);
	return image ? image : image_of_descriptor(id);
}

/* Closes the image of a file, which stays open. */
static void close_image(struct module *module)
{
	close_file(&module->file);
	module->file = module->image->fd;
	module->image->fd = -1;
	forget_code(module);
	elf_image_free(module->image);
	module->image = NULL;
}

/*
 * Closes the images of files that no process has mapped.  Where descriptors are
 * few, also files: what is asked of them later is found by their names alone.
 */
static void make_room(const struct modules *modules)
{
	unsigned wanted = descriptors_left(ROOM) ? 0 : ROOM;

	for (size_t i = 0; i < modules->by_id.n; i++) {
		struct module *module = modules->by_id.v[i];

		if (!module || module->users)
			continue;
		if (module->image && module->image->fd >= 0)
			close_image(module);
		if (wanted && module->file >= 0) {
			close_file(&module->file);
			wanted--;
		}
	}
}

static void find_python(struct modules *modules, struct module *module)
{
	struct python_build build;
	char *why = modules->no_python;

	if (module->python || !module->image ||
		python_find(module->image, &build, why,
			*why ? 0 : sizeof modules->no_python) != PYTHON_KNOWN)
		return;
	module->python = malloc(sizeof build);
	if (module->python)
		*module->python = build;
}

/* The module's image.  Where descriptors are few it has none. */
static void open_module(struct modules *modules, struct module *module,
	const struct module_identity *id)
{
	bool room = descriptors_left(ROOM);

	if (++modules->opened > OPENED_MOST || !room) {
		make_room(modules);
		modules->opened = 0;
		room = descriptors_left(ROOM);
	}
	module->image = room ? open_image(id) : NULL;
	if (!module->image && module->file >= 0)
		module->image =
			elf_image_open(fcntl(module->file, F_DUPFD_CLOEXEC, 3));
	module->refused = module->image ? 0 : id->pid;
	find_python(modules, module);
}

static struct elf_image *vdso_image(void)
{
	const uint8_t *vdso =
		(const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

	return vdso ? elf_image_memory(vdso, 2 * PAGE_BYTES) : NULL;
}

static uint64_t hash_of(const char *key)
{
	return hash_bytes(key, strlen(key));
}

static int announce(struct modules *modules, struct module *module,
	const struct module_identity *id)
{
	struct cpd_module record = {.kind = module->kind,
		.path = id->path,
		.process = module->kind == CPD_MODULE_ANON ? id->process : 0};
	const uint8_t *build_id = id->build_id;

	record.build_id_len = id->build_id_len;
	if (!record.build_id_len && module->image &&
		module->image->build_id_len <= CPD_BUILD_ID_MAX) {
		record.build_id_len = (uint32_t)module->image->build_id_len;
		build_id = module->image->build_id;
	}
	if (record.build_id_len)
		memcpy(record.build_id, build_id, record.build_id_len);
	module->id = cpd_write_module(modules->writer, &record);
	if (!module->id)
		return -1;
	while (modules->by_id.n < module->id)
		if (!vec_push(&modules->by_id))
			return -1;
	modules->by_id.v[module->id - 1] = module;
	if (hash_add(&modules->known, hash_of(module->key), module->id - 1))
		return 0;
	modules->by_id.v[module->id - 1] = NULL;
	return -1;
}

static struct module *find(const struct modules *modules, const char *key)
{
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&modules->known, hash_of(key), &probe)) !=
		HASH_NONE)
		if (strcmp(modules->by_id.v[i]->key, key) == 0)
			return modules->by_id.v[i];
	return NULL;
}

struct module *modules_get(
	struct modules *modules, const struct module_identity *id)
{
	enum cpd_module_kind kind = kind_of(id->path);
	char *key = key_of(id, kind);
	struct module *module;

	if (!key)
		return NULL;
	module = find(modules, key);
	if (module && !module->image && module->kind == CPD_MODULE_ELF &&
		!jit_dump_is(id->path) && module->refused != id->pid)
		open_module(modules, module, id);
	if (module || !(module = calloc(1, sizeof *module))) {
		free(key);
		return module;
	}
	module->key = key;
	module->kind = kind;
	module->map.tmp = -1;
	module->dump = module->file = -1;
	module->process = id->process;
	if (kind == CPD_MODULE_ELF && jit_dump_is(id->path))
		module->dump = descriptors_left(ROOM) ? jit_dump_open(id) : -1;
	else if (kind == CPD_MODULE_ELF)
		open_module(modules, module, id);
	else if (kind == CPD_MODULE_VDSO)
		module->image = vdso_image();
	else
		jit_map_find(&module->map, id->pid, &modules->folders);
	if (announce(modules, module, id) == 0)
		return module;
	module_free(module);
	return NULL;
}

void modules_ended(struct modules *modules, uint32_t process)
{
	struct module *module;
	char key[16];

	snprintf(key, sizeof key, "%u", process);
	module = find(modules, key);
	if (module)
		forget_code(module);
}

static const struct module *by_id(const struct modules *modules, uint32_t id)
{
	return id && id <= modules->by_id.n ? modules->by_id.v[id - 1] : NULL;
}

static int reopen_module(const void *modules, uint32_t id)
{
	const struct module *module = by_id(modules, id);
	int fd = module && module->image ? module->image->fd
		 : module                ? module->file
					 : -1;

	if (module && module->kind == CPD_MODULE_ANON)
		return jit_map_open(&module->map);
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static int reopen_dump(const void *arg, uint32_t process)
{
	const struct modules *modules = arg;

	for (size_t i = modules->by_id.n; i-- > 0;) {
		const struct module *module = modules->by_id.v[i];

		if (module && module->dump >= 0 && module->process == process)
			return fcntl(module->dump, F_DUPFD_CLOEXEC, 3);
	}
	return -1;
}

int modules_note_sizes(struct modules *modules, uint64_t time)
{
	unsigned left = SIZES_NOTED;

	for (size_t i = modules->by_id.n; i-- > 0 && left;) {
		struct module *module = modules->by_id.v[i];

		if (!module || module->kind != CPD_MODULE_ANON)
			continue;
		left--;
		if (jit_map_note_size(&module->map, time))
			return -1;
	}
	return 0;
}

static const struct size_log *map_size_log(
	const void *arg, uint32_t id, size_t *n)
{
	const struct module *module = by_id(arg, id);

	*n = module ? module->map.size_log.n : 0;
	return *n ? module->map.size_log.v : NULL;
}

/* Of one that has memory without a file. */
static uint64_t process_began(const void *arg, uint32_t process)
{
	const struct modules *modules = arg;

	for (size_t i = modules->by_id.n; i-- > 0;) {
		const struct module *module = modules->by_id.v[i];

		if (module && module->kind == CPD_MODULE_ANON &&
			module->process == process)
			return module->map.began;
	}
	return 0;
}

struct run_files modules_files(const struct modules *modules)
{
	make_room(modules);
	return (struct run_files){.open_module = reopen_module,
		.open_dump = reopen_dump,
		.map_size_log = map_size_log,
		.began = process_began,
		.arg = modules};
}
