/* Divides a resource by the calls that were counted beside it. */
#include "analyzer/questions/percall.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What a probe takes at least for each call.  A function's time may be wrong
   by as much. */
#define PROBE_USEC 10
#define PROBE_PART 0.01

#define PLACED 0.9 /* of what a function consumed, in its counted calls */

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
	double taken = (double)probed * PROBE_USEC;

	if (!probes_consume(r) || books->loss[CPD_PROBES] || !probed ||
		(r->unit == CPD_USEC &&
			taken < PROBE_PART *
					(double)tree_total(cost, 0)->weight))
		return 0;
	err_set(err, r->name, "percall",
		"it includes the time of the probes at %" PRIu64
		" calls, which cannot be taken out",
		probed);
	return err_hint(err, "cpu has it as [probes]: run -r cpu,%s",
		tree_resource(calls)->name);
}

int percall_init(struct percall *percall, const struct tree *const trees[2],
	const uint32_t *functions, size_t n, double threshold, struct err *err)
{
	const struct why_choice paths = {PROFILE_UP, functions, n, threshold};
	struct tree **pruned = percall->pruned;

	memset(percall, 0, sizeof *percall);
	pruned[0] = tree_prune(trees[0], functions, n, false, err);
	if (pruned[0])
		pruned[1] = tree_prune(trees[1], functions, n, true, err);
	if (pruned[1] && check_probes(pruned[0], trees[1], err) == 0)
		percall->why = why_new(
			(const struct tree *const *)pruned, 2, &paths, err);
	if (percall->why)
		return 0;
	percall_fini(percall);
	return -1;
}

void percall_fini(struct percall *percall)
{
	why_free(percall->why);
	tree_free(percall->pruned[0]);
	tree_free(percall->pruned[1]);
	spread_fini(&percall->spread);
	memset(percall, 0, sizeof *percall);
}

double percall_value(const struct why_row *row)
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

double percall_doubt(const struct percall *percall, const struct why_row *row)
{
	const double z = 1.959963984540054;

	return z * sqrt(variance(percall->pruned[0], &row->of[0]) +
			   variance(percall->pruned[1], &row->of[1]));
}

bool percall_is_spread(const struct percall *percall)
{
	const struct spread *spread = &percall->spread;
	const struct why *why = percall->why;

	for (size_t i = 0; i < why->n; i++) {
		const struct tree_sums *of = why->rows[i].of;

		if (why->rows[i].length == 1)
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
