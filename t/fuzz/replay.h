/*
 * replay.h - feeds the inputs that a fuzzer has left to what it tries.
 */
#ifndef CPPROF_REPLAY_H
#define CPPROF_REPLAY_H

#include <dirent.h>

#include "t/lib/tap.h"

static bool replay_file(const char *folder, const char *name,
	void (*input)(const uint8_t *data, size_t size))
{
	static uint8_t data[1 << 20];
	char path[4300];
	size_t size;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f)
		return false;
	size = fread(data, 1, sizeof data, f);
	fclose(f);
	input(data, size);
	return true;
}

/* All files of t/fuzz/corpus/NAME; how many there are. */
static int replay_corpus(
	const char *name, void (*input)(const uint8_t *data, size_t size))
{
	const char *top = getenv("top_srcdir");
	char folder[4000];
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	snprintf(folder, sizeof folder, "%s/t/fuzz/corpus/%s", top ? top : ".",
		name);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		if (!replay_file(folder, entry->d_name, input))
			ok(false, "replayed %s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}

#endif
