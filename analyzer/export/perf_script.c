/*
 * perf_script.c - sample by sample, in order of time, as `perf script' prints:
 *
 *     comm pid/tid sec.nsec: period resource:
 *             address function+0xoffset (module)
 *             address function (inlined)
 *
 * The period is the sample's weight.  `cpprof import' takes the header's lines,
 * which for others are comments, for what it cannot know from that.  Losses
 * were at no time; they come last, at the time of the end.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/samples.h"
#include "analyzer/report/report_private.h"

struct script {
	FILE *out;
	const struct export *x;
	const struct dataset *data;
	struct stacks stacks;
	bool failed; /* no memory */
};

/* A line has to stay one, and (a function's) closing blank its last. */
static void put_name(struct script *s, const char *name)
{
	if (report_name(s->out, name, ""))
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

/* Frames that are no code have no offset. */
static void put_function(struct script *s, uint32_t function)
{
	fputs("\t               0 ", s->out);
	put_name(s, s->data->functions[function].name);
	fputs(" ([unknown])\n", s->out);
}

static void put_frame(struct script *s, const struct location *at,
	const struct stack_frame *frame, bool inlined)
{
	const struct function *f = &s->data->functions[frame->function];
	uint64_t addr = frame->lost ? f->lo : location_address(at);
	const char *module = frame->lost || !f->module_id
				     ? s->data->modules[f->module_id].path
				     : s->data->modules[at->module].path;

	fprintf(s->out, "\t%16" PRIx64 " ", addr);
	put_name(s, f->name);
	if (inlined) {
		fputs(" (inlined)\n", s->out);
		return;
	}
	fprintf(s->out, "+0x%" PRIx64 " (",
		addr >= f->lo && addr < f->hi ? addr - f->lo : 0);
	put_name(s, module);
	fputs(")\n", s->out);
}

static void put_node(struct script *s, uint32_t at)
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
}

static int put_sample(
	void *arg, const struct cpd_sample *sample, struct err *err)
{
	struct script *s = arg;
	uint32_t group = stack_group(&s->stacks, sample->thread);

	put_event(s, sample->resource, sample->thread, sample->time,
		sample->weight);
	for (uint32_t at = sample->node; at; at = s->data->nodes[at].parent)
		put_node(s, at);
	if (group != FN_NONE)
		put_function(s, group);
	fputc('\n', s->out);
	return s->failed ? export_no_memory(err) : 0;
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
		put_function(s, stack_loss(loss->kind));
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
	int bad;

	if (!kept)
		return -1;
	put_header(&s, kept);
	bad = samples_each(x, kept, put_sample, &s, err);
	if (!bad)
		put_losses(&s, kept);
	if (!bad && s.failed)
		bad = export_no_memory(err);
	kept_free(kept, x->data);
	return bad;
}
