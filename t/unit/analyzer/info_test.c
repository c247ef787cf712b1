/*
 * What a dataset says of itself and of a user's words, with the run in
 * report_data.h, with ones that lack this or that, and with cut files.
 */
#include "t/unit/analyzer/report_data.h"

static void test_info(const struct dataset *data)
{
	struct err err;
	char *text = NULL, *file, wanted[4096];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint64_t bytes = data->file.bytes;

	ok(!report_info(out, report_formats, data,
		   &(struct report_options){.whole = true}, &err),
		"info");
	fclose(out);
	snprintf(wanted, sizeof wanted,
		"file: %s, %llu bytes, 7 samples, %.1f bytes per sample\n",
		path, (unsigned long long)bytes, (double)bytes / 7);
	file = strstr(text, "file: ");
	ok(file && !strncmp(file, wanted, strlen(wanted)),
		"info: the file's size");
	if (file) /* without what depends on the format */
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
		"\nresource pagefaults (Page Faults)\n"
		"  interval: 10 faults\n"
		"  timer: kernel, per-task\n"
		"  in samples: 1960 faults, 196 hits in 7 samples\n"
		"  [lost]: 30 faults, 3 samples\n"
		"  [unsampled]: 10 faults\n"
		"  samples and losses: 2000 faults\n"
		"  consumed (the kernel's count): 2003 faults\n"
		"  difference: 3 faults, 0.15%\n"
		"  stacks: 6 whole, 1 truncated (14.29%), 1 with outer frames "
		"read later\n"
		"    1 ended in /lib/libx.so\n"
		"\nresource cpu (CPU Time)\n"
		"  interval: 1000 (1 ms)\n"
		"  timer: kernel, per-task\n"
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
}

/* No names at all, a forked child, another program, wild names. */
static void test_no_cfi(bool exec, bool thread, const char *root)
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
	ends_with(report(data, "paper", PROFILE_DOWN, "main", 0,
			  (struct tree_view){0}, false),
		"1.00000 (real_main) [2]\n"
		"0.50000 (real_main \\x1b\\xff\"\\x0a) [1]\n"
		"0.50000 (real_main libx.so+0x77) [1]\n"
		"note: entries on fewer than 20 samples: 3 of 3; their "
		"fractions "
		"are rough\n",
		"names: none, wild, main by another");
	check(data, "csv", PROFILE_BODY, NULL, 0,
		"profile,resource,path,fraction,hits,weight,samples,depth,"
		"kept_fraction,modules,files,sites\n"
		"body,\"pagefaults\",\"\\x1b\\xff\"\"\\x0a\","
		"0.50000,1,10,1,,0.50000,\"prog\",\"\",\"\"\n"
		"body,\"pagefaults\",\"libx.so+0x77\",0.50000,1,10,1,,0."
		"50000,\"libx.so\",\"\",\"\"\n",
		"wild names in CSV");
	dataset_free(data);
}

/* What info says of a run whose total is FAULTS, of which wait4 has 1000. */
static void test_usage(uint64_t faults, bool child, const char *wanted)
{
	struct cpd_writer *w = begin();
	struct dataset *data;
	struct err err;
	char *text = NULL, *line;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (child)
		cpd_write_process(
			w, &(struct cpd_process){
				   .parent = 1, .pid = 43, .name = "child"});
	cpd_write_total(
		w, &(struct cpd_total){.resource = 1, .gticks = faults});
	cpd_write_usage(w, &(struct cpd_usage){.minor = 900, .major = 100});
	finish(w);
	data = open_dataset();
	report_info(out, report_formats, data,
		&(struct report_options){.whole = true}, &err);
	fclose(out);
	line = strstr(text, "  the timers ");
	if (line)
		line[strcspn(line, "\n")] = '\0';
	is(line ? line : "", wanted, "what wait4 has, beside a total");
	free(text);
	dataset_free(data);
}

#define OWN ": the processes' own counts (wait4) have 1000 faults"

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
		data = dataset_open(path, NULL, &err);
		if (!data)
			continue;
		opened++;
		whole &= n == size || !data->file.complete;
		if (data->nresources) {
			text = report(data, "paper", PROFILE_DOWN, "[all]", 0,
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
	struct dataset *data;

	path = temp_file();
	data = whole_run();
	test_info(data);
	test_words(data);
	dataset_free(data);
	test_cut();
	test_no_cfi(false, false, "main");
	test_no_cfi(true, false, "[all]");
	test_no_cfi(false, true, "[all]");
	test_usage(799, false, "  the timers missed some" OWN);
	test_usage(801, false, "");
	test_usage(1310, false, ""); /* a fifth, 100, and 10 a thread */
	test_usage(1311, false, "  the timers counted too much" OWN);
	test_usage(1311, true, ""); /* a child that is not waited for */
	temp_file_remove(path);
	return done_testing();
}
