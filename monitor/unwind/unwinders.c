/* The table of unwinders. */
#include "monitor/unwind/unwind.h"

#include <string.h>

const struct unwinder unwinders[] = {
	{"auto", "rows from call frame information, then libunwind",
		unwind_auto},
	{"fast", "rows alone; stacks they cannot follow are [truncated]",
		unwind_fast},
	{"libunwind", "libunwind alone, slow, for comparison",
		unwind_libunwind},
	{"fp", "frame pointers alone, for programs that keep them", unwind_fp},
	{"check", "auto, each stack compared with libunwind's", unwind_check},
	{0},
};

const struct unwinder *unwinder_named(const char *name)
{
	for (const struct unwinder *u = unwinders; u->name; u++)
		if (strcmp(u->name, name) == 0)
			return u;
	return NULL;
}
