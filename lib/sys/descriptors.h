/* descriptors.h - how many more files this process may open. */
#ifndef CPPROF_SYS_DESCRIPTORS_H
#define CPPROF_SYS_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether N more descriptors can be had; else errno tells why not. */
bool descriptors_left(size_t n);

#endif
