#include <stdlib.h>

#include "lib/cpprofdata/writer_private.h"

int cpd_write_head(struct cpd_writer *w, const struct cpd_head *head)
{
	const char *texts[] = {head->cwd, head->host, head->kernel,
		head->machine, head->version};
	struct bytes *b = cpd_writer_record(w, CPD_KIND_head, NULL);

	if (!b)
		return -1;
	bytes_varint(b, head->start_unix);
	bytes_varint(b, head->start);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		bytes_varint(b, cpd_writer_string(w, texts[i]));
	bytes_varint(b, head->ncpu);
	bytes_varint(b, head->uid);
	bytes_varint(b, head->argc);
	for (uint32_t i = 0; i < head->argc; i++)
		bytes_varint(b, cpd_writer_string(w, head->argv[i]));
	if (w->failed || cpd_writer_record_end(w, CPD_KIND_head))
		return -1;
	w->known.head = true;
	return 0;
}

uint32_t cpd_write_resource(
	struct cpd_writer *w, const struct cpd_resource *resource)
{
	const char *texts[] = {resource->name, resource->title, resource->gtick,
		resource->timer};
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_resource, cpd_check_resource(&w->known, resource));
	uint64_t *interval;

	if (!b)
		return 0;
	interval = vec_push(&w->intervals);
	if (!interval)
		return cpd_writer_no_memory(w), 0;
	*interval = resource->interval;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		bytes_varint(b, cpd_writer_string(w, texts[i]));
	bytes_varint(b, resource->unit);
	bytes_varint(b, resource->interval);
	bytes_varint(b, resource->flags);
	if (w->failed || cpd_writer_record_end(w, CPD_KIND_resource))
		return 0;
	return ++w->known.resources;
}

/* A new process may yet make code, or run what another made before its fork. */
static bool keep_process(
	struct cpd_writer *w, const struct cpd_process *process)
{
	struct cpd_kept_process *own = malloc(sizeof *own), *from = NULL;

	if (!own)
		return false;
	*own = (struct cpd_kept_process){
		.id = w->known.processes + 1, .pid = process->pid, .needs = 1};
	if (!(process->flags & CPD_PROCESS_EXEC))
		from = id_map_get(&w->processes, process->parent);
	if (from && !from->owns)
		from = id_map_get(&w->processes, from->from);
	if (from) {
		from->needs++;
		own->from = from->id;
	}
	if (!id_map_put(&w->processes, own->id, own)) {
		free(own);
		return false;
	}
	return true;
}

uint32_t cpd_write_process(
	struct cpd_writer *w, const struct cpd_process *process)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_process, cpd_check_process(&w->known, process));
	uint32_t name = cpd_writer_name(w, process->name);
	uint32_t exe = cpd_writer_string(w, process->exe);
	uint32_t host = cpd_writer_string(w, process->host);

	if (!b || w->failed)
		return 0;
	if (!keep_process(w, process))
		return cpd_writer_no_memory(w), 0;
	bytes_varint(b, process->parent);
	bytes_signed(b, process->pid);
	cpd_writer_put_time(w, b, process->time);
	bytes_varint(b, name);
	bytes_varint(b, exe);
	bytes_varint(b, process->flags);
	if (host)
		bytes_varint(b, host);
	if (cpd_writer_record_end(w, CPD_KIND_process))
		return 0;
	return ++w->known.processes;
}

uint32_t cpd_write_thread(struct cpd_writer *w, const struct cpd_thread *thread)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_thread, cpd_check_thread(&w->known, thread));
	uint32_t name = cpd_writer_name(w, thread->name);

	if (!b || w->failed)
		return 0;
	bytes_varint(b, thread->process);
	bytes_signed(b, thread->tid);
	cpd_writer_put_time(w, b, thread->time);
	bytes_varint(b, name);
	if (cpd_writer_record_end(w, CPD_KIND_thread))
		return 0;
	return ++w->known.threads;
}

int cpd_write_rename(struct cpd_writer *w, const struct cpd_rename *rename)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_rename, cpd_check_rename(&w->known, rename));
	uint32_t name = cpd_writer_name(w, rename->name);

	if (!b || w->failed)
		return -1;
	bytes_varint(b, rename->process);
	bytes_varint(b, rename->thread);
	cpd_writer_put_time(w, b, rename->time);
	bytes_varint(b, name);
	return cpd_writer_record_end(w, CPD_KIND_rename);
}

int cpd_write_exit(struct cpd_writer *w, const struct cpd_exit *exit)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_exit, cpd_check_exit(&w->known, exit));

	if (!b)
		return -1;
	bytes_varint(b, exit->process);
	bytes_varint(b, exit->thread);
	cpd_writer_put_time(w, b, exit->time);
	return cpd_writer_record_end(w, CPD_KIND_exit);
}

static void keep_owner(struct cpd_writer *w, uint32_t process)
{
	struct cpd_kept_process *owner = id_map_get(&w->processes, process);

	if (!owner || owner->owns)
		return;
	owner->owns = true;
	owner->needs++;
}

uint32_t cpd_write_module(struct cpd_writer *w, const struct cpd_module *module)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_module, cpd_check_module(&w->known, module));
	uint32_t path = cpd_writer_string(w, module->path);
	struct cpd_module *own;

	if (!b || w->failed)
		return 0;
	own = vec_push(&w->modules);
	if (!own)
		return cpd_writer_no_memory(w), 0;
	*own = *module;
	own->id = w->known.modules + 1;
	own->path = cpd_writer_kept_string(w, path);
	if (module->kind == CPD_MODULE_ANON)
		keep_owner(w, module->process);
	bytes_varint(b, module->kind);
	bytes_varint(b, path);
	bytes_varint(b, module->process);
	bytes_varint(b, module->build_id_len);
	bytes_put(b, module->build_id, module->build_id_len);
	if (cpd_writer_record_end(w, CPD_KIND_module))
		return 0;
	return ++w->known.modules;
}

int cpd_write_map(struct cpd_writer *w, const struct cpd_map *map)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_map, cpd_check_map(&w->known, map));

	if (!b)
		return -1;
	bytes_varint(b, map->process);
	cpd_writer_put_time(w, b, map->time);
	bytes_varint(b, map->start);
	bytes_varint(b, map->len);
	bytes_varint(b, map->offset);
	bytes_varint(b, map->module);
	return cpd_writer_record_end(w, CPD_KIND_map);
}

int cpd_write_total(struct cpd_writer *w, const struct cpd_total *total)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_total, cpd_check_total(&w->known, total));

	if (!b)
		return -1;
	bytes_varint(b, total->resource);
	bytes_varint(b, total->gticks);
	if (total->doubt)
		bytes_varint(b, total->doubt);
	return cpd_writer_record_end(w, CPD_KIND_total);
}

int cpd_write_loss(struct cpd_writer *w, const struct cpd_loss *loss)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_loss, cpd_check_loss(&w->known, loss));

	if (!b)
		return -1;
	bytes_varint(b, loss->resource);
	bytes_varint(b, loss->kind);
	bytes_varint(b, loss->thread);
	bytes_varint(b, loss->gticks);
	bytes_varint(b, loss->samples);
	return cpd_writer_record_end(w, CPD_KIND_loss);
}

uint32_t cpd_write_function(
	struct cpd_writer *w, const struct cpd_function *function)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_function, cpd_check_function(&w->known, function));
	uint32_t name = cpd_writer_string(w, function->name);
	uint32_t linkage = cpd_writer_string(w, function->linkage);
	uint32_t file = cpd_writer_string(w, function->file);

	if (!b || w->failed)
		return 0;
	bytes_varint(b, function->module);
	bytes_varint(b, function->lo);
	bytes_varint(b, function->hi - function->lo);
	bytes_varint(b, name);
	bytes_varint(b, linkage);
	bytes_varint(b, function->source);
	bytes_varint(b, function->flags);
	if (file) {
		bytes_varint(b, file);
		bytes_varint(b, function->line);
	}
	if (cpd_writer_record_end(w, CPD_KIND_function))
		return 0;
	return ++w->known.functions;
}

int cpd_write_addr(struct cpd_writer *w, const struct cpd_addr *addr)
{
	struct bytes *b = cpd_writer_record(
		w, CPD_KIND_addr, cpd_check_addr(&w->known, addr));

	if (!b)
		return -1;
	bytes_varint(b, addr->module);
	bytes_varint(b, addr->addr);
	bytes_varint(b, addr->nframes);
	for (uint32_t i = 0; i < addr->nframes; i++) {
		bytes_varint(b, addr->frames[i].function);
		bytes_varint(b, addr->frames[i].line);
		bytes_varint(b, cpd_writer_string(w, addr->frames[i].file));
	}
	if (addr->target)
		bytes_varint(b, addr->target);
	for (uint32_t i = 0; i < addr->ntails; i++) {
		bytes_varint(b, addr->tails[i].found);
		bytes_varint(b, addr->tails[i].via);
	}
	return w->failed ? -1 : cpd_writer_record_end(w, CPD_KIND_addr);
}

int cpd_write_usage(struct cpd_writer *w, const struct cpd_usage *usage)
{
	struct bytes *b = cpd_writer_record(w, CPD_KIND_usage, NULL);

	if (!b)
		return -1;
	bytes_varint(b, usage->user);
	bytes_varint(b, usage->system);
	bytes_varint(b, usage->minor);
	bytes_varint(b, usage->major);
	bytes_varint(b, usage->waits);
	bytes_varint(b, usage->preemptions);
	return cpd_writer_record_end(w, CPD_KIND_usage);
}

int cpd_write_note(struct cpd_writer *w, const struct cpd_note *note)
{
	struct bytes *b = cpd_writer_record(w, CPD_KIND_note, NULL);

	if (!b)
		return -1;
	bytes_varint(b, cpd_writer_string(w, note->key));
	bytes_varint(b, cpd_writer_string(w, note->text));
	return w->failed ? -1 : cpd_writer_record_end(w, CPD_KIND_note);
}
