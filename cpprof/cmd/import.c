/* cpprof import: other tools' samples as a cpprofdata file. */
#include <config.h>

#include <inttypes.h>

#include "lib/run/command.h"
#include "analyzer/import/import.h"
#include "cpprof/interrupt.h"
#include "cpprof/message.h"
#include "cpprof/output.h"
#include "cpprof/progress_line.h"
#include "cpprof/subcommand.h"

struct import_args {
	const char *from, *output, *file;
	bool quiet;
};

const struct opt import_opts[] = {
	{"from", 0, "FORMAT", "perf, folded or pprof; default by its content",
		OPT_VALUE(struct import_args, from)},
	{"output", 'o', "FILE", "file to write; default cpprofdata",
		OPT_VALUE(struct import_args, output)},
	{"quiet", 'q', NULL, "print nothing but errors",
		OPT_FLAG(struct import_args, quiet)},
	OPT_HELP_ROW,
	{0},
};

static int write_file(const struct import_args *x,
	const struct import_format *format, struct import *im, struct err *err)
{
	struct cpd_end end = {.status = -1};
	char text[600];
	int bad;

	im->out = cpd_writer_open(x->output, err);
	bad = im->out ? format->read(im, err) : -1;
	if (!bad) {
		end.time = im->done->end;
		end.samples = im->done->samples;
		/* This note tells readers which facts are unknown. */
		snprintf(text, sizeof text, "%s, from %s; %s", format->name,
			im->path, im->done->weight);
		cpd_write_note(
			im->out, &(struct cpd_note){CPD_NOTE_IMPORT, text});
	}
	return cpd_writer_end(im->out, bad, &end, err);
}

static int import_file(
	const struct import_args *x, struct import *im, struct err *err)
{
	const struct import_format *format =
		x->from ? import_format_find(x->from, err) : NULL;
	int bad;

	if (x->from && !format)
		return -1;
	im->in = import_open(im->path, err);
	if (!im->in)
		return -1;
	if (!format)
		format = import_detect(im->path, im->in, err);
	/* before, there is nothing that a signal could leave behind */
	interrupt_begin(true);
	bad = format ? write_file(x, format, im, err) : -1;
	fclose(im->in);
	im->done->format = format ? format->name : "";
	return bad;
}

static void closing(const struct import_args *x, const struct imported *done)
{
	char name[1024];

	command_quoted(x->output, name, sizeof name);
	message("%" PRIu64 " sample%s of %s in %s; %s", done->samples,
		done->samples == 1 ? "" : "s", done->format, name,
		done->weight);
}

static int import_command(const struct import_args *x, struct err *err)
{
	/* The command line is unknown; this stands in its place. */
	char *words[] = {(char *)x->file};
	struct imported done = {0};
	struct patience patience;
	struct import im = {.path = x->file,
		.work = &patience.work,
		.version = VERSION,
		.argv = words,
		.argc = sizeof words / sizeof *words,
		.done = &done};
	int bad;

	patience_begin(&patience);
	patience.show &= !x->quiet;
	bad = import_file(x, &im, err);
	patience_over(&patience, bad ? err : NULL);
	if (!bad && !x->quiet)
		closing(x, &done);
	return bad;
}

int cmd_import(const struct subcommand *self, int argc, char **argv)
{
	struct import_args x = {.output = DEFAULT_FILE};
	struct opt_scan scan;
	struct err err;
	int status;

	opt_begin(&scan, self->opts, false, argc, argv);
	if (subcommand_options(self, &scan, &x, NULL, NULL, &status))
		return status;
	output_init();
	if (!scan.noperands) {
		err_set(&err, NULL, NULL, "no file to import");
		err_hint(&err, "cpprof import FILE; - is standard input");
		return subcommand_fail(self, &err);
	}
	x.file = subcommand_file(&scan, &err);
	return x.file && import_command(&x, &err) == 0
		       ? 0
		       : subcommand_fail(self, &err);
}
