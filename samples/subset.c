/*
 * subset - a predicate inlined here and tail-called there.
 *
 * Source: after the example of A. W. Appel, B. F. Duba and D. B. MacQueen,
 * "Profiling in the Presence of Optimization and Garbage Collection",
 * Princeton CS-TR-197-88, 1988: whether one list is a subset of another, with a
 * predicate that the optimizer puts into its caller, so that the program
 * counter no longer says whose time it is.
 *
 * subset has member inlined.  subset_by_call calls holds through a pointer,
 * which ends in a jump to is_member, so that no frame of holds is left while
 * is_member runs; is_member has member inlined too.  What the cpu profile must
 * show: with inlined calls as frames, nearly all time is member's, half of it
 * under subset and half under subset_by_call, there with holds between
 * subset_by_call and is_member where the debug information tells of tail
 * calls; with inlined calls folded back, half is subset's own and half
 * is_member's.
 *
 * A round begins anywhere in the list and takes the two in any order, lest the
 * rounds be in step with a profiler's clock.
 *
 * Compiled with inlining and tail calls.  --truth tells the cpu of the two, us,
 * read in main around each, and as their work the elements looked at.
 */
#include <stdio.h>

#include "samples/sample.h"

#define LENGTH 600
#define ROUNDS 1600

struct list {
	const struct list *tail;
	int head;
};

typedef bool predicate(int x, const struct list *set);

static uint64_t looked_at;

static inline __attribute__((always_inline)) bool member(
	int x, const struct list *set)
{
	uint64_t n = 0;
	bool found = false;

	for (; set != NULL && !found; set = set->tail) {
		found = set->head == x;
		n++;
		/* looks at one element after the other, as a list has it */
		__asm__ volatile("" : "+r"(set));
	}
	looked_at += n;
	return found;
}

static FRAME bool is_member(int x, const struct list *set)
{
	return member(x, set);
}

static FRAME bool holds(int x, const struct list *set)
{
	return is_member(x, set);
}

static FRAME bool subset(const struct list *list, const struct list *set)
{
	for (; list != NULL; list = list->tail)
		if (!member(list->head, set))
			return false;
	return true;
}

static FRAME bool subset_by_call(
	const struct list *list, const struct list *set, predicate *each)
{
	for (; list != NULL; list = list->tail)
		if (!each(list->head, set))
			return false;
	return true;
}

/* START, START + STEP, ... modulo LENGTH */
static const struct list *make_list(
	struct list elements[LENGTH], unsigned start, unsigned step)
{
	for (unsigned i = 0; i < LENGTH; i++) {
		elements[i].head = (int)((start + i * step) % LENGTH);
		elements[i].tail = i + 1 < LENGTH ? &elements[i + 1] : NULL;
	}
	return elements;
}

int main(int argc, char **argv)
{
	static struct list odd[LENGTH], even[LENGTH];
	static predicate *volatile each = holds;
	const struct list *list = make_list(odd, 3, 7);
	const struct list *set = make_list(even, 5, 11);
	uint64_t looked[2] = {0}, took[2] = {0}; /* inlined and by calls */
	uint64_t seed = 1;

	sample_start(argc, argv, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t chance = sample_random(&seed);

		for (unsigned turn = 0; turn < 2; turn++) {
			const struct list *from = list + (chance >> 1) % LENGTH;
			bool call = (chance + turn) % 2;
			uint64_t before = looked_at, start = sample_cpu_ns();

			if (call ? !subset_by_call(from, set, each)
				 : !subset(from, set))
				sample_fail("no subset");
			took[call] += sample_cpu_ns() - start;
			looked[call] += looked_at - before;
		}
	}
	if (looked[false] != looked[true])
		sample_fail("%llu elements", (unsigned long long)looked[false]);
	printf("%llu elements looked at\n", (unsigned long long)looked_at);
	sample_truth_cpu("subset;member", took[false]);
	sample_truth_cpu("subset_by_call;is_member;member", took[true]);
	sample_truth("work", "subset;member", looked[false]);
	sample_truth("work", "subset_by_call;is_member;member", looked[true]);
	return sample_end();
}
