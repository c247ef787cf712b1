/* What the family of the run's timers does as one, if there is one. */
#include "monitor/contract/family.h"

void timer_group_collect(const struct timer_group *group, bool on)
{
	if (group->family)
		group->family->collect(group->impl, on);
}

void timer_group_interpret(const struct timer_group *group, pid_t pid,
	const struct interpreter_place *place)
{
	if (group->family)
		group->family->interpret(group->impl, pid, place);
}

void timer_group_watch(const struct timer_group *group, uint64_t now)
{
	if (group->family)
		group->family->watch(group->impl, now);
}

int timer_group_bell(const struct timer_group *group)
{
	return group->family ? group->family->bell(group->impl) : -1;
}

void timer_group_close(struct timer_group *group)
{
	if (group->family)
		group->family->close(group->impl);
	*group = (struct timer_group){0};
}
