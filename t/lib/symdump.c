/*
 * symdump - what symbolize() makes of addresses, for the tests.
 *
 *     symdump FILE [BUILD-ID] < addresses
 *     symdump //anon [JITDUMP] < addresses
 *
 * Addresses are hexadecimal, one a line; of //anon, memory of a process with
 * symdump's own number that has JITDUMP mapped, each is followed by the time
 * of a sample.  Prints a line per frame, innermost
 * first, fields separated by tabs:
 *
 *     address, frames left to the outermost, lo, hi, source, flags, linkage
 *     name, file:line, shown name, where the function is declared
 *
 * and "note", text for each note.  Goes through a real file, written and read.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/symbol/symbolize.h"
#include "lib/cpprofdata/reader.h"
#include "lib/vec.h"

struct name {
	uint64_t lo, hi;
	char *linkage, *name, *place;
	enum cpd_function_source source;
	uint32_t flags;
};

static VEC(struct name) names;

static int on_function(void *arg, const struct cpd_function *f, struct err *err)
{
	struct name *name = vec_push(&names);

	(void)arg;
	(void)err;
	if (!name)
		return -1;
	*name = (struct name){f->lo, f->hi, strdup(f->linkage), strdup(f->name),
		NULL, f->source, f->flags};
	return asprintf(&name->place, "%s:%u", f->file, f->line) < 0 ? -1 : 0;
}

static int on_addr(void *arg, const struct cpd_addr *a, struct err *err)
{
	(void)arg;
	(void)err;
	for (uint32_t i = 0; i < a->nframes; i++) {
		const struct cpd_frame *frame = &a->frames[i];
		const struct name *f = &names.v[frame->function - 1];

		printf("%" PRIx64 "\t%u\t%" PRIx64 "\t%" PRIx64
		       "\t%d\t%u\t%s\t%s:%u\t%s\t%s\n",
			a->addr, a->nframes - 1 - i, f->lo, f->hi, f->source,
			f->flags, f->linkage, frame->file, frame->line, f->name,
			f->place);
	}
	return 0;
}

static int on_note(void *arg, const struct cpd_note *note, struct err *err)
{
	(void)arg;
	(void)err;
	printf("note\t%s\t%s\n", note->key, note->text);
	return 0;
}

static int fail(const struct err *err)
{
	char text[2048];

	err_format(err, text, sizeof text);
	fprintf(stderr, "symdump: %s\n", text);
	return 1;
}

static void read_build_id(struct cpd_module *module, const char *hex)
{
	unsigned byte;

	while (module->build_id_len < CPD_BUILD_ID_MAX &&
		sscanf(hex, "%2x", &byte) == 1) {
		module->build_id[module->build_id_len++] = (uint8_t)byte;
		hex += 2;
	}
}

static int write_file(const char *out, struct cpd_module *module,
	const char *dump, struct err *err)
{
	const char *argv[] = {"symdump"};
	struct cpd_head head = {.argc = 1,
		.argv = argv,
		.cwd = "/",
		.host = "",
		.kernel = "",
		.machine = "x86_64",
		.version = "0"};
	struct cpd_resource cpu = {.name = "cpu",
		.title = "CPU",
		.gtick = "us",
		.interval = 1,
		.timer = ""};
	struct cpd_end end = {0};
	struct cpd_writer *w = cpd_writer_open(out, err);
	struct cpd_sample sample = {
		.thread = 1, .resource = 1, .hits = 1, .weight = 1};
	bool anon = module->kind == CPD_MODULE_ANON;
	unsigned long long addr, time;
	uint32_t id;

	if (!w)
		return -1;
	cpd_write_head(w, &head);
	cpd_write_resource(w, &cpu);
	if (anon) {
		struct cpd_process process = {
			.pid = getpid(), .name = "symdump", .exe = ""};
		struct cpd_thread thread = {.tid = getpid(), .name = ""};
		struct cpd_module log = {.path = dump};

		thread.process = module->process =
			cpd_write_process(w, &process);
		cpd_write_thread(w, &thread);
		if (dump)
			cpd_write_module(w, &log);
	}
	id = cpd_write_module(w, module);
	while (scanf("%llx", &addr) == 1) {
		sample.node = cpd_node(w, 0, id, addr, CPD_NODE_EXACT);
		if (anon && scanf("%llu", &time) == 1) {
			sample.time = time;
			cpd_write_sample(w, &sample);
		}
	}
	if (cpd_writer_publish(w) < 0 || symbolize(w, NULL, err) < 0) {
		cpd_writer_abandon(w);
		return -1;
	}
	return cpd_writer_close(w, &end, err);
}

int main(int argc, char **argv)
{
	const struct cpd_handlers handlers = {
		.function = on_function, .addr = on_addr, .note = on_note};
	char out[] = "/tmp/cpprof-symdump.XXXXXX";
	struct cpd_module module = {0};
	struct cpd_result result;
	struct err err = {0};
	int fd = mkstemp(out), rc;

	if (argc < 2 || fd < 0)
		return 2;
	close(fd);
	unlink(out);
	module.path = argv[1];
	if (strcmp(argv[1], "[vdso]") == 0)
		module.kind = CPD_MODULE_VDSO;
	if (strcmp(argv[1], "//anon") == 0)
		module.kind = CPD_MODULE_ANON;
	if (argc > 2 && module.kind != CPD_MODULE_ANON)
		read_build_id(&module, argv[2]);
	rc = write_file(out, &module,
		argc > 2 && module.kind == CPD_MODULE_ANON ? argv[2] : NULL,
		&err);
	if (rc == 0)
		rc = cpd_read(out, &handlers, NULL, &result, &err);
	unlink(out);
	for (size_t i = 0; i < names.n; i++) {
		free(names.v[i].linkage);
		free(names.v[i].name);
		free(names.v[i].place);
	}
	vec_free(&names);
	return rc < 0 ? fail(&err) : 0;
}
