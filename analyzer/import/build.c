/*
 * build.c - processes, threads, modules, nodes and samples.
 */
#include "analyzer/import/build_private.h"

#include <stdlib.h>
#include <string.h>

/* More records than that are one per stack. */
#define RECORDS_MAX 4000000

struct build *build_new(const struct import *im, struct err *err)
{
	struct build *b = calloc(1, sizeof *b);

	if (b) {
		b->w = im->out;
		b->done = im->done;
		b->im = im;
	}
	/* Element 0 of each is none. */
	if (b && vec_push(&b->functions) && vec_push(&b->places))
		return b;
	build_free(b);
	err_memory(err, im->path, "import");
	return NULL;
}

void build_free(struct build *b)
{
	if (!b)
		return;
	strings_free(&b->strings);
	set_free(&b->threads);
	set_free(&b->processes);
	set_free(&b->modules);
	set_free(&b->functions);
	set_free(&b->places);
	lists_free(&b->frames);
	set_free(&b->addresses);
	vec_free(&b->weights);
	free(b);
}

void build_head(struct build *b, uint64_t start_unix, uint64_t start)
{
	const struct import *im = b->im;

	cpd_write_head(b->w, &(struct cpd_head){.start_unix = start_unix,
				     .start = start,
				     .argc = im->argc,
				     .argv = (const char *const *)im->argv,
				     .version = im->version});
}

bool build_broken(const struct build *b)
{
	return b->failed || b->excess || cpd_writer_error(b->w);
}

void build_no_memory(struct build *b)
{
	b->failed = true;
}

void build_excess(struct build *b, const char *what)
{
	b->excess = what;
}

uint32_t build_text(struct build *b, const char *s, size_t n)
{
	uint32_t id = strings_add(&b->strings, s, n);

	if (id == UINT32_MAX) {
		b->failed = true;
		id = 0;
	}
	return id;
}

uint32_t build_string(struct build *b, const char *s)
{
	return build_text(b, s, strlen(s));
}

/* Resources. */

static const struct {
	const char *name;
	struct build_unit unit;
} units[] = {
	{"bytes", {CPD_BYTES, "byte", 1, 1}},
	{"kilobytes", {CPD_BYTES, "byte", 1 << 10, 1}},
	{"megabytes", {CPD_BYTES, "byte", 1 << 20, 1}},
	{"microseconds", {CPD_USEC, "us", 1, 1}},
	{"milliseconds", {CPD_USEC, "us", 1000, 1}},
	{"seconds", {CPD_USEC, "us", 1000000, 1}},
};

bool build_is_odd(uint64_t nanoseconds)
{
	return nanoseconds % 1000 && nanoseconds < 1000 * 1000;
}

struct build_unit build_unit(const char *unit, bool whole)
{
	if (strcmp(unit, "nanoseconds") == 0)
		return whole ? (struct build_unit){CPD_USEC, "us", 1, 1000}
			     : (struct build_unit){
				       CPD_COUNT, "nanosecond", 1, 1};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].unit;
	return (struct build_unit){CPD_COUNT,
		*unit && strcmp(unit, "count") != 0 ? unit : NULL, 1, 1};
}

uint32_t build_resource(struct build *b, const char *name,
	const struct build_unit *unit, const char *gtick, uint64_t interval,
	uint32_t flags)
{
	char word[64];
	size_t n;

	if (!gtick)
		gtick = unit->gtick;
	if (!gtick) {
		snprintf(word, sizeof word, "%s", name);
		n = strlen(word);
		if (n > 2 && word[n - 1] == 's' && word[n - 2] != 's')
			word[n - 1] = '\0';
		gtick = word;
	}
	return cpd_write_resource(
		b->w, &(struct cpd_resource){.name = name,
			      .title = name,
			      .gtick = gtick,
			      .unit = unit->unit,
			      .interval = interval ? interval : 1,
			      .timer = "not known: imported",
			      .flags = flags | CPD_RESOURCE_APART});
}

/* Processes and threads. */

static uint32_t process(struct build *b, int32_t pid, const char *name,
	const char *exe, uint64_t time)
{
	const struct build_process key = {
		pid, build_string(b, name), build_string(b, exe), 0};
	size_t before = b->processes.n;
	uint32_t i = build_find(
		b, &b->processes, &key, offsetof(struct build_process, id));

	if (b->processes.n > before)
		b->processes.v[i].id = cpd_write_process(
			b->w, &(struct cpd_process){.pid = pid,
				      .time = time,
				      .name = name,
				      .exe = exe,
				      .flags = CPD_PROCESS_EXEC});
	return b->failed ? 0 : b->processes.v[i].id;
}

uint32_t build_thread(struct build *b, const struct build_task *task)
{
	const struct build_thread key = {task->tid, build_string(b, task->name),
		process(b, task->pid, task->process, task->exe, task->time), 0};
	size_t before = b->threads.n;
	uint32_t i;

	if (!key.process)
		return 0;
	i = build_find(b, &b->threads, &key, offsetof(struct build_thread, id));
	if (b->threads.n > before)
		b->threads.v[i].id = cpd_write_thread(
			b->w, &(struct cpd_thread){.process = key.process,
				      .tid = task->tid,
				      .time = task->time,
				      .name = task->name});
	return b->failed ? 0 : b->threads.v[i].id;
}

/* Modules. */

/* Code there was made while the program ran. */
static bool is_generated(const char *path)
{
	static const char *const heads[] = {"//anon", "[anon", "[heap",
		"[stack", "[jit]", "/tmp/perf-", "/memfd:"};

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if (strncmp(path, heads[i], strlen(heads[i])) == 0)
			return true;
	return false;
}

uint32_t build_module(
	struct build *b, const char *path, const uint8_t *id, uint32_t n)
{
	struct build_module m = {
		.path = build_string(b, path), .generated = is_generated(path)};
	struct cpd_module to = {.kind = m.generated ? CPD_MODULE_ANON
					: strcmp(path, "[vdso]") == 0
						? CPD_MODULE_VDSO
						: CPD_MODULE_ELF,
		.path = path};
	size_t before = b->modules.n;
	uint32_t i;

	m.n = to.build_id_len = n < CPD_BUILD_ID_MAX ? n : CPD_BUILD_ID_MAX;
	if (n)
		memcpy(m.id, id, m.n);
	memcpy(to.build_id, m.id, sizeof m.id);
	i = build_find(
		b, &b->modules, &m, offsetof(struct build_module, generated));
	if (b->modules.n > before && !cpd_write_module(b->w, &to))
		return 0;
	return b->failed ? 0 : i + 1;
}

/* Nodes. */

uint32_t build_node(struct build *b, uint32_t parent, uint32_t place)
{
	const struct build_place *p = &b->places.v[place];

	return place ? cpd_node(
			       b->w, parent, p->module, p->addr, CPD_NODE_EXACT)
		     : 0;
}

uint32_t build_pseudo(struct build *b, const char *name)
{
	if (strcmp(name, "[truncated]") == 0)
		return cpd_node(b->w, 0, 0, CPD_TRUNCATED, 0);
	if (strcmp(name, "[no user stack]") == 0)
		return build_no_stack(b);
	return 0;
}

uint32_t build_no_stack(struct build *b)
{
	return cpd_node(b->w, 0, 0, CPD_NO_STACK, 0);
}

/* Samples. */

bool build_is_loss(const char *name, enum cpd_loss_kind *kind)
{
	for (int k = 0; k < CPD_LOSS_KINDS; k++)
		if (strcmp(name, cpd_loss_names[k]) == 0) {
			*kind = (enum cpd_loss_kind)k;
			return true;
		}
	return false;
}

static void add_weight(struct build *b, uint32_t resource, uint64_t gticks)
{
	uint64_t *sum;

	while (b->weights.n <= resource)
		if (!vec_push(&b->weights)) {
			b->failed = true;
			return;
		}
	sum = &b->weights.v[resource];
	if (gticks > INT64_MAX - *sum)
		build_excess(b, "its figures add up to 2^63 and more");
	else
		*sum += gticks;
}

void build_samples(struct build *b, const struct cpd_sample *sample,
	uint64_t hits, uint64_t records)
{
	struct cpd_sample one = *sample;
	uint64_t left = sample->weight, least = hits / UINT32_MAX + 1;

	if (!sample->weight)
		return;
	add_weight(b, sample->resource, sample->weight);
	if (!hits)
		hits = 1;
	if (records < least || records > hits || records > left)
		records = least;
	if (records > 1 && records > RECORDS_MAX - b->records) {
		b->whole = true;
		records = least;
	}
	if (records > 1 && records > RECORDS_MAX - b->records) {
		build_excess(b, "its counts are too large for hits");
		return;
	}
	b->records += records > 1 ? (uint32_t)records : 0;
	for (uint64_t i = 0; i < records && !build_broken(b); i++) {
		one.hits = (uint32_t)(hits / records + (i < hits % records));
		one.weight = i + 1 < records ? sample->weight / records : left;
		left -= one.weight;
		if (cpd_write_sample(b->w, &one) == 0)
			b->done->samples++;
	}
}

void build_loss(struct build *b, uint32_t resource, enum cpd_loss_kind kind,
	uint32_t thread, uint64_t gticks)
{
	add_weight(b, resource, gticks);
	cpd_write_loss(b->w, &(struct cpd_loss){.resource = resource,
				     .kind = kind,
				     .thread = thread,
				     .gticks = gticks});
}

void build_note(struct build *b, const char *key, const char *text)
{
	cpd_write_note(b->w, &(struct cpd_note){key, text});
}

/* Comments. */

/* What follows the number behind WORD. */
static const char *comment_number(
	const char *text, const char *word, uint64_t *to)
{
	const char *at = strstr(text, word);
	char *end = NULL;

	if (at)
		*to = strtoull(at + strlen(word), &end, 10);
	return end;
}

bool build_comment(const char *text, struct build_comment *c)
{
	static const char head[] = "resource ", gtick[] = ": gtick ";
	const char *rest = strstr(text, gtick), *end;
	size_t n;

	if (strncmp(text, head, strlen(head)) != 0 || !rest)
		return false;
	text += strlen(head);
	n = (size_t)(rest - text);
	end = strstr(rest, "; ");
	rest += strlen(gtick);
	if (!end || end < rest || n >= sizeof c->name ||
		(size_t)(end - rest) >= sizeof c->gtick)
		return false;
	memset(c, 0, sizeof *c);
	memcpy(c->name, text, n);
	memcpy(c->gtick, rest, (size_t)(end - rest));
	rest = comment_number(end, "; interval ", &c->interval);
	c->varied = rest && strncmp(rest, " (varied)", 9) == 0;
	c->events = rest && strncmp(rest + 9 * c->varied, " (events)", 9) == 0;
	return rest && comment_number(end, "; hits ", &c->hits) &&
	       comment_number(end, "; samples ", &c->samples) && c->interval;
}

uint32_t build_flags(const struct build_comment *c)
{
	return (c->varied ? CPD_RESOURCE_RANDOM : 0) |
	       (c->events ? CPD_RESOURCE_EVENTS : 0);
}
