/*
 * dataset_tail.c - functions that left by a tail call.
 *
 * `return g(x);` is a jump to g when optimized: f, which did it, has no frame
 * any more, and g seems to be called by f's caller.  But the call there still
 * names f.  So f stands between the two again, and behind it those that the
 * file says stood on the one way from f to g.  Where several ways lead on, and
 * who jumped where the call was through a pointer, nothing tells.
 */
#include <stdio.h>
#include <string.h>

#include "lib/elf/demangle.h"
#include "analyzer/name/name_style.h"
#include "analyzer/data/dataset_private.h"

/*
 * Whether F is the function AT a location, which may be known by another of
 * its names.
 */
static bool holds(const struct function *f, const struct location *at,
	uint32_t module_key)
{
	uint64_t addr = location_address(at);

	return f->module_id == module_key && addr >= f->lo && addr < f->hi;
}

static bool dataset_is_linkers(const struct function *f)
{
	return !strncmp(f->module, "ld-", 3) ||
	       !strncmp(f->module, "ld.so", 5) ||
	       !strncmp(f->module, "ld64.so", 7);
}

/* Whether F is of Go's own packages, by the first element of its name: of the
   paths of sources -trimpath leaves the package alone. */
static bool is_of_go(const struct function *f)
{
	static const char packages[] =
		" archive bufio bytes cmp compress container context crypto "
		"database debug embed encoding errors expvar flag fmt go hash "
		"html image index internal io iter log maps math mime net os "
		"path plugin reflect regexp runtime slices sort strconv "
		"strings structs sync syscall testing text time unicode "
		"unique unsafe vendor weak ";
	char first[16];
	size_t n = strcspn(f->name, "./");

	if (function_is_runtime(f) || n >= demangle_clone_base(f->name) ||
		n > sizeof first - 3)
		return false;
	snprintf(first, sizeof first, " %.*s ", (int)n, f->name);
	return strstr(packages, first);
}

/* Whether F is Python's own, or of a package installed for it. */
static bool is_of_python(const struct function *f)
{
	return function_is_runtime(f) &&
	       (strstr(f->file, "/lib/python") ||
		       strstr(f->file, "/lib64/python"));
}

/* Java's "void Shop.sell(int)" without its type. */
static const char *behind_type(const char *name)
{
	size_t n = strcspn(name, " (");

	return name[n] == ' ' && name[n + 1] != '(' && strchr(name, '(')
		       ? name + n + 1
		       : name;
}

bool dataset_is_stub(const struct function *f)
{
	static const char *const starts[] = {
		"StubRoutines", "Interpreter", "call_stub"};
	static const char *const ends[] = {" stub", "_stub", "_Java", "Blob"};
	size_t n = strlen(f->name);

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(f->name, starts[i], strlen(starts[i])))
			return function_is_runtime(f);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (n > strlen(ends[i]) &&
			!strcmp(f->name + n - strlen(ends[i]), ends[i]))
			return function_is_runtime(f);
	return false;
}

/* Whether F is of what java or node bring along. */
static bool is_of_machine(const struct function *f)
{
	static const char *const starts[] = {
		"java.", "jdk.", "sun.", "Ljava/", "Ljdk/", "Lsun/"};
	const char *name = behind_type(f->name);

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (function_is_runtime(f) &&
			!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return dataset_is_stub(f) ||
	       (function_is_runtime(f) && strstr(f->name, " node:"));
}

/* Whether F is inlined, or made of a template, from a library's header, or from
   Rust's library: rustc's paths of that are those of where it was built. */
static bool is_of_header(const struct function *f)
{
	return !strncmp(f->file, "/usr/include/", strlen("/usr/include/")) ||
	       !strncmp(f->file, "/rustc/", strlen("/rustc/"));
}

bool dataset_is_librarys(const struct function *f)
{
	return is_of_python(f) || is_of_machine(f) || is_of_header(f) ||
	       strstr(f->module, ".so") || name_is_internal(f->name) ||
	       is_of_go(f);
}

/*
 * Calls reach a stub of the linkage table on the way to their function, and the
 * dynamic linker, to have that looked up.
 */
static bool is_on_the_way(const struct function *f)
{
	size_t n = strlen(f->name);

	return (n > 4 && !strcmp(f->name + n - 4, "@plt")) ||
	       dataset_is_linkers(f);
}

/* The functions on the way from SITE's call to FOUND. */
static uint32_t chain_to(const struct raw_addr *site, uint32_t found)
{
	for (uint32_t i = 0; i < site->ntails; i++)
		if (site->tails[i].found == found)
			return site->tails[i].via | DATASET_LOST_CHAIN;
	return site->target;
}

/* The function that left between the frames AT a location and those that it
   was CALLED from. */
static uint32_t find_lost(const struct dataset_private *impl,
	const struct location *at, uint32_t called)
{
	const struct function *functions = impl->functions.v;
	const struct raw_addr *site = &impl->raw_addrs.v[impl->sites.v[called]];
	uint32_t found = at->frames[at->nframes - 1].function;

	if (functions[found].base == functions[site->target].base ||
		is_on_the_way(&functions[found]) ||
		holds(&functions[site->target], at, functions[found].module_id))
		return 0;
	return chain_to(site, found);
}

/* Whether any call names its function. */
static bool any_site(const struct dataset_private *impl)
{
	for (size_t i = 0; i < impl->sites.n; i++)
		if (impl->sites.v[i])
			return true;
	return false;
}

int dataset_restore_tails(struct dataset_private *impl)
{
	struct node *nodes = impl->nodes.v;

	if (!any_site(impl))
		return 0;
	for (size_t i = impl->nodes.n; i-- > 1;) {
		uint32_t called = nodes[nodes[i].parent].location;
		const struct location *at =
			&impl->locations.v[nodes[i].location];
		uint32_t lost;

		if (!impl->sites.v[called] || !at->module ||
			impl->locations.v[called].flags & CPD_NODE_EXACT)
			continue;
		lost = find_lost(impl, at, called);
		if (lost && dataset_lose(impl, &nodes[i], lost))
			return -1;
	}
	return 0;
}
