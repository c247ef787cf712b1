/* Divides a resource by the calls that were counted beside it. */
#include "analyzer/questions/percall.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/profile/profile_parts.h"
#include "analyzer/questions/why.h"
#include "lib/order.h"
#include "lib/run/rerun.h"
#include "lib/set.h"

/* What a probe takes at least for each call, with a sample.  A function's time
   may be wrong by as much. */
#define PROBE_USEC 10
#define PROBE_PART 0.01

#define PLACED 0.9 /* of what a function consumed, in its counted calls */

struct caller {
	uint32_t path[2]; /* FN_NONE: the calls of all */
	uint32_t site;
	struct tree_sums of[2];
};

struct percall_private {
	struct why *why; /* has the paths; or else */
	SET_OF(struct caller) callers;
	struct strings sites;
};

static bool is_arcs(const struct tree *calls)
{
	return !strcmp(tree_resource(calls)->name, PERCALL_ARCS);
}

/* Whether a probe consumes something of R. */
static bool probes_consume(const struct cpd_resource *r)
{
	static const char *const events[] = {"cycles", "instructions", "branch",
		"cache", "stalled", "LLC", "L1", "cpu/"};

	if (r->unit == CPD_USEC)
		return true;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (strstr(r->name, events[i]))
			return true;
	return false;
}

/*
 * Whether the books have taken the probes' time out of what COST has, or there
 * is none.  All CALLS passed a probe, recursive and lost ones too.
 */
static int check_probes(
	const struct tree *cost, const struct tree *calls, struct err *err)
{
	const struct cpd_resource *r = tree_resource(cost);
	const struct books *books = tree_books(cost);
	uint64_t probed = tree_total(calls, 0)->weight;
	bool arcs = is_arcs(calls);
	double taken = (double)probed * (arcs ? RERUN_PROBE_COST : PROBE_USEC);

	if (!probes_consume(r) || r->flags & CPD_RESOURCE_NO_PROBES ||
		books->loss[CPD_PROBES] || !probed ||
		(r->unit == CPD_USEC &&
			taken < PROBE_PART *
					(double)tree_total(cost, 0)->weight))
		return 0;
	err_set(err, r->name, "percall",
		"it includes the time of the probes at %" PRIu64
		" calls, which cannot be taken out",
		probed);
	return err_hint(err,
		"cpu has it as [probes]: cpprof run -r cpu%s%s -- PROG",
		arcs ? "" : ",", arcs ? "" : tree_resource(calls)->name);
}

/* Of a function with too many calls only a part is counted. */
static int check_limit(const struct tree *calls, const uint32_t *functions,
	size_t n, struct err *err)
{
	for (size_t i = 0; is_arcs(calls) && i < n; i++) {
		const struct function *f =
			&calls->data->functions[functions[i]];

		if (!f->more_calls)
			continue;
		err_set(err, f->name, "percall",
			"it had more calls than were counted");
		return err_hint(err, "run it with a higher --count-limit");
	}
	return 0;
}

/* --- by path --- */

/* The paths that an upward profile has. */
static int find_paths(struct percall *percall, const struct why_choice *paths,
	struct err *err)
{
	const struct why *why = percall->impl->why = why_new(
		(const struct tree *const *)percall->pruned, 2, paths, err);

	if (!why)
		return -1;
	percall->rows = calloc(why->n + 1, sizeof *percall->rows);
	if (!percall->rows)
		return err_memory(err, NULL, "percall");
	for (; percall->n < why->n; percall->n++) {
		const struct why_row *row = &why->rows[percall->n];

		percall->rows[percall->n] = (struct percall_row){
			row->path, row->length, "", {row->of[0], row->of[1]}};
	}
	return 0;
}

/* --- by caller --- */

/* Adds SUMS to what the caller has; false: no memory. */
static bool add_caller(struct percall_private *impl, struct caller caller,
	size_t t, const struct tree_sums *sums)
{
	uint32_t i =
		set_add(&impl->callers, &caller, offsetof(struct caller, of));

	if (i == HASH_NONE)
		return false;
	tree_sums_add(&impl->callers.v[i].of[t], sums);
	return true;
}

/* ... and to what the function has in all. */
static bool add_node(struct percall_private *impl, const struct tree *tree,
	uint32_t call, size_t t, const struct tree_sums *sums)
{
	const struct tree_node *node = &tree->nodes[call];
	struct caller caller = {.path = {FN_NONE, node->function}};
	const char *site =
		tree->sites ? tree_site(tree, tree->sites[call]) : "";

	if (!add_caller(impl, caller, t, sums))
		return false;
	caller.path[0] = tree->nodes[node->parent].function;
	caller.site = strings_add(&impl->sites, site, strlen(site));
	return caller.site != UINT32_MAX &&
	       (caller.path[0] == FN_ALL || add_caller(impl, caller, t, sums));
}

/* Takes tree T: 0, what was consumed; 1, calls. */
static bool add_tree(struct percall_private *impl, const struct tree *tree,
	const bool *wanted, size_t t)
{
	const struct tree_node *nodes = tree->nodes;
	/* by node: of the innermost call, that is no call by itself */
	uint32_t *calls = calloc(tree->n, sizeof *calls);
	bool good = calls;

	for (uint32_t i = 1; good && i < tree->n; i++) {
		uint32_t parent = nodes[i].parent;
		struct tree_sums sums = tree_self(tree, i);
		bool begins = wanted[nodes[i].function] &&
			      nodes[i].function != nodes[parent].function;

		calls[i] = begins ? i : calls[parent];
		if (calls[i] && sums.weight && (t == 0 || begins))
			good = add_node(impl, tree, calls[i], t, &sums);
	}
	free(calls);
	return good;
}

static int compare_rows(const void *a, const void *b, void *tree)
{
	const struct percall_row *x = a, *y = b;
	int order = ORDER(y->of[0].weight, x->of[0].weight)
		?: ORDER(y->of[1].weight, x->of[1].weight)
		?: ORDER(x->length, y->length);

	for (uint32_t i = 0; !order && i < x->length; i++)
		order = profile_compare_functions(tree, x->path[i], y->path[i]);
	return order ?: strcmp(x->site, y->site);
}

/* Those that reach the threshold of what F consumed, or was called. */
static int list_callers(
	struct percall *percall, double threshold, struct err *err)
{
	struct percall_private *impl = percall->impl;
	double most[2] = {0};

	for (size_t i = 0; i < impl->callers.n; i++)
		for (size_t t = 0; t < 2; t++)
			if (impl->callers.v[i].path[0] == FN_NONE)
				most[t] +=
					(double)impl->callers.v[i].of[t].weight;
	if (!most[1] && is_arcs(percall->pruned[1]))
		return err_set(
			err, NULL, "percall", "no call of it was counted");
	percall->rows = calloc(impl->callers.n + 1, sizeof *percall->rows);
	if (!percall->rows)
		return err_memory(err, NULL, "percall");
	for (size_t i = 0; i < impl->callers.n; i++) {
		const struct caller *c = &impl->callers.v[i];
		uint32_t length = c->path[0] == FN_NONE ? 1 : 2;

		for (size_t t = 0; t < 2; t++)
			if (c->of[t].weight && (double)c->of[t].weight >=
						       threshold * most[t]) {
				percall->rows[percall->n++] =
					(struct percall_row){
						c->path + 2 - length, length,
						strings_get(
							&impl->sites, c->site),
						{c->of[0], c->of[1]}};
				break;
			}
	}
	qsort_r(percall->rows, percall->n, sizeof *percall->rows, compare_rows,
		percall->pruned[0]);
	return 0;
}

static int find_callers(struct percall *percall,
	const struct tree *const trees[2], const struct why_choice *of,
	struct err *err)
{
	size_t most = trees[0]->impl->nfunctions + trees[1]->impl->nfunctions;
	bool *wanted = calloc(most + 1, sizeof *wanted);
	bool good = wanted;

	for (size_t i = 0; good && i < of->nroots; i++)
		if (of->roots[i] < most)
			wanted[of->roots[i]] = true;
	for (size_t t = 0; good && t < 2; t++)
		good = add_tree(percall->impl, trees[t], wanted, t);
	free(wanted);
	return good ? list_callers(percall, of->threshold, err)
		    : err_memory(err, NULL, "percall");
}

/* --- both --- */

int percall_init(struct percall *percall, const struct tree *const trees[2],
	const uint32_t *functions, size_t n, double threshold, struct err *err)
{
	const struct why_choice choice = {PROFILE_UP, functions, n, threshold};
	struct tree **pruned = percall->pruned;
	int status = -1;

	memset(percall, 0, sizeof *percall);
	percall->sites = trees[1]->view.sites;
	percall->impl = calloc(1, sizeof *percall->impl);
	if (!percall->impl)
		return err_memory(err, NULL, "percall");
	if (check_limit(trees[1], functions, n, err))
		goto out;
	pruned[0] = tree_prune(trees[0], functions, n, false, err);
	if (pruned[0])
		pruned[1] = tree_prune(trees[1], functions, n, true, err);
	if (pruned[1] && check_probes(pruned[0], trees[1], err) == 0)
		status = percall->sites || is_arcs(trees[1])
				 ? find_callers(percall, trees, &choice, err)
				 : find_paths(percall, &choice, err);
out:
	if (status)
		percall_fini(percall);
	return status;
}

void percall_fini(struct percall *percall)
{
	why_free(percall->impl->why);
	set_free(&percall->impl->callers);
	strings_free(&percall->impl->sites);
	free(percall->impl);
	free(percall->rows);
	tree_free(percall->pruned[0]);
	tree_free(percall->pruned[1]);
	spread_fini(&percall->spread);
	memset(percall, 0, sizeof *percall);
}

double percall_value(const struct percall_row *row)
{
	return row->of[1].weight
		       ? (double)row->of[0].weight / (double)row->of[1].weight
		       : -1;
}

/* The square of the relative error of a sum of samples. */
static double variance(const struct tree *tree, const struct tree_sums *sums)
{
	double weight = (double)sums->weight;

	return weight > 0 ? profile_variance(tree, sums) / (weight * weight)
			  : 0;
}

double percall_doubt(
	const struct percall *percall, const struct percall_row *row)
{
	const double z = 1.959963984540054;

	return z * sqrt(variance(percall->pruned[0], &row->of[0]) +
			   variance(percall->pruned[1], &row->of[1]));
}

bool percall_is_spread(const struct percall *percall)
{
	const struct spread *spread = &percall->spread;

	for (size_t i = 0; i < percall->n; i++) {
		const struct tree_sums *of = percall->rows[i].of;

		if (percall->rows[i].length == 1)
			return spread->calls.n &&
			       spread->calls.n == of[1].weight &&
			       (double)spread->placed >=
				       PLACED * (double)of[0].weight;
	}
	return false;
}

uint64_t percall_lost(const struct percall *percall)
{
	const struct tree *calls = percall->pruned[1];
	const struct books *books = tree_books(calls);
	uint64_t lost = 0;

	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++)
		sum_add(&lost, books->loss[kind]);
	return lost;
}

bool percall_counts_all(const struct percall *percall)
{
	return profile_of_all(percall->pruned[1]) && !percall_lost(percall);
}
