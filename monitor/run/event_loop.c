/* Waits for records and stops, and handles them, until the run is over. */
#include "monitor/run/run.h"

#include <errno.h>

#include "lib/clock.h"
#include "lib/sum.h"
#include "monitor/sample/sideband.h"

/*
 * The rings are read at least this often.  They are read sooner at first, when
 * the unwinder has nothing cached: after a part of the time that has passed.
 */
#define ROUND_NS 50000000
#define FIRST_ROUND_NS 2000000
#define ROUND_PART 4

/*
 * A record gets its time shortly before it is in its ring; none comes in that
 * is older than this, unless the machine was stopped in between.
 */
#define SLACK_NS 2000000

#define PROGRESS_NS 1000000000u

#define SIZES_NS 100000000u /* between readings of perf maps' sizes */

/*
 * How long records are read before other work; the clock is read after so many.
 */
#define DRAIN_NS 10000000
#define RECORDS_A_LOOK 64

/*
 * Records behind the horizon wait for the next look; where they fill a ring so
 * far (an ordinary user's holds 16 stacks) it comes at once.  Without this half
 * of a flood is lost that is not so.
 */
#define FILLED 0.125

/* How much a killed monitor can lose: little at first, then more. */
#define FIRST_FLUSH_NS 5000000u
#define FLUSH_NS 500000000u

#define BEFORE_RINGS 2 /* are polled: control, the family's bell */

int loop_failed(const struct monitor *m, struct err *err)
{
	const struct err *writer = cpd_writer_error(m->writer);

	*err = writer ? *writer : m->sampler.tasks.err;
	return -1;
}

/* Polls the rings that it does not poll yet. */
static int poll_rings(struct monitor *m)
{
	struct pollfd p = {.events = POLLIN};
	bool added = true;

	while (added && m->loop.polled.n < m->events.wake.n + BEFORE_RINGS) {
		p.fd = m->events.wake.v[m->loop.polled.n - BEFORE_RINGS];
		added = vec_add(&m->loop.polled, p);
	}
	return added ? 0 : -1;
}

int loop_prepare(struct monitor *m)
{
	struct pollfd control = {.fd = m->control.fd, .events = POLLIN},
		      bell = {.fd = timer_group_bell(&m->timers.group),
			      .events = POLLIN};

	return vec_add(&m->loop.polled, control) &&
			       vec_add(&m->loop.polled, bell)
		       ? poll_rings(m)
		       : -1;
}

static int grow_rings(struct monitor *m)
{
	return perf_events_grow(&m->events) && poll_rings(m)
		       ? task_table_starved(&m->sampler.tasks)
		       : 0;
}

static int take_record(struct sampler *sampler,
	const struct perf_event_header *header, uint64_t time)
{
	return header->type == PERF_RECORD_SAMPLE
		       ? sampler_sample(sampler, header, time)
		       : sideband_take(sampler, header, time);
}

/*
 * After the target's end, and if somebody asks for the end of that, too: then
 * what is in the rings stays there.
 */
static bool is_cut(struct monitor *m)
{
	if (!m->ended || m->loop.cut)
		return m->loop.cut;
	control_handle(&m->control);
	m->loop.cut = m->control.late || m->control.asked != m->loop.asked;
	return m->loop.cut;
}

/*
 * Handles the records before the horizon, for NS; UINT64_MAX: all of them.  1:
 * there are more.
 */
static int drain_for(struct monitor *m, uint64_t horizon, uint64_t ns)
{
	const struct perf_event_header *header;
	uint64_t time, start = clock_now();

	merge_refresh(&m->events.merge);
	for (unsigned n = 1;
		(header = merge_next(&m->events.merge, horizon, &time)); n++) {
		int failed = take_record(&m->sampler, header, time);

		merge_done(&m->events.merge);
		if (failed)
			return -1;
		if (n % RECORDS_A_LOOK)
			continue;
		if (is_cut(m))
			return 0;
		if (clock_now() - start > ns)
			return 1;
	}
	return 0;
}

static int drain(struct monitor *m, uint64_t horizon)
{
	return drain_for(m, horizon, UINT64_MAX);
}

/* Drains for a while: there is other work. */
static int drain_some(struct monitor *m, uint64_t horizon)
{
	int more = drain_for(m, horizon, DRAIN_NS);

	m->loop.behind = more > 0;
	return more < 0 ? -1 : 0;
}

static int flush(struct monitor *m, uint64_t time)
{
	if (time < m->loop.flush)
		return 0;
	m->loop.flush_every = least(2 * m->loop.flush_every, FLUSH_NS);
	m->loop.flush = time + m->loop.flush_every;
	return cpd_writer_flush(m->writer);
}

/* Notes how long perf maps are now. */
static int note_map_sizes(struct monitor *m, uint64_t time)
{
	if (time - m->loop.sized < SIZES_NS)
		return 0;
	m->loop.sized = time;
	return modules_note_sizes(&m->sampler.modules, time)
		       ? task_table_starved(&m->sampler.tasks)
		       : 0;
}

/* For the tracer: handles what the rings have at the moment of a stop. */
int loop_catch_up(void *arg)
{
	return drain(arg, clock_now());
}

/* Begins or stops collecting when that is due. */
static int keep_collecting(struct monitor *m)
{
	uint64_t t = clock_now();
	int changed;

	if (m->config->attach && collection_is_over(&m->collection, t))
		return 0; /* it stays as it is */
	changed = collection_keep(&m->collection, m->control.toggles, t);
	m->control.toggles = 0;
	if (changed < 0)
		return task_table_starved(&m->sampler.tasks);
	if (!changed)
		return 0;
	timer_group_collect(&m->timers.group, m->collection.on);
	perf_events_collect(&m->events, m->collection.on);
	contexts_set(m->timers.contexts, m->collection.on);
	return stop_collect(m->timers.stop, m->collection.on);
}

/* Ns until something has to be done; ROUND at the most. */
static uint64_t pause_left(const struct monitor *m, uint64_t round)
{
	uint64_t t = clock_now(),
		 next = least(collection_next(&m->collection), m->loop.flush);

	next = least(next, stop_next(m->timers.stop));
	if (m->events.again.next)
		next = least(next, m->events.again.next);
	return next > t ? least(next - t, round) : 0;
}

/*
 * A process that was attached to is left when nothing more will be collected.
 */
static bool is_over(const struct monitor *m)
{
	return m->control.ended || m->control.done ||
	       (m->config->attach &&
		       collection_is_over(&m->collection, clock_now()));
}

static uint64_t round_of(const struct monitor *m)
{
	uint64_t part = (clock_now() - m->start) / ROUND_PART;

	return least(part > FIRST_ROUND_NS ? part : FIRST_ROUND_NS, ROUND_NS);
}

static void wait_for_more(struct monitor *m)
{
	struct timespec most = {0};
	int ready;

	most.tv_nsec = (long)pause_left(
		m, stack_taker_round(&m->sampler.taker, round_of(m)));
	if (m->timers.stop->more || m->loop.behind || m->control.ended ||
		merge_fill(&m->events.merge) > FILLED)
		most.tv_nsec = 0;
	ready = ppoll(m->loop.polled.v, m->loop.polled.n, &most, NULL);
	if (m->control.pidfd >= 0 || ready < 0 || m->loop.polled.v[0].revents)
		control_handle(&m->control);
	if (ready < 0 && errno != EINTR)
		nanosleep(&most, NULL);
	if (ready <= 0)
		return;
	for (size_t i = 1; i < m->loop.polled.n; i++)
		if (m->loop.polled.v[i].revents & (POLLHUP | POLLERR))
			m->loop.polled.v[i].fd = -1; /* its task is gone */
}

/* Reports the progress once a second. */
static void tell(struct monitor *m, uint64_t time)
{
	struct monitor_progress progress = {
		.elapsed = (double)(time - m->start) / 1e9,
		.collecting = m->collection.on,
	};
	struct timer_count count;
	struct err ignored;

	if (!m->config->progress || time - m->loop.told < PROGRESS_NS)
		return;
	m->loop.told = time;
	for (size_t i = 0; i < m->config->nrequests; i++) {
		const struct timer *timer = &m->timers.all[i];
		const struct tally *tally = &m->sampler.tally[i];

		progress.resource[i].samples = tally->samples;
		progress.resource[i].lost = tally->lost_records;
		if (timer_read(timer, &count, &ignored) == 0 && count.lost)
			progress.resource[i].lost = count.lost;
	}
	m->config->progress(m->config->progress_arg, &progress);
}

/* Threads that still wait are credited their wait so far. */
static int end_waits(struct monitor *m)
{
	const struct timer_group *group = &m->timers.group;

	if (drain(m, UINT64_MAX))
		return -1;
	/* a wait that cannot be credited is [unsampled] */
	return group->family &&
			       group->family->end_waits(
				       group->impl, &m->sampler, m->ended) &&
			       cpd_writer_error(m->writer)
		       ? -1
		       : 0;
}

/*
 * The kernel refuses to trace on: threads of the target may be stopped until
 * this thread ends.  What follows could not be counted.
 */
static bool is_untraced(struct monitor *m)
{
	if (!stop_is_refused(m->timers.stop, &m->timers.untraced))
		return false;
	if (!m->timers.stop->tracer.leave)
		collection_end(&m->collection, clock_now());
	return true;
}

/*
 * There is no memory for more: the file gets what was collected, and its end.
 * False: it cannot be written.
 */
static bool starve(struct monitor *m)
{
	if (cpd_writer_error(m->writer))
		return false;
	m->loop.starved = m->loop.cut = true;
	m->timers.untraced = m->sampler.tasks.err;
	err_hint(&m->timers.untraced,
		"collecting ended there; 'ulimit -v' or a control group may "
		"limit memory");
	return true;
}

static int collect_contexts(struct monitor *m, bool all)
{
	return contexts_collect(m->timers.contexts, &m->sampler, all,
		m->timers.needs & (TIMER_NEEDS_PERF | TIMER_NEEDS_TRACE));
}

int loop_to_end(struct monitor *m)
{
	uint64_t last = clock_now();

	m->loop.told = last;
	m->loop.flush_every = FIRST_FLUSH_NS;
	m->loop.flush = last + m->loop.flush_every;
	while (!is_over(m)) {
		uint64_t t = clock_now();

		if (t - SLACK_NS > last)
			last = t - SLACK_NS;
		if (drain_some(m, last) || grow_rings(m) || flush(m, t) ||
			note_map_sizes(m, t) || stop_serve(m->timers.stop) ||
			keep_collecting(m) || collect_contexts(m, false) ||
			poller_poll(&m->timers.stop->poller, false)) {
			if (!starve(m))
				return -1;
			break;
		}
		last = t;
		perf_events_collect_again(&m->events, clock_now());
		if (is_untraced(m) && !m->config->attach) {
			m->rest = REST_LOOP;
			return keep_collecting(m);
		}
		tell(m, t);
		priority_rest(&m->priority);
		wait_for_more(m);
		timer_group_watch(&m->timers.group, clock_now());
	}
	timer_group_collect(&m->timers.group, false);
	perf_events_stop(&m->events);
	m->ended = clock_now();
	m->loop.asked = m->control.asked;
	tracer_end(&m->timers.stop->tracer);
	collection_finish(&m->collection, m->ended);
	priority_drop(&m->priority); /* no more samples can be lost */
	if (m->loop.starved)
		return 0;
	if (poller_poll(&m->timers.stop->poller, true))
		return -1;
	return end_waits(m) || drain(m, UINT64_MAX) || collect_contexts(m, true)
		       ? -1
		       : 0;
}

void loop_nothing(struct monitor *m)
{
	timer_group_close(&m->timers.group);
	perf_events_close(&m->events);
	m->loop.polled.n = 1;
	m->timers.stop->tracer.unobserved = true;
	while (!m->control.ended && m->control.pidfd < 0) {
		stop_serve(m->timers.stop);
		if (is_untraced(m)) {
			m->rest = REST_WAIT;
			return;
		}
		if (m->control.ended ||
			(poll(m->loop.polled.v, 1,
				 m->timers.stop->more ? 0 : -1) < 0 &&
				errno != EINTR))
			break;
		control_handle(&m->control);
	}
}

void loop_fini(struct loop *loop)
{
	vec_free(&loop->polled);
}
