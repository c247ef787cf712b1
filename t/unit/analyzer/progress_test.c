/*
 * Work is told to stop, at each of the moments at which it asks.  It must stop
 * with an error, leave nothing behind (the sanitizers look) and leave its input
 * as it was.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/report.h"
#include "lib/cpprofdata/merge.h"
#include "t/lib/made_file.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define FUNCTIONS 300
#define DEPTH 40
#define STACKS 4000
#define CODE 0x1000

static const char *path;

static void write_stacks(struct cpd_writer *w)
{
	struct cpd_sample sample = {.time = 1000,
		.thread = 1,
		.resource = 1,
		.hits = 1,
		.weight = 1000};

	for (int s = 0; s < STACKS; s++) {
		sample.node = 0;
		for (int d = 0; d < DEPTH; d++) {
			sample.node = cpd_node(w, sample.node, 1,
				CODE + draw(FUNCTIONS) * 64 + 8, 0);
		}
		sample.time += 1000;
		cpd_write_sample(w, &sample);
	}
}

static void write_names(struct cpd_writer *w)
{
	char name[32];

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		snprintf(name, sizeof name, "f%u", f);
		struct cpd_function function = {.module = 1,
			.lo = CODE + f * 64,
			.hi = CODE + f * 64 + 64,
			.name = name,
			.linkage = name,
			.source = CPD_NAME_SYMTAB};
		struct cpd_frame frame = {
			cpd_write_function(w, &function), 0, ""};

		cpd_write_addr(w, &(struct cpd_addr){1, CODE + f * 64 + 7, 1,
					  &frame, 0, 0, NULL});
	}
}

static void write_file(void)
{
	static const struct cpd_resource cpu = {.name = "cpu",
		.title = "CPU Time",
		.gtick = "us",
		.unit = CPD_USEC,
		.interval = 1000,
		.timer = "made"};
	struct cpd_writer *w;

	path = temp_file();
	w = made_begin(path, &cpu);
	made_program(w);
	write_stacks(w);
	cpd_write_total(w, &(struct cpd_total){1, STACKS * 1000ULL, 0});
	write_names(w);
	dataset_free(made_open(w, path, 0));
}

/* Goes on for as many questions as there are left. */
struct patience {
	struct work work;
	unsigned left, asked, wrong;
};

static bool go_on(void *arg, const char *what, uint64_t done, uint64_t all)
{
	struct patience *p = arg;

	p->asked++;
	p->wrong += !*what || (all && done > all);
	return p->left-- > 0;
}

static void patience_begin(struct patience *p, unsigned left)
{
	*p = (struct patience){.work = {go_on, p}, .left = left};
}

/* What is tried: 0, or -1 with the error. */
typedef int attempt_fn(const struct work *work, void *arg, struct err *err);

/* Stops it at its first question, at its second ... until it comes through. */
static void stop_everywhere(
	attempt_fn *attempt, void *arg, unsigned least, const char *what)
{
	unsigned stopped = 0, wrong = 0;
	struct patience p;
	struct err err;
	int status;

	for (unsigned left = 0; left < 1000; left++) {
		patience_begin(&p, left);
		err_clear(&err);
		status = attempt(&p.work, arg, &err);
		wrong += p.wrong;
		if (status == 0)
			break;
		stopped++;
		wrong += !work_stopped(&err) || p.asked != left + 1;
	}
	ok(status == 0 && stopped >= least && wrong == 0,
		"%s: stopped at each of %u questions, then done", what,
		stopped);
	if (wrong)
		diag("%u answers wrong", wrong);
}

static int try_open(const struct work *work, void *arg, struct err *err)
{
	struct dataset *data = dataset_open(path, work, err);

	(void)arg;
	dataset_free(data);
	return data ? 0 : -1;
}

struct wanted {
	const struct dataset *data;
	enum profile_kind kind;
	const char *root;
	struct tree_view view;
	char *text; /* what the last one that was not stopped came to */
	size_t size;
};

static int try_profile(const struct work *work, void *arg, struct err *err)
{
	struct wanted *w = arg;
	struct tree_view view = w->view;
	struct report_options options = {.root = w->root};
	struct profile *profile = NULL;
	struct tree *tree;
	uint32_t *roots = NULL;
	size_t n = 0;
	int status = -1;
	FILE *out;

	view.work = work;
	tree = tree_new(w->data, &view, err);
	if (tree && (!w->root || dataset_find(w->data, w->root, &roots, &n,
					 err) == 0))
		profile = profile_new(tree, w->kind, roots, n, 0, err);
	free(w->text);
	w->text = NULL;
	out = open_memstream(&w->text, &w->size);
	if (profile)
		status = report_formats[1].write(out, profile, &options, err);
	fclose(out);
	profile_free(profile);
	tree_free(tree);
	free(roots);
	return status;
}

static void test_profile(const struct dataset *data, enum profile_kind kind,
	const char *root, struct tree_view view, unsigned least,
	const char *what)
{
	struct wanted one = {.data = data, .kind = kind, .root = root};
	struct wanted other;
	struct err err;

	one.view = view;
	one.view.resource = 1;
	other = one;
	stop_everywhere(try_profile, &one, least, what);
	ok(try_profile(NULL, &other, &err) == 0 && one.size == other.size &&
			memcmp(one.text, other.text, one.size) == 0,
		"%s: the same as when nobody asks", what);
	free(one.text);
	free(other.text);
}

static int try_merge(const struct work *work, void *arg, struct err *err)
{
	char program[] = "cpprof", *argv[] = {program, NULL};
	const char *out = arg;
	struct cpd_merge *merge = cpd_merge_open(&path, 1, work, err);
	struct cpd_writer *w = cpd_writer_open(out, err);
	struct cpd_merged merged;
	int status = cpd_merge_write(merge, w, "0", argv, &merged, err);

	cpd_merge_close(merge);
	if (status == 0)
		return cpd_writer_close(w, &merged.end, err);
	cpd_writer_abandon(w);
	return access(out, F_OK) ? -1 : err_set(err, out, NULL, "is there");
}

int main(void)
{
	struct filters filters = {0};
	const struct tree_view plain = {0}, sites = {.sites = true};
	const struct tree_view filtered = {.filters = &filters};
	struct dataset *data;
	char out[64];
	struct err err;

	write_file();
	stop_everywhere(try_open, NULL, 9, "reading");
	data = dataset_open(path, NULL, &err);
	if (!data || filters_add(&filters, data, FILTER_CONTAINS, "f7", &err))
		return 99;
	test_profile(data, PROFILE_FUNCTION, NULL, plain, 9, "function");
	test_profile(data, PROFILE_BODY, NULL, sites, 9, "body, sites");
	test_profile(data, PROFILE_TREE, NULL, plain, 20, "tree");
	test_profile(data, PROFILE_DOWN, "[all]", plain, 100, "down");
	test_profile(data, PROFILE_DOWN, "f7", filtered, 12, "down, filtered");
	test_profile(data, PROFILE_UP, "f9", plain, 20, "up");
	snprintf(out, sizeof out, "%s.merged", path);
	stop_everywhere(try_merge, out, 9, "merging");
	filters_fini(&filters);
	dataset_free(data);
	temp_file_remove(out);
	temp_file_remove(path);
	return done_testing();
}
