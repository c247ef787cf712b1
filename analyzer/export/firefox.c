/*
 * firefox.c - the processed profile of the Firefox Profiler, version 49, which
 * later ones of its front end take.
 *
 * Each thread has an entry for each resource that it consumed, since a table of
 * samples has one kind of weight.  The tables have a column after the other, so
 * the samples have to be in memory, 24 bytes each, while the file is written.
 * Losses are samples at the end of the run, with a marker each; those of no one
 * thread are in an entry of their own.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/firefox_private.h"
#include "analyzer/export/samples.h"
#include "analyzer/report/report_private.h"

#define FORMAT_VERSION 49

struct firefox {
	FILE *out;
	const struct export *x;
	const struct dataset *data;
	struct stacks stacks;
	struct kept *kept;
	uint32_t *track_at; /* by resource and thread: plus 1; 0: none */
	VEC(struct firefox_track) tracks;
	struct firefox_tables tables;
	uint32_t nresources; /* that are exported */
	bool failed;         /* no memory */
};

/* The samples. */

static struct firefox_track *track_of(
	struct firefox *f, uint32_t resource, uint32_t thread)
{
	uint32_t *at = &f->track_at[(size_t)resource * (f->data->nthreads + 1) +
				    thread];
	struct firefox_track *track;

	if (!*at) {
		track = vec_push(&f->tracks);
		if (!track)
			return NULL;
		track->resource = resource;
		track->thread = thread;
		*at = (uint32_t)f->tracks.n;
	}
	return &f->tracks.v[*at - 1];
}

static int add_point(struct firefox *f, uint32_t resource, uint32_t thread,
	const struct firefox_point *point, struct err *err)
{
	struct firefox_track *track = track_of(f, resource, thread);
	struct firefox_point *slot = track ? vec_push(&track->points) : NULL;

	if (!slot)
		return export_no_memory(err);
	*slot = *point;
	return 0;
}

static int take_sample(void *arg, const struct cpd_sample *s, struct err *err)
{
	const struct firefox_point point = {s->time, s->weight, s->node, 0};

	return add_point(arg, s->resource, s->thread, &point, err);
}

static uint64_t end_of(const struct dataset *data)
{
	uint64_t end = data->head.start;

	return data->end.time > end ? data->end.time : end;
}

static int take_losses(struct firefox *f, struct err *err)
{
	for (size_t i = 0; i < f->data->nlosses; i++) {
		const struct cpd_loss *loss = &f->data->losses[i];
		const struct firefox_point point = {end_of(f->data),
			loss->gticks, 0, dataset_loss(loss->kind)};

		if (kept_loss(&f->kept[loss->resource], loss) &&
			add_point(f, loss->resource, loss->thread, &point, err))
			return -1;
	}
	return 0;
}

static int compare_points(const void *a, const void *b)
{
	const struct firefox_point *x = a, *y = b;

	if (!x->loss != !y->loss)
		return x->loss ? 1 : -1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* By process and thread; a thread's resources beside each other. */
static int compare_tracks(const void *a, const void *b)
{
	const struct firefox_track *x = a, *y = b;

	if (x->thread != y->thread) /* 0, of no one thread, is last */
		return x->thread - 1 < y->thread - 1 ? -1 : 1;
	return x->resource < y->resource ? -1 : x->resource > y->resource;
}

/* Writing. */

static void put_string(struct firefox *f, const char *s)
{
	firefox_string(f->out, s, &f->failed);
}

/* Milliseconds since the run began. */
static void put_time(struct firefox *f, uint64_t time)
{
	uint64_t start = f->data->head.start;
	uint64_t ns = time > start ? time - start : 0;

	fprintf(f->out, "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
}

static void put_weight(
	struct firefox *f, const struct cpd_resource *r, uint64_t weight)
{
	if (r->unit == CPD_USEC)
		fprintf(f->out, "%" PRIu64 ".%03" PRIu64, weight / 1000,
			weight % 1000);
	else
		fprintf(f->out, "%" PRIu64, weight);
}

static const char *weight_type(const struct cpd_resource *r)
{
	return r->unit == CPD_USEC    ? "tracing-ms"
	       : r->unit == CPD_BYTES ? "bytes"
				      : "samples";
}

static void put_samples(struct firefox *f, const struct firefox_track *track)
{
	const struct cpd_resource *r = &f->data->resources[track->resource];
	size_t n = track->points.n;

	fprintf(f->out, "\"samples\":{\"length\":%zu,\"stack\":[", n);
	for (size_t i = 0; i < n; i++) {
		uint32_t stack = firefox_stack(&f->tables, &f->stacks,
			&track->points.v[i], track->thread);

		fprintf(f->out, "%s%" PRIu32, i ? "," : "",
			stack ? stack - 1 : 0);
	}
	fputs("],\"time\":[", f->out);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc(',', f->out);
		put_time(f, track->points.v[i].time);
	}
	fputs("],\"weight\":[", f->out);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc(',', f->out);
		put_weight(f, r, track->points.v[i].weight);
	}
	fprintf(f->out, "],\"weightType\":\"%s\"},\n", weight_type(r));
}

/* What is lost of a track, as markers. */
static void put_markers(struct firefox *f, const struct firefox_track *track)
{
	const struct cpd_resource *r = &f->data->resources[track->resource];
	size_t n = 0, first = track->points.n;
	char amount[96], text[256];

	while (first && track->points.v[first - 1].loss)
		first--;
	n = track->points.n - first;
	fprintf(f->out, "\"markers\":{\"length\":%zu,\"category\":[", n);
	for (size_t i = 0; i < n; i++)
		fputs(i ? ",1" : "1", f->out);
	fputs("],\"data\":[", f->out);
	for (size_t i = 0; i < n; i++) {
		const struct firefox_point *p = &track->points.v[first + i];

		snprintf(text, sizeof text, "%s of %s in no sample",
			report_amount(r, p->weight, amount, sizeof amount),
			r->name);
		fputs(i ? ",{\"type\":\"Loss\",\"what\":"
			: "{\"type\":\"Loss\",\"what\":",
			f->out);
		put_string(f, text);
		fputc('}', f->out);
	}
	fputs("],\"endTime\":[", f->out);
	for (size_t i = 0; i < n; i++)
		fputs(i ? ",null" : "null", f->out);
	fputs("],\"name\":[", f->out);
	for (size_t i = 0; i < n; i++)
		fprintf(f->out, "%s%" PRIu32, i ? "," : "",
			strings_add(f->tables.strings,
				f->data->functions[track->points.v[first + i]
							   .loss]
					.name,
				strlen(f->data->functions[track->points
								  .v[first + i]
								  .loss]
						.name)));
	fputs("],\"phase\":[", f->out);
	for (size_t i = 0; i < n; i++)
		fputs(i ? ",0" : "0", f->out);
	fputs("],\"startTime\":[", f->out);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc(',', f->out);
		put_time(f, track->points.v[first + i].time);
	}
	fputs("]},\n", f->out);
}

static void put_names(struct firefox *f, const struct firefox_track *track)
{
	const struct dataset *data = f->data;
	const struct cpd_thread *t = &data->threads[track->thread];
	const struct cpd_process *p = &data->processes[t->process];
	const char *resource = data->resources[track->resource].name;
	const char *name = track->thread
				   ? dataset_thread_name(data, track->thread)
				   : "of no one thread";
	char *text = NULL, tid[300];

	if (asprintf(&text, "%s%s%s%s", name, f->nresources > 1 ? " (" : "",
		    f->nresources > 1 ? resource : "",
		    f->nresources > 1 ? ")" : "") < 0) {
		f->failed = true;
		return;
	}
	fputs("\"name\":", f->out);
	put_string(f, text);
	free(text);
	snprintf(tid, sizeof tid, "%" PRId32 " %.250s", t->tid, resource);
	fputs(",\"tid\":", f->out);
	put_string(f, tid);
	fprintf(f->out,
		",\"pid\":\"%" PRId32 "\",\"isMainThread\":%s,"
		"\"processType\":\"default\",\"processName\":",
		p->pid, t->tid == p->pid ? "true" : "false");
	put_string(f, track->thread ? p->name : "losses");
}

static void put_lifetime(struct firefox *f, const struct firefox_track *track)
{
	const struct dataset *data = f->data;
	uint32_t process = data->threads[track->thread].process;

	fputs(",\"pausedRanges\":[],\"processStartupTime\":", f->out);
	put_time(f, data->processes[process].time);
	fputs(",\"registerTime\":", f->out);
	put_time(f, data->threads[track->thread].time);
	fputs(",\"processShutdownTime\":null,\"unregisterTime\":", f->out);
	if (data->thread_end[track->thread])
		put_time(f, data->thread_end[track->thread]);
	else
		fputs("null", f->out);
	fputs("}\n", f->out);
}

static void put_track(struct firefox *f, const struct firefox_track *track)
{
	firefox_tables_clear(&f->tables);
	if (f->tables.failed)
		return;
	fputs("{", f->out);
	put_samples(f, track);
	put_markers(f, track);
	firefox_tables_write(f->out, &f->tables, f->data);
	put_names(f, track);
	put_lifetime(f, track);
}

static void put_libs(struct firefox *f)
{
	fputs("\"libs\":[", f->out);
	for (uint32_t i = 1; i <= f->data->nmodules; i++) {
		const struct cpd_module *m = &f->data->modules[i];
		const char *slash = strrchr(m->path, '/');
		const char *name = slash && slash[1] ? slash + 1 : m->path;

		fputs(i > 1 ? ",\n{\"arch\":" : "{\"arch\":", f->out);
		put_string(f, f->data->head.machine);
		fputs(",\"name\":", f->out);
		put_string(f, name);
		fputs(",\"path\":", f->out);
		put_string(f, m->path);
		fputs(",\"debugName\":", f->out);
		put_string(f, name);
		fputs(",\"debugPath\":", f->out);
		put_string(f, m->path);
		fputs(",\"breakpadId\":\"\",\"codeId\":\"", f->out);
		for (uint32_t k = 0;
			k < m->build_id_len && k < CPD_BUILD_ID_MAX; k++)
			fprintf(f->out, "%02x", m->build_id[k]);
		fputs("\"}", f->out);
	}
	fputs("],\n", f->out);
}

static void put_meta(struct firefox *f)
{
	const struct dataset *data = f->data;
	const struct cpd_resource *r = &data->resources[f->x->view.resource];
	const char *program = data->head.argc ? data->head.argv[0] : "cpprof";

	fprintf(f->out,
		"{\"meta\":{\"version\":29,\"preprocessedProfileVersion\":%d,"
		"\"processType\":0,\"stackwalk\":1,\"debug\":false,"
		"\"symbolicated\":true,\"interval\":%" PRIu64 ".%03" PRIu64
		",\"startTime\":%" PRIu64 ".%03" PRIu64 ",\"product\":",
		FORMAT_VERSION, r->unit == CPD_USEC ? r->interval / 1000 : 1,
		r->unit == CPD_USEC ? r->interval % 1000 : 0,
		data->head.start_unix / 1000000,
		data->head.start_unix / 1000 % 1000);
	put_string(f, program);
	fputs(",\"importedFrom\":\"cpprof\",\"usesOnlyOneStackType\":true,"
	      "\"doesNotUseFrameImplementation\":true,"
	      "\"sourceCodeIsNotOnSearchfox\":true,\"extensions\":{\"length\":"
	      "0,\"baseURL\":[],\"id\":[],\"name\":[]},"
	      "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
	      "\"subcategories\":[\"Other\"]},{\"name\":\"Losses\","
	      "\"color\":\"red\",\"subcategories\":[\"Other\"]}],"
	      "\"markerSchema\":[{\"name\":\"Loss\",\"display\":["
	      "\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
	      "\"chartLabel\":\"{marker.name}\",\"tableLabel\":"
	      "\"{marker.data.what}\",\"data\":[{\"key\":\"what\",\"label\":"
	      "\"Loss\",\"format\":\"string\"}]}]},\n",
		f->out);
}

static int write_profile(struct firefox *f, struct err *err)
{
	put_meta(f);
	put_libs(f);
	fputs("\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n"
	      "\"threads\":[",
		f->out);
	for (size_t i = 0; i < f->tracks.n; i++) {
		struct firefox_track *track = &f->tracks.v[i];

		if (work_ask(f->x->view.work, "writing threads", i, f->tracks.n,
			    err))
			return -1;
		/* Those of several hosts or runs are not in order. */
		qsort(track->points.v, track->points.n, sizeof *track->points.v,
			compare_points);
		if (i)
			fputc(',', f->out);
		put_track(f, track);
		if (f->failed || f->tables.failed)
			return export_no_memory(err);
	}
	fputs("]}\n", f->out);
	return 0;
}

static int collect(struct firefox *f, struct err *err)
{
	const struct dataset *data = f->data;

	f->kept = kept_new(f->x, &f->stacks, err);
	if (!f->kept)
		return -1;
	for (uint32_t r = 1; r <= data->nresources; r++)
		f->nresources += f->kept[r].on;
	f->track_at = calloc(
		((size_t)data->nresources + 1) * ((size_t)data->nthreads + 1),
		sizeof *f->track_at);
	if (!f->track_at || firefox_tables_init(&f->tables, data) < 0)
		return export_no_memory(err);
	if (samples_each(f->x, f->kept, take_sample, f, err) < 0 ||
		take_losses(f, err) < 0)
		return -1;
	qsort(f->tracks.v, f->tracks.n, sizeof *f->tracks.v, compare_tracks);
	return 0;
}

int export_firefox(FILE *out, const struct export *x, struct err *err)
{
	struct firefox f = {.out = out, .x = x, .data = x->data};
	int bad = collect(&f, err);

	if (!bad)
		bad = write_profile(&f, err);
	for (size_t i = 0; i < f.tracks.n; i++)
		vec_free(&f.tracks.v[i].points);
	vec_free(&f.tracks);
	firefox_tables_fini(&f.tables);
	free(f.track_at);
	kept_free(f.kept, x->data);
	return bad;
}
