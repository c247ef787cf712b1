/* Opens a file, changes its view, and makes trees and profiles or takes them
   from the cache. */
#include "cpprof/session/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/lives.h"
#include "analyzer/profile/function_figures.h"
#include "lib/run/command.h"
#include "lib/text.h"
#include "cpprof/message.h"
#include "cpprof/session/session_cache.h"

static uint32_t first_resource(const struct dataset *data)
{
	for (uint32_t r = 1; r <= data->nresources; r++)
		if (data->books[r].samples)
			return r;
	return 1;
}

struct session *session_new(struct err *err)
{
	struct session *s = calloc(1, sizeof *s);

	if (s)
		s->cache = session_cache_new();
	if (!s || !s->cache) {
		free(s);
		err_sys(err, "session", NULL);
		return NULL;
	}
	s->threshold = DEFAULT_THRESHOLD;
	s->objects = -1;
	s->style.told = &s->told;
	s->format = report_formats;
	s->filters.work = &s->patience.work;
	s->elided.work = s->filters.work;
	s->view.filters = &s->filters;
	s->view.elided = &s->elided;
	s->view.work = &s->patience.work;
	return s;
}

struct session *session_open(const char *file, struct err *err)
{
	struct session *s = session_new(err);

	if (!s)
		return NULL;
	patience_begin(&s->patience);
	s->data = dataset_open(file, &s->patience.work, err);
	patience_end(&s->patience);
	if (!s->data)
		goto fail;
	if (s->data->nresources == 0) {
		err_set(err, file, NULL, "there is no resource in it");
		err_hint(err, "the run ended before it began; run it again");
		goto fail;
	}
	s->view.resource = first_resource(s->data);
	session_view(s, &s->view);
	s->root = strdup(dataset_default_root(s->data));
	if (s->root)
		return s;
	err_sys(err, file, "open");
fail:
	session_close(s);
	return NULL;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	session_cache_free(s->cache);
	filters_fini(&s->filters);
	filters_fini(&s->elided);
	source_paths_fini(&s->sources);
	dataset_free(s->data);
	free(s->root);
	free(s);
}

void session_view(struct session *s, const struct tree_view *view)
{
	struct tree_view next = *view;

	next.group = s->group;
	next.objects = OBJECTS_NONE;
	if (s->objects >= 0)
		next.objects = s->objects;
	else if (s->data)
		next.objects = tree_own_objects(s->data, view->resource);
	if (session_same_view(&s->view, &next))
		return;
	session_forget_profiles(s->cache);
	next.filters = &s->filters;
	next.elided = &s->elided;
	next.work = &s->patience.work;
	s->view = next;
}

int session_filter(struct session *s, enum filter_kind kind, const char *name,
	struct err *err)
{
	struct filters *to = kind >= FILTER_ELIDE ? &s->elided : &s->filters;

	if (filters_add(to, s->data, kind, name, err) < 0)
		return -1;
	session_forget_profiles(s->cache);
	return 0;
}

void session_show_elided(struct session *s)
{
	while (filters_undo(&s->elided))
		;
	session_forget_undone(s->cache, &s->view);
}

int session_group(struct session *s, const char *name, struct err *err)
{
	enum dataset_group group = GROUP_FUNCTION;

	while (group < GROUP_KINDS &&
		strcmp(dataset_group_names[group], name) != 0)
		group++;
	if (strcmp(name, "off") == 0)
		group = GROUP_FUNCTION;
	if (group == GROUP_KINDS) {
		err_set(err, name, "group", "no such group");
		return err_hint(err, "group by module, file, thread, process "
				     "or function; 'group off' ends it");
	}
	s->group = group;
	session_view(s, &s->view);
	return 0;
}

/* Finds by a part of a name, with what TREE's functions have. */
static int find_weighed(const struct session *s, const struct tree *tree,
	const char *name, uint32_t **found, size_t *n, struct err *err)
{
	struct dataset_weights weights = {NULL, tree->whole.weight};
	uint64_t *of = calloc(s->data->nfunctions + 1, sizeof *of);
	struct function_figures figures;
	int status = -1;

	if (of && !function_figures_init(&figures, tree, false, 0, err)) {
		for (size_t i = 0; i < figures.n; i++)
			of[figures.v[i].function] = figures.v[i].total.weight;
		function_figures_fini(&figures);
		weights.of = of;
		status = dataset_find_part(
			s->data, name, &weights, found, n, err);
	}
	free(of);
	return of ? status : err_sys(err, name, "find");
}

int session_find_function(const struct session *s, const char *name,
	uint32_t **found, size_t *n, struct err *err)
{
	const struct tree *tree;
	struct err none;

	if (!dataset_find_part(s->data, name, NULL, found, n, err))
		return 0;
	if (s->group != GROUP_FUNCTION || !dataset_is_part(s->data, name))
		return -1;
	tree = session_tree(s, &none);
	return tree ? find_weighed(s, tree, name, found, n, err) : -1;
}

int session_find(const struct session *s, const char *name, uint32_t **found,
	size_t *n, struct err *err)
{
	uint32_t group = dataset_find_group(s->data, s->group, name);

	if (group == FN_NONE)
		return session_find_function(s, name, found, n, err);
	*found = malloc(sizeof **found);
	if (!*found)
		return err_sys(err, name, "find");
	**found = group;
	*n = 1;
	return 0;
}

int session_undo(struct session *s, struct err *err)
{
	if (!filters_undo(&s->filters)) {
		err_set(err, "undo", NULL, "no filter is in force");
		return err_hint(err,
			"contains, then, without, module, process, "
			"thread and window set filters; 'only off', 'elide "
			"off' and 'group off' end theirs");
	}
	session_forget_undone(s->cache, &s->view);
	return 0;
}

int session_parse_threshold(
	const char *word, double *threshold, struct err *err)
{
	if (text_parse_fraction(word, threshold))
		return 0;
	err_set(err, word, "threshold", "not a fraction");
	return err_hint(err, "a number from 0 to 1, or 0%% to 100%%");
}

int session_parse_top(const char *word, size_t *top, struct err *err)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);
	bool all = strcmp(word, "all") == 0;

	if (!all && (*word < '0' || *word > '9' || *end || n > UINT32_MAX)) {
		err_set(err, word, "top", "not a number of lines");
		return err_hint(err, "a number like 20, or all");
	}
	*top = all ? 0 : n;
	return 0;
}

int session_roots(const struct session *s, const struct tree *tree,
	const char *name, uint32_t **roots, size_t *n, struct err *err)
{
	if (session_find(s, name, roots, n, err) < 0)
		return -1;
	if (!s->view.clones)
		*n = dataset_bases(s->data, *roots, *n);
	*n = tree_shown(tree, *roots, *n);
	if (*n)
		return 0;
	free(*roots);
	*roots = NULL;
	err_set(err, name, NULL, "it is elided");
	return err_hint(err, "'elide off' shows it");
}

/* Whether a name that was found is only a part of one. */
static bool is_part(const struct session *s, const char *name)
{
	struct err err;
	uint32_t *found;
	size_t n;

	if (dataset_find_group(s->data, s->group, name) != FN_NONE)
		return false;
	if (dataset_find(s->data, name, &found, &n, &err) < 0)
		return true;
	free(found);
	return false;
}

int session_root(struct session *s, const char *name, struct err *err)
{
	uint32_t *found;
	size_t n;
	char *copy;

	if (session_find(s, name, &found, &n, err) < 0)
		return -1;
	if (is_part(s, name))
		name = s->data->functions[*found].shown;
	copy = strdup(name);
	free(found);
	if (!copy)
		return err_sys(err, name, "root");
	free(s->root);
	s->root = copy;
	s->rooted = true;
	return 0;
}

const struct tree *session_tree(const struct session *s, struct err *err)
{
	return session_find_tree(s->cache, s->data, &s->view, 0, err);
}

const struct profile *session_known_functions(const struct session *s)
{
	return session_find_functions(s->cache, &s->view);
}

/* Fails with the reason why the resource has no samples. */
static void explain_no_samples(const struct session *s, struct err *err)
{
	const struct cpd_resource *r = session_resource(s);
	const struct books *b = &s->data->books[s->view.resource];
	char used[64], every[64], info[256];
	uint64_t kernel;

	text_gticks(b->total, (enum text_unit)r->unit, used, sizeof used);
	text_gticks(r->interval, (enum text_unit)r->unit, every, sizeof every);
	if (!s->data->file.complete) {
		err_set(err, r->name, NULL,
			"no samples: the file has no end yet");
		err_hint(err, "the run goes on, or was cut short before its "
			      "first sample was written");
	} else if (b->lost_samples) {
		err_set(err, r->name, NULL,
			"no samples: all %" PRIu64 " were lost",
			b->lost_samples);
		err_hint(err,
			"a larger interval loses less: "
			"cpprof run -r %s:INTERVAL -- PROG",
			r->name);
	} else if (dataset_differs(s->data, s->view.resource, &kernel) < 0) {
		text_gticks(kernel, (enum text_unit)r->unit, used, sizeof used);
		err_set(err, r->name, NULL,
			"no samples: the timers missed the %s that the program "
			"used",
			used);
		err_hint(err, "'cpprof run --timer=stop' uses other timers");
	} else if (b->has_total && b->total == 0 &&
		   strncmp(r->name, "live", 4) == 0) {
		err_set(err, r->name, NULL,
			"no samples: all that was requested is freed");
		err_hint(err, "-r peak shows what lived at the most");
	} else if (b->has_total && b->total == 0) {
		err_set(err, r->name, NULL,
			"no samples: the program used none of it");
		err_hint(err, "%s%s",
			lives_begins(r->name)         ? HINT_OWN_HEAP
			: strcmp(r->name, "cpu") != 0 ? "profile another "
							"resource"
						      : "it waited: -r blocked "
							"shows where",
			dataset_noted(s->data, "attached") &&
					dataset_processes(s->data) == 1
				? "; --children has its child processes, too"
				: "");
	} else if (b->has_total && b->total < r->interval) {
		err_set(err, r->name, NULL,
			"no samples: the program used %s, less than the "
			"interval of %s",
			used, every);
		err_hint(err,
			"take a smaller interval: "
			"cpprof run -r %s:INTERVAL -- PROG%s%s",
			r->name, lives_begins(r->name) ? "; " : "",
			lives_begins(r->name) ? HINT_OWN_HEAP : "");
	} else {
		err_set(err, r->name, NULL, "no samples, at an interval of %s",
			every);
		err_hint(err, "see what was lost, and why: %s",
			command_on("info", s->data->path, info, sizeof info));
	}
}

const struct tree *session_sampled_tree(
	const struct session *s, struct err *err)
{
	const struct tree *tree;

	if (!s->format->data && !s->data->books[s->view.resource].samples) {
		explain_no_samples(s, err);
		return NULL;
	}
	tree = session_tree(s, err);
	if (!tree || s->format->data || !s->filters.n ||
		tree_total(tree, 0)->weight)
		return tree;
	err_set(err, session_resource(s)->name, NULL,
		"the filters keep none of it%s",
		tree->undecided.weight ? " but what truncated stacks may hide"
				       : "");
	err_hint(err, "in the shell 'filters' lists them, and 'undo' takes the "
		      "last away");
	return NULL;
}

const struct tree **session_trees(struct session *s,
	const struct tree_view *view, const uint32_t *resources, size_t n,
	struct err *err)
{
	const struct tree **trees = calloc(n + 1, sizeof *trees);
	struct tree_view of = *view;

	if (!trees)
		err_sys(err, s->data->path, NULL);
	for (size_t i = 0; trees && i < n; i++) {
		of.resource = resources[i];
		trees[i] = session_find_tree(s->cache, s->data, &of, i, err);
		if (!trees[i]) {
			free(trees);
			return NULL;
		}
	}
	return trees;
}

uint32_t session_arcs(const struct session *s)
{
	const struct filters *filters = s->view.filters;

	for (size_t i = 0; filters && i < filters->n; i++)
		if (filters->v[i].kind > FILTER_THREAD)
			return 0;
	return s->view.elided && s->view.elided->n
		       ? 0
		       : dataset_named(s->data, PERCALL_ARCS);
}

int session_in_no_sample(
	const struct session *s, const char *name, struct err *err)
{
	bool elided = s->elided.n > 0;
	bool idle = !s->view.no_fold &&
		    !strcmp(session_resource(s)->name, "blocked");

	err_set(err, name, NULL, "in no sample of %s%s%s",
		session_resource(s)->name,
		s->filters.n ? " that the filters keep" : "",
		elided ? ", or elided" : "");
	return err_hint(err,
		idle ? "'fold off', or --no-fold, shows the stacks that are "
		       "[idle]"
		: elided ? "'elide off' shows what is elided; 'function' lists "
			   "the functions that are left"
			 : "'function' lists the functions that are; [all] is "
			   "the root above all of them");
}

/* Fails with the reason why ALL, a profile with no threshold, has nothing to
   show: the root, or the THRESHOLD. */
static void explain_empty(const struct session *s, const struct profile *all,
	const char *root, double threshold, struct err *err)
{
	double most = 0, next;

	if (all->n == 0 && root) {
		session_in_no_sample(s, root, err);
		return;
	}
	for (size_t i = 0; i < all->n; i++) {
		next = profile_kept_fraction(all, all->entries + i);
		most = next > most ? next : most;
	}
	err_set(err, session_resource(s)->name, NULL,
		"nothing reaches the threshold of %g %%", 100 * threshold);
	err_hint(err, "the largest entry is %.2g %% of %s", 100 * most,
		s->filters.n ? "what the filters keep" : "the run");
}

const struct profile *session_profile(struct session *s, enum profile_kind kind,
	const char *root, double threshold, struct err *err)
{
	const struct tree *tree;
	struct profile *profile = NULL;
	uint32_t *roots = NULL;
	size_t nroots = 0;
	char *name = NULL;

	if (!profile_has_root(kind))
		root = NULL;
	tree = session_sampled_tree(s, err);
	if (!tree || (root && session_roots(
				      s, tree, root, &roots, &nroots, err) < 0))
		return NULL;
	profile = session_find_profile(s->cache, tree, kind, root, threshold);
	if (profile)
		goto out;
	profile = profile_new(tree, kind, roots, nroots, threshold, err);
	if (profile && profile->n == 0 && !s->format->data) {
		profile_free(profile);
		profile = profile_new(tree, kind, roots, nroots, 0, err);
		if (profile)
			explain_empty(s, profile, root, threshold, err);
		profile_free(profile);
		profile = NULL;
	}
	if (!profile)
		goto out;
	name = strdup(root ? root : "");
	if (name) {
		session_keep_profile(s->cache, profile, name);
	} else {
		err_sys(err, root, "profile");
		profile_free(profile);
		profile = NULL;
	}
out:
	free(roots);
	return profile;
}

struct report_options session_options(
	const struct session *s, const char *root, const struct output *out)
{
	struct report_options options = s->style;

	options.root = root;
	options.color = out->color;
	options.rows = out->rows;
	options.no_fold = s->view.no_fold;
	options.calls = s->objects == OBJECTS_CALLS;
	if (!options.columns) {
		options.columns = out->columns;
		options.whole |= !out->sized;
	}
	options.bars = out->terminal;
	return options;
}

const struct cpd_resource *session_resource(const struct session *s)
{
	return &s->data->resources[s->view.resource];
}

void session_warn(const struct session *s)
{
	const struct cpd_result *file = &s->data->file;

	if (file->truncated)
		message("%s: it was cut short: the first %" PRIu64
			" bytes are whole and were read, %" PRIu64 " left out",
			s->data->path, file->bytes, file->dropped);
	else if (!file->complete)
		message("%s: it has no end: the run goes on or was cut short; "
			"names and totals come at the end",
			s->data->path);
}
