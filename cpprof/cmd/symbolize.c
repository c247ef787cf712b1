/* cpprof symbolize: looks the names of a file up anew, where files are now. */
#include <config.h>

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/symbol/notes.h"
#include "analyzer/symbol/symbolize.h"
#include "cpprof/interrupt.h"
#include "cpprof/message.h"
#include "cpprof/output.h"
#include "cpprof/progress_line.h"
#include "cpprof/subcommand.h"
#include "lib/cpprofdata/merge.h"
#include "lib/cpprofdata/format.h"
#include "lib/run/command.h"
#include "lib/text.h"

struct symbolize_args {
	const char *sysroot, *output, *file;
	bool quiet;
};

const struct opt symbolize_opts[] = {
	{"sysroot", 0, "DIR", "root of the files of the machine that ran",
		OPT_VALUE(struct symbolize_args, sysroot)},
	{"output", 'o', "OUT", "file to write; - for standard output",
		OPT_VALUE(struct symbolize_args, output)},
	{"quiet", 'q', NULL, "print errors only",
		OPT_FLAG(struct symbolize_args, quiet)},
	OPT_HELP_ROW,
	{0},
};

struct late_naming {
	const struct symbolize_args *args;
	struct cpd_merge *merge;
	struct patience patience;
};

/* Says why a file was not read, where that leaves code without a name. */
static void tell_left(const struct late_naming *n, const char *why)
{
	char text[1024];

	if (!cpd_merge_nameless(n->merge) || n->args->quiet)
		return;
	message("%" PRIu64 " addresses without a name: %s",
		cpd_merge_nameless(n->merge),
		text_escape(why, text, sizeof text));
}

static int take(void *arg, int kind, void *record)
{
	const struct late_naming *n = arg;
	const struct cpd_note *note = kind == CPD_KIND_note ? record : NULL;

	if (!note || strcmp(note->key, SYM_NOTE_LEFT) != 0)
		return cpd_merge_take(n->merge, kind, record);
	tell_left(n, note->text);
	return 0;
}

static void progress(void *arg, size_t done, size_t all)
{
	const struct late_naming *n = arg;
	struct err ignored;

	work_ask(&n->patience.work, "naming", done, all, &ignored);
}

static void fetching(void *arg, const struct cpd_module *module, uint64_t bytes)
{
	(void)module;
	progress(arg, bytes, 0);
}

static bool stopped(void *arg)
{
	(void)arg;
	return interrupt_came() != 0;
}

static int name(void *arg, struct cpd_writer *w, struct err *err)
{
	struct late_naming *n = arg;
	struct symbolize_options options = {.arg = n,
		.progress = progress,
		.fetching = fetching,
		.stopped = stopped,
		.sysroot = n->args->sysroot,
		.late = true,
		.take = take,
		.take_arg = n};

	if (symbolize(w, &options, err))
		return -1;
	return work_ask(&n->patience.work, "naming", 0, 0, err);
}

static int write_named(
	struct late_naming *n, struct cpd_renaming *renaming, struct err *err)
{
	struct cpd_writer *w = cpd_writer_open(n->args->output, err);
	struct cpd_merged merged = {0};
	int bad =
		w ? cpd_merge_rename(n->merge, w, renaming, &merged, err) : -1;

	return cpd_writer_end(w, bad, &merged.end, err);
}

static int check(const struct symbolize_args *args, struct err *err)
{
	if (!args->output) {
		err_set(err, "symbolize", NULL, "no file to write");
		return err_hint(
			err, "it is used as: cpprof symbolize -o OUT [FILE]");
	}
	if (args->sysroot && access(args->sysroot, X_OK))
		return err_sys(err, args->sysroot, "sysroot");
	return args->file ? 0 : -1;
}

/* Says what OUT has; whether nothing was found and something is missed. */
static bool tell(
	const struct symbolize_args *args, const struct cpd_renaming *r)
{
	bool nothing = !r->better && r->after < r->addresses;
	char out[1024];
	struct err err;

	if (!args->quiet)
		message("%" PRIu64 " of %" PRIu64 " addresses have a name in "
			"%s; before, %" PRIu64 " had one",
			r->after, r->addresses,
			command_quoted(args->output, out, sizeof out),
			r->before);
	if (!nothing)
		return false;
	err_set(&err, args->file, "symbolize", "no name was found for it");
	err_hint(&err, "install debug symbols, or say where they are: "
		       "--sysroot=DIR, DEBUGINFOD_URLS");
	message_error(&err);
	return true;
}

/* The exit status, or -1 and ERR. */
static int symbolize_file(const struct symbolize_args *args, struct err *err)
{
	struct late_naming n = {.args = args};
	struct cpd_renaming renaming = {.name = name, .arg = &n};
	int bad;

	interrupt_begin(true);
	patience_begin(&n.patience);
	n.patience.show &= !args->quiet;
	n.merge = cpd_merge_open(&args->file, 1, &n.patience.work, err);
	bad = !n.merge || cpd_merge_check_output(n.merge, args->output, err) ||
	      write_named(&n, &renaming, err);
	cpd_merge_close(n.merge);
	patience_over(&n.patience, bad ? err : NULL);
	if (bad)
		return -1;
	return tell(args, &renaming) ? EXIT_NOTHING : 0;
}

int cmd_symbolize(const struct subcommand *self, int argc, char **argv)
{
	struct symbolize_args args = {0};
	struct opt_scan scan;
	struct err err;
	int status;

	opt_begin(&scan, self->opts, false, argc, argv);
	if (subcommand_options(self, &scan, &args, NULL, NULL, &status))
		return status;
	args.file = subcommand_file(&scan, &err);
	status = check(&args, &err) ? -1 : symbolize_file(&args, &err);
	return status < 0 ? subcommand_fail(self, &err) : status;
}
