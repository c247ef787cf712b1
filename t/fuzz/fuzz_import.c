/*
 * Feeds the readers of other tools' samples with anything at all: they may
 * refuse it but do no harm, and what they write is read again.
 *
 * Built here, it replays every file of t/fuzz/corpus/import, each as it is and
 * with bytes changed, by each of the formats.  Built with clang
 * -DCPPROF_LIBFUZZER -fsanitize=fuzzer,address,undefined it is a libFuzzer
 * target.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/data/dataset.h"
#include "analyzer/import/import.h"
#include "t/lib/temp_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *written; /* of the written file */

static void read_again(void)
{
	struct err err = {0};
	struct dataset *data = dataset_open(written, NULL, &err);

	if (!data || !data->imported || data->file.truncated) {
		fprintf(stderr, "%s\n", err.reason);
		abort();
	}
	dataset_free(data);
}

static FILE *open_input(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	return fdopen(fd, "r");
}

static void import_it(
	const struct import_format *format, const uint8_t *data, size_t size)
{
	char word[] = "input", *argv[] = {word};
	struct imported done = {0};
	struct err err = {0};
	struct import im = {.path = "input",
		.in = open_input(data, size),
		.out = cpd_writer_open(written, &err),
		.version = "0",
		.argv = argv,
		.argc = 1,
		.done = &done};

	if (!im.in || !im.out)
		abort();
	if (format->read(&im, &err) < 0) {
		if (!*err.reason || strstr(err.reason, "Internal"))
			abort();
		cpd_writer_abandon(im.out);
	} else {
		cpd_write_note(im.out, &(struct cpd_note){CPD_NOTE_IMPORT, ""});
		if (cpd_writer_close(im.out,
			    &(struct cpd_end){.samples = done.samples},
			    &err) < 0)
			abort();
		read_again();
	}
	fclose(im.in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!written)
		written = temp_file();
	for (const struct import_format *f = import_formats; f->name; f++)
		import_it(f, data, size);
	return 0;
}

#ifndef CPPROF_LIBFUZZER
#include "t/fuzz/replay.h"

int main(void)
{
	replay_corpus("import", 5, 40, NULL);
	temp_file_remove(written);
	return done_testing();
}
#endif
