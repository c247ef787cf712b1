/*
 * advice_private.h - what the files that look for advice share.
 */
#ifndef CPPROF_QUESTIONS_ADVICE_PRIVATE_H
#define CPPROF_QUESTIONS_ADVICE_PRIVATE_H

#include "analyzer/questions/advice.h"

#define ADVICE_HOT_SHARE 0.25 /* that is worth a look in any context */
#define ADVICE_SAMPLES 20     /* that one rests on at least */

/* The part that WEIGHT is of what TREE keeps, losses included. */
double advice_share(const struct tree *tree, uint64_t weight);

/* Whether TREE is of the waits for a processor, which no function causes. */
bool advice_is_line(const struct tree *tree);

/* The thread that has most, and its weight.  -1 when out of memory. */
int advice_heaviest(const struct tree *tree, uint32_t *most, uint64_t *weight);

/* What the run had of processors; where nobody counted, by its samples, or else
   what waits leave of the threads' lives.  Returns whether it is known. */
bool advice_computed(const struct dataset *data, uint64_t *us);

/* The loop of an interpreter, what leads into Java's code, or generated code
   without a name. */
bool advice_is_interpreting(
	const struct dataset *data, const struct function *f);

/* Whether function NUMBER is of the program, or of what that interprets, and is
   not where it starts. */
bool advice_is_own(const struct dataset *data, uint32_t number);

/* Leaves the largest, two of a kind and, of contexts of one stack, one. */
void advice_choose(struct advices *list);

/* Adds a piece of advice, with PATH copied.  -1 when out of memory. */
int advice_add(
	struct advices *list, struct advice advice, const uint32_t *path);

/* Adds to SUMS, by function, what interpreters' own functions have for each
   function of a script.  -1 when out of memory. */
int advice_sum_interpreted(const struct tree *tree, struct tree_sums *sums);

/* Each looks for some.  0, or -1 and the error. */
int advice_find_run(struct advices *list, const struct tree *const *trees,
	size_t n, const struct advice_run *run, struct err *err);
int advice_find_waits(struct advices *list, const struct tree *const *trees,
	const struct advice_run *run, struct err *err);
int advice_find_libraries(
	struct advices *list, const struct tree *tree, struct err *err);
int advice_find_spread(
	struct advices *list, const struct tree *tree, struct err *err);
int advice_find_processes(struct advices *list, const struct tree *const *trees,
	size_t n, struct err *err);

#endif
