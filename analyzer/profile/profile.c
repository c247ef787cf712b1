/*
 * profile.c - profiles of all kinds; the single functions and the tree itself.
 */
#include <math.h>
#include <stdlib.h>

#include "analyzer/profile/profile_private.h"
#include "lib/impl.h"
#include "lib/order.h"

/* Paths of length 1. */

static int profile_functions(struct profile *profile, struct err *err)
{
	struct profile_private *impl = profile->impl;
	const struct tree *tree = profile->tree;
	const struct function_sums *all = profile_listed(tree);
	uint32_t n = tree->impl->nfunctions;

	if (!all)
		return err_memory(err, NULL, "profile");
	for (uint32_t f = 0; f < n; f++) {
		const struct tree_sums *sums =
			profile->kind == PROFILE_BODY
				? &all[f].self
				: profile_total(tree, all, f);
		struct profile_entry *entry;
		uint32_t *path;

		if (!profile_wants(profile, sums->weight))
			continue;
		entry = vec_push(&impl->entries);
		path = arena_alloc(&impl->arena, sizeof *path);
		if (!entry || !path)
			return err_memory(err, NULL, "profile");
		*path = f;
		entry->path = path;
		entry->length = 1;
		entry->weight = sums->weight;
		entry->hits = sums->hits;
		entry->samples = sums->samples;
	}
	return 0;
}

/* The tree lies as it is shown: preorder, siblings by falling weight. */
static int profile_whole_tree(struct profile *profile, struct err *err)
{
	const struct tree *tree = profile->tree;

	for (uint32_t i = 1; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct tree_sums *sums = tree_total(tree, i);
		struct profile_entry *entry;

		if (work_step(tree->view.work, "listing the tree", i, tree->n,
			    err))
			return -1;
		if (!profile_wants(profile, sums->weight))
			continue;
		entry = vec_push(&profile->impl->entries);
		if (!entry)
			return err_memory(err, NULL, "profile");
		entry->path = &node->function;
		entry->sites = tree->sites ? &tree->sites[i] : NULL;
		entry->length = 1;
		entry->depth = node->depth;
		entry->weight = sums->weight;
		entry->hits = sums->hits;
		entry->samples = sums->samples;
	}
	return 0;
}

/* Order. */

struct sorting {
	const struct tree *tree;
	uint64_t compared;
	bool stopped; /* then all are alike, which soon ends the sorting */
	struct err *err;
};

static int compare_entries(const void *a, const void *b, void *arg)
{
	const struct profile_entry *x = a, *y = b;
	struct sorting *sorting = arg;
	const struct tree *tree = sorting->tree;
	uint32_t length = x->length;

	if (sorting->stopped)
		return 0;
	if (work_step(tree->view.work, "sorting", ++sorting->compared, 0,
		    sorting->err)) {
		sorting->stopped = true;
		return 0;
	}
	/* Shorter paths come first: a chain of calls then reads outward from
	   the root. */
	if (x->weight != y->weight || x->length != y->length)
		return ORDER(y->weight, x->weight)
			       ?: ORDER(x->length, y->length);
	/* Paths that share memory are equal as far as the shorter one goes. */
	for (uint32_t i = x->path == y->path ? length : 0; i < length; i++) {
		if (x->path[i] != y->path[i])
			return profile_compare_functions(
				tree, x->path[i], y->path[i]);
		if (x->sites && x->sites[i] != y->sites[i])
			return ORDER(x->sites[i], y->sites[i]);
	}
	return 0;
}

static int sort_entries(struct profile *profile, struct err *err)
{
	struct sorting sorting = {.tree = profile->tree, .err = err};
	size_t n = profile->impl->entries.n;

	if (profile->kind != PROFILE_TREE && n > 1)
		qsort_r(profile->impl->entries.v, n, sizeof *profile->entries,
			compare_entries, &sorting);
	return sorting.stopped ? -1 : 0;
}

/* All. */

static int profile_make(struct profile *profile, const uint32_t *roots,
	size_t nroots, struct err *err)
{
	int status = 0;

	switch (profile->kind) {
	case PROFILE_DOWN:
		for (size_t i = 0; i < nroots && !status; i++)
			status = profile_down(profile, roots[i], err);
		return status;
	case PROFILE_UP:
		for (size_t i = 0; i < nroots && !status; i++)
			status = profile_up(profile, roots[i], err);
		return status;
	case PROFILE_FUNCTION:
	case PROFILE_BODY:
		return profile_functions(profile, err);
	case PROFILE_TREE:
		return profile_whole_tree(profile, err);
	}
	return err_set(err, NULL, "profile", "no such kind");
}

struct profile *profile_new(const struct tree *tree, enum profile_kind kind,
	const uint32_t *roots, size_t nroots, double threshold, struct err *err)
{
	struct profile *profile = new_with_impl(struct profile);

	if (!profile) {
		err_memory(err, NULL, "profile");
		return NULL;
	}
	profile->kind = kind;
	profile->tree = tree;
	profile->threshold = threshold;
	profile->total = tree->whole.weight;
	profile->kept = tree_total(tree, 0)->weight;
	profile->impl->cutoff = tree_cutoff(tree, threshold);
	if (profile_make(profile, roots, nroots, err) ||
		sort_entries(profile, err)) {
		profile_free(profile);
		return NULL;
	}
	profile->entries = profile->impl->entries.v;
	profile->n = profile->impl->entries.n;
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	vec_free(&profile->impl->entries);
	arena_fini(&profile->impl->arena);
	free(profile->impl->light);
	free(profile);
}

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

double profile_fraction(
	const struct profile *profile, const struct profile_entry *entry)
{
	return share(entry->weight, profile->total);
}

double profile_kept_fraction(
	const struct profile *profile, const struct profile_entry *entry)
{
	return share(entry->weight, profile->kept);
}

static bool is_of_events(const struct tree *tree)
{
	return tree_resource(tree)->flags & CPD_RESOURCE_EVENTS;
}

bool profile_is_exact(const struct profile *profile)
{
	return profile_of_all(profile->tree);
}

bool profile_of_all(const struct tree *tree)
{
	const struct cpd_resource *r;

	if (!tree->data)
		return false;
	r = tree_resource(tree);
	/* cpprof's files of old do not say what passes in events */
	return r->interval == 1 && r->unit != CPD_USEC &&
	       (!tree->data->imported || is_of_events(tree)) &&
	       !(r->flags & (CPD_RESOURCE_CLOCK | CPD_RESOURCE_ESTIMATE |
				    CPD_RESOURCE_RANDOM));
}

static double interval_of(const struct tree *tree)
{
	return (double)tree_resource(tree)->interval;
}

/*
 * How many samples of one weight tell as much as those there are: L. Kish,
 * "Survey Sampling" (1965).  Of stacks that are no file's, hits are samples.
 */
static double effective_samples(const struct tree *tree)
{
	const struct books *books;
	double weight;

	if (!tree->data)
		return (double)tree->whole.hits;
	books = tree_books(tree);
	weight = (double)books->weight;
	if (is_of_events(tree))
		return weight / interval_of(tree);
	return books->squares > 0 ? weight * weight / books->squares : 0;
}

double profile_variance(const struct tree *tree, const struct tree_sums *sums)
{
	const struct books *books = tree_books(tree);

	if (profile_of_all(tree) || !books->weight)
		return 0;
	if (is_of_events(tree))
		return interval_of(tree) * interval_of(tree) *
		       (double)sums->samples;
	return (double)sums->weight * books->squares / (double)books->weight;
}

bool profile_is_rough(const struct tree *tree, const struct tree_sums *sums)
{
	double weight = (double)sums->weight;

	/* Losses have no samples and are known exactly. */
	return sums->samples && sums->samples < FEW_SAMPLES &&
	       !profile_of_all(tree) &&
	       (!tree->data || !is_of_events(tree) ||
		       weight * weight <
			       FEW_SAMPLES * profile_variance(tree, sums));
}

/*
 * The least that samples of events leave certain: of each all hits but one.
 * An interval that varies is at most twice its mean.
 */
static double certain(const struct tree *tree, double weight, uint64_t samples)
{
	const struct cpd_resource *r;

	if (!tree->data || !is_of_events(tree))
		return 0;
	r = tree_resource(tree);
	return fmax(0, weight - (r->flags & CPD_RESOURCE_RANDOM ? 2 : 1) *
					interval_of(tree) * (double)samples);
}

/*
 * E. B. Wilson, "Probable inference, the law of succession, and statistical
 * inference", JASA 22 (1927).  Only what was sampled is uncertain: the share
 * of the samples is estimated and then scaled to all weight; a loss is known.
 */
void profile_interval(const struct profile *profile,
	const struct profile_entry *entry, double *lo, double *hi)
{
	const double z = 1.959963984540054;
	const struct tree *tree = profile->tree;
	double sampled = (double)(profile->total - tree->impl->loss);
	double n = effective_samples(tree);
	double p, middle, half, rest;

	*lo = *hi = profile_fraction(profile, entry);
	if (!entry->hits || !(sampled > 0) || !(n > 0) ||
		profile_is_exact(profile))
		return;
	p = (double)entry->weight / sampled;
	if (p > 1) /* [all]: the losses are in it, and it is all */
		return;
	rest = sampled - (double)entry->weight;
	middle = (p + z * z / (2 * n)) / (1 + z * z / n);
	half = z / (1 + z * z / n) *
	       sqrt(p * (1 - p) / n + z * z / (4 * n * n));
	*lo = fmax(certain(tree, (double)entry->weight, entry->samples),
		      (middle - half) * sampled) /
	      (double)profile->total;
	*hi = fmin(sampled - certain(tree, rest,
				     tree->whole.samples - entry->samples),
		      (middle + half) * sampled) /
	      (double)profile->total;
}
