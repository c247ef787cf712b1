#include "lib/cpprofdata/format.h"

#include <string.h>

const char *const cpd_loss_names[CPD_LOSS_KINDS] = {
	[CPD_LOST] = "[lost]",
	[CPD_UNSAMPLED] = "[unsampled]",
	[CPD_KERNEL] = "[kernel]",
	[CPD_SETUID] = "[uncounted: set-uid exec]",
	[CPD_PROBES] = "[probes]",
};

/* Whether ID is one of COUNT; 0 is "none" and does not count. */
static bool known(uint32_t id, uint32_t count)
{
	return id && id <= count;
}

const char *cpd_check_order(const struct cpd_known *k, int kind)
{
	if (k->end)
		return "a record after the end record";
	if (kind == CPD_KIND_head)
		return k->head ? "a second head record" : NULL;
	if (kind == CPD_KIND_string || k->head)
		return NULL;
	return "a record before the head record";
}

const char *cpd_check_resource(
	const struct cpd_known *k, const struct cpd_resource *r)
{
	if (k->samples)
		return "a resource after the first sample";
	if (r->unit > CPD_USEC)
		return "a resource of an unknown unit";
	return r->interval ? NULL : "a resource with an interval of 0";
}

const char *cpd_check_process(
	const struct cpd_known *k, const struct cpd_process *p)
{
	return p->parent <= k->processes
		       ? NULL
		       : "a process whose parent was not announced";
}

const char *cpd_check_thread(
	const struct cpd_known *k, const struct cpd_thread *t)
{
	return known(t->process, k->processes)
		       ? NULL
		       : "a thread of a process that was not announced";
}

const char *cpd_check_rename(
	const struct cpd_known *k, const struct cpd_rename *r)
{
	if (!known(r->process, k->processes))
		return "the name of a process that was not announced";
	return r->thread <= k->threads
		       ? NULL
		       : "the name of a thread that was not announced";
}

const char *cpd_check_exit(const struct cpd_known *k, const struct cpd_exit *e)
{
	if (!known(e->process, k->processes))
		return "the exit of a process that was not announced";
	return e->thread <= k->threads
		       ? NULL
		       : "the exit of a thread that was not announced";
}

const char *cpd_check_module(
	const struct cpd_known *k, const struct cpd_module *m)
{
	if (m->kind > CPD_MODULE_ANON)
		return "a module of an unknown kind";
	if (m->build_id_len > CPD_BUILD_ID_MAX)
		return "a build id that is too long";
	return m->process <= k->processes
		       ? NULL
		       : "a module of a process that was not announced";
}

const char *cpd_check_map(const struct cpd_known *k, const struct cpd_map *m)
{
	if (!known(m->process, k->processes))
		return "a mapping of a process that was not announced";
	if (!known(m->module, k->modules))
		return "a mapping of a module that was not announced";
	return m->len && m->len - 1 <= UINT64_MAX - m->start
		       ? NULL
		       : "a mapping that is empty or wraps around";
}

const char *cpd_check_node(const struct cpd_known *k, const struct cpd_node *n)
{
	if (n->parent > k->nodes)
		return "a node whose parent was not announced";
	if (k->nodes == UINT32_MAX - 1)
		return "too many nodes";
	if (n->module)
		return n->module <= k->modules
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
	if (!known(s->thread, k->threads))
		return "a sample of a thread that was not announced";
	if (!known(s->resource, k->resources))
		return "a sample of a resource that was not announced";
	if (!known(s->node, k->nodes))
		return "a sample at a node that was not announced";
	return s->hits && s->weight ? NULL : "a sample without hits or weight";
}

const char *cpd_check_total(
	const struct cpd_known *k, const struct cpd_total *t)
{
	return known(t->resource, k->resources)
		       ? NULL
		       : "the total of a resource that was not announced";
}

const char *cpd_check_loss(const struct cpd_known *k, const struct cpd_loss *l)
{
	if (!known(l->resource, k->resources))
		return "a loss of a resource that was not announced";
	if (l->kind >= CPD_LOSS_KINDS)
		return "a loss of an unknown kind";
	return l->thread <= k->threads
		       ? NULL
		       : "a loss of a thread that was not announced";
}

const char *cpd_check_function(
	const struct cpd_known *k, const struct cpd_function *f)
{
	if (!known(f->module, k->modules))
		return "a function of a module that was not announced";
	if (f->lo > f->hi)
		return "a function that ends before it starts";
	return f->source <= CPD_NAME_GO ? NULL
					: "a function named by unknown means";
}

const char *cpd_check_addr(const struct cpd_known *k, const struct cpd_addr *a)
{
	if (!known(a->module, k->modules))
		return "an address in a module that was not announced";
	if (!a->nframes)
		return "an address without a frame";
	for (uint32_t i = 0; i < a->nframes; i++)
		if (!known(a->frames[i].function, k->functions))
			return "a frame of a function that was not announced";
	if (a->target > k->functions)
		return "a call of a function that was not announced";
	if (a->ntails && !a->target)
		return "a chain of tail calls without a first";
	for (uint32_t i = 0; i < a->ntails; i++)
		if (!known(a->tails[i].found, k->functions) ||
			!known(a->tails[i].via, k->functions))
			return "a tail call of a function that was not "
			       "announced";
	return NULL;
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
