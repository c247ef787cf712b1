/* Compares each timer's count with its samples, and names the difference. */
#include "monitor/sample/accounting.h"

#include <math.h>
#include <string.h>

#include "lib/sum.h"

static unsigned counts(const struct timer *timer)
{
	return timer->request->resource->counts;
}

static bool is_whole_clock(const struct timer *timer)
{
	return counts(timer) == COUNTS_CPU;
}

/* `cpu`, or a part of it. */
static bool is_cpu_clock(const struct timer *timer)
{
	return resource_is_cpu(timer->request->resource);
}

/*
 * The thread's time that the timer knows of and has no sample for; negative: it
 * has samples for more.
 */
static int64_t left_of(struct accounting *accounting, const struct timer *timer,
	const struct thread *thread)
{
	uint64_t on = thread->on_ns / 1000;
	size_t i = timer->index;
	int64_t left = (int64_t)(on - thread->sampled[i]);

	if (timer->kind->left)
		return timer->kind->left(timer, thread);
	if (!is_whole_clock(timer) || !accounting->sampler->events->switches)
		return 0;
	if (left > 0 && on < timer->request->interval)
		accounting->unfired[i] += (uint64_t)left;
	return left;
}

static int loss(struct accounting *accounting, const struct timer *timer,
	enum cpd_loss_kind kind, uint32_t thread, uint64_t gticks,
	uint64_t samples)
{
	struct cpd_loss record = {
		timer->resource, kind, thread, gticks, samples};

	if (!gticks && !samples)
		return 0;
	return cpd_write_loss(accounting->sampler->writer, &record);
}

/* Writes the unplaced time of the timer, MOST of it at the most. */
static int name_unsampled(
	struct accounting *accounting, const struct timer *timer, uint64_t most)
{
	for (size_t i = 0; most && i < accounting->unplaced.n; i++) {
		const struct unplaced *u = &accounting->unplaced.v[i];
		uint64_t part = u->gticks < most ? u->gticks : most;

		if (u->timer != timer->index)
			continue;
		if (loss(accounting, timer, CPD_UNSAMPLED, u->thread, part, 0))
			return -1;
		accounting->named[timer->index].written += part;
		most -= part;
	}
	return 0;
}

static bool hides_kernel(
	const struct accounting *accounting, const struct timer *timer)
{
	return (timer->kind->needs & TIMER_NEEDS_PERF) &&
	       accounting->sampler->events->user_only;
}

/*
 * Writes what is unplaced in threads that have ended, less what others of them
 * have too much; the rest will be [unsampled] without a name.
 */
static void make_room(struct accounting *accounting)
{
	const struct sampler *sampler = accounting->sampler;

	for (size_t i = 0; i < sampler->ntimers; i++) {
		const struct timer *timer = &sampler->timers[i];
		int64_t most = accounting->named[i].left;

		if (hides_kernel(accounting, timer) &&
			most > (int64_t)accounting->unfired[i])
			most = (int64_t)accounting->unfired[i];
		most -= (int64_t)accounting->named[i].written;
		/* an error of the writer's stays, and ends the run */
		if (most > 0 &&
			name_unsampled(accounting, timer, (uint64_t)most))
			return;
	}
	accounting->unplaced.n = 0;
}

void accounting_ended(
	struct accounting *accounting, const struct thread *thread)
{
	const struct sampler *sampler = accounting->sampler;

	if (accounting->unplaced.n + sampler->ntimers > UNPLACED_MOST)
		make_room(accounting);
	for (size_t i = 0; i < sampler->ntimers; i++) {
		int64_t left = left_of(accounting, &sampler->timers[i], thread);

		accounting->named[i].left += left;
		if (left > 0) /* without memory it has no name */
			(void)vec_add(&accounting->unplaced,
				(struct unplaced){thread->id, (uint32_t)i,
					(uint64_t)left});
	}
}

void accounting_init(struct accounting *accounting, struct sampler *sampler)
{
	memset(accounting, 0, sizeof *accounting);
	accounting->sampler = sampler;
}

void accounting_fini(struct accounting *accounting)
{
	vec_free(&accounting->unplaced);
}

static uint64_t usec(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

/* N times PART of WHOLE. */
static uint64_t share(uint64_t n, uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)n * (double)part / (double)whole +
				  0.5)
		     : n;
}

/*
 * What a clock has counted of CPU time.  A polled one has last read each thread
 * before its end; the kernel knows what they all had then.
 */
static int cpu_counted(const struct timer *timer,
	const struct accounting_evidence *evidence, struct timer_count *count,
	struct err *err)
{
	uint64_t cpu =
		usec(evidence->usage.ru_utime) + usec(evidence->usage.ru_stime);

	if (timer_read(timer, count, err))
		return -1;
	if (!(timer->kind->needs & TIMER_NEEDS_POLLER) || evidence->partly ||
		!is_cpu_clock(timer))
		return 0;
	cpu = minus(cpu, evidence->cpu_before / 1000);
	if (cpu > count->gticks)
		count->gticks = cpu;
	return 0;
}

/*
 * The CPU time of the run.  `user` and `system` share it out, so it must be the
 * same for both.
 */
static int whole_cpu(struct accounting *accounting,
	const struct accounting_evidence *evidence, struct err *err)
{
	const struct sampler *sampler = accounting->sampler;
	const struct timer *from = NULL;
	struct timer_count count = {0};

	for (size_t i = 0; i < sampler->ntimers && !accounting->cpu_known;
		i++) {
		const struct timer *timer = &sampler->timers[i];

		if (!is_cpu_clock(timer))
			continue;
		if (!from || is_whole_clock(timer))
			from = timer;
	}
	if (!from)
		return 0;
	if (cpu_counted(from, evidence, &count, err))
		return -1;
	accounting->cpu = count.gticks;
	accounting->cpu_known = true;
	return 0;
}

/* CPU time by mode. */
struct modes {
	uint64_t user, system; /* hits of all clocks; or of the kernel, us */
	bool sampled;          /* hits */
};

static struct modes modes_of(const struct accounting *accounting,
	const struct accounting_evidence *evidence)
{
	const struct sampler *sampler = accounting->sampler;
	struct modes m = {.sampled = !sampler->events->user_only};

	for (size_t i = 0; m.sampled && i < sampler->ntimers; i++) {
		if (!is_cpu_clock(&sampler->timers[i]))
			continue;
		m.user += sampler->tally[i].user;
		m.system += sampler->tally[i].system;
	}
	if (m.user + m.system == 0) {
		m.sampled = false;
		m.user = usec(evidence->usage.ru_utime);
		m.system = usec(evidence->usage.ru_stime);
	}
	return m;
}

/*
 * The largest error of a mode's share, at 95 %: hits are draws of one mode or
 * the other.  Two more of each keep the interval right when they are few or all
 * alike (Agresti and Coull 1998).  Without hits the kernel's figures may be all
 * wrong: they come from one look per tick.
 */
static uint64_t doubt(const struct modes *m, uint64_t cpu)
{
	double n = (double)(m->user + m->system) + 4, p, by;

	if (!m->sampled)
		return cpu;
	p = ((double)m->user + 2) / n;
	by = 1.96 * sqrt(p * (1 - p) / n);
	return by < 1 ? (uint64_t)(by * (double)cpu + 0.5) : cpu;
}

/*
 * The `user` or `system` share of the exact CPU time: by the modes that the
 * samples of all clocks interrupted; without samples by the kernel's own
 * estimate.
 */
static void split(const struct accounting *accounting,
	const struct timer *timer, uint64_t cpu,
	const struct accounting_evidence *evidence, struct account *a)
{
	struct modes m = modes_of(accounting, evidence);
	uint64_t user = cpu, all = m.user + m.system;

	if (accounting->sampler->events->user_only && !evidence->partly)
		user = minus(cpu, usec(evidence->usage.ru_stime));
	else if (all)
		user = (uint64_t)((double)cpu * (double)m.user / (double)all +
				  0.5);
	a->total = counts(timer) == COUNTS_USER ? user : minus(cpu, user);
	a->doubt = doubt(&m, cpu);
}

/*
 * Faults that the counter does not have, because the kernel took them on the
 * program's behalf: its count by process has them all.
 */
static uint64_t uncounted_faults(const struct timer *timer, uint64_t counted,
	const struct accounting_evidence *evidence)
{
	const struct perf_source *source = resource_perf(timer->request);
	const struct rusage *usage = &evidence->usage,
			    *before = &evidence->before;
	uint64_t all = 0;

	if (!source || source->type != PERF_TYPE_SOFTWARE)
		return 0; /* there is no other count */
	if (source->config == PERF_COUNT_SW_PAGE_FAULTS_MIN)
		all = minus((uint64_t)usage->ru_minflt,
			(uint64_t)before->ru_minflt);
	if (source->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ||
		source->also == PERF_COUNT_SW_PAGE_FAULTS_MAJ)
		all += minus((uint64_t)usage->ru_majflt,
			(uint64_t)before->ru_majflt);
	return minus(all, counted);
}

/*
 * Consumption of the target that the counter did not see.  After a set-uid exec
 * it includes hidden kernel mode.  If only a part of the run was collected, the
 * amount is unknown.
 */
static void take_unseen(const struct accounting *accounting,
	const struct timer *timer, const struct accounting_evidence *evidence,
	struct account *a)
{
	uint64_t cpu =
		usec(evidence->usage.ru_utime) + usec(evidence->usage.ru_stime);
	bool clock = is_cpu_clock(timer);

	if (evidence->partly)
		return;
	if (accounting->sampler->tasks.setuid_execs)
		a->setuid = clock ? minus(cpu, a->total)
				  : uncounted_faults(timer, a->total, evidence);
	else if (!clock && accounting->sampler->events->user_only)
		a->kernel = uncounted_faults(timer, a->total, evidence);
}

/* The figure of the timer's clock or counter, with lost samples. */
static int take_counted(struct accounting *accounting,
	const struct timer *timer, const struct accounting_evidence *evidence,
	struct timer_count *count, struct account *a, struct err *err)
{
	const struct sampler *sampler = accounting->sampler;
	const struct timer *clock = timer->clock ? timer->clock : timer;
	uint64_t cpu;

	if (cpu_counted(timer, evidence, count, err) ||
		(is_cpu_clock(timer) && whole_cpu(accounting, evidence, err)))
		return -1;
	cpu = accounting->cpu;
	a->total = is_cpu_clock(timer) ? cpu : count->gticks;
	a->lost_samples = sampler->events->has_lost
				  ? count->lost
				  : sampler->tally[clock->index].lost_records;
	take_unseen(accounting, timer, evidence, a);
	if (!resource_is_part(timer->request->resource))
		return 0;
	split(accounting, timer, cpu, evidence, a);
	/* the mode's share of its clock's */
	a->setuid = share(a->setuid, a->total, cpu);
	a->lost_samples = share(a->lost_samples, a->total, cpu);
	count->lost_gticks = share(count->lost_gticks, a->total, cpu);
	return 0;
}

/*
 * What is freed is known by samples alone, each block's for others of its size:
 * the sum is off by chance, as draws of one weight are.  How many blocks are
 * freed is counted, and where each request is sampled those that nobody saw
 * begin are older.
 */
static void take_ends(const struct accounting *accounting,
	const struct timer *timer, struct account *a)
{
	const struct tally *tally = &accounting->sampler->tally[timer->index];
	uint64_t interval = timer->request->interval, known;

	/* what the blocks were whose ends are lost is not known */
	a->lost = tally->samples ? share(tally->weight, a->lost_samples,
					   tally->samples)
				 : a->lost_samples * interval;
	known = tally->weight + a->lost;
	if (!(counts(timer) & COUNTS_FREES)) {
		a->total = known;
		a->doubt =
			interval > 1
				? (uint64_t)(1.96 * (double)interval *
					     sqrt((double)tally->samples + 1))
				: 0;
	} else if (interval == 1 && !tally->unfollowed) {
		a->before = minus(a->total, known);
	} else if (interval == 1) { /* or are not followed */
		a->rest = minus(a->total, known);
	}
}

static int take_account(struct accounting *accounting,
	const struct timer *timer, const struct accounting_evidence *evidence,
	struct account *a, struct err *err)
{
	const struct sampler *sampler = accounting->sampler;
	const struct tally *tally = &sampler->tally[timer->index];
	uint64_t written = accounting->named[timer->index].written, known;
	struct timer_count count = {0};

	memset(a, 0, sizeof *a);
	if (take_counted(accounting, timer, evidence, &count, a, err))
		return -1;
	if (timer->ends) {
		take_ends(accounting, timer, a);
		return 0;
	}
	a->probes = tally->probes;
	a->probe_samples = tally->probe_samples;
	known = tally->weight + a->probes + written;
	a->lost = least(count.lost_gticks
				? count.lost_gticks
				: a->lost_samples * timer->request->interval,
		minus(a->total, known));
	a->rest = minus(a->total, known + a->lost);
	if ((is_whole_clock(timer) || counts(timer) == COUNTS_TIME) &&
		hides_kernel(accounting, timer)) {
		/* kernel mode that no timer could have seen */
		a->kernel = least(
			minus(a->rest, minus(accounting->unfired[timer->index],
					       written)),
			usec(evidence->usage.ru_stime));
		a->rest -= a->kernel;
	} else {
		a->total += a->kernel;
	}
	if ((timer->kind->needs & TIMER_NEEDS_PERF) &&
		(evidence->cut ||
			perf_events_dropped(sampler->events, timer->index))) {
		/* it is not told apart from remainders */
		a->lost += a->rest;
		a->rest = 0;
	}
	a->total += a->setuid;
	if (evidence->partly && timer->kind->needs & TIMER_NEEDS_PERF)
		a->uncounted = sampler->tasks.setuid_execs;
	return 0;
}

/* The rest of [unsampled], by thread where that is known. */
static int unsampled(
	struct accounting *accounting, const struct timer *timer, uint64_t rest)
{
	uint64_t *written = &accounting->named[timer->index].written;
	uint64_t before = *written;

	if (name_unsampled(accounting, timer, rest))
		return -1;
	return loss(accounting, timer, CPD_UNSAMPLED, 0,
		rest - (*written - before), 0);
}

int accounting_close(struct accounting *accounting,
	const struct accounting_evidence *evidence, struct account *accounts,
	struct err *err)
{
	struct sampler *sampler = accounting->sampler;

	for (size_t i = 0; i < sampler->ntimers; i++) {
		const struct timer *timer = &sampler->timers[i];
		struct cpd_total total = {.resource = timer->resource};
		struct account *a = &accounts[i];

		if (take_account(accounting, timer, evidence, a, err))
			return -1;
		total.gticks = a->total;
		total.doubt = a->doubt;
		if ((!a->uncounted &&
			    cpd_write_total(sampler->writer, &total)) ||
			loss(accounting, timer, CPD_LOST, 0, a->lost,
				a->lost_samples) ||
			loss(accounting, timer, CPD_KERNEL, 0, a->kernel, 0) ||
			loss(accounting, timer, CPD_SETUID, 0, a->setuid,
				a->uncounted) ||
			loss(accounting, timer, CPD_PROBES, 0, a->probes,
				a->probe_samples) ||
			loss(accounting, timer, CPD_BEFORE, 0, a->before, 0) ||
			unsampled(accounting, timer, a->rest)) {
			*err = *cpd_writer_error(sampler->writer);
			return -1;
		}
	}
	return 0;
}
