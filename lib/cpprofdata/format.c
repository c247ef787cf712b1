/* Checks the order of records, nodes and samples. */
#include "lib/cpprofdata/format.h"

#include <string.h>

const char *const cpd_loss_names[CPD_LOSS_KINDS] = {
	[CPD_LOST] = "[lost]",
	[CPD_UNSAMPLED] = "[unsampled]",
	[CPD_KERNEL] = "[kernel]",
	[CPD_SETUID] = "[uncounted: set-uid exec]",
	[CPD_PROBES] = "[probes]",
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

uint64_t cpd_usage_beyond(
	const struct cpd_usage *usage, const char *resource, uint64_t total)
{
	const struct {
		const char *resource;
		uint64_t used, noise;
	} known[] = {
		{"cpu", usage->user + usage->system, USAGE_NOISE_US},
		{"pagefaults", usage->minor + usage->major, USAGE_NOISE_COUNT},
		{"minorfaults", usage->minor, USAGE_NOISE_COUNT},
		{"majorfaults", usage->major, USAGE_NOISE_COUNT},
		{"switches", usage->waits + usage->preemptions,
			USAGE_NOISE_COUNT},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		uint64_t used = known[i].used;

		if (!strcmp(known[i].resource, resource) && used > total &&
			used - total > known[i].noise &&
			used - total > used / USAGE_NOISE_PART)
			return used;
	}
	return 0;
}
