/* Which pages faulted how often, from the samples one by one. */
#include "cpprof/session/questions.h"

#include "analyzer/export/samples.h"

/* The view's resource if its events are at memory, or else the first of the
   file; 0 and an error where there is none. */
static uint32_t find_faults(const struct session *s, struct err *err)
{
	const struct cpd_resource *all = s->data->resources;
	uint32_t found = 0;

	for (uint32_t r = 1; r <= s->data->nrecorded; r++)
		if (all[r].flags & CPD_RESOURCE_AT_MEMORY &&
			(!found || r == s->view.resource))
			found = r;
	if (!found) {
		err_set(err, s->data->path, "pages", "no resource tells pages");
		err_hint(err, "cpprof run -r pagefaults -- PROG");
	}
	return found;
}

static int take(void *arg, const struct cpd_sample *sample, struct err *err)
{
	return pages_take(arg, sample) ? err_memory(err, NULL, "pages") : 0;
}

/* Reads the samples again. */
static int read_pages(struct pages *pages, struct err *err)
{
	struct export x = {.data = pages->tree->data,
		.view = pages->tree->view,
		.all = true};
	struct stacks stacks;
	struct kept *kept;
	int bad;

	x.view.group = GROUP_FUNCTION;
	x.view.objects = OBJECTS_ALL;
	kept = kept_new(&x, &stacks, err);
	if (!kept)
		return -1;
	bad = samples_each(&x, kept, "reading faults", take, pages, err);
	if (!bad && pages_finish(pages))
		bad = err_memory(err, NULL, "pages");
	kept_free(kept, x.data);
	return bad;
}

int question_pages(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	struct tree_view view = s->view, before = s->view;
	struct report_options options;
	struct pages pages = {0};
	int status = -1;

	(void)self;
	view.resource = find_faults(s, err);
	if (!view.resource)
		return -1;
	session_view(s, &view);
	pages.tree = session_sampled_tree(s, err);
	if (pages.tree && !read_pages(&pages, err)) {
		options = asked_begin(asked, s, NULL, out);
		status = report_pages(out->stream, s->format, &pages,
			asked->threshold, &options, err);
	}
	pages_fini(&pages);
	session_view(s, &before);
	return status;
}
