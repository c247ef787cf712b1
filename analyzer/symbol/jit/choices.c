/* choices.c - chooses names by time. */

#include <string.h>

#include "analyzer/symbol/jit/jit.h"
#include "lib/lower_bound.h"

#define WORK_MAX 40000000 /* pairs of a claim and an address */

static void offer(struct jit_choice *choice, const struct jit_claim *claim,
	const struct sym_address *lookup)
{
	const struct jit_claim *old = &choice->claim;
	bool in_time =
		!claim->time || !lookup->time || claim->time <= lookup->time;
	bool other = old->name &&
		     (old->len != claim->len ||
			     memcmp(old->name, claim->name, old->len) != 0);

	if (in_time && choice->in_time && claim->time)
		choice->reused = false; /* that was before the sample */
	else
		choice->reused |= other;
	if (!old->name || in_time > choice->in_time ||
		(in_time == choice->in_time &&
			(in_time ? claim->time >= old->time
				 : claim->time < old->time))) {
		choice->claim = *claim;
		choice->in_time = in_time;
	}
}

void sym_jit_claim(struct jit_choices *c, const struct jit_claim *claim)
{
	const struct sym_jit_task *t = c->task;
	size_t i = LOWER_BOUND(t->n, k, t->lookups[k].addr < claim->lo);

	c->work++;
	for (; c->work < WORK_MAX && i < t->n && t->lookups[i].addr < claim->hi;
		i++, c->work++)
		if (!t->functions[i].name)
			offer(&c->v[i], claim, &t->lookups[i]);
}

int sym_jit_choose(const struct jit_choices *c, struct sym_jit *jit)
{
	const struct sym_jit_task *t = c->task;
	const char *last = NULL, *name = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct jit_claim *claim = &c->v[i].claim;

		if (!claim->name)
			continue;
		if (claim->name != last)
			name = arena_strndup(t->arena, claim->name,
				claim->len < SYM_NAME_MAX ? claim->len
							  : SYM_NAME_MAX);
		if (!name)
			return -1;
		last = claim->name;
		jit->reused += c->v[i].reused;
		t->functions[i] = (struct sym_function){.lo = claim->lo,
			.hi = claim->hi,
			.name = name,
			.source = CPD_NAME_JIT};
	}
	return 0;
}
