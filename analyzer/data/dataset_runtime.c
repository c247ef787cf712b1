/*
 * dataset_runtime.c - which programs run generated code.
 *
 * A module is an interpreter if generated code calls it and it calls generated
 * code in turn.  A program that only calls code that it made is none.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"

enum { NONE_RUNS, MIXED_RUN = -1 };

/* The module that all frames since the last generated one are of, plus 1, at
   node I, whose caller has RUN; marks those that lead from one to the next. */
static int64_t next_run(const struct dataset_private *impl, size_t i,
	int64_t run, bool generated, bool *interpreters)
{
	const struct location *at =
		&impl->locations.v[impl->nodes.v[i].location];
	const struct function *f;

	for (uint32_t k = at->nframes; k-- > 0;) {
		f = &impl->functions.v[at->frames[k].function];
		if (function_is_runtime(f)) {
			if (generated && run > 0)
				interpreters[run - 1] = true;
			run = NONE_RUNS;
		} else if (run != MIXED_RUN) {
			run = !run || run == (int64_t)f->module_id + 1
				      ? (int64_t)f->module_id + 1
				      : MIXED_RUN;
		}
	}
	return run;
}

static bool is_generated(const struct dataset_private *impl, size_t node)
{
	const struct location *at =
		&impl->locations.v[impl->nodes.v[node].location];

	return at->nframes &&
	       function_is_runtime(&impl->functions.v[at->frames->function]);
}

static bool any_generated(const struct dataset_private *impl)
{
	for (size_t i = FN_FIRST_REAL; i < impl->functions.n; i++)
		if (function_is_runtime(&impl->functions.v[i]))
			return true;
	return false;
}

int dataset_find_interpreters(struct dataset_private *impl)
{
	size_t n = impl->nodes.n;
	bool *interpreters = calloc(impl->modules.n + 1, sizeof *interpreters);
	bool *generated = calloc(n + 1, sizeof *generated);
	int64_t *runs = calloc(n + 1, sizeof *runs);
	bool good = interpreters && generated && runs;

	if (!any_generated(impl))
		n = 0;
	for (size_t i = 1; good && i < n; i++) {
		uint32_t caller = impl->nodes.v[i].parent;

		runs[i] = next_run(
			impl, i, runs[caller], generated[caller], interpreters);
		generated[i] = generated[caller] || is_generated(impl, i);
	}
	for (size_t i = FN_FIRST_REAL; good && i < impl->functions.n; i++) {
		struct function *f = &impl->functions.v[i];

		f->interpreter = !function_is_runtime(f) && !f->is_main &&
				 interpreters[f->module_id];
	}
	free(interpreters);
	free(generated);
	free(runs);
	return good ? 0 : -1;
}

/* Whether generated code F is Python's to enter a function that is on stacks
   itself: "py::f:/srv/app.py". */
static bool is_trampoline(
	const struct dataset_private *impl, const struct function *f)
{
	size_t n;

	if (f->source != CPD_NAME_JIT || strncmp(f->name, "py::", 4) != 0)
		return false;
	n = strcspn(f->name + 4, ":");
	for (size_t i = FN_FIRST_REAL; i < impl->functions.n; i++) {
		const struct function *g = &impl->functions.v[i];

		if (g->source == CPD_NAME_RUNTIME && strlen(g->name) == n &&
			!memcmp(g->name, f->name + 4, n))
			return true;
	}
	return false;
}

int dataset_leave_trampolines_out(struct dataset_private *impl)
{
	bool *twice = calloc(impl->functions.n + 1, sizeof *twice);

	if (!twice)
		return -1;
	for (size_t i = FN_FIRST_REAL; i < impl->functions.n; i++)
		twice[i] = is_trampoline(impl, &impl->functions.v[i]);
	for (size_t i = 1; i < impl->nodes.n; i++) {
		struct node *node = &impl->nodes.v[i];
		const struct location *at = &impl->locations.v[node->location];

		if (node->parent && at->nframes == 1 &&
			twice[at->frames->function])
			*node = impl->nodes.v[node->parent];
	}
	free(twice);
	return 0;
}
