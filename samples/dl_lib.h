/* dl_lib.h - the interface of dl and its two libraries. */
#ifndef CPPROF_DL_LIB_H
#define CPPROF_DL_LIB_H

#include <stdint.h>

/* sample_cpu_ns(), which the libraries do not contain */
typedef uint64_t dl_clock(void);

/* The time that burn_in_X spent in its own body and in work_in_X. */
struct dl_took {
	uint64_t burn_ns, work_ns;
};

/* burn_in_X: a quarter of TURNS in its own body, the rest in work_in_X. */
typedef void burn(uint64_t turns, dl_clock *now, struct dl_took *took);

#endif
