/*
 * sample.h - what the sample programs share: frames that stay, work of a known
 * size, and the telling of their own truth.
 *
 * A sample keeps a shadow of its call stack, per thread, in functions that
 * open with SHADOW(), and adds what it consumes to the entry of the current
 * path.  With --truth it prints at its end, sorted,
 *
 *     truth RESOURCE main;f;g;h AMOUNT
 *
 * which is what a profile has to find.  Only functions with SHADOW() are in a
 * path; a profile may show others between them (libc's).  Amounts are gticks.
 * Those of `cpu' are what the path took, by the thread's own CPU clock, read
 * before and after: how fast the processor was and who else had it is in them.
 * Under `work' a program may tell what was asked of a path beside: turns of
 * SPIN() or whatever it says, the same in every run, and no resource.
 *
 * The table is shared with forked children.  Nothing here is freed: a sample
 * lives for a second.
 */
#ifndef CPPROF_SAMPLE_H
#define CPPROF_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A function that stays one: not inlined, cloned, merged with its twin nor
 * changed by what its callers pass.  Tail calls are off for all samples
 * (-fno-optimize-sibling-calls) unless they are about them.
 */
#if defined(__has_attribute)
#if __has_attribute(noipa)
#define FRAME __attribute__((noipa))
#endif
#endif
#ifndef FRAME
#define FRAME __attribute__((noinline))
#endif

/*
 * TURNS turns of work in the body of the calling function.  Each turn waits for
 * the product of the one before, so a turn costs the same (some 4 cycles)
 * wherever the linker puts the loop.
 */
#define SPIN(turns)                                                            \
	do {                                                                   \
		uint64_t spin_x = 1;                                           \
		for (uint64_t spin_n = (turns); spin_n > 0; spin_n--) {        \
			spin_x = spin_x * 6364136223846793005u + 1;            \
			__asm__ volatile("" : "+r"(spin_x));                   \
		}                                                              \
	} while (0)

/* The next number of a fixed sequence; STATE starts as the seed. */
static inline uint32_t sample_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* First in every main: reads "--truth" and the names in OPTIONS (ended by
 * NULL; "--pages=" takes a number, "--main" none); anything else is a usage
 * error and ends the program with status 2. */
void sample_start(int argc, char **argv, const char *const *options);
bool sample_flag(const char *option);
uint64_t sample_number(const char *option, uint64_t otherwise);

/* Last in every main: prints the truth if asked.  Returns 0. */
int sample_end(void);

/* One line on stderr, status 1. */
__attribute__((format(printf, 1, 2), noreturn)) void sample_fail(
	const char *fmt, ...);

const char *sample_shadow_push(const char *function);
void sample_shadow_pop(const char **function);
#define SHADOW()                                                               \
	const char *sample_frame                                               \
		__attribute__((cleanup(sample_shadow_pop), unused)) =          \
			sample_shadow_push(__func__)

/* Adds to the current path; FUNCTION (or `f;g'), if not NULL, stands below it.
 */
void sample_truth(const char *resource, const char *function, uint64_t amount);

/* The same for a path spelled out, from its first function on. */
void sample_truth_at(const char *resource, const char *path, uint64_t amount);

/*
 * CPU time of the calling thread, by the kernel's count (which no profiler
 * changes), and the steady time of day.
 */
uint64_t sample_cpu_ns(void);
uint64_t sample_cpu_us(void);
uint64_t sample_now_us(void);

/*
 * Adds NS nanoseconds to `cpu' of the current path, or of a given path, as
 * above.  To be used around pieces of 100 us or so: reading the clock is a
 * system call (0.2 us), half of it before the piece and half after.
 */
void sample_truth_cpu(const char *function, uint64_t ns);
void sample_truth_cpu_at(const char *path, uint64_t ns);

/* Calls FUNCTION with the arguments that follow, and adds its CPU time. */
#define MEASURED_CPU(function, ...)                                            \
	do {                                                                   \
		uint64_t from_ = sample_cpu_ns();                              \
		function(__VA_ARGS__);                                         \
		sample_truth_cpu(#function, sample_cpu_ns() - from_);          \
	} while (0)

/* Turns of SPIN() in one us of this machine, measured for some 20 ms. */
double sample_turns_per_us(void);

/* N pages of private memory, untouched, each to fault by itself. */
void *sample_untouched(size_t pages);

/* Page faults of the calling thread so far, the kernel's count. */
uint64_t sample_faults(void);

#endif
