/* info_data.c - what is in a cpprofdata file, for programs. */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/run/info_facts.h"
#include "analyzer/report/run/summary_facts.h"

static json_t *command(const struct dataset *data)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < data->head.argc; i++)
		json_add(&list, json_text(data->head.argv[i]));
	return list;
}

/* UTC, ISO 8601 */
static json_t *started(const struct dataset *data)
{
	time_t seconds = (time_t)(data->head.start_unix / 1000000000);
	char when[32];
	struct tm tm;

	if (!data->head.start_unix || !gmtime_r(&seconds, &tm) ||
		!strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return json_null();
	return json_string(when);
}

static json_t *run(const struct dataset *data)
{
	const struct cpd_head *head = &data->head;
	bool here = !data->imported;
	bool over = data->file.complete && data->end.time > head->start;

	return json_pack("{s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
		"imported", data->imported, "command", command(data),
		"directory", here ? json_known_text(head->cwd) : json_null(),
		"started", started(data), "wall",
		over ? json_number((data->end.time - head->start) / 1000)
		     : json_null(),
		"host", here ? json_known_text(head->host) : json_null(),
		"kernel", here ? json_known_text(head->kernel) : json_null(),
		"machine", here ? json_known_text(head->machine) : json_null(),
		"cpus", here ? json_known_number(head->ncpu) : json_null(),
		"user", here ? json_number(head->uid) : json_null(), "cpprof",
		json_known_text(head->version));
}

static json_t *ending(const struct dataset *data)
{
	int status = data->end.status;
	bool known = data->file.complete && !data->imported;
	bool ended = known && status != -1;

	return json_pack("{s:o,s:o,s:o}", "running",
		known ? json_boolean(!ended) : json_null(), "exit_status",
		ended && WIFEXITED(status) ? json_integer(WEXITSTATUS(status))
					   : json_null(),
		"signal",
		ended && WIFSIGNALED(status) ? json_integer(WTERMSIG(status))
					     : json_null());
}

static json_t *file(const struct dataset *data)
{
	uint64_t samples = 0;

	for (uint32_t i = 1; i <= data->nrecorded; i++)
		samples += data->books[i].samples;
	return json_pack("{s:o,s:o,s:o,s:o,s:b,s:o}", "file",
		json_text(data->path), "bytes", json_number(data->file.bytes),
		"samples", json_number(samples), "monitor_cpu",
		data->file.complete && !data->imported
			? json_number(data->end.monitor_usec)
			: json_null(),
		"complete", data->file.complete, "dropped",
		json_number(data->file.truncated ? data->file.dropped : 0));
}

static json_t *resource_object(const struct dataset *data, uint32_t resource)
{
	const struct cpd_resource *r = &data->resources[resource];
	const struct books *books = &data->books[resource];

	return json_with(summary_resource_facts(data, resource),
		json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:b,s:b,s:b}",
			"timer", json_known_text(r->timer), "hits",
			json_number(books->hits), "lost_samples",
			json_number(books->lost_samples), "probe_samples",
			json_number(books->probe_samples), "read_later",
			json_number(books->read_later), "doubt",
			json_number(books->doubt), "clock",
			!!(r->flags & CPD_RESOURCE_CLOCK), "estimate",
			!!(r->flags & CPD_RESOURCE_ESTIMATE), "user_only",
			!!(r->flags & CPD_RESOURCE_USER_ONLY), "random",
			!!(r->flags & CPD_RESOURCE_RANDOM), "own_count",
			!!(r->flags & CPD_RESOURCE_OWN_COUNT)));
}

static json_t *resources(const struct dataset *data)
{
	json_t *list = json_array();

	for (uint32_t i = 1; i <= data->nresources; i++)
		json_add(&list, resource_object(data, i));
	return list;
}

static void add_enders(
	json_t **list, const struct dataset *data, uint32_t resource)
{
	struct info_ender *enders = info_enders(data, resource);

	if (!enders)
		json_add(list, NULL);
	for (struct info_ender *e = enders; e && e->samples; e++)
		json_add(list,
			json_pack("{s:o,s:o,s:o}", "resource",
				json_text(data->resources[resource].name),
				"module",
				e->module
					? json_text(
						  data->modules[e->module].path)
					: json_null(),
				"samples", json_number(e->samples)));
	free(enders);
}

static json_t *ended_in(const struct dataset *data)
{
	json_t *list = json_array();

	for (uint32_t i = 1; i <= data->nresources; i++)
		if (data->books[i].truncated)
			add_enders(&list, data, i);
	return list;
}

static json_t *processes(const struct dataset *data)
{
	json_t *list = json_array();
	uint32_t *threads = info_threads(data);

	if (!threads)
		json_add(&list, NULL);
	for (uint32_t i = 1; threads && i <= data->nprocesses; i++) {
		const struct cpd_process *p = &data->processes[i];

		json_add(&list, json_pack("{s:o,s:o,s:o,s:o,s:o,s:s}", "pid",
					json_integer(p->pid), "name",
					json_text(p->name), "program",
					json_known_text(p->exe), "host",
					json_known_text(p->host), "threads",
					json_number(threads[i]), "origin",
					info_origin(p)));
	}
	free(threads);
	return list;
}

static json_t *build_id(const struct cpd_module *module)
{
	char hex[2 * CPD_BUILD_ID_MAX + 1] = "";

	for (uint32_t k = 0; k < module->build_id_len && k < CPD_BUILD_ID_MAX;
		k++)
		snprintf(hex + 2 * k, 3, "%02x", module->build_id[k]);
	return json_known_text(hex);
}

static json_t *modules(const struct dataset *data)
{
	static const char *const names[] = {[INFO_UNUSED] = "unused",
		[INFO_NAMELESS] = "none",
		[INFO_NAMED] = "known"};
	json_t *list = json_array();
	enum info_naming *naming = info_namings(data);

	if (!naming)
		json_add(&list, NULL);
	for (uint32_t i = 1; naming && i <= data->nmodules; i++)
		if (naming[i] != INFO_TWIN)
			json_add(&list,
				json_pack("{s:o,s:o,s:s}", "module",
					json_text(data->modules[i].path),
					"build_id", build_id(&data->modules[i]),
					"names", names[naming[i]]));
	free(naming);
	return list;
}

static json_t *notes(const struct dataset *data)
{
	json_t *list = json_array();

	for (size_t i = 0; i < data->nnotes; i++)
		json_add(&list, json_pack("{s:o,s:o}", "key",
					json_text(data->notes[i].key), "text",
					json_text(data->notes[i].text)));
	return list;
}

int info_data(FILE *out, const struct report_format *format,
	const struct dataset *data)
{
	json_t *lists = json_pack("{s:o,s:o,s:o,s:o,s:o}", "resources",
		resources(data), "ended_in", ended_in(data), "processes",
		processes(data), "modules", modules(data), "notes",
		notes(data));
	json_t *facts = json_with(json_begin("info"), run(data));

	facts = json_with(facts, ending(data));
	facts = json_with(facts, file(data));
	return format->write_facts(out, json_with(facts, lists));
}
