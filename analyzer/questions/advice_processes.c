/*
 * advice_processes.c - where a program starts the processes that cost so much.
 *
 * Their stacks begin at their own main.  So what leads to them is what the one
 * that started them consumed meanwhile: its samples in fork and the like.
 */
#include "analyzer/questions/advice_private.h"

#include <stdlib.h>
#include <string.h>

/* The process that started the most others. */
struct starter {
	uint32_t process, children;
	bool *below; /* by process: it was started by that one, or by such */
};

/* A function, and what it calls to start a process. */
struct process_start {
	uint32_t own, called;
};

/* Whether process I was forked; an exec keeps the number. */
static bool is_child(const struct dataset *data, uint32_t i)
{
	uint32_t parent = data->processes[i].parent;

	return parent && parent < i &&
	       data->processes[parent].pid != data->processes[i].pid;
}

static int find_starter(const struct dataset *data, struct starter *found)
{
	size_t n = (size_t)data->nprocesses + 1;
	uint32_t *children = calloc(n, sizeof *children);

	*found = (struct starter){.below = calloc(n, sizeof *found->below)};
	for (uint32_t i = 1; children && found->below && i < n; i++) {
		uint32_t parent = data->processes[i].parent;

		if (is_child(data, i) && ++children[parent] > found->children) {
			found->children = children[parent];
			found->process = parent;
		}
	}
	for (uint32_t i = 1; children && found->below && i < n; i++) {
		uint32_t parent = data->processes[i].parent;

		found->below[i] =
			parent < i &&
			(found->below[parent] || (parent == found->process &&
							 is_child(data, i)));
	}
	free(children);
	return children && found->below ? 0 : -1;
}

static uint32_t process_of(const struct dataset *data, uint32_t thread)
{
	uint32_t process = thread ? data->threads[thread].process : 0;

	return process <= data->nprocesses ? process : 0;
}

/* What TREE keeps of the processes below. */
static uint64_t weight_below(const struct tree *tree,
	const struct starter *starter, uint64_t *samples)
{
	uint64_t weight = 0;

	*samples = 0;
	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];

		if (starter->below[process_of(tree->data, a->thread)] &&
			tree_keeps(tree, a)) {
			weight += a->weight;
			*samples += a->samples;
		}
	}
	return weight;
}

static bool starts_process(const char *name)
{
	static const char *const names[] = {"fork", "vfork", "_Fork", "clone",
		"clone3", "posix_spawn", "posix_spawnp", "__spawnix", "popen",
		"system", "syscall.forkExec", "syscall.StartProcess",
		"os.StartProcess", "os.startProcess"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "os/exec.", strlen("os/exec."));
}

/*
 * Where the stack of NODE starts a process: the function outside of the library
 * that does so; in a static program, which has no library, outside of that
 * call. OWN FN_NONE: it does not.
 */
static struct process_start start_in(const struct dataset *data, uint32_t node)
{
	struct process_start start = {FN_NONE, FN_NONE};
	const struct function *starts = NULL;
	uint32_t inner = FN_NONE;

	for (; node; node = data->nodes[node].parent) {
		const struct location *at = dataset_location(data, node);

		for (uint32_t k = 0; k < at->nframes; k++) {
			uint32_t number = at->frames[k].function;
			const struct function *f = &data->functions[number];

			if (number < FN_FIRST_REAL)
				return start;
			if (starts_process(f->name)) {
				starts = f;
				start.own = FN_NONE;
			} else if (starts && start.own == FN_NONE) {
				start = (struct process_start){number, inner};
			}
			if (starts && strcmp(f->module, starts->module))
				return (struct process_start){number, inner};
			inner = number;
		}
	}
	return start;
}

/* The function with the most samples of starts; OWN: of those by that one, of
   what it calls.  Samples of all resources, for one alone may have few. */
static uint32_t most(const struct tree *const *trees, size_t n,
	const struct starter *starter, uint32_t own, uint64_t *counts)
{
	const struct dataset *data = trees[0]->data;
	uint32_t best = FN_NONE;

	memset(counts, 0, dataset_numbers(data) * sizeof *counts);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < trees[k]->naggregates; i++) {
			const struct aggregate *a = &trees[k]->aggregates[i];
			struct process_start start;
			uint32_t f;

			if (process_of(data, a->thread) != starter->process ||
				!tree_keeps(trees[k], a))
				continue;
			start = start_in(data, a->node);
			if (start.own == FN_NONE ||
				(own != FN_NONE && start.own != own))
				continue;
			f = own == FN_NONE ? start.own : start.called;
			counts[f] += a->samples;
			if (best == FN_NONE || counts[f] > counts[best])
				best = f;
		}
	return best;
}

int advice_find_processes(struct advices *list, const struct tree *const *trees,
	size_t n, struct err *err)
{
	const struct tree *tree = trees[0];
	struct starter starter;
	uint64_t *counts = calloc(dataset_numbers(tree->data), sizeof *counts);
	uint64_t weight = 0, samples = 0;
	uint32_t path[2] = {FN_NONE, FN_NONE};
	int status = find_starter(tree->data, &starter) || !counts ? -1 : 0;

	if (!status && starter.children >= ADVICE_SAMPLES)
		weight = weight_below(tree, &starter, &samples);
	if (samples >= ADVICE_SAMPLES &&
		advice_share(tree, weight) >= ADVICE_HOT_SHARE)
		path[0] = most(trees, n, &starter, FN_NONE, counts);
	if (path[0] != FN_NONE) {
		path[1] = most(trees, n, &starter, path[0], counts);
		status = advice_add(list,
			(struct advice){.kind = ADVICE_PROCESSES,
				.tree = tree,
				.length = 2,
				.share = advice_share(tree, weight),
				.count = starter.children},
			path);
	}
	free(counts);
	free(starter.below);
	return status ? err_memory(err, NULL, "advise") : 0;
}
