/* Turns the functions that a user names into points in files. */
#include "monitor/probe/probe.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/run/call_list.h"
#include "lib/text.h"
#include "monitor/base/proc.h"
#include "monitor/probe/files.h"
#include "monitor/probe/patterns.h"
#include "monitor/probe/symbols.h"
#include "monitor/probe/usdt.h"

/* A search: its target, and the functions or probes found so far. */
struct probe_search {
	struct calls *calls;
	enum probe_what kind;
	const char *what;  /* "calls", "usdt", "arcs" */
	usdt_names probes; /* all that were seen */
	struct probe_symbols *program;
	pid_t pid; /* it runs already; 0: it does not run */
	probe_libraries libraries;
	bool listed; /* they are those of the program */
	struct err *err;
};

static int no_memory(struct probe_search *s)
{
	return err_memory(s->err, s->what, "start");
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* All addresses of a function that was found in FILE. */
static int add_points(struct probe_search *s, const char *file, bool program,
	const struct probe_found *found, const char *name)
{
	struct calls *calls = s->calls;

	for (size_t i = 0; i < found->addresses.n; i++) {
		const struct probe_point point = {.file = strdup(file),
			.offset = found->addresses.v[i].offset,
			.addr = found->addresses.v[i].addr,
			.program = program};

		if (!point.file || !vec_add(&calls->points, point))
			return no_memory(s);
	}
	if (!program)
		calls->beyond = "a function outside of the program";
	if (found->inlined && !calls->inlined)
		calls->inlined = strdup(name);
	return 0;
}

/* --- functions that are chosen when a program starts (IFUNC) --- */

struct loaded {           /* one of our own libraries */
	const char *path; /* of its file */
	void *handle;
	uint64_t bias;
};

static int look_at_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct loaded *loaded = arg;

	(void)size;
	if (!*info->dlpi_name || !same_file(info->dlpi_name, loaded->path))
		return 0;
	loaded->bias = info->dlpi_addr;
	loaded->handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	return 1;
}

/*
 * If this process has the library too, its start made the same choice on the
 * same processor.
 */
static bool chosen_here(const struct probe_symbols *symbols, const char *file,
	const char *name, struct probe_address *address)
{
	struct loaded loaded = {.path = file};
	uint64_t at;

	dl_iterate_phdr(look_at_loaded, &loaded);
	if (!loaded.handle)
		return false;
	at = (uint64_t)(uintptr_t)dlsym(loaded.handle, name);
	dlclose(loaded.handle);
	address->addr = at - loaded.bias;
	return at > loaded.bias &&
	       probe_symbols_offset(symbols, address->addr, &address->offset);
}

static int take_chosen(struct probe_search *s, struct probe_symbols *symbols,
	const char *file, bool program, const char *name)
{
	struct probe_found found = {0};
	char like[400];
	struct probe_address address;
	int bad;

	if (!chosen_here(symbols, file, name, &address)) {
		probe_symbols_like(symbols, name, like, sizeof like);
		return err_say(s->err, name, "calls",
			"it is one of several, chosen when the program starts "
			"(IFUNC)",
			*like ? "name one of them: %s"
			      : "the debug information of %s names them",
			*like ? like : file);
	}
	if (!vec_add(&found.addresses, address))
		return no_memory(s);
	bad = add_points(s, file, program, &found, name);
	vec_free(&found.addresses);
	return bad;
}

/* --- one file --- */

/* The places of probe NAME in a file, as search_file(). */
static int search_probes(struct probe_search *s, const char *file, bool program,
	const char *name)
{
	struct calls *calls = s->calls;
	usdt_points found = {0};
	int result = usdt_find(file, name, &found, &s->probes, s->err);

	for (size_t i = 0; !result && i < found.n; i++) {
		const struct usdt_point *at = &found.v[i];
		const struct probe_point point = {.file = strdup(file),
			.offset = at->offset,
			.addr = at->addr,
			.program = program,
			.semaphore = at->semaphore,
			.amount = at->amount};

		if (!point.file || !vec_add(&calls->points, point))
			result = no_memory(s);
		if (!program)
			calls->beyond = "a probe outside of the program";
		else if (at->semaphore)
			calls->beyond = "a probe with a semaphore";
	}
	if (!result)
		result = found.n > 0;
	vec_free(&found);
	return result;
}

static int not_there(struct probe_search *s, struct probe_symbols *symbols,
	const char *file, const char *name)
{
	const char *option =
		s->kind == PROBE_PATTERNS ? "--count-calls=" : "calls=";
	char like[400];

	if (s->kind == PROBE_USDT)
		return usdt_unknown(&s->probes, name, file, s->listed, s->err);
	err_set(s->err, name, s->what, "%s in %s",
		s->kind == PROBE_PATTERNS ? "no function matches"
					  : "no such function",
		file);
	probe_symbols_like(symbols, name, like, sizeof like);
	if (probe_symbols_stripped(symbols))
		return err_hint(s->err,
			"%s is stripped: its debug package or a build with "
			"symbols has more names%s%s; for a library write "
			"%sLIB:%s, "
			"for a program that it runs %s/PATH/TO/PROGRAM:%s",
			text_base_name(file), *like ? "; near are " : "", like,
			option, name, option, name);
	if (*like)
		return err_hint(s->err, "did you mean %s?", like);
	return err_hint(s->err,
		"for a library write %sLIB:%s, for a program that it runs "
		"%s/PATH/TO/PROGRAM:%s",
		option, name, option, name);
}

static int not_called(struct probe_search *s, const char *name,
	const struct probe_found *found)
{
	if (found->data)
		return err_say(s->err, name, "calls", "it is a variable",
			"only functions are called");
	return err_say(s->err, name, "calls", "all its calls are inlined",
		"count its callers instead, or forbid it where it is defined: "
		"__attribute__((noinline)), //go:noinline, #[inline(never)]");
}

/*
 * Searches one file for NAME.  1: found, 0: the file does not have it (and ERR
 * is not set), -1: an error.
 */
static int search_file(struct probe_search *s, struct probe_symbols *symbols,
	const char *file, bool program, const char *name, bool exported)
{
	struct probe_found found;
	int result = 0;

	if (s->kind == PROBE_USDT)
		return search_probes(s, file, program, name);
	if (s->kind == PROBE_PATTERNS)
		return patterns_find(
			s->calls, symbols, file, program, name, s->err);
	if (probe_symbols_find(symbols, name, &found)) {
		result = no_memory(s);
	} else if (found.chosen || found.addresses.n) {
		result = add_points(s, file, program, &found, name) ||
					 (found.chosen &&
						 take_chosen(s, symbols, file,
							 program, name))
				 ? -1
				 : 1;
	} else if (!exported && (found.data || found.inlined)) {
		result = not_called(s, name, &found);
	}
	vec_free(&found.addresses);
	return result;
}

static int look_in_file(struct probe_search *s, const char *file,
	const char *name, bool exported)
{
	struct probe_symbols *symbols =
		probe_symbols_open(file, &s->calls->debug_files, s->err);
	int result;

	if (!symbols)
		return exported ? 0 : -1;
	result = search_file(s, symbols, file, false, name, exported);
	if (result == 0 && !exported)
		result = not_there(s, symbols, file, name);
	probe_symbols_close(symbols);
	return result;
}

/* --- libraries --- */

static int list_libraries(struct probe_search *s)
{
	if (s->listed)
		return 0;
	s->listed = true;
	if (s->pid ? probe_libraries_mapped(s->pid, &s->libraries)
		   : probe_libraries_of(s->calls->program,
			     probe_symbols_linker(s->program), &s->libraries))
		return no_memory(s);
	return 0;
}

static int no_library(struct probe_search *s, const char *word)
{
	char list[400] = "";
	size_t at = 0;

	for (size_t i = 0; i < s->libraries.n && at < sizeof list - 64; i++)
		at += (size_t)snprintf(list + at, sizeof list - at, "%s%s",
			i ? ", " : "", s->libraries.v[i].name);
	err_set(s->err, word, s->what, "no such library");
	if (!*list)
		return err_hint(s->err,
			"%s loads none by itself; give the library's path",
			s->calls->program);
	return err_hint(s->err, "%s loads %s; give the path of another library",
		s->calls->program, list);
}

/* "LIB:NAME" */
static int find_in_library(
	struct probe_search *s, const char *word, const char *name)
{
	const struct probe_library *library;
	probe_libraries known = {0};
	int bad;

	if (strchr(word, '/')) {
		if (!same_file(word, s->calls->program))
			return look_in_file(s, word, name, false);
		word = text_base_name(s->calls->program);
	}
	if (strcmp(word, text_base_name(s->calls->program)) == 0) {
		bad = search_file(
			s, s->program, s->calls->program, true, name, false);
		return bad ? bad
			   : not_there(s, s->program, s->calls->program, name);
	}
	if (list_libraries(s))
		return -1;
	library = probe_library_named(&s->libraries, word);
	if (library)
		return look_in_file(s, library->path, name, false);
	if (probe_libraries_known(&known)) {
		bad = no_memory(s);
	} else {
		library = probe_library_named(&known, word);
		bad = library ? look_in_file(s, library->path, name, false)
			      : no_library(s, word);
	}
	probe_libraries_free(&known);
	return bad;
}

/* "NAME" */
static int find_anywhere(struct probe_search *s, const char *name)
{
	int found = search_file(
		s, s->program, s->calls->program, true, name, false);

	if (found)
		return found;
	/* the libraries have functions for "*" that nobody means */
	if (s->kind == PROBE_PATTERNS && strpbrk(name, "*?["))
		return not_there(s, s->program, s->calls->program, name);
	if (list_libraries(s))
		return -1;
	for (size_t i = 0; i < s->libraries.n; i++) {
		found = look_in_file(s, s->libraries.v[i].path, name, true);
		if (found)
			return found;
	}
	return not_there(s, s->program, s->calls->program, name);
}

/* --- the request --- */

static int find_all(struct probe_search *s, char *list)
{
	char *function, *library;
	int found;

	while ((function = call_list_next(&list, &library))) {
		if (!*function || (library && !*library))
			return err_say(s->err, s->what, NULL, "which function?",
				"functions are joined by +: calls=f+LIB:g; "
				"patterns by a comma: "
				"--count-calls='f*,LIB:g'");
		found = library ? find_in_library(s, library, function)
				: find_anywhere(s, function);
		if (found < 0)
			return -1;
	}
	return 0;
}

/* "[LIB:]PATTERN[,...]"; a C++ name has commas between brackets. */
static int find_patterns(struct probe_search *s, char *text)
{
	for (char *item = text; item;) {
		char *at = item;
		int depth = 0;

		for (; *at && (*at != ',' || depth > 0); at++)
			depth += (*at == '(' || *at == '<') -
				 (*at == ')' || *at == '>');
		at = *at ? at : NULL;
		if (at)
			*at++ = '\0';
		if (find_all(s, item))
			return -1;
		item = at;
	}
	return patterns_done(s->calls, s->err);
}

/* "[LIB:]PROVIDER:NAME[.argN]" */
static int find_probe(struct probe_search *s, char *text)
{
	char *name = strrchr(text, ':');

	while (name && name > text && name[-1] != ':')
		name--;
	if (!name || name == text)
		return find_anywhere(s, text) < 0 ? -1 : 0;
	name[-1] = '\0';
	return find_in_library(s, text, name) < 0 ? -1 : 0;
}

/* The executable of a process, by its name if that still leads to it. */
static void running_program(pid_t pid, char path[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	proc_exe(pid, path);
	if (!same_file(link, path))
		strcpy(path, link);
}

/*
 * A program that is traced at its exec gains no privilege, and counting ends at
 * such an exec in any case.
 */
static bool gains_privilege(const char *path)
{
	struct stat st;

	if (geteuid() == 0 || stat(path, &st))
		return false;
	return ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	       ((st.st_mode & S_ISGID) && st.st_gid != getegid()) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

static int has_privilege(const char *path, struct err *err)
{
	return err_say(err, path, "calls",
		"it gains privilege when it starts (set-uid or the like)",
		"only root may count what it does");
}

int probe_target(
	struct calls *calls, char *const *argv, pid_t pid, struct err *err)
{
	char path[PATH_MAX];

	memset(calls, 0, sizeof *calls);
	err_clear(err);
	if (argv && !probe_program(argv[0], path))
		return 0;
	if (!argv)
		running_program(pid, path);
	else if (gains_privilege(path))
		return has_privilege(path, err);
	calls->program = strdup(path);
	calls->pid = argv ? 0 : pid;
	if (calls->program)
		return 0;
	return err_memory(err, "calls", "start");
}

int probe_find(struct calls *calls, const char *text, enum probe_what what,
	char *const *argv, pid_t pid, struct err *err)
{
	static int (*const find[])(struct probe_search *, char *) = {
		find_all, find_probe, find_patterns};
	static const char *const names[] = {"calls", "usdt", "arcs"};
	struct probe_search search = {.calls = calls,
		.kind = what,
		.what = names[what],
		.pid = argv ? 0 : pid,
		.err = err};
	int bad = probe_target(calls, argv, pid, err);
	char *list;

	if (bad || !calls->program)
		return bad;
	bad = -1;
	list = strdup(text);
	if (!list) {
		no_memory(&search);
	} else {
		search.program = probe_symbols_open(
			calls->program, &calls->debug_files, err);
		if (search.program) {
			calls->entry = probe_symbols_entry(search.program);
			bad = find[what](&search, list);
		}
	}
	probe_symbols_close(search.program);
	probe_libraries_free(&search.libraries);
	usdt_names_free(&search.probes);
	free(list);
	return bad;
}

void probe_free(struct calls *calls)
{
	for (size_t i = 0; i < calls->points.n; i++)
		free(calls->points.v[i].file), free(calls->points.v[i].name);
	vec_free(&calls->points);
	vec_free(&calls->ranges);
	free(calls->program);
	free(calls->inlined);
	memset(calls, 0, sizeof *calls);
}

bool probe_bias(const struct calls *calls, pid_t pid, uint64_t *bias)
{
	uint64_t entry;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	if (!calls->program || !same_file(path, calls->program))
		return false;
	entry = proc_auxv(pid, AT_ENTRY);
	*bias = entry - calls->entry;
	return entry;
}
