/*
 * info.c - what is in a cpprofdata file: `cpprof info`.
 *
 * One block per question: what ran, when, what was counted and do the books
 * balance, how whole are the stacks, which processes, which modules.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/text.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/report_private.h"
#include "analyzer/report/run/info_facts.h"

#define LISTED 50 /* of processes, threads, modules */

/* Only memory can fail; the first failure is kept. */
struct info {
	FILE *out;
	const struct dataset *data;
	bool failed;
};

static void put(struct info *info, const char *name)
{
	if (report_name(info->out, name))
		info->failed = true;
}

/* "12 faults"; of times and bytes the exact number first: "1500 (1.5 ms)". */
static const char *amount(
	uint64_t n, const struct cpd_resource *r, char *buf, size_t size)
{
	char shown[96];

	report_amount(r, n, shown, sizeof shown);
	if (r->unit == CPD_COUNT)
		snprintf(buf, size, "%s", shown);
	else
		snprintf(buf, size, "%" PRIu64 " (%s)", n, shown);
	return buf;
}

/* The command line as it must be typed in a shell. */
static void put_command(struct info *info)
{
	const struct cpd_head *head = &info->data->head;

	fputs(info->data->imported ? "imported from:" : "command:", info->out);
	for (uint32_t i = 0; i < head->argc; i++) {
		char *word = text_quoted(head->argv[i]);

		fprintf(info->out, " %s", word ? word : "");
		info->failed |= !word;
		free(word);
	}
	if (!info->data->imported) {
		fputs("\ndirectory: ", info->out);
		put(info, head->cwd);
	}
	fputc('\n', info->out);
}

static void put_when(struct info *info)
{
	const struct cpd_head *head = &info->data->head;
	time_t seconds = (time_t)(head->start_unix / 1000000000);
	char when[64] = "unknown";
	uint64_t from;
	struct tm tm;

	if (head->start_unix && gmtime_r(&seconds, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &tm);
	fprintf(info->out, "started: %s", when);
	if (info->data->file.complete && info->data->end.time >= head->start &&
		info->data->end.time)
		fprintf(info->out, ", %s %.3f s",
			dataset_noted(info->data, "attached") ? "on for"
							      : "ran",
			(double)dataset_collected(info->data, &from) / 1e6);
	if (info->data->imported) {
		fputs("\nhost: not known\nimported by: cpprof ", info->out);
		put(info, head->version);
		fputc('\n', info->out);
		return;
	}
	fputs("\nhost: ", info->out);
	put(info, head->host);
	fputs(", Linux ", info->out);
	put(info, head->kernel);
	fputc(' ', info->out);
	put(info, head->machine);
	fprintf(info->out, ", %" PRIu32 " CPU%s, user %" PRIu32 "\n",
		head->ncpu, head->ncpu == 1 ? "" : "s", head->uid);
	fputs("collected by: cpprof ", info->out);
	put(info, head->version);
	fputc('\n', info->out);
}

static void put_status(struct info *info)
{
	int status = info->data->end.status;
	char killed[64];

	fputs("exit status: ", info->out);
	if (!info->data->file.complete || info->data->imported)
		fputs("not known\n", info->out);
	else if (status == -1)
		fputs("was still running\n", info->out);
	else if (WIFSIGNALED(status))
		fprintf(info->out, "%s%s\n",
			text_killed(status, killed, sizeof killed),
			WCOREDUMP(status) ? ", core dumped" : "");
	else
		fprintf(info->out, "%d\n", WEXITSTATUS(status));
}

static void put_file(struct info *info)
{
	const struct dataset *data = info->data;
	const struct cpd_result *file = &data->file;
	uint64_t samples = 0;

	for (uint32_t i = 1; i <= data->nrecorded; i++)
		samples += data->books[i].samples;
	fputs("file: ", info->out);
	put(info, data->path);
	fprintf(info->out, ", %" PRIu64 " bytes, %" PRIu64 " samples",
		file->bytes, samples);
	if (samples)
		fprintf(info->out, ", %.1f bytes per sample",
			(double)file->bytes / (double)samples);
	fputc('\n', info->out);
	if (samples && file->complete && !info->data->imported)
		fprintf(info->out,
			"monitor: %.3f s CPU time, "
			"%.1f us per sample\n",
			(double)data->end.monitor_usec / 1e6,
			(double)data->end.monitor_usec / (double)samples);
	if (file->truncated)
		fprintf(info->out,
			"warning: the file ends in the middle: "
			"%" PRIu64 " bytes left out, all before them read\n",
			file->dropped);
	else if (!file->complete)
		fputs("warning: the file has no end: the run was cut short or "
		      "is not over\n",
			info->out);
	if (!file->complete)
		fputs("warning: totals and names may be missing\n", info->out);
}

/* Truncated stacks by the module in which the walk outwards ended. */
static void put_truncated(struct info *info, uint32_t resource)
{
	const struct dataset *data = info->data;
	struct info_ender *enders = info_enders(data, resource), *e = enders;

	if (!enders)
		info->failed = true;
	for (; e && e->samples && e < enders + LISTED; e++) {
		fprintf(info->out, "    %" PRIu64 " ended in ", e->samples);
		put(info, e->module ? data->modules[e->module].path
				    : "the first frame: nothing is known");
		fputc('\n', info->out);
	}
	free(enders);
}

static void put_stacks(struct info *info, uint32_t i)
{
	const struct books *books = &info->data->books[i];

	fprintf(info->out,
		"  stacks: %" PRIu64 " whole, %" PRIu64
		" truncated (%.2f%%), %" PRIu64
		" with outer frames read later\n",
		books->samples - books->truncated, books->truncated,
		books->samples ? 100.0 * (double)books->truncated /
					 (double)books->samples
			       : 0.0,
		books->read_later);
	if (books->truncated)
		put_truncated(info, i);
}

/* A balance with cpprof's own count says less: both may have the same error. */
static const char *counted_by(const struct cpd_resource *r)
{
	if (r->flags & CPD_RESOURCE_ESTIMATE)
		return " (an estimate)";
	return r->flags & CPD_RESOURCE_OWN_COUNT ? " (cpprof's own count)"
						 : " (the kernel's count)";
}

/* Writes the kernel's count, the samples and losses, and their difference. */
static void put_balance(struct info *info, uint32_t i)
{
	const struct cpd_resource *r = &info->data->resources[i];
	const struct books *books = &info->data->books[i];
	uint64_t booked = books->weight, used;
	char buf[128];
	int differs;

	fprintf(info->out,
		"  in samples: %s, %" PRIu64 " hits in %" PRIu64 " samples\n",
		amount(books->weight, r, buf, sizeof buf), books->hits,
		books->samples);
	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++) {
		if (!books->loss[kind])
			continue;
		booked += books->loss[kind];
		fprintf(info->out, "  %s: %s", cpd_loss_names[kind],
			amount(books->loss[kind], r, buf, sizeof buf));
		if (kind == CPD_LOST && !info->data->imported)
			fprintf(info->out, ", %" PRIu64 " samples",
				books->lost_samples);
		if (kind == CPD_PROBES && !info->data->imported)
			fprintf(info->out,
				", %" PRIu64
				" samples: taken by this run's own probes",
				books->probe_samples);
		fputc('\n', info->out);
	}
	if (books->uncounted)
		fprintf(info->out,
			"  %s: not known, in %" PRIu64 " process%s\n",
			cpd_loss_names[CPD_SETUID], books->uncounted,
			books->uncounted == 1 ? "" : "es");
	fprintf(info->out, "  samples and losses: %s\n",
		amount(booked, r, buf, sizeof buf));
	if (!books->has_total) {
		fputs("  consumed: not known\n", info->out);
		return;
	}
	fprintf(info->out, "  consumed%s: %s", counted_by(r),
		amount(books->total, r, buf, sizeof buf));
	if (books->doubt)
		fprintf(info->out, ", give or take %s at 95 %%",
			amount(books->doubt, r, buf, sizeof buf));
	fputc('\n', info->out);
	fprintf(info->out, "  difference: %s%s",
		books->total < booked ? "-" : "",
		amount(books->total < booked ? booked - books->total
					     : books->total - booked,
			r, buf, sizeof buf));
	if (books->total)
		fprintf(info->out, ", %.2f%%",
			100.0 * ((double)books->total - (double)booked) /
				(double)books->total);
	if (books->total < booked && !(r->flags & CPD_RESOURCE_CLOCK))
		fputs(": threads start anywhere in their first interval",
			info->out);
	fputc('\n', info->out);
	differs = dataset_differs(info->data, i, &used);
	if (differs)
		fprintf(info->out,
			"  the timers %s: the processes' own counts (wait4) "
			"have %s\n",
			differs < 0 ? "missed some" : "counted too much",
			amount(used, r, buf, sizeof buf));
}

/* A difference of two resources has no count, and losses where they have. */
static void put_difference(struct info *info, uint32_t i)
{
	const struct cpd_resource *r = &info->data->resources[i];
	const struct books *books = &info->data->books[i];
	char buf[128];

	fprintf(info->out, "  in samples: %s, %" PRIu64 " samples",
		amount(books->weight, r, buf, sizeof buf), books->samples);
	if (books->doubt)
		fprintf(info->out, ", give or take %s at 95 %%",
			amount(books->doubt, r, buf, sizeof buf));
	fputc('\n', info->out);
}

static void put_resource(struct info *info, uint32_t i)
{
	const struct cpd_resource *r = &info->data->resources[i];
	char buf[128];

	fputs("\nresource ", info->out);
	put(info, r->name);
	fputs(" (", info->out);
	put(info, r->title);
	fprintf(info->out, ")\n  interval: %s%s\n  timer: ",
		amount(r->interval, r, buf, sizeof buf),
		r->flags & CPD_RESOURCE_RANDOM ? ", varied at random" : "");
	put(info, r->timer);
	fputc('\n', info->out);
	if (r->flags & CPD_RESOURCE_CLOCK)
		fputs("  sampled by a clock: the books balance within sampling "
		      "noise\n",
			info->out);
	if (r->flags & CPD_RESOURCE_USER_ONLY)
		fputs("  user mode only: kernel mode is hidden from this "
		      "user\n",
			info->out);
	if (r->flags & CPD_RESOURCE_DIFFERENCE) {
		put_difference(info, i);
		return;
	}
	put_balance(info, i);
	put_stacks(info, i);
}

static void put_more(
	struct info *info, uint32_t listed, uint32_t all, const char *noun)
{
	uint32_t more = all - listed;

	if (more)
		fprintf(info->out, "  and %" PRIu32 " more %s%s\n", more, noun,
			text_plural(noun, more));
}

static void put_processes(struct info *info)
{
	const struct dataset *data = info->data;
	uint32_t *threads = info_threads(data);
	uint32_t listed = 0, processes = dataset_processes(data);

	if (!threads) {
		info->failed = true;
		return;
	}
	fprintf(info->out, "\nprocesses: %" PRIu32, processes);
	if (processes < data->nprocesses)
		fprintf(info->out, " (%" PRIu32 " programs: an exec is one)",
			data->nprocesses);
	fprintf(info->out, ", threads: %" PRIu32 "\n",
		dataset_threads_run(data));
	for (; listed < data->nprocesses && listed < LISTED; listed++) {
		const struct cpd_process *p = &data->processes[listed + 1];
		char *args;

		fprintf(info->out, "  %" PRId32 " ", p->pid);
		put(info, p->name);
		if (*p->exe) {
			fputs(" (", info->out);
			put(info, p->exe);
			fputc(')', info->out);
		}
		args = report_arguments(data, listed + 1, false);
		if (args && *args) {
			fputc(' ', info->out);
			put(info, args);
		}
		free(args);
		if (*p->host) {
			fputs(" on ", info->out);
			put(info, p->host);
		}
		fprintf(info->out, ", %" PRIu32 " thread%s%s\n",
			threads[listed + 1],
			threads[listed + 1] == 1 ? "" : "s",
			p->flags & CPD_PROCESS_EXEC ? ""
			: p->parent                 ? ", forked"
						    : ", attached");
	}
	put_more(info, listed, data->nprocesses, "process");
	free(threads);
}

static void put_module(struct info *info, const struct cpd_module *module,
	enum info_naming naming)
{
	fputs("  ", info->out);
	put(info, module->path);
	fputc(' ', info->out);
	for (uint32_t k = 0; k < module->build_id_len && k < CPD_BUILD_ID_MAX;
		k++)
		fprintf(info->out, "%02x", module->build_id[k]);
	if (module->kind == CPD_MODULE_NO_CODE)
		fputs("(no code)", info->out);
	else if (!module->build_id_len)
		fputs("(no build id)", info->out);
	if (naming == INFO_NAMELESS)
		fputs(", no symbols", info->out);
	else if (naming == INFO_UNUSED)
		fputs(", in no stack", info->out);
	fputc('\n', info->out);
}

static void put_modules(struct info *info)
{
	const struct dataset *data = info->data;
	enum info_naming *naming = info_namings(data);
	uint32_t listed = 0, i = 1;

	if (!naming) {
		info->failed = true;
		return;
	}
	fprintf(info->out, "\nmodules: %" PRIu32 "\n", data->nmodules);
	for (; i <= data->nmodules && listed < LISTED; i++) {
		if (naming[i] == INFO_TWIN)
			continue;
		put_module(info, &data->modules[i], naming[i]);
		listed++;
	}
	put_more(info, i - 1, data->nmodules, "module");
	free(naming);
}

static void put_notes(struct info *info)
{
	const struct dataset *data = info->data;

	if (data->nnotes)
		fputs("\nnotes:\n", info->out);
	for (size_t i = 0; i < data->nnotes; i++) {
		fputs("  ", info->out);
		put(info, data->notes[i].key);
		fputs(": ", info->out);
		put(info, data->notes[i].text);
		fputc('\n', info->out);
	}
}

static void put_all(struct info *info)
{
	put_command(info);
	put_when(info);
	put_status(info);
	put_file(info);
	for (uint32_t i = 1; i <= info->data->nresources; i++)
		put_resource(info, i);
	put_processes(info);
	put_modules(info);
	put_notes(info);
}

/* LINE goes on below itself where there is no room. */
static bool put_line(
	FILE *out, const char *line, const struct report_options *options)
{
	size_t indent = strspn(line, " ");
	char *fit = path_wrap(
		line + indent, layout_columns(options) - indent, options);

	if (!fit)
		return false;
	layout_pad(out, 0, indent);
	path_put(out, fit, indent);
	fputc('\n', out);
	free(fit);
	return true;
}

static bool info_text(FILE *out, const struct dataset *data,
	const struct report_options *options)
{
	char *text = NULL, *rest, *line;
	size_t size;
	struct info info = {.out = open_memstream(&text, &size), .data = data};

	if (!info.out)
		return true;
	put_all(&info);
	info.failed |= fclose(info.out) != 0;
	rest = text;
	while (!info.failed && (line = strsep(&rest, "\n")) && rest)
		info.failed = !put_line(out, line, options);
	free(text);
	return info.failed;
}

int report_info(FILE *out, const struct report_format *format,
	const struct dataset *data, const struct report_options *options,
	struct err *err)
{
	bool failed = format->write_facts ? info_data(out, format, data) != 0
					  : info_text(out, data, options);

	return failed ? err_memory(err, NULL, "report") : 0;
}
