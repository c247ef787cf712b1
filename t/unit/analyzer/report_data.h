/*
 * report_data.h - a small run whose every figure can be worked out by hand.
 *
 * Page faults at an interval of 10.  The stacks, with hits and weight:
 *
 *   main f h g<x;y>                 50 + 20 + 30 hits  1000
 *   main g<x;y>                     60                  600  read later
 *   main f h                        25                  250
 *   [truncated] libx.so+0x40 g<x;y> 10                  100
 *   [no user stack]                  1                   10
 *   [lost]                          3 samples            30
 *   [unsampled]                                          10
 *
 * h is inlined in f.  In samples: 196 hits, 7 samples, 1960 gticks; with the
 * losses 2000, which all fractions are of.  The kernel counted 2003.
 */
#ifndef CPPROF_REPORT_DATA_H
#define CPPROF_REPORT_DATA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/report/report.h"
#include "lib/cpprofdata/writer.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

static const char *path; /* of the file, see temp_file.h */

static void write_sample(
	struct cpd_writer *w, uint32_t node, uint32_t hits, uint32_t flags)
{
	cpd_write_sample(w, &(struct cpd_sample){.time = 100,
				    .thread = 1,
				    .resource = 1,
				    .node = node,
				    .hits = hits,
				    .weight = hits * 10,
				    .flags = flags});
}

static struct cpd_writer *begin(void)
{
	static const char *const argv[] = {"./prog", "it's", "\033[31m"};
	struct err err;
	struct cpd_writer *w = cpd_writer_open(path, &err);

	if (!w) {
		printf("Bail out! %s\n", err.reason);
		exit(1);
	}
	cpd_write_head(
		w, &(struct cpd_head){.start_unix = 86400ULL * 1000000000,
			   .start = 50,
			   .argc = 3,
			   .argv = argv,
			   .cwd = "/home",
			   .host = "host",
			   .kernel = "6.1",
			   .machine = "x86_64",
			   .version = "0.1",
			   .ncpu = 2,
			   .uid = 7});
	cpd_write_resource(w, &(struct cpd_resource){.name = "pagefaults",
				      .title = "Page Faults",
				      .gtick = "fault",
				      .unit = CPD_COUNT,
				      .interval = 10,
				      .timer = "kernel, per-task"});
	cpd_write_resource(w, &(struct cpd_resource){.name = "cpu",
				      .title = "CPU Time",
				      .gtick = "us",
				      .unit = CPD_USEC,
				      .interval = 1000,
				      .timer = "kernel, per-task",
				      .flags = CPD_RESOURCE_CLOCK});
	cpd_write_process(w, &(struct cpd_process){.pid = 42,
				     .name = "prog",
				     .exe = "/bin/prog",
				     .flags = CPD_PROCESS_EXEC});
	cpd_write_thread(w,
		&(struct cpd_thread){.process = 1, .tid = 42, .name = "prog"});
	return w;
}

static void write_modules(struct cpd_writer *w)
{
	cpd_write_module(w, &(struct cpd_module){.kind = CPD_MODULE_ELF,
				    .path = "/bin/prog",
				    .build_id = {0xab, 0xcd},
				    .build_id_len = 2});
	cpd_write_module(w, &(struct cpd_module){.kind = CPD_MODULE_ELF,
				    .path = "/lib/libx.so"});
}

static void write_stacks(struct cpd_writer *w)
{
	uint32_t in_main = cpd_node(w, 0, 1, 0x1011, 0);
	uint32_t in_f = cpd_node(w, in_main, 1, 0x1121, 0);
	uint32_t f_g = cpd_node(w, in_f, 1, 0x1210, CPD_NODE_EXACT);
	uint32_t main_g = cpd_node(w, in_main, 1, 0x1220, CPD_NODE_EXACT);
	uint32_t at_f = cpd_node(w, in_main, 1, 0x1120, CPD_NODE_EXACT);
	uint32_t cut = cpd_node(w, 0, 0, CPD_TRUNCATED, 0);
	uint32_t in_x = cpd_node(w, cut, 2, 0x41, 0);
	uint32_t x_g = cpd_node(w, in_x, 1, 0x1210, CPD_NODE_EXACT);
	uint32_t none = cpd_node(w, 0, 0, CPD_NO_STACK, 0);

	write_sample(w, f_g, 50, 0);
	write_sample(w, main_g, 60, CPD_SAMPLE_READ_LATER);
	write_sample(w, f_g, 20, 0);
	write_sample(w, at_f, 25, 0);
	write_sample(w, x_g, 10, 0);
	write_sample(w, none, 1, 0);
	write_sample(w, f_g, 30, 0);
	cpd_write_total(w, &(struct cpd_total){1, 2003, 0});
	cpd_write_total(w, &(struct cpd_total){2, 400, 0});
	cpd_write_loss(w, &(struct cpd_loss){1, CPD_LOST, 0, 30, 3});
	cpd_write_loss(w, &(struct cpd_loss){1, CPD_UNSAMPLED, 1, 10, 0});
}

static uint32_t write_function(struct cpd_writer *w, uint32_t module,
	uint64_t lo, const char *name, enum cpd_function_source source,
	uint32_t flags)
{
	return cpd_write_function(
		w, &(struct cpd_function){.module = module,
			   .lo = lo,
			   .hi = lo ? lo + 0x100 : 0,
			   .name = name,
			   .linkage = *name == 'g' ? "_Zg" : "",
			   .source = source,
			   .flags = flags});
}

static void write_addr(struct cpd_writer *w, uint32_t module, uint64_t addr,
	uint32_t function, uint32_t line)
{
	struct cpd_frame frame = {function, line, line ? "src/prog.c" : ""};

	cpd_write_addr(
		w, &(struct cpd_addr){module, addr, 1, &frame, 0, 0, NULL});
}

static void write_names(struct cpd_writer *w)
{
	uint32_t f_main = write_function(
		w, 1, 0x1000, "main", CPD_NAME_SYMTAB, CPD_FUNCTION_MAIN);
	uint32_t f = write_function(w, 1, 0x1100, "f", CPD_NAME_SYMTAB, 0);
	uint32_t g = write_function(w, 1, 0x1200, "g<x;y>", CPD_NAME_SYMTAB, 0);
	uint32_t h = write_function(w, 1, 0, "h", CPD_NAME_DWARF, 0);
	uint32_t x =
		write_function(w, 2, 0x40, "libx.so+0x40", CPD_NAME_NONE, 0);
	struct cpd_frame inlined[] = {
		{h, 12, "src/h.c"},
		{f, 7, "src/prog.c"},
	};

	write_addr(w, 1, 0x1010, f_main, 5);
	cpd_write_addr(
		w, &(struct cpd_addr){1, 0x1120, 2, inlined, 0, 0, NULL});
	write_addr(w, 1, 0x1210, g, 20);
	write_addr(w, 1, 0x1220, g, 21);
	write_addr(w, 2, 0x40, x, 0);
	/* A second record of an address changes nothing. */
	write_addr(w, 1, 0x1010, g, 99);
}

static void finish(struct cpd_writer *w)
{
	struct err err;

	if (cpd_writer_close(w,
		    &(struct cpd_end){.time = 50 + 2500000000,
			    .status = 3 << 8,
			    .samples = 7,
			    .monitor_usec = 70},
		    &err)) {
		printf("Bail out! %s: %s\n", err.op, err.reason);
		exit(1);
	}
}

static struct dataset *open_dataset(void)
{
	struct err err;
	struct dataset *data = dataset_open(path, NULL, &err);

	if (!data) {
		printf("Bail out! %s: %s\n", err.op, err.reason);
		exit(1);
	}
	return data;
}

static void is(const char *got, const char *wanted, const char *what)
{
	size_t same = 0;

	if (ok(!strcmp(got, wanted), "%s", what))
		return;
	while (got[same] && got[same] == wanted[same])
		same++;
	diag("got, from the first difference: %.400s", got + same);
	diag("wanted: %.400s", wanted + same);
}

/* Everything a report writes, in new memory. */
static char *report(const struct dataset *data, const char *format,
	enum profile_kind kind, const char *root, double threshold,
	struct tree_view view, bool intervals)
{
	struct report_options options = {.root = root, .intervals = intervals};
	struct err err;
	char *text = NULL;
	size_t size, n = 0;
	uint32_t *roots = NULL;
	FILE *out = open_memstream(&text, &size);
	struct tree *tree;
	struct profile *profile = NULL;

	view.resource = 1;
	tree = tree_new(data, &view, &err);
	if (root && dataset_find(data, root, &roots, &n, &err))
		diag("%s", err.reason);
	if (tree)
		profile = profile_new(tree, kind, roots, n, threshold, &err);
	if (!profile || report_profile(out, report_format_find(format, &err),
				profile, &options, &err))
		diag("%s", err.reason);
	fclose(out);
	profile_free(profile);
	tree_free(tree);
	free(roots);
	return text;
}

__attribute__((unused)) static void check(const struct dataset *data,
	const char *format, enum profile_kind kind, const char *root,
	double threshold, const char *wanted, const char *what)
{
	char *got = report(data, format, kind, root, threshold,
		(struct tree_view){0}, false);

	is(got, wanted, what);
	free(got);
}

#define FACTS                                                                  \
	"196 hits in 7 samples, sampled every 10 gticks (1 gtick = 1 fault)\n" \
	"2003 faults consumed: 1960 in samples, 30 [lost] (3 samples), "       \
	"10 [unsampled]\n"                                                     \
	"1 sample with an incomplete stack, under [truncated]\n"               \
	"1 process, 1 thread\n"
#define RULE "-----------------------------------------------------\n"

__attribute__((unused)) static void ends_with(
	char *got, const char *wanted, const char *what)
{
	const char *after = strstr(got, RULE);

	is(after ? after + strlen(RULE) : got, wanted, what);
	free(got);
}

/* The run above, written and read. */
__attribute__((unused)) static struct dataset *whole_run(void)
{
	struct cpd_writer *w = begin();

	write_modules(w);
	write_stacks(w);
	write_names(w);
	cpd_write_note(w, &(struct cpd_note){"warning", "mind the \a bell"});
	cpd_writer_publish(w);
	finish(w);
	return open_dataset();
}

#endif
