/*
 * made_file.h - small cpprofdata files of known contents.
 *
 *     struct cpd_writer *w = made_begin(path, NULL);
 *     made_program(w);
 *     ... write samples ...
 *     made_function(w, (struct cpd_function){.module = 1, .name = "f"});
 *     data = made_open(w, path, 0);
 *
 * What the system refuses ends the test.
 */
#ifndef CPPROF_MADE_FILE_H
#define CPPROF_MADE_FILE_H

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/data/dataset.h"
#include "lib/cpprofdata/writer.h"

#define MADE_START 1000  /* ns: when the run begins */
#define MADE_SIZE 0x1000 /* of a function */

static void made_fail(const struct err *err)
{
	printf("Bail out! %s: %s\n", err->op, err->reason);
	exit(99);
}

/* Begins the file of a run of prog.  Its resource 1 is RESOURCE; NULL: cpu,
   at an interval of 1 us. */
static struct cpd_writer *made_begin(
	const char *path, const struct cpd_resource *resource)
{
	static const char *const argv[] = {"prog"};
	static const struct cpd_resource cpu = {.name = "cpu",
		.title = "CPU",
		.gtick = "us",
		.interval = 1,
		.timer = "t"};
	struct err err = {0};
	struct cpd_writer *w = cpd_writer_open(path, &err);

	if (!w)
		made_fail(&err);
	cpd_write_head(
		w, &(struct cpd_head){
			   .start = MADE_START, .argc = 1, .argv = argv});
	cpd_write_resource(w, resource ? resource : &cpu);
	return w;
}

/* Writes process 1, its thread 1, and its program, module 1. */
__attribute__((unused)) static void made_program(struct cpd_writer *w)
{
	cpd_write_process(
		w, &(struct cpd_process){
			   .pid = 1, .name = "prog", .exe = "/bin/prog"});
	cpd_write_thread(w,
		&(struct cpd_thread){.process = 1, .tid = 1, .name = "prog"});
	cpd_write_module(w, &(struct cpd_module){.path = "/bin/prog"});
}

/*
 * Writes FUNCTION and the name of its first address.  Where FUNCTION does not
 * say, it has MADE_SIZE bytes and comes from a symbol.
 */
__attribute__((unused)) static uint32_t made_function(
	struct cpd_writer *w, struct cpd_function function)
{
	struct cpd_frame frame = {.line = 0, .file = ""};

	if (!function.hi)
		function.hi = function.lo + MADE_SIZE;
	if (!function.source)
		function.source = CPD_NAME_SYMTAB;
	frame.function = cpd_write_function(w, &function);
	cpd_write_addr(w, &(struct cpd_addr){.module = function.module,
				  .addr = function.lo,
				  .nframes = 1,
				  .frames = &frame});
	return frame.function;
}

/* Closes the file of a run that ends at END, and reads it. */
static struct dataset *made_open(
	struct cpd_writer *w, const char *path, uint64_t end)
{
	struct err err = {0};
	struct dataset *data;

	if (cpd_writer_close(w, &(struct cpd_end){.time = end}, &err))
		made_fail(&err);
	data = dataset_open(path, NULL, &err);
	if (!data)
		made_fail(&err);
	return data;
}

#endif
