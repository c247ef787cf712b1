/*
 * blocker - time in which a thread waits.
 *
 * nap sleeps, read_pipe waits for a thread that writes later, wait_condition
 * for one that signals later, wait_poll for a time-out; compute works in
 * between.  Another thread waits in wait_forever until the program ends.  What
 * the profiles of real and blocked must show: what --truth says, in us by the
 * steady clock around each call; blocked: the same without compute.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "samples/sample.h"

#define ROUNDS 3

static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static unsigned signalled;
static double turns_per_us;
static _Atomic uint64_t waits_since;

static void sleep_us(uint64_t us)
{
	struct timespec left = {
		(time_t)(us / 1000000), (long)(us % 1000000) * 1000};

	while (nanosleep(&left, &left) != 0)
		if (errno != EINTR)
			sample_fail("nanosleep: %s", strerror(errno));
}

static FRAME void nap(void)
{
	sleep_us(50000);
}

static FRAME void read_pipe(void)
{
	char byte;
	ssize_t n;

	do
		n = read(ends[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		sample_fail("pipe: %s", strerror(errno));
}

static FRAME void wait_condition(unsigned times)
{
	pthread_mutex_lock(&mutex);
	while (signalled < times)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
}

static FRAME void wait_poll(void)
{
	struct pollfd nothing = {.fd = ends[0], .events = POLLIN};

	if (poll(&nothing, 1, 40) != 0)
		sample_fail("poll: %s", strerror(errno));
}

static FRAME void compute(void)
{
	SPIN((uint64_t)(turns_per_us * 60000));
}

static FRAME void wait_forever(void)
{
	for (;;)
		pause();
}

static FRAME void *waiting_thread(void *unused)
{
	atomic_store(&waits_since, sample_now_us());
	wait_forever();
	return unused;
}

/* Lets read_pipe wait for 80 ms, wait_condition for 70. */
static FRAME void *waking_thread(void *unused)
{
	sleep_us(80000);
	if (write(ends[1], "x", 1) != 1)
		sample_fail("pipe: %s", strerror(errno));
	sleep_us(70000);
	pthread_mutex_lock(&mutex);
	signalled++;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static pthread_t start(void *(*function)(void *))
{
	pthread_t thread;
	int failed = pthread_create(&thread, NULL, function, NULL);

	if (failed != 0)
		sample_fail("pthread_create: %s", strerror(failed));
	return thread;
}

#define MEASURED(blocks, function, ...)                                        \
	do {                                                                   \
		uint64_t from_ = sample_now_us(), took_;                       \
		function(__VA_ARGS__);                                         \
		took_ = sample_now_us() - from_;                               \
		sample_truth("real", #function, took_);                        \
		if (blocks)                                                    \
			sample_truth("blocked", #function, took_);             \
	} while (0)

int main(int argc, char **argv)
{
	uint64_t waited;

	sample_start(argc, argv, NULL);
	if (pipe(ends) != 0)
		sample_fail("pipe: %s", strerror(errno));
	turns_per_us = sample_turns_per_us();
	start(waiting_thread);
	while (atomic_load(&waits_since) == 0)
		sleep_us(100);
	for (unsigned round = 1; round <= ROUNDS; round++) {
		pthread_t waker;

		MEASURED(true, nap);
		MEASURED(false, compute);
		waker = start(waking_thread);
		MEASURED(true, read_pipe);
		MEASURED(true, wait_condition, round);
		pthread_join(waker, NULL);
		MEASURED(true, wait_poll);
	}
	printf("%d rounds\n", ROUNDS);
	waited = sample_now_us() - atomic_load(&waits_since);
	sample_truth_at("real", "waiting_thread;wait_forever", waited);
	sample_truth_at("blocked", "waiting_thread;wait_forever", waited);
	return sample_end();
}
