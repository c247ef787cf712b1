/*
 * filter_window.c - the samples of a part of the run.
 *
 * A dataset does not keep times, which would take more memory than all the rest
 * of it.  So the file is read a second time.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/filter/filter_private.h"

#define NS_PER_US 1000

struct window {
	const struct dataset *data;
	const struct work *work;
	uint64_t from, to; /* of the clock */
	uint64_t samples;
	bool same; /* it is the file that the dataset is of */
	aggregate_set kept;
	struct lives lives[LIVES_PAIRS];
};

/* A time as ns; false: it is none. */
static bool parse_time(const char *word, size_t n, uint64_t *time)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1},
		{"min", 60e9}, {"h", 3600e9}};
	char text[64], *end;
	double x;

	if (!n || n >= sizeof text || !strchr("0123456789.", *word))
		return false;
	memcpy(text, word, n);
	text[n] = '\0';
	x = strtod(text, &end);
	if (end == text || strpbrk(text, "xXpP"))
		return false;
	if (!*end) {
		*time = 0;
		return x == 0;
	}
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].unit)) {
			x *= units[i].ns;
			*time = (uint64_t)x;
			return x < 9e18;
		}
	return false;
}

static int parse_window(
	const char *word, struct filter *filter, struct err *err)
{
	const char *dots = strstr(word, "..");
	const char *last = dots ? dots + 2 : NULL;

	filter->from = 0;
	filter->to = UINT64_MAX;
	if (!dots || (!*last && dots == word) ||
		(dots > word && !parse_time(word, (size_t)(dots - word),
					&filter->from)) ||
		(*last && !parse_time(last, strlen(last), &filter->to)))
		return err_say(err, word, "window", "not a part of the run",
			"from and to, since the run began: "
			"10s..20s, 500ms..1.5s, ..2s, 1min..");
	if (filter->from < filter->to)
		return 0;
	return err_say(err, word, "window", "it ends before it begins",
		"from and to, since the run began: 10s..20s");
}

/* Whether a sample of R stands for a time that ended there. */
static bool is_wait(const struct cpd_resource *r)
{
	return r->unit == CPD_USEC && strcmp(r->name, "cpu") != 0 &&
	       strcmp(r->name, "user") != 0 && strcmp(r->name, "system") != 0;
}

static uint64_t part(uint64_t all, uint64_t at, uint64_t length)
{
	return (uint64_t)((unsigned __int128)all * at / length);
}

/*
 * Cuts off what lies outside; false: all of it does.  The parts in adjacent
 * windows add up to the whole.
 */
static bool cut(const struct window *w, struct cpd_sample *sample)
{
	uint64_t weight = sample->weight, hits = sample->hits, length, begin;
	uint64_t from, to;

	if (!is_wait(&w->data->resources[sample->resource]))
		return sample->time >= w->from && sample->time < w->to;
	if (__builtin_mul_overflow(weight, NS_PER_US, &length) ||
		length > sample->time)
		length = sample->time;
	begin = sample->time - length;
	if (!length || begin >= w->to || sample->time <= w->from)
		return false;
	from = w->from > begin ? w->from - begin : 0;
	to = (w->to < sample->time ? w->to : sample->time) - begin;
	sample->weight = part(weight, to, length) - part(weight, from, length);
	sample->hits =
		(uint32_t)(part(hits, to, length) - part(hits, from, length));
	return sample->weight > 0;
}

static int changed(const struct dataset *data, struct err *err)
{
	return err_say(err, data->path, "window", "the file has changed",
		"open it again");
}

static int on_head(void *arg, const struct cpd_head *head, struct err *err)
{
	struct window *w = arg;
	const struct cpd_head *is = &w->data->head;

	w->same =
		head->start == is->start && head->start_unix == is->start_unix;
	return w->same ? 0 : changed(w->data, err);
}

/* Adds PART_OF, which is in the window. */
static int keep(struct window *w, struct cpd_sample *part_of)
{
	uint32_t leaf = dataset_leaf(w->data, &part_of->node);
	uint32_t process = w->data->threads[part_of->thread].process;

	for (size_t i = 0; i < LIVES_PAIRS; i++)
		if (lives_add(&w->lives[i], part_of, process))
			return -1;
	return aggregates_add(&w->kept, part_of, leaf);
}

static int on_record(void *arg, int kind, void *record, struct err *err)
{
	struct window *w = arg;

	for (size_t i = 0; i < LIVES_PAIRS && w->same; i++)
		if (lives_record(&w->lives[i], kind, record))
			return err_memory(err, w->data->path, "read");
	return kind == CPD_KIND_head ? on_head(w, record, err) : 0;
}

static int on_sample(
	void *arg, const struct cpd_sample *sample, struct err *err)
{
	struct window *w = arg;
	struct cpd_sample part_of = *sample;

	if (work_step(w->work, "reading", ++w->samples, 0, err))
		return -1;
	if (!w->same || sample->resource > w->data->nrecorded ||
		sample->node > w->data->nnodes ||
		sample->thread > w->data->nthreads)
		return changed(w->data, err);
	if (!cut(w, &part_of))
		return 0;
	return keep(w, &part_of) ? err_memory(err, w->data->path, "read") : 0;
}

/* What lives of what was allocated in the window. */
static int put_lives(struct window *w, struct err *err)
{
	int failed = 0;

	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		failed |= lives_put(&w->lives[i], &w->kept);
		lives_free(&w->lives[i]);
	}
	return failed ? err_memory(err, w->data->path, "read") : 0;
}

static int read_window(struct window *w, struct err *err)
{
	static const struct cpd_handlers handlers = {
		.any = on_record, .sample = on_sample};
	struct cpd_result file;

	if (!strcmp(w->data->path, "-"))
		return err_say(err, "standard input", "window",
			"it cannot be read a second time",
			"write it to a file first");
	if (cpd_read(w->data->path, &handlers, w, &file, err))
		return -1;
	if (file.bytes != w->data->file.bytes)
		return changed(w->data, err);
	return 0;
}

static struct window window_at(
	const struct dataset *data, const struct filter *filter)
{
	struct window w = {.data = data};

	if (__builtin_add_overflow(data->head.start, filter->from, &w.from))
		w.from = UINT64_MAX;
	if (__builtin_add_overflow(data->head.start, filter->to, &w.to))
		w.to = UINT64_MAX;
	return w;
}

int filter_window(const struct filters *filters, struct filter *filter,
	const struct dataset *data, const char *name, struct err *err)
{
	struct window w;
	int status = parse_window(name, filter, err);

	for (size_t i = 0; i < filters->n && !status; i++) {
		const struct filter *before = &filters->v[i];

		if (before->kind != FILTER_WINDOW)
			continue;
		if (before->from > filter->from)
			filter->from = before->from;
		if (before->to < filter->to)
			filter->to = before->to;
	}
	if (status)
		return -1;
	w = window_at(data, filter);
	w.work = filters->work;
	for (size_t i = 0; i < LIVES_PAIRS; i++) {
		w.lives[i].pair = data->lives[i];
		w.lives[i].from = w.from;
	}
	status = read_window(&w, err) | put_lives(&w, err);
	hash_free(&w.kept.known);
	filter->aggregates = w.kept.v;
	filter->naggregates = w.kept.n;
	return status;
}

static const struct filter *window_of(const struct filters *filters)
{
	for (size_t i = filters ? filters->n : 0; i-- > 0;)
		if (filters->v[i].kind == FILTER_WINDOW)
			return &filters->v[i];
	return NULL;
}

bool filters_on_time(const struct filters *filters)
{
	return window_of(filters) != NULL;
}

bool filters_cut(const struct filters *filters, const struct dataset *data,
	struct cpd_sample *sample)
{
	const struct filter *window = window_of(filters);
	struct window w;

	if (!window)
		return true;
	w = window_at(data, window);
	return cut(&w, sample);
}

void filters_span(const struct filters *filters, const struct dataset *data,
	uint64_t *from, uint64_t *to)
{
	const struct filter *window = window_of(filters);
	struct window w;

	if (!window)
		return;
	w = window_at(data, window);
	*from = w.from > *from ? w.from : *from;
	*to = w.to < *to ? w.to : *to;
}

const struct aggregate *filters_aggregates(
	const struct filters *filters, const struct dataset *data, size_t *n)
{
	const struct filter *window = window_of(filters);

	*n = window ? window->naggregates : data->naggregates;
	return window ? window->aggregates : data->aggregates;
}
