/* Reads /sys, or else /proc/stat, and adds those that this process may use. */
#include "lib/sys/processors.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

#define PROCESSORS_MOST 8192 /* that a kernel is made for */

/* A list like "0-3,8"; false: there is none. */
static bool read_sys(bool *on)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, c = ',';
	bool any = false;

	while (f && c == ',' && fscanf(f, "%d", &first) == 1) {
		last = first;
		c = fgetc(f);
		if (c == '-') {
			if (fscanf(f, "%d", &last) != 1)
				break;
			c = fgetc(f);
		}
		for (int i = first; i >= 0 && i <= last && i < PROCESSORS_MOST;
			i++)
			any = on[i] = true;
	}
	if (f)
		fclose(f);
	return any;
}

/* Lines like "cpu3 4005 ...", of processors on line; "cpu  9 ..." is their sum.
 */
static void read_stat(bool *on)
{
	FILE *f = fopen("/proc/stat", "re");
	char line[512];
	int i;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "cpu%d", &i) == 1 && line[3] != ' ' &&
			i >= 0 && i < PROCESSORS_MOST)
			on[i] = true;
	if (f)
		fclose(f);
}

static void add_allowed(bool *on)
{
	cpu_set_t allowed[PROCESSORS_MOST / CPU_SETSIZE];

	if (sched_getaffinity(0, sizeof allowed, allowed))
		return;
	for (int i = 0; i < PROCESSORS_MOST; i++)
		on[i] |= CPU_ISSET_S((size_t)i, sizeof allowed, allowed);
}

int processors_list(processor_list *list)
{
	bool on[PROCESSORS_MOST] = {false};
	size_t before = list->n;

	if (!read_sys(on))
		read_stat(on);
	add_allowed(on);
	for (int i = 0; i < PROCESSORS_MOST; i++)
		if (on[i] && !vec_add(list, i))
			return -1;
	errno = ENOENT;
	return list->n > before ? 0 : -1;
}
