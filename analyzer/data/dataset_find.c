/*
 * dataset_find.c - what a user's words mean in a dataset.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lib/text.h"
#include "lib/vec.h"
#include "analyzer/data/dataset.h"
#include "analyzer/name/name_style.h"
#include "analyzer/name/pattern.h"

#define NEAREST 5

/* "calls" is "calls=read", if no other one begins so. */
uint32_t dataset_resource(
	const struct dataset *data, const char *name, struct err *err)
{
	uint32_t found = dataset_named(data, name);
	size_t n = strlen(name), begin = 0;
	char list[400] = "";

	if (found)
		return found;
	for (uint32_t i = 1; i <= data->nresources; i++) {
		const char *its = data->resources[i].name;

		text_list(list, sizeof list, its);
		if (strncmp(its, name, n) == 0 && its[n] == '=') {
			begin++;
			found = i;
		}
	}
	if (begin == 1)
		return found;
	err_set(err, data->path, NULL, "no resource '%s' in this file", name);
	err_hint(err,
		"it has: %s; another run can take it: cpprof run -r %s%s -- "
		"PROG",
		*list ? list : "none", name,
		strcmp(name, "calls") ? "" : "=FUNCTION");
	return 0;
}

/* How well NAME fits; the best fit of all functions counts. */
enum fit { FIT_NONE, FIT_PARAMETERS, FIT_EXACT };

/* Whether NAME is WORD, or is shown as it with \xNN in it. */
static bool reads(const char *name, const char *word)
{
	char shown[4096];

	return !strcmp(name, word) ||
	       (strstr(word, "\\x") && strlen(word) < sizeof shown &&
		       !strcmp(text_escape(name, shown, sizeof shown), word));
}

/* "'a.c':f", "'a.c:12':f", "'/src/a.c':f"; then the rest is the function. */
static const char *behind_place(const struct function *f, const char *word)
{
	const char *base = text_base_name(f->file), *end;
	char place[4200];

	end = *word == '\'' && *f->file ? strstr(word, "':") : NULL;
	if (!end || (size_t)(end - word) > 4096)
		return NULL;
	for (int i = 0; i < 4; i++) {
		const char *file = i & 1 ? base : f->file;

		if (i & 2)
			snprintf(place, sizeof place,
				"'%.4096s:%" PRIu32 "':", file, f->line);
		else
			snprintf(place, sizeof place, "'%.4096s':", file);
		if (!strncmp(word, place, strlen(place)))
			return word + strlen(place);
	}
	return NULL;
}

/* f for "JS:f /app.js:1:15" and "py::f:/app.py" */
static bool is_own_name(const struct function *f, const char *name)
{
	size_t n = strlen(name), tag = strcspn(f->name, ":");

	tag += strspn(f->name + tag, ":");
	return n && f->source == CPD_NAME_JIT &&
	       !strncmp(f->name + tag, name, n) && f->name[tag + n] &&
	       strchr(" :", f->name[tag + n]);
}

/* "JS:f app.js:1:15", as a path has the same. */
static bool reads_without_folders(const char *its, const char *name)
{
	size_t begin, end;

	return name_folders(its, &begin, &end) && !strncmp(its, name, begin) &&
	       !strcmp(its + end, name + begin);
}

static enum fit fit_name(const struct function *function, const char *name)
{
	size_t n = strlen(name);

	if (reads(function->name, name) || reads(function->shown, name) ||
		reads(function->brief, name) ||
		reads_without_folders(function->name, name) ||
		(*function->linkage && !strcmp(function->linkage, name)) ||
		(function->is_main && !strcmp(name, "main")))
		return FIT_EXACT;
	/* ns::f for ns::f(int), and for f<int> where it is not the only one */
	if (n && !strncmp(function->name, name, n) && function->name[n] == '(')
		return FIT_PARAMETERS;
	if (n && !strncmp(function->brief, name, n) &&
		strchr("(<", function->brief[n]) && function->brief[n])
		return FIT_PARAMETERS;
	return is_own_name(function, name) ? FIT_PARAMETERS : FIT_NONE;
}

static enum fit fit(const struct function *function, const char *name)
{
	size_t n = strlen(function->module);
	enum fit bare = fit_name(function, name), rest = FIT_NONE;
	const char *behind;

	if (n && !strncmp(function->module, name, n) && name[n] == '!')
		name += n + 1;
	behind = behind_place(function, name);
	rest = fit_name(function, behind ? behind : name);
	return bare > rest ? bare : rest;
}

/* All names once, sorted; NULL when out of memory.  For the caller to free. */
static const char **all_names(const struct dataset *data, size_t *n)
{
	const char **names =
		calloc((size_t)data->nfunctions + 1, sizeof *names);
	size_t count = 0;

	*n = 0;
	if (!names)
		return NULL;
	for (uint32_t i = FN_ALL; i <= data->nfunctions; i++)
		names[count++] = data->functions[i].shown;
	qsort(names, count, sizeof *names, order_text);
	for (size_t i = 0; i < count; i++)
		if (!*n || strcmp(names[*n - 1], names[i]))
			names[(*n)++] = names[i];
	return names;
}

/* Whether an interpreter runs a function of that NAME; NULL: of any. */
static bool is_interpreted(const struct dataset *data, const char *name)
{
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		if (data->functions[i].source == CPD_NAME_RUNTIME &&
			(!name || !strcmp(data->functions[i].name, name)))
			return true;
	return false;
}

/* Whether Python wrote a perf map of its functions (-X perf). */
static bool has_perf_map(const struct dataset *data)
{
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		if (data->functions[i].source == CPD_NAME_JIT &&
			!strncmp(data->functions[i].name, "py::", 4))
			return true;
	return false;
}

/* HINT, or why no function of Python has that NAME. */
static int hint_name(const struct dataset *data, const char *name,
	const char *hint, struct err *err)
{
	if (is_interpreted(data, NULL))
		return err_hint(
			err, "%s; a coroutine that waits is on no stack", hint);
	return err_hint(err, "%s",
		!strstr(name, ".py!") ? hint
		: has_perf_map(data)
			? "Python's functions have the names of its perf map "
			  "here: 'py::*'"
			: "there is no Python function in the file; a run as "
			  "root, or with --timer=stop, has those of Python "
			  "3.11 to 3.15");
}

static int not_found(
	const struct dataset *data, const char *name, struct err *err)
{
	const char *nearest[NEAREST];
	char list[400] = "";
	size_t n, count;
	const char **names = all_names(data, &count);
	const char *mark = strchr(name, '!');

	n = names ? text_nearest(name, names, count, nearest, NEAREST) : 0;
	if (names && !n && mark) /* the module may be right */
		n = text_nearest(mark + 1, names, count, nearest, NEAREST);
	for (size_t i = 0; i < n; i++)
		text_list(list, sizeof list, nearest[i]);
	free(names);
	err_set(err, NULL, NULL, "no function '%.80s'%s%s", name,
		n ? "; nearest: " : "", list);
	return hint_name(data, name,
		"these list the functions in the file: 'function', "
		"--function",
		err);
}

int dataset_find(const struct dataset *data, const char *name, uint32_t **found,
	size_t *n, struct err *err)
{
	VEC(uint32_t) numbers = {0};
	enum fit best = FIT_PARAMETERS;

	*found = NULL;
	*n = 0;
	for (uint32_t i = FN_ALL; i <= data->nfunctions; i++) {
		enum fit f = fit(&data->functions[i], name);

		if (f < best)
			continue;
		if (f > best)
			numbers.n = 0;
		best = f;
		if (!vec_add(&numbers, i)) {
			vec_free(&numbers);
			return err_memory(err, NULL, NULL);
		}
	}
	if (!numbers.n) {
		vec_free(&numbers);
		return not_found(data, name, err);
	}
	*found = numbers.v;
	*n = numbers.n;
	return 0;
}

/* Room for the longest "module!name"; NULL when out of memory. */
static char *full_room(const struct dataset *data, size_t *size)
{
	*size = 1;
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++) {
		const struct function *f = &data->functions[i];
		size_t n = strlen(f->module) + strlen(f->name) + 2;

		*size = n > *size ? n : *size;
	}
	return malloc(*size);
}

static int find_pattern(const struct dataset *data,
	const struct pattern *pattern, bool full, uint32_t **found, size_t *n)
{
	VEC(uint32_t) numbers = {0};
	size_t size;
	char *room = full_room(data, &size);
	int status = room ? 0 : -1;

	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions && !status;
		i++) {
		const struct function *f = &data->functions[i];
		bool fits = pattern_fits(pattern, f->name) ||
			    pattern_fits(pattern, f->shown) ||
			    pattern_fits(pattern, f->brief) ||
			    (*f->linkage && pattern_fits(pattern, f->linkage));

		if (!fits && full) {
			snprintf(room, size, "%s!%s", f->module, f->name);
			fits = pattern_fits(pattern, room);
		}
		if (fits && !vec_add(&numbers, i))
			status = -1;
	}
	free(room);
	*found = numbers.v;
	*n = numbers.n;
	return status;
}

int dataset_find_all(const struct dataset *data, const char *name,
	uint32_t **found, size_t *n, struct err *err)
{
	struct pattern *pattern;
	int status;

	if (!pattern_is(name))
		return dataset_find(data, name, found, n, err);
	if (!pattern_is_regex(name) && !dataset_find(data, name, found, n, err))
		return 0;
	pattern = pattern_new(name, err);
	if (!pattern)
		return -1;
	status = find_pattern(
		data, pattern, strchr(name, '!') != NULL, found, n);
	pattern_free(pattern);
	if (status) {
		status = err_memory(err, NULL, NULL);
	} else if (!*n) {
		status = err_set(
			err, NULL, NULL, "no function fits '%.80s'", name);
		hint_name(data, name,
			pattern_is_regex(name)
				? "it may match anywhere in a name"
				: "a glob stands for a whole name: '*part*'",
			err);
	}
	if (!status)
		return 0;
	free(*found);
	*found = NULL;
	*n = 0;
	return -1;
}

/* A fork runs the program of its parent; an exec begins another. */
static bool one_thread_of_one_program(const struct dataset *data)
{
	uint32_t programs = 0;
	uint32_t *threads =
		calloc((size_t)data->nprocesses + 1, sizeof *threads);
	bool one = threads != NULL;

	for (uint32_t i = 1; i <= data->nprocesses; i++)
		if (data->processes[i].flags & CPD_PROCESS_EXEC ||
			!data->processes[i].parent)
			programs++;
	for (uint32_t i = 1; i <= data->nthreads && one; i++) {
		uint32_t process = data->threads[i].process;

		if (process <= data->nprocesses && ++threads[process] > 1)
			one = false;
	}
	free(threads);
	return one && programs <= 1;
}

const char *dataset_default_root(const struct dataset *data)
{
	if (one_thread_of_one_program(data))
		for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
			if (data->functions[i].is_main)
				return is_interpreted(data, "main")
					       ? data->functions[i].shown
					       : "main";
	return "[all]";
}

/* As many as `cpprof merge' has joined, or one. */
static uint64_t count_runs(const struct dataset *data)
{
	uint64_t runs = 0;

	for (size_t i = 0; i < data->nnotes; i++)
		runs += !strcmp(data->notes[i].key, "run");
	return runs ? runs : 1;
}

int dataset_differs(
	const struct dataset *data, uint32_t resource, uint64_t *used)
{
	const struct books *books = &data->books[resource];
	const struct cpd_crowd crowd = {
		data->nprocesses, data->nthreads, count_runs(data)};

	return data->has_usage && books->has_total
		       ? cpd_usage_differs(&data->usage,
				 data->resources[resource].name, books->total,
				 &crowd, used)
		       : 0;
}

/* Less is a few ticks of a kernel that tells system from user time by them. */
#define MUCH_SYSTEM 50000 /* us */

/* Of what a resource has in samples, the part of those in system calls. */
static uint64_t in_calls(const struct dataset *data, uint32_t resource)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < data->naggregates; i++) {
		const struct aggregate *a = &data->aggregates[i];

		if (a->resource == resource && a->leaf &&
			dataset_location(data, a->leaf)->object ==
				OBJECTS_CALLS)
			sum += a->weight;
	}
	return sum;
}

bool dataset_kernel_time(
	const struct dataset *data, uint64_t *kernel, uint64_t *cpu)
{
	uint32_t time = dataset_named(data, "cpu");
	bool probed = false, stopped = false; /* which takes time, too */
	uint64_t probes = 0;

	if (!data->has_usage && time) {
		const struct books *books = &data->books[time];

		*kernel = in_calls(data, time);
		*cpu = books->has_total ? books->total : books->weight;
		return *kernel >= MUCH_SYSTEM;
	}

	for (uint32_t i = 1; i <= data->nresources; i++) {
		const struct cpd_resource *r = &data->resources[i];

		if (r->flags & CPD_RESOURCE_CLOCK || strstr(r->name, "faults"))
			continue;
		probed = true;
		stopped |= strstr(r->timer, "stop") != NULL;
	}
	if (time)
		probes = data->books[time].loss[CPD_PROBES];
	*kernel = data->usage.system -
		  (probes < data->usage.system ? probes : data->usage.system);
	*cpu = data->usage.user + *kernel;
	return data->has_usage && !stopped && (time || !probed) &&
	       *kernel >= MUCH_SYSTEM;
}

/* A fault that took longer zeroed or read much, and its number tells little. */
#define FAULT_MOST 50 /* us */

enum kernel_work dataset_kernel_work(const struct dataset *data)
{
	uint32_t cpu = dataset_named(data, "cpu");
	uint32_t faults = dataset_named(data, "pagefaults");
	uint64_t kernel = 0, all, calls = cpu ? in_calls(data, cpu) : 0;

	dataset_kernel_time(data, &kernel, &all);
	if (calls && calls >= kernel / 2)
		return KERNEL_CALLS;
	if (faults && data->books[faults].total >= kernel / FAULT_MOST)
		return KERNEL_FAULTS;
	return dataset_named(data, "syscalls") ? KERNEL_COUNTED
					       : KERNEL_UNKNOWN;
}
