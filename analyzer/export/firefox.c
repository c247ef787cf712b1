/*
 * firefox.c - the processed profile of the Firefox Profiler, version 49, which
 * later ones of its front end take.
 *
 * Each thread has an entry for each resource that it consumed, since a table of
 * samples has one kind of weight.  The tables have a column after the other,
 * so the samples are put in order of entries first; 28 bytes are kept of each.
 * Losses are samples at the end of the run, with a marker each; those of no one
 * thread are in an entry of their own.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/export/firefox_private.h"
#include "analyzer/export/samples.h"
#include "analyzer/report/report_private.h"
#include "lib/elf/build_id.h"
#include "lib/order.h"
#include "lib/text.h"

#define FORMAT_VERSION 49

struct point { /* a sample, or a loss, at the end of its track */
	uint64_t time, weight;
	uint32_t track, node;
	uint32_t loss; /* function; 0: a sample */
};

struct firefox {
	FILE *out;
	const struct export *x;
	const struct dataset *data;
	struct stacks stacks;
	struct kept *kept;
	VEC(struct point) points; /* samples in order of time, then losses */
	uint32_t *order;          /* their numbers, track by track */
	uint32_t *counts;         /* by track, how many */
	uint32_t ntracks;
	struct firefox_tables tables;
	uint32_t nresources; /* that are exported */
	uint64_t done;       /* entries of columns, to tell how far it is */
	bool failed;         /* no memory */
};

/* What one thread consumed of one resource. */
struct track {
	uint32_t thread, resource;
	const uint32_t *points; /* numbers */
	uint32_t n, samples;    /* of these the first */
	uint64_t end;           /* the time of its losses */
};

/* The samples. */

/*
 * Tracks are numbered in the order of threads, the resources of a thread beside
 * each other; thread 0, which stands for no one thread, is last.
 */
static uint32_t track_of(
	const struct firefox *f, uint32_t resource, uint32_t thread)
{
	return (thread ? thread - 1 : f->data->nthreads) * f->data->nresources +
	       resource - 1;
}

static int add_point(
	struct firefox *f, const struct point *point, struct err *err)
{
	if (f->points.n >= UINT32_MAX || !vec_add(&f->points, *point))
		return err_memory(err, NULL, "export");
	f->counts[point->track]++;
	return 0;
}

static int take_sample(void *arg, const struct cpd_sample *s, struct err *err)
{
	struct firefox *f = arg;

	return add_point(f,
		&(struct point){s->time, s->weight,
			track_of(f, s->resource, s->thread), s->node, 0},
		err);
}

static int order_points(struct firefox *f, struct err *err)
{
	uint32_t *next = calloc((size_t)f->ntracks + 1, sizeof *next);

	f->order = calloc(f->points.n + 1, sizeof *f->order);
	for (uint32_t i = 0; next && i < f->ntracks; i++)
		next[i + 1] = next[i] + f->counts[i];
	for (uint32_t i = 0; next && f->order && i < f->points.n; i++)
		f->order[next[f->points.v[i].track]++] = i;
	free(next);
	return next && f->order ? 0 : err_memory(err, NULL, "export");
}

static int compare_losses(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return ORDER(x->loss, y->loss);
}

static int take_losses(struct firefox *f, struct err *err)
{
	size_t first = f->points.n;

	for (size_t i = 0; i < f->data->nlosses; i++) {
		const struct cpd_loss *loss = &f->data->losses[i];
		const struct point point = {.weight = loss->gticks,
			.track = track_of(f, loss->resource, loss->thread),
			.loss = dataset_loss(loss->kind)};

		if (kept_loss(&f->kept[loss->resource], loss) &&
			add_point(f, &point, err))
			return -1;
	}
	if (f->points.n > first)
		qsort(f->points.v + first, f->points.n - first,
			sizeof *f->points.v, compare_losses);
	return 0;
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

typedef void put_point(struct firefox *f, const struct track *track,
	const struct point *point);

static void put_stack(
	struct firefox *f, const struct track *track, const struct point *point)
{
	fprintf(f->out, "%" PRIu32,
		point->loss ? firefox_loss(&f->tables, &f->stacks, point->loss,
				      track->thread)
			    : firefox_stack(&f->tables, &f->stacks, point->node,
				      track->thread));
}

static void put_when(
	struct firefox *f, const struct track *track, const struct point *point)
{
	put_time(f, point->loss ? track->end : point->time);
}

static void put_much(
	struct firefox *f, const struct track *track, const struct point *point)
{
	put_weight(f, &f->data->resources[track->resource], point->weight);
}

static int put_column(struct firefox *f, const struct track *track,
	const char *name, put_point *put, struct err *err)
{
	fprintf(f->out, "\"%s\":[", name);
	for (uint32_t i = 0; i < track->n; i++) {
		if (work_step(f->x->view.work, "writing", f->done++,
			    3 * f->points.n, err))
			return -1;
		if (i)
			fputc(',', f->out);
		put(f, track, &f->points.v[track->points[i]]);
	}
	fputs("],", f->out);
	return 0;
}

static int put_samples(
	struct firefox *f, const struct track *track, struct err *err)
{
	fprintf(f->out, "\"samples\":{\"length\":%" PRIu32 ",", track->n);
	if (put_column(f, track, "stack", put_stack, err) ||
		put_column(f, track, "time", put_when, err) ||
		put_column(f, track, "weight", put_much, err))
		return -1;
	fprintf(f->out, "\"weightType\":\"%s\"},\n",
		weight_type(&f->data->resources[track->resource]));
	return 0;
}

static void put_marker_data(
	struct firefox *f, const struct cpd_resource *r, uint64_t gticks)
{
	char amount[96], text[256];

	snprintf(text, sizeof text, "%s of %s in no sample",
		report_amount(r, gticks, amount, sizeof amount), r->name);
	fputs("{\"type\":\"Loss\",\"what\":", f->out);
	put_string(f, text);
	fputc('}', f->out);
}

/* Writes what is lost of a track, as markers. */
static void put_markers(struct firefox *f, const struct track *track)
{
	const struct cpd_resource *r = &f->data->resources[track->resource];
	const uint32_t *losses = track->points + track->samples;
	size_t n = track->n - track->samples;

	fprintf(f->out, "\"markers\":{\"length\":%zu", n);
	firefox_column(f->out, "category", n, "1");
	fputs(",\"data\":[", f->out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f->out);
		put_marker_data(f, r, f->points.v[losses[i]].weight);
	}
	fputc(']', f->out);
	firefox_column(f->out, "endTime", n, "null");
	fputs(",\"name\":[", f->out);
	for (size_t i = 0; i < n; i++)
		fprintf(f->out, "%s%" PRIu32, i ? "," : "",
			firefox_name(&f->tables, &f->stacks,
				f->points.v[losses[i]].loss));
	fputc(']', f->out);
	firefox_column(f->out, "phase", n, "0");
	fputs(",\"startTime\":[", f->out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f->out);
		put_time(f, track->end);
	}
	fputs("]},\n", f->out);
}

static void put_names(struct firefox *f, const struct track *track)
{
	const struct dataset *data = f->data;
	const struct cpd_thread *t = &data->threads[track->thread];
	const struct cpd_process *p = &data->processes[t->process];
	const char *resource = data->resources[track->resource].name;
	const char *name = track->thread
				   ? dataset_thread_name(data, track->thread)
				   : "losses of the whole run";
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

static void put_lifetime(struct firefox *f, const struct track *track)
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

static int put_track(
	struct firefox *f, const struct track *track, struct err *err)
{
	firefox_tables_clear(&f->tables);
	fputs("{", f->out);
	if (f->tables.failed)
		return err_memory(err, NULL, "export");
	if (put_samples(f, track, err))
		return -1;
	put_markers(f, track);
	if (firefox_tables_write(f->out, &f->tables, &f->stacks, err))
		return -1;
	put_names(f, track);
	put_lifetime(f, track);
	return f->failed || f->tables.failed ? err_memory(err, NULL, "export")
					     : 0;
}

static void put_libs(struct firefox *f)
{
	fputs("\"libs\":[", f->out);
	for (uint32_t i = 1; i <= f->data->nmodules; i++) {
		const struct cpd_module *m = &f->data->modules[i];
		const char *name = text_base_name(m->path);
		char id[BUILD_ID_TEXT];

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
		fprintf(f->out, ",\"breakpadId\":\"\",\"codeId\":\"%s\"}",
			build_id_text(m->build_id, m->build_id_len, id));
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

/* The losses of a track are its last points. */
static void find_end(const struct firefox *f, struct track *track)
{
	track->end = f->data->end.time;
	for (uint32_t i = 0; i < track->n; i++) {
		const struct point *point = &f->points.v[track->points[i]];

		track->samples += !point->loss;
		if (point->time > track->end)
			track->end = point->time;
	}
}

static int put_tracks(struct firefox *f, struct err *err)
{
	const uint32_t *points = f->order;

	for (uint32_t i = 0; i < f->ntracks; i++) {
		struct track track = {
			.thread = i / f->data->nresources + 1,
			.resource = i % f->data->nresources + 1,
			.points = points,
			.n = f->counts[i],
		};

		if (track.thread > f->data->nthreads)
			track.thread = 0;
		if (!track.n)
			continue;
		if (points > f->order)
			fputc(',', f->out);
		points += track.n;
		find_end(f, &track);
		if (put_track(f, &track, err))
			return -1;
	}
	return 0;
}

static int write_profile(struct firefox *f, struct err *err)
{
	put_meta(f);
	put_libs(f);
	fputs("\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n"
	      "\"threads\":[",
		f->out);
	if (put_tracks(f, err))
		return -1;
	fputs("]}\n", f->out);
	return 0;
}

static int collect(struct firefox *f, struct err *err)
{
	const struct dataset *data = f->data;
	uint64_t tracks = ((uint64_t)data->nthreads + 1) * data->nresources;

	f->kept = kept_new(f->x, &f->stacks, err);
	if (!f->kept)
		return -1;
	for (uint32_t r = 1; r <= data->nresources; r++)
		f->nresources += f->kept[r].on;
	f->ntracks = (uint32_t)tracks;
	f->counts = calloc(tracks, sizeof *f->counts);
	if (tracks > UINT32_MAX || !f->counts ||
		firefox_tables_init(&f->tables, data) < 0)
		return err_memory(err, NULL, "export");
	if (samples_each(f->x, f->kept, "reading samples", take_sample, f,
		    err) < 0 ||
		take_losses(f, err) < 0)
		return -1;
	return order_points(f, err);
}

int export_firefox(FILE *out, const struct export *x, struct err *err)
{
	struct firefox f = {.out = out, .x = x, .data = x->data};
	int bad = collect(&f, err);

	if (!bad)
		bad = write_profile(&f, err);
	vec_free(&f.points);
	free(f.order);
	firefox_tables_fini(&f.tables);
	free(f.counts);
	kept_free(f.kept, x->data);
	return bad;
}
