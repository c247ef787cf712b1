/* What a call of a function costs, from a resource and from its calls. */
#include "cpprof/session/questions.h"
#include "analyzer/export/samples.h"
#include "lib/run/call_list.h"
#include "lib/text.h"
#include "lib/vec.h"

#include <stdlib.h>
#include <string.h>

#define CALLS "calls="

typedef VEC(uint32_t) function_ids;

/* Whether NAME is LIST, as calls= has it, or the one function of it. */
static bool is_of(const char *list, const char *name)
{
	size_t n = strlen(list), m = strlen(name);

	return !strcmp(list, name) ||
	       (!strchr(list, '+') && n > m + 1 && list[n - m - 1] == ':' &&
		       list[n - m - 2] != ':' && !strcmp(list + n - m, name));
}

/* Whether what executes function NAME is no code of a file, which alone can
   have a probe. */
static bool has_no_code(const struct dataset *data, const char *name)
{
	uint32_t *found;
	size_t n;
	struct err err;
	bool none;

	if (!name || dataset_find(data, name, &found, &n, &err))
		return false;
	none = function_is_runtime(&data->functions[*found]);
	free(found);
	return none;
}

/* The resource that counts calls of NAME, best by their whole stacks; 0 and an
   error where there is none. */
static uint32_t find_calls(
	const struct session *s, const char *name, struct err *err)
{
	const struct dataset *data = s->data;
	uint32_t found = 0, n = 0, arcs = session_arcs(s);
	char list[256] = "";

	for (uint32_t r = 1; r <= data->nresources; r++) {
		const char *is = data->resources[r].name;

		if (strncmp(is, CALLS, strlen(CALLS)) != 0)
			continue;
		if (name && is_of(is + strlen(CALLS), name))
			return r;
		found = r;
		text_list(list, sizeof list, is);
		n++;
	}
	if (!name && n == 1 && !arcs)
		return found;
	if (name && arcs)
		return arcs;
	err_set(err, name, "percall",
		name || (!n && !arcs) ? "its calls were not counted"
				      : "which function?");
	if (arcs)
		err_hint(err, "'percall F', --percall=F");
	else if (dataset_named(data, PERCALL_ARCS))
		err_hint(err, "they were counted by caller, which is not "
			      "enough for what is filtered or elided");
	else if (has_no_code(data, name))
		err_hint(err, "nothing here counts them: it is interpreted, or "
			      "its code was generated while the program ran");
	else if (n)
		err_hint(err, "this file has: %s", list);
	else
		err_hint(err,
			"count them beside the resource: cpprof run -r "
			"cpu,calls=%s -- PROG",
			name ? name : "F");
	return 0;
}

static int check_cost(const struct session *s, struct err *err)
{
	const char *name = session_resource(s)->name;

	if (strncmp(name, CALLS, strlen(CALLS)) != 0 &&
		strcmp(name, PERCALL_ARCS) != 0)
		return 0;
	err_set(err, name, "percall", "it is the calls, not a cost");
	if (s->data->nresources == 1)
		return err_hint(err,
			"a run has both: cpprof run -r cpu,%s -- PROG", name);
	return err_hint(err, "choose another resource: 'resource cpu', -r cpu");
}

struct spread_reader {
	struct spread *spread;
	uint32_t cost, calls; /* resources */
};

static int take(void *arg, const struct cpd_sample *sample, struct err *err)
{
	const struct spread_reader *r = arg;

	if (sample->resource != r->cost && sample->resource != r->calls)
		return 0;
	return spread_take(r->spread, sample, sample->resource == r->cost)
		       ? err_memory(err, NULL, "percall")
		       : 0;
}

/* Reads the samples again, call by call, where each call is one of them and
   the file can be read twice. */
static int find_spread(struct session *s, struct percall *percall,
	uint32_t calls, const function_ids *functions, struct err *err)
{
	const struct export x = {.data = s->data, .view = s->view, .all = true};
	struct spread_reader r = {&percall->spread, s->view.resource, calls};
	struct stacks stacks;
	struct kept *kept;
	int bad;

	if (!percall_counts_all(percall) || calls == session_arcs(s) ||
		!strcmp(s->data->path, "-"))
		return 0;
	if (spread_init(r.spread, s->data, functions->v, functions->n))
		return err_memory(err, NULL, "percall");
	kept = kept_new(&x, &stacks, err);
	if (!kept)
		return -1;
	bad = samples_each(&x, kept, "reading calls", take, &r, err);
	kept_free(kept, s->data);
	spread_sort(r.spread);
	percall->spread_known = percall_is_spread(percall);
	return bad;
}

/* Of the N functions FOUND those in LIBRARY: "libz" is libz.so.1, and not
   libzstd.so.1. */
static size_t keep_library(const struct dataset *data, const char *library,
	uint32_t *found, size_t n)
{
	size_t kept = 0, length;

	library = text_base_name(library);
	length = strlen(library);
	for (size_t i = 0; i < n; i++) {
		const char *module = data->functions[found[i]].module;

		if (!strncmp(module, library, length) &&
			(!module[length] || strchr(".-", module[length])))
			found[kept++] = found[i];
	}
	return kept;
}

/* All functions of the resource's LIST but those in no sample: which are not
   called may be. */
static int find_functions(const struct session *s, const struct tree *tree,
	const char *list, function_ids *functions, struct err *err)
{
	char *copy = strdup(list), *rest = copy, *name, *library;
	int bad = 0;

	if (!copy)
		return err_memory(err, NULL, "percall");
	session_in_no_sample(s, list, err);
	while (!bad && (name = call_list_next(&rest, &library))) {
		uint32_t *found;
		size_t n;

		if (session_roots(s, tree, name, &found, &n, err))
			continue;
		if (library)
			n = keep_library(s->data, library, found, n);
		while (n && vec_add(functions, found[n - 1]))
			n--;
		free(found);
		if (n)
			bad = err_memory(err, NULL, "percall");
	}
	free(copy);
	return functions->n ? bad : -1;
}

int question_percall(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	const char *name = asked->name;
	uint32_t calls = find_calls(s, name, err);
	function_ids functions = {0};
	const uint32_t both[] = {s->view.resource, calls};
	struct tree_view view = s->view;
	const struct tree **trees;
	struct report_options options;
	struct percall percall;
	int status = -1;

	(void)self;
	if (!calls || check_cost(s, err) < 0)
		return -1;
	if (strcmp(s->data->resources[calls].name, PERCALL_ARCS) != 0)
		name = s->data->resources[calls].name + strlen(CALLS);
	view.group = GROUP_FUNCTION;
	trees = session_trees(s, &view, both, 2, err);
	if (!trees)
		return -1;
	if (find_functions(s, trees[0], name, &functions, err) < 0 ||
		percall_init(&percall, trees, functions.v, functions.n,
			asked->threshold, err) < 0)
		goto out;
	percall.function = name;
	if (find_spread(s, &percall, calls, &functions, err)) {
		/* ERR says why */
	} else if (percall.n || s->format->data) {
		options = asked_begin(asked, s, NULL, out);
		status = report_percall(out->stream, s->format, &percall,
			asked->threshold, &options, err);
	} else {
		session_in_no_sample(s, name, err);
	}
	percall_fini(&percall);
out:
	vec_free(&functions);
	free(trees);
	return status;
}
