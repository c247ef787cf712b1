/* Reads the file again; a heap puts its samples in the order of time. */
#include "analyzer/export/samples.h"

#include <string.h>

#include "lib/vec.h"

struct samples_reader {
	const char *what;
	const struct export *x;
	const struct kept *kept;
	int (*take)(void *arg, const struct cpd_sample *, struct err *);
	void *arg;
	uint64_t read, all;
	/* A heap, the earliest on top; NUMBER keeps those of one time in the
	   order of the file. */
	VEC(struct held {
		struct cpd_sample sample;
		uint64_t number;
	})
	held;
};

static bool is_before(const struct held *a, const struct held *b)
{
	if (a->sample.time != b->sample.time)
		return a->sample.time < b->sample.time;
	return a->number < b->number;
}

static void swap(struct held *a, struct held *b)
{
	struct held c = *a;

	*a = *b;
	*b = c;
}

static void sift_up(struct held *v, size_t i)
{
	for (; i && is_before(&v[i], &v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&v[i], &v[(i - 1) / 2]);
}

static void sift_down(struct held *v, size_t n)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && is_before(&v[child + 1], &v[child]))
			child++;
		if (!is_before(&v[child], &v[i]))
			break;
		swap(&v[i], &v[child]);
		i = child;
	}
}

static int hand_out(struct samples_reader *r, struct err *err)
{
	struct cpd_sample sample = r->held.v[0].sample;

	r->held.v[0] = r->held.v[--r->held.n];
	sift_down(r->held.v, r->held.n);
	return r->take(r->arg, &sample, err);
}

static int changed(const struct samples_reader *r, struct err *err)
{
	return err_say(err, r->x->data->path, "export", "the file has changed",
		"open it again");
}

static int on_head(void *arg, const struct cpd_head *head, struct err *err)
{
	struct samples_reader *r = arg;
	const struct cpd_head *is = &r->x->data->head;

	return head->start == is->start && head->start_unix == is->start_unix
		       ? 0
		       : changed(r, err);
}

static int on_sample(
	void *arg, const struct cpd_sample *sample, struct err *err)
{
	struct samples_reader *r = arg;
	const struct dataset *data = r->x->data;
	struct cpd_sample s = *sample;

	if (s.resource > data->nrecorded || s.node > data->nnodes ||
		s.thread > data->nthreads)
		return changed(r, err);
	if (work_step(r->x->view.work, r->what, r->read++, r->all, err))
		return -1;
	s.node = dataset_shown(data, s.node, r->x->view.objects);
	if (!kept_stack(&r->kept[s.resource], s.thread, s.node) ||
		!filters_cut(r->x->view.filters, data, &s))
		return 0;
	if (!vec_add(&r->held, (struct held){s, r->read}))
		return err_memory(err, NULL, "export");
	sift_up(r->held.v, r->held.n - 1);
	return r->held.n < SAMPLES_WINDOW ? 0 : hand_out(r, err);
}

int samples_each(const struct export *x, const struct kept *kept,
	const char *what,
	int (*take)(void *arg, const struct cpd_sample *, struct err *),
	void *arg, struct err *err)
{
	static const struct cpd_handlers handlers = {
		.head = on_head, .sample = on_sample};
	struct samples_reader r = {
		.what = what, .x = x, .kept = kept, .take = take, .arg = arg};
	struct cpd_result file;
	int bad;

	if (strcmp(x->data->path, "-") == 0)
		return err_say(err, "standard input", "export",
			"it cannot be read a second time",
			"write it to a file first");
	for (uint32_t i = 1; i <= x->data->nrecorded; i++)
		r.all += x->data->books[i].samples;
	bad = cpd_read(x->data->path, &handlers, &r, &file, err);
	while (!bad && r.held.n)
		bad = hand_out(&r, err);
	vec_free(&r.held);
	return bad;
}
