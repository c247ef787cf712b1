/* cpprof merge: joins files of the same resources. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "lib/cpprofdata/merge.h"
#include "lib/run/command.h"
#include "cpprof/interrupt.h"
#include "cpprof/progress_line.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"

struct merge_args {
	const char *output;
	bool quiet;
	char **files;
	int nfiles;
};

const struct opt merge_opts[] = {
	{"output", 'o', "OUT", "file to write; - for standard output",
		OPT_VALUE(struct merge_args, output)},
	{"quiet", 'q', NULL, "print errors only",
		OPT_FLAG(struct merge_args, quiet)},
	OPT_HELP_ROW,
	{0},
};

static int check(const struct merge_args *args, struct err *err)
{
	if (args->output && args->nfiles)
		return 0;
	err_set(err, "merge", NULL,
		args->output ? "no file to read" : "no file to write");
	return err_hint(err, "it is used as: cpprof merge -o OUT FILE...");
}

/* 0 to go on; -1 to exit with *STATUS. */
static int parse(const struct subcommand *self, int argc, char **argv,
	struct merge_args *args, int *status)
{
	struct opt_scan scan;
	struct err err;

	*args = (struct merge_args){0};
	opt_begin(&scan, self->opts, false, argc, argv);
	if (subcommand_options(self, &scan, args, NULL, NULL, status))
		return -1;
	args->files = scan.operands;
	args->nfiles = scan.noperands;
	if (check(args, &err) == 0)
		return 0;
	*status = subcommand_fail(self, &err);
	return -1;
}

/* The command line for the file, without the options. */
static char **command_line(const struct merge_args *args)
{
	char **argv = calloc((size_t)args->nfiles + 3, sizeof *argv);

	if (!argv)
		return NULL;
	argv[0] = "cpprof";
	argv[1] = "merge";
	for (int i = 0; i < args->nfiles; i++)
		argv[i + 2] = args->files[i];
	return argv;
}

static int write_merged(struct cpd_merge *merge, const struct merge_args *args,
	struct cpd_merged *merged, const struct work *work, struct err *err)
{
	struct cpd_writer *w = cpd_writer_open(args->output, err);
	char **argv = command_line(args);
	int bad = -1;

	if (!argv)
		err_memory(err, "merge", NULL);
	else if (w)
		bad = cpd_merge_write(merge, w, VERSION, argv, merged, err);
	if (!bad) /* from here on there is no way back */
		bad = work_ask(work, "merging", merged->end.samples, 0, err);
	free(argv);
	return cpd_writer_end(w, bad, &merged->end, err);
}

static void closing(const struct merge_args *args, const struct cpd_merged *m)
{
	char name[1024];

	command_quoted(args->output, name, sizeof name);
	message("%" PRIu64 " samples of %" PRIu64 " process%s from %d file%s "
		"in %s",
		m->end.samples, m->processes, m->processes == 1 ? "" : "es",
		args->nfiles, args->nfiles == 1 ? "" : "s", name);
	if (m->unfinished)
		message("%" PRIu64
			" of the files had no end: what was consumed in "
			"all is not known",
			m->unfinished);
}

int cmd_merge(const struct subcommand *self, int argc, char **argv)
{
	struct merge_args args;
	struct cpd_merged merged = {0};
	struct cpd_merge *merge;
	struct patience patience;
	struct err err;
	int status, bad;

	if (parse(self, argc, argv, &args, &status) < 0)
		return status;
	interrupt_begin(true);
	patience_begin(&patience);
	patience.show &= !args.quiet;
	merge = cpd_merge_open((const char *const *)args.files,
		(size_t)args.nfiles, &patience.work, &err);
	bad = !merge || cpd_merge_check_output(merge, args.output, &err) ||
	      write_merged(merge, &args, &merged, &patience.work, &err);
	cpd_merge_close(merge);
	patience_over(&patience, bad ? &err : NULL);
	if (bad)
		return subcommand_fail(self, &err);
	if (!args.quiet)
		closing(&args, &merged);
	return 0;
}
