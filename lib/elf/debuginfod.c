/* debuginfod.c - asks debuginfod, and does not wait for a server that is
 * silent. */
#include "lib/elf/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/clock.h"

/* For one file; debuginfod's own time-outs count from the last byte. */
#define FETCH_NS 120000000000u

/* elfutils/debuginfod.h; its package need not be installed */
struct client;

struct fetch {
	struct debug_search *search;
	uint64_t start, moved; /* when a byte came last */
	uint64_t patience;     /* ns without a byte */
	long done;
};

static void *library_function(const char *name)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	return library ? dlsym(library, name) : NULL;
}

bool debuginfod_is_there(void)
{
	return library_function("debuginfod_begin") != NULL;
}

/*
 * What the user waits, or what he would bear who never heard of such a server,
 * in ns.
 */
static uint64_t patience(void)
{
	const char *said = getenv("DEBUGINFOD_TIMEOUT");
	unsigned long seconds = said ? strtoul(said, NULL, 10) : 0;

	return (seconds && seconds < 3600 ? seconds
					  : DEBUGINFOD_PATIENCE_SECONDS) *
	       UINT64_C(1000000000);
}

/* 1: stop */
static int on_progress(struct client *client, long done, long all)
{
	void *(*data)(struct client *);
	struct debug_search *search;
	struct fetch *fetch;
	uint64_t now = clock_now();

	(void)all;
	*(void **)&data = library_function("debuginfod_get_user_data");
	fetch = data(client);
	search = fetch->search;
	/* until a server answers, DONE counts the calls of this function */
	if (done > fetch->done + 1)
		fetch->moved = now;
	fetch->done = done;
	search->silent |= now - fetch->moved > fetch->patience ||
			  now - fetch->start > FETCH_NS;
	if (search->fetched)
		search->fetched(search->arg, done > 0 ? (uint64_t)done : 0);
	return search->silent;
}

static int find_file(struct client *client, enum debuginfod_kind kind,
	const unsigned char *build_id, size_t n, const char *name, char **path)
{
	int (*find)(struct client *, const unsigned char *, int, char **);
	int (*find_source)(struct client *, const unsigned char *, int,
		const char *, char **);

	if (kind == DEBUGINFOD_SOURCE) {
		*(void **)&find_source =
			library_function("debuginfod_find_source");
		return find_source ? find_source(client, build_id, (int)n, name,
					     path)
				   : -1;
	}
	*(void **)&find = library_function(
		kind == DEBUGINFOD_EXECUTABLE ? "debuginfod_find_executable"
					      : "debuginfod_find_debuginfo");
	return find ? find(client, build_id, (int)n, path) : -1;
}

/*
 * Newer libraries call on_progress() only once something comes, and heed the
 * variable.  A target that is yet to start must not find it in its environment.
 */
static int ask(struct client *client, enum debuginfod_kind kind,
	const unsigned char *build_id, size_t n, const char *name, char **path)
{
	bool said = getenv("DEBUGINFOD_TIMEOUT") != NULL;
	char usual[8];
	int fd;

	snprintf(usual, sizeof usual, "%d", DEBUGINFOD_PATIENCE_SECONDS);
	if (!said)
		setenv("DEBUGINFOD_TIMEOUT", usual, false);
	fd = find_file(client, kind, build_id, n, name, path);
	if (!said)
		unsetenv("DEBUGINFOD_TIMEOUT");
	return fd;
}

int debuginfod_find(struct debug_search *search, enum debuginfod_kind kind,
	const unsigned char *build_id, size_t n, const char *name, char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct fetch fetch = {search, clock_now(), clock_now(), patience(), 0};
	struct client *client, *(*begin)(void);
	void (*progress)(struct client *, int (*)(struct client *, long, long));
	void (*data)(struct client *, void *), (*end)(struct client *);
	int fd;

	*path = NULL;
	if (!urls || !*urls || search->silent || !n)
		return -1;
	*(void **)&begin = library_function("debuginfod_begin");
	*(void **)&progress = library_function("debuginfod_set_progressfn");
	*(void **)&data = library_function("debuginfod_set_user_data");
	*(void **)&end = library_function("debuginfod_end");
	client = begin && progress && data && end ? begin() : NULL;
	if (!client)
		return -1;
	data(client, &fetch);
	progress(client, on_progress);
	fd = ask(client, kind, build_id, n, name, path);
	end(client);
	search->silent |= fd == -ETIME;
	if (fd >= 0 && search->opened)
		search->opened(search->arg, fd);
	return fd < 0 ? -1 : fd;
}
