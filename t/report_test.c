/*
 * Reports of a small run whose every figure can be worked out by hand.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../analyzer/report.h"
#include "../lib/cpd_writer.h"
#include "tap.h"

static char path[] = "/tmp/cpprof-report.XXXXXX";

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
				      .timer = "kernel, inherited"});
	cpd_write_resource(w, &(struct cpd_resource){.name = "cpu",
				      .title = "CPU Time",
				      .gtick = "us",
				      .unit = CPD_USEC,
				      .interval = 1000,
				      .timer = "kernel, inherited",
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
	cpd_write_total(w, &(struct cpd_total){1, 2003});
	cpd_write_total(w, &(struct cpd_total){2, 400});
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

	cpd_write_addr(w, &(struct cpd_addr){module, addr, 1, &frame, 0});
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
	cpd_write_addr(w, &(struct cpd_addr){1, 0x1120, 2, inlined, 0});
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
	struct dataset *data = dataset_open(path, &err);

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
	struct report_options options = {
		.root = root, .threshold = threshold, .intervals = intervals};
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
	if (!profile || report_format_find(format, &err)
				->write(out, profile, &options, &err))
		diag("%s", err.reason);
	fclose(out);
	profile_free(profile);
	tree_free(tree);
	free(roots);
	return text;
}

static void check(const struct dataset *data, const char *format,
	enum profile_kind kind, const char *root, double threshold,
	const char *wanted, const char *what)
{
	char *got = report(data, format, kind, root, threshold,
		(struct tree_view){0}, false);

	is(got, wanted, what);
	free(got);
}

#define FACTS                                                                  \
	"196 hits in 7 samples, sampled every 10 gticks (1 gtick = 1 fault)\n" \
	"2003 gticks consumed: 1960 in samples, 30 [lost] (3 samples), "       \
	"10 [unsampled]\n"                                                     \
	"1 sample with an incomplete stack, under [truncated]\n"               \
	"1 process, 1 thread\n"
#define RULE "-----------------------------------------------------\n"

static void test_text(const struct dataset *data)
{
	/* Of 2000: 1850, 1250 with and without h, 1000, 600. */
	check(data, "text", PROFILE_DOWN, "main", 0,
		"Downward Call Path Profile for resource: Page Faults\n" FACTS
		"root: main; threshold: 0\n"
		"format: usage_fraction (call_path) [#hits]\n" RULE
		"0.92500 (main) [185]\n"
		"0.62500 (main f) [125]\n"
		"0.62500 (main f h) [125]\n"
		"0.50000 (main f h g<x;y>) [100]\n"
		"0.30000 (main g<x;y>) [60]\n",
		"downward, as text");
	/* (g) 1000 + 600 + 100; ties by name. */
	check(data, "text", PROFILE_UP, "_Zg", 0,
		"Upward Call Path Profile for resource: Page Faults\n" FACTS
		"root: _Zg; threshold: 0\n"
		"format: usage_fraction (call_path) [#hits]\n" RULE
		"0.85000 (g<x;y>) [170]\n"
		"0.50000 (h g<x;y>) [100]\n"
		"0.50000 (f h g<x;y>) [100]\n"
		"0.50000 (main f h g<x;y>) [100]\n"
		"0.30000 (main g<x;y>) [60]\n"
		"0.05000 (libx.so+0x40 g<x;y>) [10]\n"
		"0.05000 ([truncated] libx.so+0x40 g<x;y>) [10]\n"
		"note: entries on fewer than 20 hits: 2 of 7; their fractions "
		"are rough\n",
		"upward, by linkage name");
	check(data, "text", PROFILE_FUNCTION, NULL, 0.01,
		"Body+Descendants Function Profile for resource: Page "
		"Faults\n" FACTS "threshold: 0.01\n"
		"format: usage_fraction function [#hits]\n" RULE
		"0.92500 main [185]\n"
		"0.85000 g<x;y> [170]\n"
		"0.62500 f [125]\n"
		"0.62500 h [125]\n"
		"0.05000 [truncated] [10]\n"
		"0.05000 libx.so+0x40 [10]\n"
		"0.01500 [lost] [0]\n"
		"note: entries on fewer than 20 hits: 2 of 7; their fractions "
		"are rough\n",
		"function profile");
	check(data, "text", PROFILE_BODY, NULL, 0.1,
		"Body Function Profile for resource: Page Faults\n" FACTS
		"threshold: 0.1\n"
		"format: usage_fraction function [#hits]\n" RULE
		"0.85000 g<x;y> [170]\n"
		"0.12500 h [25]\n",
		"body profile");
	check(data, "text", PROFILE_TREE, NULL, 0.05,
		"Sample Tree Profile for resource: Page Faults\n" FACTS
		"threshold: 0.05\n"
		"format: function (usage_fraction) [#hits]\n" RULE
		"main (0.92500) [185]\n"
		"  f (0.62500) [125]\n"
		"    h (0.62500) [125]\n"
		"      g<x;y> (0.50000) [100]\n"
		"  g<x;y> (0.30000) [60]\n"
		"[truncated] (0.05000) [10]\n"
		"  libx.so+0x40 (0.05000) [10]\n"
		"    g<x;y> (0.05000) [10]\n"
		"note: entries on fewer than 20 hits: 3 of 8; their fractions "
		"are rough\n",
		"tree");
}

static void ends_with(char *got, const char *wanted, const char *what)
{
	const char *after = strstr(got, RULE);

	is(after ? after + strlen(RULE) : got, wanted, what);
	free(got);
}

static void test_views(const struct dataset *data)
{
	ends_with(report(data, "text", PROFILE_DOWN, "main", 0,
			  (struct tree_view){.no_inlines = true}, false),
		"0.92500 (main) [185]\n"
		"0.62500 (main f) [125]\n"
		"0.50000 (main f g<x;y>) [100]\n"
		"0.30000 (main g<x;y>) [60]\n",
		"inlined calls folded back");
	/* main calls f and g in line 5; f has h inlined at line 7. */
	ends_with(report(data, "text", PROFILE_DOWN, "main", 0.3,
			  (struct tree_view){.sites = true}, false),
		"0.92500 (main) [185]\n"
		"0.62500 (main:prog.c:5 f) [125]\n"
		"0.62500 (main:prog.c:5 f:prog.c:7 h) [125]\n"
		"0.50000 (main:prog.c:5 f:prog.c:7 h:h.c:12 g<x;y>) [100]\n"
		"0.30000 (main:prog.c:5 g<x;y>) [60]\n",
		"call sites told apart");
	/* Wilson for 185 of 196 is 0.90232 to 0.96838; times 1960 / 2000. */
	ends_with(report(data, "text", PROFILE_DOWN, "main", 0.65,
			  (struct tree_view){0}, true),
		"0.92500 (main) [185] 0.88427..0.94901\n",
		"with the 95 % interval");
	ends_with(report(data, "text", PROFILE_DOWN, "[all]", 0.93,
			  (struct tree_view){0}, true),
		"1.00000 ([all]) [196] 1.00000..1.00000\n",
		"all is all, with the losses");
	ends_with(report(data, "text", PROFILE_BODY, NULL, 0.99,
			  (struct tree_view){0}, false),
		"note: nothing reaches the threshold of 0.99\n",
		"nothing over the threshold");
}

static void test_data(const struct dataset *data)
{
	check(data, "json", PROFILE_DOWN, "main", 0.9,
		"{\"profile\":\"down\",\"root\":\"main\","
		"\"resource\":\"pagefaults\",\"unit\":\"fault\","
		"\"interval\":10,\"gticks\":2003,\"hits\":196,\"samples\":7,"
		"\"lost\":30,\"truncated\":1,\"unsampled\":10,\"entries\":["
		"{\"path\":[\"main\"],\"hits\":185,\"fraction\":0.925,"
		"\"weight\":1850,\"samples\":5,"
		"\"interval95\":[0.88427,0.94901],"
		"\"kept_fraction\":0.925}],"
		"\"title\":\"Page Faults\",\"threshold\":0.9,\"weight\":2000,"
		"\"kernel\":0,\"uncounted\":0,\"lost_samples\":3,"
		"\"clock\":false,\"estimate\":false,\"user_only\":false,"
		"\"random\":false,\"processes\":1,\"threads\":1,"
		"\"complete\":true,\"filters\":[],"
		"\"kept\":{\"weight\":2000,\"hits\":196,\"samples\":7}}\n",
		"downward, as JSON");
	check(data, "csv", PROFILE_DOWN, "main", 0.3,
		"profile,resource,path,fraction,hits,weight,samples,depth,"
		"kept_fraction\n"
		"down,\"pagefaults\",\"main\",0.92500,185,1850,5,,0.92500\n"
		"down,\"pagefaults\",\"main;f\",0.62500,125,1250,4,,0.62500\n"
		"down,\"pagefaults\",\"main;f;h\",0.62500,125,1250,4,,0.62500\n"
		"down,\"pagefaults\",\"main;f;h;g<x\\x3by>\","
		"0.50000,100,1000,3,,0.50000\n"
		"down,\"pagefaults\",\"main;g<x\\x3by>\",0.30000,60,600,1,,0.30000\n",
		"downward, as CSV");
	check(data, "csv", PROFILE_TREE, NULL, 0.6,
		"profile,resource,path,fraction,hits,weight,samples,depth,"
		"kept_fraction\n"
		"tree,\"pagefaults\",\"main\",0.92500,185,1850,5,1,0.92500\n"
		"tree,\"pagefaults\",\"f\",0.62500,125,1250,4,2,0.62500\n"
		"tree,\"pagefaults\",\"h\",0.62500,125,1250,4,3,0.62500\n",
		"tree, as CSV");
}

static void test_folded(const struct dataset *data)
{
	struct tree_view view = {.resource = 1};
	struct err err;
	struct tree *tree = tree_new(data, &view, &err);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ok(!report_folded(out, tree, &err), "folded");
	fclose(out);
	/* Losses in hits: 30 / 10 and 10 / 10. */
	is(text,
		"main;f;h;g<x\\x3by> 100\n"
		"main;g<x\\x3by> 60\n"
		"main;f;h 25\n"
		"[truncated];libx.so+0x40;g<x\\x3by> 10\n"
		"[lost] 3\n"
		"[no user stack] 1\n"
		"[unsampled] 1\n",
		"folded lines, heaviest first");
	free(text);
	tree_free(tree);
}

static void test_info(const struct dataset *data)
{
	struct err err;
	char *text = NULL, *file, wanted[4096];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint64_t bytes = data->file.bytes;

	ok(!report_info(out, data, &err), "info");
	fclose(out);
	snprintf(wanted, sizeof wanted,
		"file: %s, %llu bytes, 7 samples, %.1f bytes per sample\n",
		path, (unsigned long long)bytes, (double)bytes / 7);
	file = strstr(text, "file: ");
	ok(file && !strncmp(file, wanted, strlen(wanted)),
		"info: the file's size");
	if (file) /* what depends on the format is taken out */
		memmove(file, file + strlen(wanted),
			strlen(file + strlen(wanted)) + 1);
	/* 2.5 s; 70 us for 7 samples; 2003 = 1960 + 30 + 10 + 3. */
	is(text,
		"command: ./prog 'it'\\''s' '\\x1b[31m'\n"
		"directory: /home\n"
		"started: 1970-01-02 00:00:00 UTC, ran 2.500 s\n"
		"host: host, Linux 6.1 x86_64, 2 CPUs, user 7\n"
		"collected by: cpprof 0.1\n"
		"exit status: 3\n"
		"monitor: 0.000 s CPU time, 10.0 us per sample\n"
		"\nresource pagefaults (Page Faults), 1 gtick = 1 fault\n"
		"  interval: 10\n"
		"  timer: kernel, inherited\n"
		"  in samples: 1960, 196 hits in 7 samples\n"
		"  [lost]: 30, 3 samples\n"
		"  [unsampled]: 10\n"
		"  samples and losses: 2000\n"
		"  consumed (the kernel's count): 2003\n"
		"  difference: 3, 0.15%\n"
		"  stacks: 6 whole, 1 truncated (14.29%), 1 with outer frames "
		"read later\n"
		"    1 ended in /lib/libx.so\n"
		"\nresource cpu (CPU Time), 1 gtick = 1 us\n"
		"  interval: 1000 (1 ms)\n"
		"  timer: kernel, inherited\n"
		"  sampled by a clock: the books balance within sampling "
		"noise\n"
		"  in samples: 0 (0 us), 0 hits in 0 samples\n"
		"  samples and losses: 0 (0 us)\n"
		"  consumed (the kernel's count): 400 (400 us)\n"
		"  difference: 400 (400 us), 100.00%\n"
		"  stacks: 0 whole, 0 truncated (0.00%), 0 with outer frames "
		"read later\n"
		"\nprocesses: 1, threads: 1\n"
		"  42 prog (/bin/prog), 1 thread\n"
		"\nmodules: 2\n"
		"  /bin/prog abcd\n"
		"  /lib/libx.so (no build id), no symbols\n"
		"\nnotes:\n"
		"  warning: mind the \\x07 bell\n",
		"info, line by line");
	free(text);
}

static void found(const struct dataset *data, const char *name, size_t wanted)
{
	struct err err;
	uint32_t *numbers;
	size_t n = 0;

	if (dataset_find(data, name, &numbers, &n, &err))
		diag("%s", err.reason);
	ok(n == wanted, "'%s' is %zu function%s", name, wanted,
		wanted == 1 ? "" : "s");
	free(numbers);
}

static void test_words(const struct dataset *data)
{
	struct err err;
	uint32_t *numbers;
	size_t n;

	found(data, "prog!f", 1);
	found(data, "libx.so!f", 0);
	found(data, "[truncated]", 1);
	found(data, "[all]", 1);
	found(data, "_Zg", 1);
	ok(dataset_find(data, "mian", &numbers, &n, &err) == -1 &&
			!strncmp(err.reason,
				"no function 'mian'; nearest: main", 33),
		"a wrong name is told the nearest: %s", err.reason);
	ok(!dataset_resource(data, "disk", &err) &&
			strstr(err.hint, "pagefaults, cpu"),
		"a wrong resource is told the file's: %s", err.hint);
	ok(dataset_resource(data, "cpu", &err) == 2, "a resource by name");
	is(dataset_default_root(data), "main",
		"one thread of one program: main is the root");
	ok(!dataset_explain_empty(data, 1, &err), "page faults there are");
	ok(dataset_explain_empty(data, 2, &err) &&
			strstr(err.reason, "400 us") &&
			strstr(err.hint, "-r cpu:"),
		"no CPU samples, and why: %s; %s", err.reason, err.hint);
}

/* No names at all, a forked child, another program, wild names. */
static void test_bare(bool exec, bool thread, const char *root)
{
	struct cpd_writer *w = begin();
	struct dataset *data;
	uint32_t f, node;

	cpd_write_process(w, &(struct cpd_process){.parent = 1,
				     .pid = 43,
				     .name = "child",
				     .exe = "",
				     .flags = exec ? CPD_PROCESS_EXEC : 0});
	cpd_write_thread(w,
		&(struct cpd_thread){
			.process = thread ? 1 : 2, .tid = 43, .name = "child"});
	write_modules(w);
	node = cpd_node(w, 0, 1, 0x1011, 0);
	write_sample(w, cpd_node(w, node, 2, 0x77, CPD_NODE_EXACT), 1, 0);
	write_sample(w, cpd_node(w, node, 1, 0x55, CPD_NODE_EXACT), 1, 0);
	f = write_function(
		w, 1, 0x1000, "real_main", CPD_NAME_SYMTAB, CPD_FUNCTION_MAIN);
	write_addr(w, 1, 0x1010, f, 0);
	f = write_function(w, 1, 0x50, "\033\xff\"\n", CPD_NAME_SYMTAB, 0);
	write_addr(w, 1, 0x55, f, 0);
	finish(w);
	data = open_dataset();
	is(dataset_default_root(data), root, "the root of several");
	ends_with(report(data, "text", PROFILE_DOWN, "main", 0,
			  (struct tree_view){0}, false),
		"1.00000 (real_main) [2]\n"
		"0.50000 (real_main \\x1b\\xff\"\\x0a) [1]\n"
		"0.50000 (real_main libx.so+0x77) [1]\n"
		"note: entries on fewer than 20 hits: 3 of 3; their fractions "
		"are rough\n",
		"names: none, wild, main by another");
	check(data, "csv", PROFILE_BODY, NULL, 0,
		"profile,resource,path,fraction,hits,weight,samples,depth,"
		"kept_fraction\n"
		"body,\"pagefaults\",\"\\x1b\\xff\"\"\\x0a\","
		"0.50000,1,10,1,,0.50000\n"
		"body,\"pagefaults\",\"libx.so+0x77\",0.50000,1,10,1,,0.50000\n",
		"wild names in CSV");
	dataset_free(data);
}

/* Cut at any byte: an error for lack of a head, or a dataset that works. */
static void test_cut(void)
{
	struct err err;
	char bytes[65536];
	FILE *file = fopen(path, "r");
	size_t size = fread(bytes, 1, sizeof bytes, file), opened = 0;
	bool whole = true;

	fclose(file);
	for (size_t n = 0; n <= size; n++) {
		struct dataset *data;
		char *text;

		file = fopen(path, "w");
		fwrite(bytes, 1, n, file);
		fclose(file);
		data = dataset_open(path, &err);
		if (!data)
			continue;
		opened++;
		whole &= n == size || !data->file.complete;
		if (data->nresources) {
			text = report(data, "text", PROFILE_DOWN, "[all]", 0,
				(struct tree_view){0}, false);
			whole &= text && *text;
			free(text);
		}
		dataset_free(data);
	}
	ok(opened > 0 && whole, "cut at any of %zu bytes: %zu open", size,
		opened);
}

int main(void)
{
	struct cpd_writer *w;
	struct dataset *data;
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	w = begin();
	write_modules(w);
	write_stacks(w);
	write_names(w);
	cpd_write_note(w, &(struct cpd_note){"warning", "mind the \a bell"});
	cpd_writer_publish(w);
	finish(w);
	data = open_dataset();
	test_text(data);
	test_views(data);
	test_data(data);
	test_folded(data);
	test_info(data);
	test_words(data);
	dataset_free(data);
	test_cut();
	unlink(path);
	test_bare(false, false, "main");
	unlink(path);
	test_bare(true, false, "[all]");
	unlink(path);
	test_bare(false, true, "[all]");
	unlink(path);
	return done_testing();
}
