/* Finds the counting object, and whether the target can have it. */
#include "monitor/inprocess/preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/sys/random.h"
#include "monitor/inprocess/preloadable.h"
#include "monitor/probe/allocation.h"
#include "monitor/probe/files.h"

/* Where it is from the folder of the binary: as built, and as installed. */
static const char *const places[] = {
	"../monitor/inprocess", "../lib/cpprof", "../lib64/cpprof"};

static char *find_object(void)
{
	char self[PATH_MAX], path[2 * PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (n < 0)
		return NULL;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(path, sizeof path, "%s/%s/" COUNTING_OBJECT, self,
			places[i]);
		if (access(path, R_OK) == 0)
			return realpath(path, NULL);
	}
	return access(PKGLIBDIR "/" COUNTING_OBJECT, R_OK) == 0
		       ? strdup(PKGLIBDIR "/" COUNTING_OBJECT)
		       : NULL;
}

/* The dynamic linker splits the list at colons and spaces. */
static bool is_loadable(const char *path)
{
	return path && !path[strcspn(path, ": \t\n")];
}

static bool program_allocates(const struct calls *calls)
{
	for (size_t i = 0; i < calls->points.n; i++)
		if (calls->points.v[i].program)
			return true;
	return false;
}

static int refuse(struct err *why, const char *reason)
{
	return err_set(why, COUNTING_OBJECT, NULL, "%s", reason);
}

int preload_check(struct preload *preload, char *const *argv, struct err *why)
{
	const char *own = getenv("LD_PRELOAD"), *reason;
	char path[PATH_MAX];

	if (!preload->object)
		preload->object = find_object();
	if (!is_loadable(preload->object))
		return refuse(why, "it is not installed, or its path has a "
				   "space or a colon");
	if (own && *own && !preloadable_beside(own))
		return refuse(why, "LD_PRELOAD names a sanitizer");
	if (!probe_program(argv[0], path))
		return refuse(why, "there is no such program");
	if (!preloadable(path, &reason))
		return refuse(why, reason);
	if (!preload->run)
		preload->run = (uint32_t)random_below(0) | 1;
	return 0;
}

/* Takes REPORT into CALLS for what the object counts. */
static int replace(struct calls *calls, struct probe_point *report)
{
	size_t n = 0;

	for (size_t i = 0; i < calls->points.n; i++) {
		struct probe_point *p = &calls->points.v[i];

		if (has_probes(p->file))
			calls->points.v[n++] = *p;
		else
			free(p->file);
	}
	calls->points.n = n;
	report->request = ALLOCATION_REPORT;
	if (!vec_add(&calls->points, *report))
		return -1;
	report->file = NULL;
	return 0;
}

/* The point in the object where it reports. */
static int find_point(const char *object, char *const *argv,
	struct calls *found, struct err *why)
{
	char *word;
	int failed;

	if (asprintf(&word, "%s:" COUNTING_PASSED, object) < 0)
		return err_memory(why, "preload", "start");
	failed = probe_find(found, word, PROBE_FUNCTIONS, argv, 0, why);
	free(word);
	return failed;
}

int preload_find(struct preload *preload, struct calls *calls,
	char *const *argv, struct err *why)
{
	struct calls found = {0};
	int failed;

	if (program_allocates(calls))
		return refuse(why, "the program has an allocator of its own");
	if (preload_check(preload, argv, why))
		return -1;
	failed = find_point(preload->object, argv, &found, why);
	if (!failed && replace(calls, found.points.v))
		failed = err_memory(why, "preload", "start");
	probe_free(&found);
	if (failed)
		return -1;
	calls->run = preload->run;
	return 0;
}

int preload_environment(const struct preload *preload, pid_t monitor)
{
	const char *own = getenv("LD_PRELOAD");
	char *list, value[128];
	int failed;

	if (!preload->run)
		return 0;
	if (asprintf(&list, "%s%s%s", preload->object, own ? ":" : "",
		    own ? own : "") < 0)
		return -1;
	snprintf(value, sizeof value, "%u:%ju:%ju:%u:%d:%u:%d:%d:1",
		preload->run, (uintmax_t)preload->interval[COUNTING_BYTES],
		(uintmax_t)preload->interval[COUNTING_REQUESTS],
		preload->randomize, preload->stops, preload->follows,
		(int)monitor, preload->contexts);
	failed = setenv("LD_PRELOAD", list, 1) ||
		 setenv(COUNTING_VARIABLE, value, 1);
	free(list);
	return failed ? -1 : 0;
}

void preload_free(struct preload *preload)
{
	free(preload->object);
}
