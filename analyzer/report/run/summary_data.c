/* summary_data.c - the run and its resources, for programs. */
#include "analyzer/report/json_values.h"
#include "analyzer/report/run/summary_facts.h"

static json_t *number_or_null(bool known, uint64_t n)
{
	return known ? json_number(n) : json_null();
}

static json_t *balanced(const struct dataset *data, uint32_t resource)
{
	enum balance balance = summary_balance(data, resource);

	return balance == BALANCE_UNKNOWN
		       ? json_null()
		       : json_boolean(balance == BALANCE_HOLDS);
}

json_t *summary_resource_facts(const struct dataset *data, uint32_t resource)
{
	const struct cpd_resource *r = &data->resources[resource];
	const struct books *books = &data->books[resource];

	return json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,"
		"s:o}",
		"resource", json_text(r->name), "title", json_text(r->title),
		"unit", json_text(r->gtick), "interval",
		json_number(r->interval), "gticks",
		number_or_null(books->has_total, books->total), "samples",
		json_number(books->samples), "weight",
		json_number(books->weight), "lost",
		json_number(books->loss[CPD_LOST]), "unsampled",
		json_number(books->loss[CPD_UNSAMPLED]), "kernel",
		json_number(books->loss[CPD_KERNEL]), "uncounted",
		json_number(books->loss[CPD_SETUID]), "probes",
		json_number(books->loss[CPD_PROBES]), "before",
		json_number(books->loss[CPD_BEFORE]), "truncated",
		json_number(books->truncated), "balanced",
		balanced(data, resource));
}

static json_t *resource_array(const struct summary_choice *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->n; i++)
		json_add(&list,
			summary_resource_facts(c->data, c->resources[i]));
	return list;
}

static json_t *summary_object(const struct summary_choice *choice)
{
	const struct dataset *data = choice->data;
	struct run_facts f = summary_facts(data);
	bool rest = f.comparable && f.wall >= f.cpu;
	json_t *json = json_begin("summary");
	json_t *more = json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:o}", "program",
		json_known_text(summary_program(data)), "processes",
		json_number(dataset_processes(data)), "threads",
		json_number(data->nthreads), "wall",
		number_or_null(f.wall_known, f.wall), "cpu",
		number_or_null(f.cpu_known, f.cpu), "waiting",
		number_or_null(f.blocked_known, f.blocked), "runqueue",
		number_or_null(f.queued_known, f.queued), "not_running",
		number_or_null(rest, f.wall - f.cpu), "pagefaults",
		number_or_null(f.faults_known, f.faults), "complete",
		data->file.complete, "resources", resource_array(choice));

	return json_with(json, more);
}

int report_summary_facts(FILE *out, const struct report_format *format,
	const struct summary_choice *choice, struct err *err)
{
	return format->write_facts(out, summary_object(choice))
		       ? err_memory(err, NULL, "report")
		       : 0;
}
