/* limits.h - how many there can be in one run. */
#ifndef CPPROF_BASE_LIMITS_H
#define CPPROF_BASE_LIMITS_H

#define RESOURCES_MAX 32 /* and timers: one for each */

#endif
