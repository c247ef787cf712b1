/*
 * paper.c - profiles in the form of Hall and Goldberg's paper.
 *
 * The first two lines, the format line and the lines of entries are an
 * interface; all other facts stand between the second line and the format line,
 * and remarks on the entries after the last of them.
 */
#include <inttypes.h>

#include "lib/text.h"
#include "analyzer/report/report_private.h"

#define RULE "-----------------------------------------------------"
#define INDENT_MOST 256 /* levels; deeper ones have their number */
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

static const char *const titles[] = {
	[PROFILE_DOWN] = "Downward Call Path Profile",
	[PROFILE_UP] = "Upward Call Path Profile",
	[PROFILE_FUNCTION] = "Body+Descendants Function Profile",
	[PROFILE_BODY] = "Body Function Profile",
	[PROFILE_TREE] = "Sample Tree Profile",
};

static const char *const formats[] = {
	[PROFILE_DOWN] = "usage_fraction (call_path) [#hits]",
	[PROFILE_UP] = "usage_fraction (call_path) [#hits]",
	[PROFILE_FUNCTION] = "usage_fraction function [#hits]",
	[PROFILE_BODY] = "usage_fraction function [#hits]",
	[PROFILE_TREE] = "function (usage_fraction) [#hits]",
};

static const char *gticks(uint64_t n)
{
	return n == 1 ? "gtick" : "gticks";
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* A figure beside others of the same resource: a count without its unit. */
static const char *figure(
	const struct cpd_resource *r, uint64_t n, char buf[static 64])
{
	return text_gticks(n, (enum text_unit)r->unit, buf, 64);
}

static void put_losses(
	FILE *out, const struct cpd_resource *r, const struct books *books)
{
	char buf[64];

	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++) {
		if (!books->loss[kind])
			continue;
		fprintf(out, ", %s %s", figure(r, books->loss[kind], buf),
			cpd_loss_names[kind]);
		if (kind == CPD_LOST)
			fprintf(out, " (%" PRIu64 " sample%s)",
				books->lost_samples,
				plural(books->lost_samples));
	}
}

static void put_books(FILE *out, const struct tree *tree)
{
	const struct dataset *data = tree->data;
	const struct cpd_resource *r = tree_resource(tree);
	const struct books *books = tree_books(tree);
	char all[128], buf[64];

	if (books->has_total)
		fprintf(out, "%s consumed%s: %s in samples",
			report_amount(r, books->total, all, sizeof all),
			r->flags & CPD_RESOURCE_ESTIMATE ? " (an estimate)"
							 : "",
			figure(r, books->weight, buf));
	else
		fprintf(out, "consumed: not known; %s in samples",
			report_amount(r, books->weight, all, sizeof all));
	put_losses(out, r, books);
	fputc('\n', out);
	if (r->flags & CPD_RESOURCE_CLOCK)
		fputs("sampled by a clock: the samples add up to what was "
		      "consumed within sampling noise\n",
			out);
	if (r->flags & CPD_RESOURCE_USER_ONLY)
		fputs("user mode only: this user may not see the kernel's "
		      "share\n",
			out);
	if (r->flags & CPD_RESOURCE_RANDOM)
		fputs("the interval varied at random around its mean\n", out);
	if (books->truncated)
		fprintf(out,
			"%" PRIu64 " sample%s with an incomplete stack, "
			"under [truncated]\n",
			books->truncated, plural(books->truncated));
	if (!data->file.complete)
		fputs("warning: the file is incomplete: the run was cut "
		      "short or is not over\n",
			out);
}

/* Where a name stands for several functions: their modules. */
static int put_root(FILE *out, const struct profile *profile,
	const struct report_options *options)
{
	const struct dataset *data = profile->tree->data;
	uint32_t seen[8];
	size_t n = 0;

	fputs("root: ", out);
	if (report_name(out, options->root ? options->root : ""))
		return -1;
	for (size_t i = 0; i < profile->n && n < 8; i++) {
		const struct profile_entry *entry = &profile->entries[i];
		uint32_t at =
			profile->kind == PROFILE_UP ? entry->length - 1 : 0;
		size_t k = 0;

		while (k < n && seen[k] != entry->path[at])
			k++;
		if (k == n)
			seen[n++] = entry->path[at];
	}
	for (size_t k = 0; n > 1 && k < n; k++) {
		fputs(k ? ", " : " (of ", out);
		if (report_name(out, data->functions[seen[k]].module))
			return -1;
	}
	fputs(n > 1 ? "); " : "; ", out);
	return 0;
}

static int put_header(FILE *out, const struct profile *profile,
	const struct report_options *options)
{
	const struct tree *tree = profile->tree;
	uint32_t processes = dataset_processes(tree->data);
	uint32_t threads = dataset_threads_run(tree->data);
	const struct cpd_resource *r = tree_resource(tree);
	const struct tree_sums *all = &tree->whole;
	bool filters = report_has_filters(tree);

	fprintf(out, "%s%s for resource: ", options->color ? BOLD : "",
		titles[profile->kind]);
	if (report_name(out, r->title))
		return -1;
	fprintf(out,
		"%s\n%" PRIu64 " hit%s in %" PRIu64
		" sample%s, sampled every %" PRIu64 " %s (1 gtick = 1 ",
		options->color ? PLAIN : "", all->hits, plural(all->hits),
		all->samples, plural(all->samples), r->interval,
		gticks(r->interval));
	if (report_name(out, r->gtick))
		return -1;
	fputs(")\n", out);
	put_books(out, tree);
	fprintf(out, "%" PRIu32 " process%s, %" PRIu32 " thread%s\n", processes,
		processes == 1 ? "" : "es", threads, plural(threads));
	if (report_filters(out, tree, false))
		return -1;
	report_below_line(out, profile);
	if (profile_has_root(profile->kind) && put_root(out, profile, options))
		return -1;
	fprintf(out, "threshold: %g%s\n", profile->threshold,
		filters ? " of what is kept" : "");
	fprintf(out, "format: %s%s%s\n%s\n", formats[profile->kind],
		filters ? " kept_fraction" : "",
		options->intervals && !profile_is_exact(profile)
			? " 95%_interval"
			: "",
		RULE);
	return 0;
}

/* f:db.c:41 */
static int put_step(FILE *out, const struct profile *profile,
	const struct profile_entry *entry, uint32_t i)
{
	const char *site = report_site(profile, entry, i);

	if (report_name(out, report_step(profile, entry, i)->shown))
		return -1;
	if (!*site || profile->kind == PROFILE_TREE)
		return 0;
	fputc(':', out);
	return report_name(out, site);
}

static int put_path(FILE *out, const struct profile *profile,
	const struct profile_entry *entry)
{
	bool brackets = profile_has_root(profile->kind);
	struct report_gap gap;

	if (brackets)
		fputc('(', out);
	for (uint32_t i = 0; i < entry->length; i++) {
		if (i > 0)
			fputc(' ', out);
		if (report_gap_at(&gap, entry->length, &i))
			fputs(gap.name, out);
		else if (put_step(out, profile, entry, i))
			return -1;
	}
	if (brackets)
		fputc(')', out);
	return 0;
}

static void put_fraction(FILE *out, const struct profile *profile,
	const struct profile_entry *entry, const struct report_options *options)
{
	fprintf(out, "%s%.5f%s", options->color ? BOLD : "",
		profile_fraction(profile, entry), options->color ? PLAIN : "");
}

static int put_entry(FILE *out, const struct profile *profile,
	const struct profile_entry *entry, const struct report_options *options)
{
	if (profile->kind == PROFILE_TREE) {
		const char *site = report_site(profile, entry, 0);

		for (uint32_t i = 1; i < entry->depth && i < INDENT_MOST; i++)
			fputs("  ", out);
		if (entry->depth > INDENT_MOST)
			fprintf(out, "[%" PRIu32 " deep] ", entry->depth);
		if (put_path(out, profile, entry))
			return -1;
		fputs(" (", out);
		put_fraction(out, profile, entry, options);
		fprintf(out, ") [%" PRIu64 "]", entry->hits);
		if (*site) {
			fputs(" from ", out);
			if (report_name(out, site))
				return -1;
		}
	} else {
		put_fraction(out, profile, entry, options);
		fputc(' ', out);
		if (put_path(out, profile, entry))
			return -1;
		fprintf(out, " [%" PRIu64 "]", entry->hits);
	}
	if (report_has_filters(profile->tree))
		fprintf(out, " %.5f", profile_kept_fraction(profile, entry));
	if (options->intervals && !profile_is_exact(profile)) {
		double lo, hi;

		profile_interval(profile, entry, &lo, &hi);
		fprintf(out, " %.5f..%.5f", lo, hi);
	}
	fputc('\n', out);
	return 0;
}

int report_paper(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err)
{
	uint64_t few = 0;

	if (put_header(out, profile, options))
		return err_memory(err, NULL, "report");
	for (size_t i = 0; i < profile->n; i++) {
		const struct profile_entry *entry = &profile->entries[i];

		if (work_step(profile->tree->view.work, "writing", i,
			    profile->n, err))
			return -1;
		if (put_entry(out, profile, entry, options))
			return err_memory(err, NULL, "report");
		few += profile_is_rough(
			profile->tree, &(struct tree_sums){entry->weight,
					       entry->hits, entry->samples});
	}
	if (!profile->n)
		fprintf(out, "note: nothing reaches the threshold of %g\n",
			profile->threshold);
	if (few)
		fprintf(out,
			"%snote: entries on fewer than %d samples: %" PRIu64
			" of %zu; their fractions are rough%s\n",
			options->color ? DIM : "", FEW_SAMPLES, few, profile->n,
			options->color ? PLAIN : "");
	return 0;
}
