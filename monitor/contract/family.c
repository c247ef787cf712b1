/* Hands each call to the family of the run's timers, if it has one. */
#include "monitor/contract/family.h"

int timer_group_open(struct timer_group *group,
	const struct timer_family *family, struct timer_machine *machine,
	struct err *err)
{
	group->impl = family->open(machine, err);
	group->family = group->impl ? family : NULL;
	return group->impl ? 0 : -1;
}

int timer_group_start(struct timer_group *group, struct perf_events *events,
	bool collect, pid_t pid, struct err *err)
{
	if (!group->family)
		return 0;
	if (group->family->start(group->impl, events, err))
		return -1;
	group->family->collect(group->impl, collect);
	if (!pid ||
		group->family->track(group->impl, pid, UINT64_MAX, true) > 0)
		return 0;
	return err_sys(err, "bpf", "adoption of the target");
}

int timer_group_track(
	const struct timer_group *group, pid_t pid, uint64_t begun)
{
	return group->family && group->family->track(
					group->impl, pid, begun, false) < 0
		       ? -1
		       : 0;
}

void timer_group_collect(const struct timer_group *group, bool on)
{
	if (group->family)
		group->family->collect(group->impl, on);
}

int timer_group_end_waits(
	const struct timer_group *group, struct sampler *sampler, uint64_t time)
{
	return group->family
		       ? group->family->end_waits(group->impl, sampler, time)
		       : 0;
}

int timer_group_note(const struct timer_group *group, struct cpd_writer *writer)
{
	return group->family ? group->family->note(group->impl, writer) : 0;
}

void timer_group_close(struct timer_group *group)
{
	if (group->family)
		group->family->close(group->impl);
	*group = (struct timer_group){0};
}
