/*
 * temp_file.h - the one file that a test in C writes and reads.
 */
#ifndef CPPROF_TEMP_FILE_H
#define CPPROF_TEMP_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Makes it, empty; its name is good to the end. */
static const char *temp_file(void)
{
	static char path[] = "/tmp/cpprof-test.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0) {
		printf("Bail out! no file in /tmp\n");
		exit(99);
	}
	close(fd);
	return path;
}

/* Removes it and the older one that a writer has put aside. */
static void temp_file_remove(const char *path)
{
	char old[64];

	unlink(path);
	snprintf(old, sizeof old, "%s.old", path);
	unlink(old);
}

#endif
