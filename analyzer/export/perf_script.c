/*
 * perf_script.c - sample by sample, in order of time, as `perf script' prints:
 *
 *     comm pid/tid sec.nsec: period resource:
 *             address function+0xoffset (module)
 *             address function (inlined)
 *
 * The period is the sample's weight.  Losses were at no time; they come last,
 * at the time of the end.  What `cpprof import' cannot know from that stands in
 * comments: the books at the top, the hits of a sample above it where its
 * weight does not tell them.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/export/samples.h"
#include "analyzer/report/report_private.h"

struct script {
	FILE *out;
	const struct export *x;
	const struct dataset *data;
	struct stacks stacks;
	struct script_place *places; /* by location */
	bool failed;                 /* no memory */
};

struct script_place { /* of a location */
	char *text;   /* its frames, if they are the same below any caller */
	size_t size;  /* of that */
	size_t frames;
};

/* Writes NAME escaped, so that a line stays one line. */
static void put_name(struct script *s, const char *name)
{
	if (report_name(s->out, name))
		s->failed = true;
}

static void put_event(struct script *s, uint32_t resource, uint32_t thread,
	uint64_t time, uint64_t weight)
{
	const struct dataset *data = s->data;
	const struct cpd_thread *t = &data->threads[thread];
	const char *name = dataset_thread_name(data, thread);

	put_name(s, thread && *name ? name : "[none]");
	fprintf(s->out,
		" %" PRId32 "/%" PRId32 " %" PRIu64 ".%09" PRIu64 ": %" PRIu64
		" ",
		thread ? data->processes[t->process].pid : 0, t->tid,
		time / 1000000000, time % 1000000000, weight);
	put_name(s, data->resources[resource].name);
	fputs(": \n", s->out);
}

/* Writes a pseudo function, which has no offset. */
static void put_function(struct script *s, uint32_t function)
{
	fputs("\t               0 ", s->out);
	put_name(s, stack_name(&s->stacks, function));
	fputs(" ([unknown])\n", s->out);
}

static const char *module_path(const struct script *s, uint32_t module)
{
	return s->data->modules[module].path;
}

static void put_frame(struct script *s, const struct location *at,
	const struct stack_frame *frame, bool inlined)
{
	const struct function *f = &s->data->functions[frame->function];
	uint64_t addr = frame->lost ? f->lo : location_address(at);
	const char *module = frame->lost || !f->module_id
				     ? module_path(s, f->module_id)
				     : module_path(s, at->module);

	fprintf(s->out, "\t%16" PRIx64 " ", addr);
	put_name(s, stack_name(&s->stacks, frame->function));
	if (inlined) {
		fputs(" (inlined)\n", s->out);
		return;
	}
	/* The address in a clone's code is no offset in the function. */
	if (addr >= f->lo && addr < f->hi)
		fprintf(s->out, "+0x%" PRIx64, addr - f->lo);
	fputs(" (", s->out);
	put_name(s, module);
	fputs(")\n", s->out);
}

/* Writes the frames of a node; returns how many. */
static size_t put_frames(struct script *s, uint32_t at)
{
	struct stack_frame frames[STACK_FRAMES_MAX];
	const struct location *node = dataset_location(s->data, at);
	size_t n = stack_frames(&s->stacks, at, frames), own = 0;

	while (own < n && !frames[own].lost)
		own++;
	for (size_t i = 0; i < n; i++) {
		uint32_t function = frames[i].function;

		if (function < FN_FIRST_REAL || function > s->data->nfunctions)
			put_function(s, function);
		else
			put_frame(s, node, &frames[i], i + 1 < own);
	}
	return n;
}

/* Whether the frames of a location are the same below any caller: what is
   folded depends on that. */
static bool is_alike(const struct stacks *stacks, const struct location *at)
{
	const struct function *functions = stacks->data->functions;
	bool alike = !at->lost && stacks->view.group != GROUP_MODULE &&
		     stacks->view.group != GROUP_FILE;

	for (uint32_t k = 0; k < at->nframes && !stacks->view.clones; k++) {
		uint32_t function = at->frames[k].function;

		alike &= functions[function].base == function;
	}
	return alike;
}

/* The same; the text of a location is made once. */
static size_t put_node(struct script *s, uint32_t at)
{
	struct script_place *place = &s->places[s->data->nodes[at].location];
	FILE *out = s->out;

	if (!place->text) {
		if (!is_alike(&s->stacks, dataset_location(s->data, at)))
			return put_frames(s, at);
		s->out = open_memstream(&place->text, &place->size);
		if (s->out)
			place->frames = put_frames(s, at);
		s->failed |= !s->out || fclose(s->out);
		s->out = out;
	}
	if (place->text)
		fwrite(place->text, 1, place->size, out);
	return place->frames;
}

/* The hits that an import would take a sample for. */
static uint64_t hits_of(const struct script *s, const struct cpd_sample *sample)
{
	uint64_t hits =
		sample->weight / s->data->resources[sample->resource].interval;

	return hits ? hits : 1;
}

static int put_sample(
	void *arg, const struct cpd_sample *sample, struct err *err)
{
	struct script *s = arg;
	uint32_t group = stack_group(&s->stacks, sample->thread);
	size_t n = 0;

	if (sample->hits != hits_of(s, sample))
		fprintf(s->out, "# hits %" PRIu32 "\n", sample->hits);
	put_event(s, sample->resource, sample->thread, sample->time,
		sample->weight);
	for (uint32_t at = sample->node; at; at = s->data->nodes[at].parent)
		n += put_node(s, at);
	if (group != FN_NONE)
		put_function(s, group);
	else if (!n)
		put_function(s, filters_rest(s->stacks.view.elided));
	fputc('\n', s->out);
	return s->failed ? err_memory(err, NULL, "export") : 0;
}

static void put_losses(struct script *s, const struct kept *kept)
{
	for (size_t i = 0; i < s->data->nlosses; i++) {
		const struct cpd_loss *loss = &s->data->losses[i];
		uint32_t group = stack_group(&s->stacks, loss->thread);

		if (!kept_loss(&kept[loss->resource], loss))
			continue;
		put_event(s, loss->resource, loss->thread, s->data->end.time,
			loss->gticks);
		put_function(s, dataset_loss(loss->kind));
		if (group != FN_NONE)
			put_function(s, group);
		fputc('\n', s->out);
	}
}

static void put_header(struct script *s, const struct kept *kept)
{
	fputs("# cmdline :", s->out);
	for (uint32_t i = 0; i < s->data->head.argc; i++) {
		fputc(' ', s->out);
		put_name(s, s->data->head.argv[i]);
	}
	fputc('\n', s->out);
	for (uint32_t r = 1; r <= s->data->nresources; r++) {
		char *books;

		if (!kept[r].on)
			continue;
		books = export_books(s->data, r);
		if (!books)
			s->failed = true;
		fputs("# ", s->out);
		put_name(s, books ? books : "");
		fputc('\n', s->out);
		free(books);
	}
	fputc('\n', s->out);
}

int export_perf_script(FILE *out, const struct export *x, struct err *err)
{
	struct script s = {.out = out, .x = x, .data = x->data};
	struct kept *kept = kept_new(x, &s.stacks, err);
	int bad = -1;

	s.places = calloc((size_t)x->data->nlocations + 1, sizeof *s.places);
	if (kept && s.places) {
		put_header(&s, kept);
		bad = samples_each(x, kept, "writing", put_sample, &s, err);
	} else if (kept) {
		err_memory(err, NULL, "export");
	}
	if (!bad)
		put_losses(&s, kept);
	if (!bad && s.failed)
		bad = err_memory(err, NULL, "export");
	kept_free(kept, x->data);
	for (size_t i = 1; s.places && i <= x->data->nlocations; i++)
		free(s.places[i].text);
	free(s.places);
	return bad;
}
