/*
 * When the clocks of the processors tick.
 *
 * Each tick interrupts its processor, whoever runs there, the monitor, too (22
 * us in a guest, so at 10 kHz more than a fifth of its time).  Where the target
 * has not run for some time the clocks rest until it does, which the BPF
 * programs tell at the switch.  At 10 kHz on two processors the monitor took
 * 0.85 of the CPU time so, and one thread that it profiled 0.97.
 *
 * What the target consumes until the monitor has heard of it is made up for at
 * the next tick.  A program that wakes up now and then would have its first
 * moments sampled too seldom, so a processor that was called back rests only
 * after twice as long: all in all that happens to it a few times.
 */
#include "monitor/timer/percpu/percpu_private.h"

#include <sys/ioctl.h>

#include "lib/clock.h"

#define REST_AFTER_NS 100000000u

/*
 * A switch may be not told: a clock that rests listens now and then, for a
 * moment.
 */
#define REST_NS 2000000000u
#define LISTEN_NS 10000000u

static int ignore(void *arg, void *data, size_t size)
{
	(void)arg, (void)data, (void)size;
	return 0;
}

static void switch_clocks(struct percpu *percpu, size_t i, bool on)
{
	for (size_t k = 0; k < percpu->clocks.n; k++) {
		const struct percpu_clock *clock = &percpu->clocks.v[k];

		if ((size_t)clock->cpu % PERCPU_USES == i)
			ioctl(clock->fd,
				on ? PERF_EVENT_IOC_ENABLE
				   : PERF_EVENT_IOC_DISABLE,
				0);
	}
}

static void wake(struct percpu *percpu, size_t i)
{
	__atomic_store_n(
		&percpu->shared->uses[i].rests, PERCPU_TICKS, __ATOMIC_RELEASE);
	switch_clocks(percpu, i, true);
}

static void rest(struct percpu *percpu, size_t i, uint64_t now)
{
	struct percpu_use *use = &percpu->shared->uses[i];

	__atomic_store_n(&use->rests, PERCPU_RESTS, __ATOMIC_SEQ_CST);
	switch_clocks(percpu, i, false);
	percpu->rests[i].since = now;
	/* by now the processor was interrupted: a program there has set this,
	   or will see that the clock rests */
	if (__atomic_load_n(&use->used, __ATOMIC_SEQ_CST))
		wake(percpu, i);
}

static void watch(struct percpu *percpu, size_t i, uint64_t now)
{
	struct percpu_use *use = &percpu->shared->uses[i];
	struct percpu_rest *its = &percpu->rests[i];
	uint32_t rests = __atomic_load_n(&use->rests, __ATOMIC_ACQUIRE);

	if (rests == PERCPU_CALLED) {
		wake(percpu, i);
		its->since = now;
		its->after *= 2;
	} else if (rests == PERCPU_RESTS && now - its->since > REST_NS) {
		wake(percpu, i);
		its->since = now + LISTEN_NS - its->after;
	} else if (rests == PERCPU_TICKS &&
		   __atomic_exchange_n(&use->used, 0, __ATOMIC_ACQ_REL)) {
		its->since = now;
	} else if (rests == PERCPU_TICKS && now - its->since >= its->after) {
		rest(percpu, i, now);
	}
}

void percpu_watch_clocks(struct percpu *percpu, uint64_t now)
{
	if (!percpu->bell || !percpu->shared->collecting)
		return;
	ring_buffer__consume(percpu->bell);
	for (size_t i = 0; i < percpu->config.ncpus && i < PERCPU_USES; i++)
		watch(percpu, i, now);
}

void percpu_collect_clocks(struct percpu *percpu, bool on)
{
	uint64_t now = clock_now();

	if (!percpu->clocks.n)
		return;
	for (size_t i = 0; i < percpu->config.ncpus && i < PERCPU_USES; i++) {
		percpu->rests[i] = (struct percpu_rest){now, REST_AFTER_NS};
		__atomic_store_n(&percpu->shared->uses[i].rests, PERCPU_TICKS,
			__ATOMIC_RELEASE);
		switch_clocks(percpu, i, on);
	}
}

void percpu_start_clocks(struct percpu *percpu)
{
	if (!percpu->clocks.n)
		return;
	percpu->bell = ring_buffer__new(
		percpu_map(percpu, "bell"), ignore, NULL, NULL);
	percpu_collect_clocks(percpu, percpu->shared->collecting);
}
