/*
 * filter_oracle.h - what filters keep, by sifting the list of stacks.
 *
 * Whether a stack is kept is settled by searching it for the functions in turn,
 * with no tree and no memory of its beginnings.  Some stacks lack their outer
 * frames: what these may hide is settled by asking whether any could have made
 * the answer another one.  What a view elides or groups is left out of, or
 * replaced in, each stack by itself.
 */
#ifndef CPPROF_FILTER_ORACLE_H
#define CPPROF_FILTER_ORACLE_H

#include "analyzer/tree/tree.h"
#include "t/unit/analyzer/filter_input.h"
#include "t/unit/analyzer/stack_tree.h"

#define FILTERS 4

struct asked {
	enum filter_kind kind;
	char name[16];
	bool set[FUNCTIONS + 1]; /* on stacks: the functions it stands for */
	uint64_t from, to;       /* WINDOW */
};

enum verdict { KEPT, UNDECIDED, DROPPED };

/* How stacks are shown. */
struct shown {
	bool elided[FUNCTIONS + 1];
	enum dataset_group group;
};

static bool is_process(uint32_t p, const char *name)
{
	if (*name == '%')
		return p == (uint32_t)atoi(name + 1);
	return p + 100 == (uint32_t)atoi(name) ||
	       !strcmp(name, process_names[p]) || strstr(name, "prog") ||
	       !strcmp(name, "s*") || !strcmp(name, "/^s/");
}

static bool is_thread(uint32_t t, const char *name)
{
	const char *own = *thread_names[t] ? thread_names[t]
					   : process_names[process_of[t]];

	if (*name == '%')
		return t == (uint32_t)atoi(name + 1);
	if (!strcmp(name, "/er$/") || !strcmp(name, "m*n"))
		return !strcmp(own, *name == '/' ? "worker" : "main");
	return t + 200 == (uint32_t)atoi(name) || !strcmp(name, own);
}

static bool keeps_thread(uint32_t t, const struct asked *asked, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (asked[i].kind == FILTER_PROCESS &&
			(!t || !is_process(process_of[t], asked[i].name)))
			return false;
		if (asked[i].kind == FILTER_THREAD &&
			(!t || !is_thread(t, asked[i].name)))
			return false;
	}
	return true;
}

static bool is_on_stacks(const struct asked *asked)
{
	return asked->kind >= FILTER_CONTAINS;
}

static bool in_window(
	const struct flat *flat, const struct asked *asked, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (asked[i].kind == FILTER_WINDOW &&
			(flat->time < MADE_START + asked[i].from * SECOND ||
				flat->time >=
					MADE_START + asked[i].to * SECOND))
			return false;
	return true;
}

/*
 * Whether the wanted functions stand in the stack in this order, with or
 * without others between them: tries every place for the first.
 */
static bool in_order(const uint32_t *stack, uint32_t depth,
	const struct asked *const *wanted, size_t n)
{
	if (!n)
		return true;
	for (uint32_t i = 0; i < depth; i++)
		if (wanted[0]->set[stack[i]] &&
			in_order(stack + i + 1, depth - i - 1, wanted + 1,
				n - 1))
			return true;
	return false;
}

static enum verdict worse(enum verdict a, enum verdict b)
{
	return a > b ? a : b;
}

/*
 * What a chain of `contains` and `then`s says.  A stack that lacks frames may
 * have had all of the chain in them, or what `without` looks for.
 */
static enum verdict judge_chain(const struct flat *flat,
	const struct asked *const *wanted, size_t n, bool without)
{
	if (in_order(flat->functions, flat->depth, wanted, n))
		return without ? DROPPED : KEPT;
	return flat->truncated ? UNDECIDED : without ? KEPT : DROPPED;
}

static enum verdict judge(
	const struct flat *flat, const struct asked *asked, size_t n)
{
	const struct asked *wanted[FILTERS];
	enum verdict verdict = KEPT;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const struct asked *alone = &asked[i];

		if (!is_on_stacks(alone))
			continue;
		if (alone->kind == FILTER_MODULE ||
			alone->kind == FILTER_WITHOUT) {
			verdict = worse(verdict,
				judge_chain(flat, &alone, 1,
					alone->kind == FILTER_WITHOUT));
			continue;
		}
		if (alone->kind == FILTER_CONTAINS) {
			verdict = worse(
				verdict, judge_chain(flat, wanted, k, false));
			k = 0;
		}
		wanted[k++] = alone;
	}
	return worse(verdict, judge_chain(flat, wanted, k, false));
}

/* What each function is called in the dataset; 0 where no stack has it. */
static void find_numbers(const struct dataset *data, uint32_t *numbers)
{
	for (uint32_t f = 1; f <= FUNCTIONS; f++) {
		char name[] = {'f', (char)('0' + f), '\0'};
		uint32_t *found;
		struct err err;
		size_t n;

		numbers[f] = 0;
		if (dataset_find(data, name, &found, &n, &err))
			continue;
		numbers[f] = found[0];
		free(found);
	}
}

static uint32_t group_number(
	const struct dataset *data, enum dataset_group group, uint32_t f)
{
	const char *module = module_of(f) == 1 ? "prog" : "liba.so";
	const char *name = group == GROUP_FILE && *files[f] ? files[f] : module;

	return dataset_find_group(data, group, name);
}

static uint32_t thread_number(
	const struct dataset *data, enum dataset_group group, uint32_t thread)
{
	const char *name = *thread_names[thread] && group == GROUP_THREAD
				   ? thread_names[thread]
				   : process_names[process_of[thread]];

	return dataset_find_group(data, group, name);
}

/* The number that function F is shown as. */
static uint32_t number_of(
	const struct dataset *data, const struct shown *shown, uint32_t f)
{
	uint32_t numbers[FUNCTIONS + 1];

	if (shown->group == GROUP_MODULE || shown->group == GROUP_FILE)
		return group_number(data, shown->group, f);
	find_numbers(data, numbers);
	return numbers[f];
}

/* The stack as it is shown; its length. */
static uint32_t show(const struct dataset *data, const struct shown *shown,
	const struct flat *flat, uint32_t *to)
{
	bool threads =
		shown->group == GROUP_THREAD || shown->group == GROUP_PROCESS;
	uint32_t n = 0, bare;

	if (threads)
		to[n++] = thread_number(data, shown->group, flat->thread);
	bare = n;
	if (flat->truncated)
		to[n++] = FN_TRUNCATED;
	for (uint32_t i = 0; i < flat->depth; i++) {
		uint32_t f = flat->functions[i];

		if (shown->elided[f])
			continue;
		to[n] = number_of(data, shown, f);
		if (n == bare || to[n - 1] != to[n] || threads ||
			shown->group == GROUP_FUNCTION)
			n++;
	}
	if (n == bare)
		to[n++] = FN_ELIDED;
	return n;
}

/*
 * The tree of what the oracle keeps, in the dataset's numbers.  *UNDECIDED: the
 * weight of what it cannot settle.
 */
static struct tree *sifted(const struct dataset *data, const struct input *in,
	const struct asked *asked, size_t n, const struct shown *shown,
	uint64_t *undecided)
{
	static uint32_t functions[SAMPLES + 4][DEPTH + 2];
	struct stack stacks[SAMPLES + 4];
	struct tree *tree;
	struct err err;
	size_t kept = 0;
	bool no_losses = false;

	*undecided = 0;
	for (size_t i = 0; i < n; i++)
		no_losses |= is_on_stacks(&asked[i]) ||
			     asked[i].kind == FILTER_WINDOW;
	for (size_t s = 0; s < in->n; s++) {
		const struct flat *flat = &in->flat[s];
		enum verdict verdict = judge(flat, asked, n);
		uint32_t *to = functions[kept];

		if (!keeps_thread(flat->thread, asked, n) ||
			!in_window(flat, asked, n))
			continue;
		if (verdict != KEPT) {
			*undecided += verdict == UNDECIDED ? flat->weight : 0;
			continue;
		}
		stacks[kept] = (struct stack){to, show(data, shown, flat, to),
			flat->weight, flat->hits};
		kept++;
	}
	for (size_t i = 0; i < in->nlosses && !no_losses; i++) {
		const struct loss *loss = &in->losses[i];
		uint32_t *to = functions[kept], depth = 0;

		if (!keeps_thread(loss->thread, asked, n))
			continue;
		if (shown->group >= GROUP_THREAD && loss->thread)
			to[depth++] =
				thread_number(data, shown->group, loss->thread);
		to[depth++] = dataset_loss(loss->kind);
		stacks[kept] = (struct stack){to, depth, loss->gticks, 0};
		kept++;
	}
	tree = tree_from_stacks(stacks, kept, &err);
	tree->view.group = shown->group;
	return tree;
}

/*
 * What the function profile after `then` has of NUMBER: stacks that are kept
 * and have it further inward than where the chain can first be complete.
 */
static uint64_t below(const struct dataset *data, const struct input *in,
	const struct asked *asked, size_t n, const struct shown *shown,
	uint32_t number)
{
	const struct asked *wanted[FILTERS];
	uint64_t weight = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		k = asked[i].kind == FILTER_CONTAINS ? 0 : k;
		if (asked[i].kind == FILTER_CONTAINS ||
			asked[i].kind == FILTER_THEN)
			wanted[k++] = &asked[i];
	}
	for (size_t s = 0; s < in->n; s++) {
		const struct flat *flat = &in->flat[s];
		uint32_t end = 0;

		if (judge(flat, asked, n) != KEPT ||
			!keeps_thread(flat->thread, asked, n) ||
			!in_window(flat, asked, n))
			continue;
		while (!in_order(flat->functions, end, wanted, k))
			end++;
		while (end < flat->depth &&
			(shown->elided[flat->functions[end]] ||
				number_of(data, shown, flat->functions[end]) !=
					number))
			end++;
		weight += end < flat->depth ? flat->weight : 0;
	}
	return weight;
}

#endif
