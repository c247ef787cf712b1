/*
 * processors.h - which processors there are.
 *
 * Their numbers can have holes: processors go off line.  What /sys says counts,
 * else, as in a plain chroot, /proc/stat; and those on which this process may
 * run, whatever a container shows in these files.
 */
#ifndef CPPROF_SYS_PROCESSORS_H
#define CPPROF_SYS_PROCESSORS_H

#include "lib/vec.h"

typedef VEC(int) processor_list;

/*
 * Appends the numbers of the processors on line, in ascending order.  -1 and
 * errno: no memory, or none is known.
 */
int processors_list(processor_list *list);

#endif
