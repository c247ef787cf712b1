/*
 * cpd_log.h - records as lines of text, for tests.
 *
 * cpd_log(log, kind, record) appends a line that says everything in a record;
 * cpd_log_handlers do so for each record a reader hands out, ARG being the
 * struct cpd_log.  What was written and what is read can so be compared
 * without knowing the bytes in between.
 */
#ifndef CPPROF_T_CPD_LOG_H
#define CPPROF_T_CPD_LOG_H

#include <stdlib.h>
#include <string.h>

#include "lib/cpprofdata/reader.h"

struct cpd_log {
	char *text;
	size_t n, cap, lines;
};

__attribute__((format(printf, 2, 3), unused)) static void cpd_log_add(
	struct cpd_log *log, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (log->n + (size_t)n + 1 > log->cap) {
		log->cap = 2 * log->cap + (size_t)n + 4096;
		log->text = realloc(log->text, log->cap);
		if (!log->text)
			abort();
	}
	va_start(ap, fmt);
	vsnprintf(log->text + log->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	log->n += (size_t)n;
	log->lines++;
}

/* Whether A's lines are the first lines of B. */
__attribute__((unused)) static bool cpd_log_prefix(
	const struct cpd_log *a, const struct cpd_log *b)
{
	return a->n <= b->n && (!a->n || !memcmp(a->text, b->text, a->n));
}

__attribute__((unused)) static bool cpd_log_equal(
	const struct cpd_log *a, const struct cpd_log *b)
{
	return a->n == b->n && cpd_log_prefix(a, b);
}

__attribute__((unused)) static void cpd_log_free(struct cpd_log *log)
{
	free(log->text);
	*log = (struct cpd_log){0};
}

#define U(x) ((unsigned long long)(x))

static int log_head(void *arg, const struct cpd_head *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "head %llu %llu %s|%s|%s|%s|%s %u %u %u",
		U(r->start_unix), U(r->start), r->cwd, r->host, r->kernel,
		r->machine, r->version, r->ncpu, r->uid, r->argc);
	for (uint32_t i = 0; i < r->argc; i++)
		cpd_log_add(arg, "|%s", r->argv[i]);
	cpd_log_add(arg, "\n");
	return 0;
}

static int log_resource(
	void *arg, const struct cpd_resource *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "resource %u %s|%s|%s|%s %d %llu %u\n", r->id, r->name,
		r->title, r->gtick, r->timer, (int)r->unit, U(r->interval),
		r->flags);
	return 0;
}

static int log_process(void *arg, const struct cpd_process *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "process %u %u %d %llu %s|%s %u %s|%s %s\n", r->id,
		r->parent, r->pid, U(r->time), r->name, r->exe, r->flags,
		r->host, r->called, r->args);
	return 0;
}

static int log_thread(void *arg, const struct cpd_thread *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "thread %u %u %d %llu %s\n", r->id, r->process, r->tid,
		U(r->time), r->name);
	return 0;
}

static int log_rename(void *arg, const struct cpd_rename *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "rename %u %u %llu %s\n", r->process, r->thread,
		U(r->time), r->name);
	return 0;
}

static int log_exit(void *arg, const struct cpd_exit *r, struct err *err)
{
	(void)err;
	cpd_log_add(
		arg, "exit %u %u %llu\n", r->process, r->thread, U(r->time));
	return 0;
}

static int log_module(void *arg, const struct cpd_module *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "module %u %d %s %u ", r->id, (int)r->kind, r->path,
		r->process);
	for (uint32_t i = 0; i < r->build_id_len; i++)
		cpd_log_add(arg, "%02x", r->build_id[i]);
	cpd_log_add(arg, "\n");
	return 0;
}

static int log_map(void *arg, const struct cpd_map *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "map %u %llu %llx+%llx %llx %u\n", r->process,
		U(r->time), U(r->start), U(r->len), U(r->offset), r->module);
	return 0;
}

static int log_node(void *arg, const struct cpd_node *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "node %u %u %u %llx %x\n", r->id, r->parent, r->module,
		U(r->addr), r->flags);
	return 0;
}

static int log_sample(void *arg, const struct cpd_sample *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "sample %llu %u %u %u %u %llu %x\n", U(r->time),
		r->thread, r->resource, r->node, r->hits, U(r->weight),
		r->flags);
	if (r->page)
		cpd_log_add(arg, "page %llu\n", U(r->page));
	if (r->life)
		cpd_log_add(arg, "life %llu\n", U(r->life));
	return 0;
}

static int log_total(void *arg, const struct cpd_total *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "total %u %llu %llu\n", r->resource, U(r->gticks),
		U(r->doubt));
	return 0;
}

static int log_loss(void *arg, const struct cpd_loss *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "loss %u %d %u %llu %llu\n", r->resource, (int)r->kind,
		r->thread, U(r->gticks), U(r->samples));
	return 0;
}

static int log_function(
	void *arg, const struct cpd_function *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "function %u %u %llx %llx %s|%s %d %x %s:%u\n", r->id,
		r->module, U(r->lo), U(r->hi), r->name, r->linkage,
		(int)r->source, r->flags, r->file, r->line);
	return 0;
}

static int log_addr(void *arg, const struct cpd_addr *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "addr %u %llx", r->module, U(r->addr));
	for (uint32_t i = 0; i < r->nframes; i++)
		cpd_log_add(arg, " %u %u %s", r->frames[i].function,
			r->frames[i].line, r->frames[i].file);
	cpd_log_add(arg, " %u", r->target);
	for (uint32_t i = 0; i < r->ntails; i++)
		cpd_log_add(arg, " %u:%u", r->tails[i].found, r->tails[i].via);
	cpd_log_add(arg, "\n");
	return 0;
}

static int log_note(void *arg, const struct cpd_note *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "note %s|%s\n", r->key, r->text);
	return 0;
}

static int log_end(void *arg, const struct cpd_end *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "end %llu %d %llu %llu\n", U(r->time), r->status,
		U(r->samples), U(r->monitor_usec));
	return 0;
}

static int log_usage(void *arg, const struct cpd_usage *r, struct err *err)
{
	(void)err;
	cpd_log_add(arg, "usage %llu %llu %llu %llu %llu %llu\n", U(r->user),
		U(r->system), U(r->minor), U(r->major), U(r->waits),
		U(r->preemptions));
	return 0;
}

#undef U

__attribute__((unused)) static const struct cpd_handlers cpd_log_handlers = {
	log_head, log_resource, log_process, log_thread, log_rename, log_exit,
	log_module, log_map, log_node, log_sample, log_total, log_loss,
	log_function, log_addr, log_note, log_end, log_usage, NULL};

/* A C expression logs RECORD, of that kind, to LOG. */
#define cpd_log(log, kind, record) log_##kind(log, record, NULL)

#endif
