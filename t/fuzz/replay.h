/*
 * replay.h - feeds the inputs that a fuzzer has left to what it tries, and
 * damaged copies of them: the same ones in each run.
 */
#ifndef CPPROF_REPLAY_H
#define CPPROF_REPLAY_H

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/lib/draw.h"
#include "t/lib/tap.h"

#define REPLAY_MAX (1 << 20) /* bytes of an input */

/* Changes headers more often than the rest, and often to the ends of ranges. */
static void replay_damage(uint8_t *data, size_t size)
{
	for (unsigned n = 1 + draw(8); n; n--) {
		size_t at = draw(3) ? draw((uint32_t)size) : draw(600) % size;

		data[at] = draw(4) ? (uint8_t)draw32() : draw(2) ? 0xff : 0x7f;
	}
}

/* Tries CHANGES damaged copies of DATA, some of them cut. */
static void replay_changes(const uint8_t *data, size_t size, unsigned changes)
{
	static uint8_t copy[REPLAY_MAX];

	for (unsigned i = 0; i < changes && size; i++) {
		memcpy(copy, data, size);
		replay_damage(copy, size);
		LLVMFuzzerTestOneInput(
			copy, i % 4 ? size : draw((uint32_t)size));
	}
}

static bool replay_file(const char *path, const char *name, unsigned changes,
	void (*intact)(const char *name))
{
	static uint8_t data[REPLAY_MAX];
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f)
		return false;
	size = fread(data, 1, sizeof data, f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	if (intact)
		intact(name);
	replay_changes(data, size, changes);
	return true;
}

/*
 * A test: each file of t/fuzz/corpus/NAME, more than LEAST, as it is, then
 * CHANGES damaged copies of it.  INTACT (may be NULL) is called between the
 * two.  The corpora are in the repository alone: a source distribution has no
 * program without its source.
 */
static void replay_corpus(const char *name, int least, unsigned changes,
	void (*intact)(const char *name))
{
	const char *top = getenv("top_srcdir");
	char folder[4000], path[4300];
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	snprintf(folder, sizeof folder, "%s/t/fuzz/corpus/%s", top ? top : ".",
		name);
	dir = opendir(folder);
	if (!dir && errno == ENOENT) {
		skip(1, "no corpus in a source distribution");
		return;
	}
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (!replay_file(path, entry->d_name, changes, intact))
			ok(false, "replayed %s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	ok(n > least, "replayed %d inputs and changes of them", n);
}

#endif
