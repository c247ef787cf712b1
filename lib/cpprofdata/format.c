/* Checks the order of records, nodes and samples. */
#include "lib/cpprofdata/format.h"

#include <string.h>

const char *const cpd_loss_names[CPD_LOSS_KINDS] = {
	[CPD_LOST] = "[lost]",
	[CPD_UNSAMPLED] = "[unsampled]",
	[CPD_KERNEL] = "[kernel]",
	[CPD_SETUID] = "[uncounted: set-uid exec]",
	[CPD_PROBES] = "[probes]",
	[CPD_BEFORE] = "[before]",
};

const char *cpd_check_order(const struct cpd_known *k, int kind)
{
	if (k->n[CPD_KIND_end])
		return "a record after the end record";
	if (kind == CPD_KIND_head)
		return k->n[CPD_KIND_head] ? "a second head record" : NULL;
	if (kind == CPD_KIND_string || k->n[CPD_KIND_head])
		return NULL;
	return "a record before the head record";
}

const char *cpd_check_node(const struct cpd_known *k, const struct cpd_node *n)
{
	if (n->parent > k->nodes)
		return "a node whose parent was not announced";
	if (k->nodes == UINT32_MAX - 1)
		return "too many nodes";
	if (n->module)
		return n->module <= k->n[CPD_KIND_module]
			       ? NULL
			       : "a node in a module that was not announced";
	if (n->parent)
		return "a pseudo node that is not below the root";
	return n->addr == CPD_TRUNCATED || n->addr == CPD_NO_STACK
		       ? NULL
		       : "an unknown pseudo node";
}

const char *cpd_check_sample(
	const struct cpd_known *k, const struct cpd_sample *s)
{
	if (!cpd_is_known(s->thread, k->n[CPD_KIND_thread]))
		return "a sample of a thread that was not announced";
	if (!cpd_is_known(s->resource, k->n[CPD_KIND_resource]))
		return "a sample of a resource that was not announced";
	if (!cpd_is_known(s->node, k->nodes))
		return "a sample at a node that was not announced";
	return s->hits && s->weight ? NULL : "a sample without hits or weight";
}

#define USAGE_NOISE_US 50000
#define USAGE_NOISE_COUNT 100
#define USAGE_NOISE_PART 5 /* one in so many */

/*
 * A per-task clock goes on while the host of a virtual machine has taken the
 * processor, and a thread's way out is in no process's count.
 */
#define EXCESS_TIMES 4
#define EXCESS_NOISE_US 200000
#define EXCESS_THREAD_US 1000
#define EXCESS_THREAD_COUNT 10

int cpd_usage_differs(const struct cpd_usage *usage, const char *resource,
	uint64_t total, const struct cpd_crowd *crowd, uint64_t *used)
{
	const struct {
		const char *resource;
		uint64_t used;
	} known[] = {
		{"cpu", usage->user + usage->system},
		{"pagefaults", usage->minor + usage->major},
		{"minorfaults", usage->minor},
		{"majorfaults", usage->major},
		{"switches", usage->waits + usage->preemptions},
	};
	bool time = !strcmp(resource, "cpu");
	uint64_t less = time ? USAGE_NOISE_US : USAGE_NOISE_COUNT, more;
	size_t i = 0;

	while (strcmp(known[i].resource, resource) != 0)
		if (++i == sizeof known / sizeof *known)
			return 0;
	*used = known[i].used;
	more = time ? (EXCESS_TIMES - 1) * *used + EXCESS_NOISE_US +
			       EXCESS_THREAD_US * crowd->threads
		    : *used / USAGE_NOISE_PART + USAGE_NOISE_COUNT +
			       EXCESS_THREAD_COUNT * crowd->threads;
	if (total > *used)
		return crowd->processes == 1 && total - *used > more;
	return *used - total > less * crowd->runs &&
			       *used - total > *used / USAGE_NOISE_PART
		       ? -1
		       : 0;
}
