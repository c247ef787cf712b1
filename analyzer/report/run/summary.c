/*
 * summary.c - the first lines: what the run took, and what the samples rest on.
 *
 * The first line tells whether the program computed or waited, from the
 * kernel's counts and the clock.  A line for each resource says what was
 * consumed, how it was sampled, and whether samples and losses add up to it.
 * There are more lines only where something is missing.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/run/rerun.h"
#include "analyzer/data/lives.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"
#include "analyzer/report/run/summary_facts.h"
#include "lib/text.h"

#define SHOWN 0.0005  /* shares that do not round to 0.0 % */
#define ABNORMAL 0.01 /* shares that have a line of their own */
#define LINES 6       /* of it all on a terminal of 24 rows */

/* The run. */

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

/* "python3.11 and 78 more processes", in new memory. */
static char *program(const struct dataset *data)
{
	uint32_t n = dataset_processes(data);
	char *escaped = report_escape(summary_program(data), "");
	char *text = NULL, number[32];

	if (escaped && n > 1) {
		if (asprintf(&text, "%s and %s more process%s", escaped,
			    layout_number(n - 1, number, sizeof number),
			    n == 2 ? "" : "es") < 0)
			text = NULL;
		free(escaped);
		return text;
	}
	return escaped;
}

static char *time_text(uint64_t usec, char *buf, size_t size)
{
	return layout_amount(
		&(struct cpd_resource){.unit = CPD_USEC}, usec, buf, size);
}

/*
 * Writes what the threads waited for events and for processors.  Where the run
 * did not count that: how many threads ran while any did, if more than one, and
 * how long none did.
 */
static void put_waiting(
	FILE *text, const struct dataset *data, const struct run_facts *f)
{
	char buf[64];
	bool rests = f->rest > f->wall / 10 && f->rest < f->wall;
	double busy = rests ? (double)f->cpu / (double)(f->wall - f->rest) : 0;

	if (f->blocked_known)
		fprintf(text, "   waiting %s",
			time_text(f->blocked, buf, sizeof buf));
	if (f->blocked_known && dataset_threads_run(data) > 1)
		fprintf(text, " (%" PRIu32 " threads added up)",
			dataset_threads_run(data));
	if (f->queued_known)
		fprintf(text, "%s for a processor %s",
			f->blocked_known ? "," : "   waiting",
			time_text(f->queued, buf, sizeof buf));
	if (!f->comparable || f->blocked_known)
		return;
	if (dataset_threads_run(data) > 1 && rests) {
		if (busy >= 1.05)
			fprintf(text, "   %.1f processors busy", busy);
		fprintf(text, "   not running %s",
			time_text(f->rest, buf, sizeof buf));
	} else if (dataset_threads_run(data) > 1) {
		fprintf(text, "   %.1f processors busy%s",
			(double)f->cpu / (double)f->wall,
			f->rest_known ? "" : " in the mean");
	} else if (f->wall >= f->cpu) {
		fprintf(text, "   not running %s",
			time_text(f->wall - f->cpu, buf, sizeof buf));
	}
}

static char *run_text(const struct dataset *data, const struct run_facts *f)
{
	char *text = NULL, buf[64];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "wall %s",
		f->wall_known ? time_text(f->wall, buf, sizeof buf)
			      : "not known");
	if (f->cpu_known)
		fprintf(out, "   CPU %s", time_text(f->cpu, buf, sizeof buf));
	put_waiting(out, data, f);
	if (f->faults_known)
		fprintf(out, "   %s page fault%s",
			layout_number(f->faults, buf, sizeof buf),
			f->faults == 1 ? "" : "s");
	text_killed(data->end.status, buf, sizeof buf);
	fprintf(out, "%s%s", *buf ? "   " : "", buf);
	return text_end(out, &text);
}

/* Writes two texts on one line, RIGHT at its end, or one behind the other where
   they do not fit. */
static int put_apart(
	FILE *out, const char *left, const char *right, size_t columns)
{
	size_t width = layout_width(left) + layout_width(right);
	char *both;

	if (columns > 100) /* the end of a wide line is hard to find */
		columns = 100;
	if (width + 3 <= columns) {
		fputs(left, out);
		layout_pad(out, width, columns);
		fprintf(out, "%s\n", right);
		return 0;
	}
	if (asprintf(&both, "%s   %s", left, right) < 0)
		return -1;
	layout_flow(out, both, columns);
	fputc('\n', out);
	free(both);
	return 0;
}

static int put_run(FILE *out, const struct dataset *data,
	const struct report_options *options)
{
	struct run_facts f = summary_facts(data);
	char *what = run_text(data, &f), *who = program(data);
	int status = what && who ? 0 : -1;

	if (!status)
		status = put_apart(out, what, who, layout_columns(options));
	free(what);
	free(who);
	return status;
}

/* A resource. */

static void put_balance(
	FILE *out, const struct dataset *data, uint32_t resource)
{
	const struct books *books = &data->books[resource];
	uint64_t losses = summary_losses(books),
		 booked = books->weight + losses;
	double missing = (double)books->total - (double)booked;
	enum balance balance = summary_balance(data, resource);
	uint64_t kernel;
	char used[96];

	switch (balance) {
	case BALANCE_UNKNOWN:
		fputs("what was consumed in all is not known", out);
		break;
	case BALANCE_UNSEEN:
	case BALANCE_STRANGE:
		dataset_differs(data, resource, &kernel);
		report_amount(
			&data->resources[resource], kernel, used, sizeof used);
		fprintf(out,
			balance == BALANCE_UNSEEN
				? "the timers missed some of %s"
				: "the program used only %s",
			used);
		break;
	case BALANCE_MISSING:
		fprintf(out, "%.1f %% unaccounted for",
			100 * missing / (double)books->total);
		break;
	case BALANCE_EXCESS:
		fprintf(out, "%.1f %% more in samples than was consumed",
			-100 * missing / (double)books->total);
		break;
	case BALANCE_HOLDS:
		if (share(losses, booked) < SHOWN)
			fputs("all accounted for", out);
		else
			fprintf(out, "%.1f %% in no stack",
				100 * share(losses, booked));
	}
}

char *report_samples(const struct cpd_resource *r, const struct books *books,
	char *buf, size_t size)
{
	double each = share(books->weight, books->samples * r->interval);
	char n[32], interval[128];
	size_t used;

	layout_number(books->samples, n, sizeof n);
	report_amount(r, r->interval, interval, sizeof interval);
	snprintf(buf, size, "%s sample%s", n, books->samples == 1 ? "" : "s");
	used = strlen(buf);
	if (r->interval > 1 || r->unit != CPD_COUNT)
		/* a wait, or a large request, has one sample for all of it, and
		   the first of a turn may be late */
		snprintf(buf + used, size - used,
			each >= 2      ? ", each for %s or more"
			: each >= 1.01 ? ", one every %s or more"
				       : ", one every %s",
			interval);
	else if (each < 1.01)
		snprintf(buf + used, size - used, ", each sampled");
	return buf;
}

void report_resource_line(FILE *out, const struct dataset *data,
	uint32_t resource, const struct report_options *options)
{
	const struct cpd_resource *r = &data->resources[resource];
	const struct books *books = &data->books[resource];
	char *text = NULL, *name, buf[256];
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return;
	name = report_escape(r->name, "");
	fprintf(line, "%s %s", name ? name : "",
		layout_amount(r,
			books->has_total
				? books->total
				: books->weight + summary_losses(books),
			buf, sizeof buf));
	if (dataset_is_waiting(r) && dataset_threads_run(data) > 1)
		fprintf(line, ", the sum of %s threads",
			layout_number(
				dataset_threads_run(data), buf, sizeof buf));
	fprintf(line, "   %s   ", report_samples(r, books, buf, sizeof buf));
	put_balance(line, data, resource);
	free(name);
	if (!fclose(line)) {
		layout_flow(out, text, layout_columns(options));
		fputc('\n', out);
	}
	free(text);
}

/* What is wrong. */

static void put_loss(FILE *out, const struct dataset *data, uint32_t resource,
	int kind, const struct report_options *options)
{
	static const char *const why[CPD_LOSS_KINDS] = {
		[CPD_LOST] =
			"no room in the ring: a larger interval loses less",
		[CPD_UNSAMPLED] = "no timer could place it",
		[CPD_KERNEL] = "kernel mode, which this user may not see",
		[CPD_SETUID] = "a set-uid program ended the counting",
		[CPD_PROBES] = "taken by this run's own probes",
		[CPD_BEFORE] = "of blocks that were allocated before",
	};
	const struct books *books = &data->books[resource];
	double part =
		share(books->loss[kind], books->weight + summary_losses(books));
	uint32_t flags = data->resources[resource].flags;
	bool counted = kind == CPD_LOST && flags & CPD_RESOURCE_EACH;
	/* of a process that ran already nothing tells them apart */
	bool hidden = kind == CPD_UNSAMPLED && flags & CPD_RESOURCE_USER_ONLY &&
		      !books->loss[CPD_KERNEL];

	if (part >= ABNORMAL)
		layout_note(out, options, "%.1f %% %s: %s", 100 * part,
			cpd_loss_names[kind],
			counted  ? "no room: fewer functions lose less"
			: hidden ? "kernel mode, which this user may not see, "
				   "or no timer could place it"
				 : why[kind]);
	if (kind == CPD_SETUID && books->uncounted)
		layout_note(out, options,
			"%s, an unknown amount: %s, and all fractions are of "
			"the rest",
			cpd_loss_names[kind], why[kind]);
}

/* What was consumed where a thread has no stack. */
static uint64_t without_stack(const struct dataset *data, uint32_t resource)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < data->naggregates; i++) {
		const struct aggregate *a = &data->aggregates[i];
		const struct location *at = dataset_location(data, a->node);

		if (a->resource == resource && at->nframes &&
			at->frames->function == FN_NO_STACK)
			sum += a->weight;
	}
	return sum;
}

static void put_troubles(FILE *out, const struct dataset *data,
	uint32_t resource, const struct report_options *options)
{
	const struct cpd_resource *r = &data->resources[resource];
	const struct books *books = &data->books[resource];
	double no_stack = share(without_stack(data, resource),
		books->weight + summary_losses(books));
	char buf[64];

	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++)
		put_loss(out, data, resource, kind, options);
	if (share(books->truncated, books->samples) >= ABNORMAL)
		layout_note(out, options,
			"%.1f %% [truncated]: their outer frames are not known",
			100 * share(books->truncated, books->samples));
	if (no_stack >= ABNORMAL)
		layout_note(out, options,
			"%.1f %% [no user stack]: the kernel begins or ends a "
			"program there (execve, exit)",
			100 * no_stack);
	if (r->flags & CPD_RESOURCE_USER_ONLY)
		layout_note(out, options,
			"user mode only: this user may not see the kernel's "
			"share");
	report_unfollowed(out, data, resource, options);
	if (summary_given_up(data, resource))
		layout_note(
			out, options, "%s", summary_given_up(data, resource));
	if (r->flags & CPD_RESOURCE_ESTIMATE && books->doubt)
		layout_note(out, options,
			"the amount is an estimate, give or take %s",
			layout_amount(r, books->doubt, buf, sizeof buf));
	else if (r->flags & CPD_RESOURCE_ESTIMATE)
		layout_note(out, options,
			"the amount is an estimate: this kernel has no exact "
			"count of it");
}

/* The least interval of events that come by the million; of others it is 1.
   The file does not tell (monitor/resource/table.c). */
#define MILLIONS 1000

/* Where a run gave few samples, or lost many: the interval that does not. */
static void put_rerun(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options)
{
	const struct cpd_resource *r = &data->resources[resource];
	struct rerun_resource had = {.name = lives_asked(r),
		.unit = (enum text_unit)r->unit,
		.interval = r->flags & CPD_RESOURCE_EACH ? 0 : r->interval,
		.least = r->interval > MILLIONS ? MILLIONS : 1,
		.consumed = data->books[resource].total,
		.samples = data->books[resource].samples,
		.lost = data->books[resource].lost_samples};
	/* of several runs joined none is to be made again */
	char *option = summary_command(data) ? rerun_option(&had, 1) : NULL;

	if (option)
		layout_note(out, options, "%s: %s",
			rerun_is_lossy(&had)
				? "samples were lost; this loses fewer"
				: "few samples, for a short run; this takes "
				  "more",
			option);
	free(option);
}

/* Writes so much of a resource, and what is wrong with its books. */
static void put_brief(FILE *out, const struct dataset *data, uint32_t resource)
{
	const struct cpd_resource *r = &data->resources[resource];
	const struct books *books = &data->books[resource];
	uint64_t losses = summary_losses(books);
	char *name = report_escape(r->name, ""), amount[64];

	fprintf(out, "%s %s", name ? name : "",
		layout_amount(r,
			books->has_total ? books->total
					 : books->weight + losses,
			amount, sizeof amount));
	if (summary_balance(data, resource) != BALANCE_HOLDS ||
		share(losses, books->weight + losses) >= ABNORMAL) {
		fputs(", ", out);
		put_balance(out, data, resource);
	}
	free(name);
}

/* Whether it is another than that of the tables, and was consumed. */
static bool is_other(const struct summary_choice *c, size_t i)
{
	const struct books *books = &c->data->books[c->resources[i]];

	return c->resources[i] != c->full &&
	       (!books->has_total || books->total || books->weight);
}

/* The tables are of one resource: a line for the others. */
static int put_others(FILE *out, const struct summary_choice *c,
	const struct report_options *options)
{
	struct layout_lines lines;
	char how[FILENAME_MAX];
	size_t others = 0;

	for (size_t i = 0; i < c->n; i++)
		others += is_other(c, i);
	if (!others)
		return 0;
	if (!layout_lines_begin(&lines))
		return -1;
	fputs("also ", lines.stream);
	for (size_t i = 0; i < c->n; i++) {
		if (!is_other(c, i))
			continue;
		put_brief(lines.stream, c->data, c->resources[i]);
		fputs("   ", lines.stream);
	}
	fprintf(lines.stream, "see '%s'",
		report_command(c->data, options, "report -r NAME",
			"resource NAME", how, sizeof how));
	return layout_lines_end(&lines, 0, out, layout_columns(options));
}

/* What a reader has to know, each a line or, where it needs them, more. */
static int put_notes(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options)
{
	struct run_facts f = summary_facts(data);
	bool told;

	if (!data->file.complete)
		layout_note(out, options,
			"the file is incomplete: the run was cut short or is "
			"not over");
	told = summary_runtime(out, data, resource, options);
	summary_leads(out, data, &f, resource, options);
	put_rerun(out, data, resource, options);
	if (summary_idle(out, data, resource, options) ||
		summary_nameless(out, data, resource, told, options))
		return -1;
	put_troubles(out, data, resource, options);
	return 0;
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* The notes that fit in ROOM lines, and how many do not.  The lines of a note
   but the first are indented. */
static void put_what_fits(FILE *out, const char *notes, size_t room,
	const struct dataset *data, const struct report_options *options)
{
	size_t left = 0;
	char how[FILENAME_MAX];

	room -= lines_of(notes) > room;
	while (*notes) {
		const char *end = notes;
		size_t lines = 0;

		do {
			end = strchr(end, '\n') + 1;
			lines++;
		} while (*end == ' ');
		if (left || lines > room) {
			left++;
		} else {
			fwrite(notes, 1, (size_t)(end - notes), out);
			room -= lines;
		}
		notes = end;
	}
	if (left)
		layout_note(out, options, "%zu more remark%s: '%s'", left,
			left == 1 ? "" : "s",
			report_command(data, options, "info", "info", how,
				sizeof how));
}

/* On a terminal it leaves room for what is below it. */
int report_summary(FILE *out, const struct summary_choice *choice,
	const struct report_options *options, struct err *err)
{
	const struct dataset *data = choice->data;
	size_t rows = options->rows, room = rows < 28 ? LINES : rows / 4, used;
	struct layout_lines head, notes = {0};
	int status = -1;

	if (!layout_lines_begin(&head))
		return err_memory(err, NULL, "report");
	if (layout_lines_begin(&notes)) {
		status = put_run(head.stream, data, options);
		report_resource_line(head.stream, data, choice->full, options);
		status = status || put_others(head.stream, choice, options) ||
			 put_notes(notes.stream, data, choice->full, options);
		status = fclose(notes.stream) || status;
	}
	status = fclose(head.stream) || status;
	if (!status) {
		used = lines_of(head.text);
		fputs(head.text, out);
		room = !rows ? SIZE_MAX : room > used ? room - used : 1;
		put_what_fits(out, notes.text, room, data, options);
	}
	free(head.text);
	free(notes.text);
	return status ? err_memory(err, NULL, "report") : 0;
}
