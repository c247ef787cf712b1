/* Reads a program's headers: interpreter, libraries, who may run it. */
#include "monitor/inprocess/preloadable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/sys/search_path.h"
#include "monitor/arch/preload.h"

#define HEADERS 64  /* program headers of a program that is looked at */
#define ENTRIES 512 /* entries of its dynamic section */
#define SCRIPTS 4   /* interpreters of interpreters, as the kernel */

/* Libraries that will not be loaded behind another object, by their names. */
static const char *const sanitizers[] = {
	"libasan", "libtsan", "liblsan", "libhwasan", "libmsan"};

static const char *const allocators[] = {
	"libjemalloc", "libtcmalloc", "libmimalloc"};

struct program {
	int fd;
	Elf64_Phdr headers[HEADERS];
	size_t n;
};

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static bool read_headers(struct program *p)
{
	Elf64_Ehdr head;

	if (!read_at(p->fd, &head, sizeof head, 0) ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 ||
		head.e_machine != PRELOAD_MACHINE ||
		head.e_phentsize != sizeof(Elf64_Phdr) ||
		head.e_phnum > HEADERS)
		return false;
	p->n = head.e_phnum;
	return read_at(
		p->fd, p->headers, p->n * sizeof *p->headers, head.e_phoff);
}

static const Elf64_Phdr *header(const struct program *p, uint32_t type)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->headers[i].p_type == type)
			return &p->headers[i];
	return NULL;
}

static bool has_linker(const struct program *p, const char **why)
{
	const Elf64_Phdr *interpreter = header(p, PT_INTERP);
	char name[sizeof PRELOAD_LINKER];

	if (!interpreter)
		*why = "it is linked statically";
	return interpreter && interpreter->p_filesz == sizeof name &&
	       read_at(p->fd, name, sizeof name, interpreter->p_offset) &&
	       memcmp(name, PRELOAD_LINKER, sizeof name) == 0;
}

/* The offset in the file of link-time address ADDR; 0: none. */
static uint64_t offset_of(const struct program *p, uint64_t addr)
{
	for (size_t i = 0; i < p->n; i++) {
		const Elf64_Phdr *h = &p->headers[i];

		if (h->p_type == PT_LOAD && addr - h->p_vaddr < h->p_filesz)
			return addr - h->p_vaddr + h->p_offset;
	}
	return 0;
}

static bool is_sanitizer(const char *name)
{
	for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
		if (strstr(name, sanitizers[i]))
			return true;
	return false;
}

bool has_probes(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
		if (strncmp(name, allocators[i], strlen(allocators[i])) == 0)
			return true;
	return false;
}

bool preloadable_beside(const char *list)
{
	return !is_sanitizer(list);
}

/* Whether the program names libc, and no sanitizer. */
static bool has_libraries(const struct program *p, const char **why)
{
	const Elf64_Phdr *dynamic = header(p, PT_DYNAMIC);
	Elf64_Dyn entries[ENTRIES];
	uint64_t strings = 0;
	size_t n;

	if (!dynamic)
		return false;
	n = dynamic->p_filesz / sizeof *entries;
	n = n < ENTRIES ? n : ENTRIES;
	if (!read_at(p->fd, entries, n * sizeof *entries, dynamic->p_offset))
		return false;
	for (size_t i = 0; i < n; i++)
		if (entries[i].d_tag == DT_STRTAB)
			strings = offset_of(p, entries[i].d_un.d_ptr);
	*why = "it was built with a sanitizer";
	for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL; i++) {
		char name[64] = "";
		ssize_t got;

		if (entries[i].d_tag != DT_NEEDED)
			continue;
		got = pread(p->fd, name, sizeof name - 1,
			(off_t)(strings + entries[i].d_un.d_val));
		if (got <= 0 || is_sanitizer(name))
			return false;
	}
	return true;
}

/* A program that changes its user or has capabilities: no object is loaded. */
static bool changes_rights(int fd)
{
	struct stat st;
	char byte;

	return fstat(fd, &st) || (st.st_mode & (S_ISUID | S_ISGID)) ||
	       fgetxattr(fd, "security.capability", &byte, 1) >= 0 ||
	       errno == ERANGE;
}

static bool fits(int fd, const char **why)
{
	struct program p = {.fd = fd};

	if (changes_rights(fd)) {
		*why = "it has rights of its own";
		return false;
	}
	*why = "it is no program for this machine's dynamic linker";
	return read_headers(&p) && has_linker(&p, why) &&
	       has_libraries(&p, why);
}

bool preloadable(const char *path, const char **why)
{
	char script[PATH_MAX];

	for (int i = 0; i <= SCRIPTS; i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		bool is_script, good;

		*why = "it cannot be read";
		if (fd < 0)
			return false;
		is_script = script_interpreter(fd, script);
		good = !is_script && fits(fd, why);
		close(fd);
		if (!is_script)
			return good;
		path = script;
	}
	return false;
}
