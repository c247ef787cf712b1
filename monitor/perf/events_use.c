/* Perf events once they are open: counts, threads that join. */
#include "monitor/perf/events_private.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/clock.h"

/* Collecting is switched again after so long, twice that, and so on. */
#define AGAIN_FIRST_NS 1000000
#define AGAIN_LAST_NS 1000000000

static uint64_t type_of(const void *events, uint64_t id)
{
	return perf_events_type(events, id);
}

uint64_t perf_events_dropped(const struct perf_events *events, uint32_t tag)
{
	uint64_t n = 0;

	if (tag < events->shares.n)
		tag = events->shares.v[tag].owner;
	for (size_t i = 0; i < events->rings.n; i++)
		if (events->rings.v[i]->tag == tag)
			n += events->rings.v[i]->dropped;
	return n;
}

uint32_t perf_events_lent_tag(
	const struct perf_events *events, const struct perf_fd *event)
{
	uint32_t lent = merge_ring(&events->merge)->tag;

	return events->shares.v[event->tag].owner == lent ? event->tag : lent;
}

int perf_events_start(struct perf_events *events, struct err *err)
{
	if (merge_init(&events->merge, events->rings.v, events->rings.n,
		    type_of, events))
		return err_memory(err, "perf events", "start");
	for (size_t i = 0; events->machine && i < events->fds.n; i++)
		if (events->fds.v[i].tag == PERF_NO_TAG &&
			ioctl(events->fds.v[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return err_sys(err, "perf events", "start");
	return 0;
}

/* Opens one event of a thread that joins, into the mapped ring. */
static int join_one(struct perf_events *events, const struct perf_added *added,
	pid_t tid, int cpu)
{
	struct perf_event_attr attr = added->attr;
	struct perf_fd *slot = NULL;
	int fd;

	if (attr.type == PERF_TYPE_BREAKPOINT) {
		uint64_t addr = added->point.addr;

		if (!added->point.place(added->point.arg, tid, &addr))
			return 0;
		attr.bp_addr = addr;
	}
	fd = perf_open_event(&attr, tid, cpu, -1);
	if (fd < 0)
		return -1;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT,
		    perf_ring_owner(events, added->tag, cpu)) == 0)
		slot = perf_remember(events, fd, cpu, added->tag);
	if (!slot) {
		close(fd);
		return -1;
	}
	slot->tid = tid;
	slot->sample_type = attr.sample_type;
	return 0;
}

/*
 * Events that tell of forks come first, on all processors: so each thread that
 * inherits any other event is reported.
 */
int perf_events_join(struct perf_events *events, pid_t tid)
{
	struct perf_added mark = {.tag = PERF_NO_TAG};

	perf_mark_attr(events, &mark.attr);
	for (size_t i = 0; i < events->added.n; i++)
		for (size_t k = 0; k < events->cpus.n; k++)
			if (join_one(events, &events->added.v[i], tid,
				    events->cpus.v[k]))
				return errno == ESRCH ? 0 : -1;
	for (size_t k = 0; k < events->cpus.n; k++) {
		if (join_one(events, &mark, tid, events->cpus.v[k]))
			return errno == ESRCH ? 0 : -1;
		events->fds.v[events->fds.n - 1].mark = true;
	}
	return 0;
}

pid_t perf_events_giver(
	const struct perf_events *events, uint64_t id, pid_t parent)
{
	const struct perf_fd *found;

	if (events->machine || !events->joining)
		return parent;
	found = perf_events_find(events, id);
	return found ? found->tid : 0;
}

bool perf_events_is_mark(const struct perf_events *events, uint64_t id)
{
	const struct perf_fd *found =
		events->joining ? perf_events_find(events, id) : NULL;

	return found && found->mark;
}

void perf_events_leave(struct perf_events *events, pid_t tid)
{
	size_t kept = 0;

	for (size_t i = 0; i < events->fds.n; i++) {
		const struct perf_fd *event = &events->fds.v[i];

		if (tid ? event->tid == tid : event->mark)
			close(event->fd);
		else
			events->fds.v[kept++] = *event;
	}
	events->fds.n = kept;
}

void perf_events_enable(struct perf_events *events)
{
	perf_events_leave(events, 0);
	events->joining = false;
	if (!events->paused)
		perf_events_collect(events, true);
}

static void switch_all(const struct perf_events *events, bool on)
{
	unsigned long what =
		on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = 0; i < events->fds.n; i++)
		if (!events->fds.v[i].output &&
			events->fds.v[i].tag != PERF_NO_TAG &&
			(!events->attached || events->fds.v[i].tid))
			ioctl(events->fds.v[i].fd, what, 0);
}

void perf_events_stop(const struct perf_events *events)
{
	for (size_t i = 0; i < events->fds.n; i++)
		if (!events->machine || !events->fds.v[i].output)
			ioctl(events->fds.v[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void perf_events_collect(struct perf_events *events, bool on)
{
	uint64_t now = clock_now();

	events->again = (struct perf_again){on, now, now + AGAIN_FIRST_NS};
	switch_all(events, on);
}

void perf_events_collect_again(struct perf_events *events, uint64_t now)
{
	struct perf_again *again = &events->again;

	if (!again->next || now < again->next)
		return;
	switch_all(events, again->on);
	again->next = now - again->since < AGAIN_LAST_NS
			      ? now + (now - again->since)
			      : 0;
}

int perf_events_read(const struct perf_events *events, uint32_t tag,
	uint64_t *count, uint64_t *lost)
{
	*count = *lost = 0;
	for (size_t i = 0; i < events->fds.n; i++) {
		uint64_t values[3] = {0};

		if (events->fds.v[i].tag != tag)
			continue;
		if (read(events->fds.v[i].fd, values, sizeof values) < 0)
			return -1;
		*count += values[0];
		*lost += values[2];
	}
	return 0;
}
