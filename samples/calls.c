/*
 * calls - functions that are called in every way, with known callers and
 * counts.
 *
 * leaf is called by once and often, and by threads and children; deep calls
 * itself; even and odd call each other; choice is called through a pointer and
 * by a signal handler.  What its profiles must show (resource calls=FUNC,
 * interval 1): each path of the truth exactly as often.  The amounts of --truth
 * are calls.
 *
 *     --times=N     rounds of it all, default 10
 *     --depth=N     of deep, default 100
 *     --threads=N   that call leaf ten times each, up to 16 at once,
 *                   default 3
 *     --children=N  made by fork, that call leaf once each, default 3
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples/sample.h"

/* Counts in the truth and adds no frame. */
#define CALLED(function) sample_truth("calls=" function, NULL, 1)

static volatile uint64_t done;

FRAME void leaf(void);
FRAME void leaf(void)
{
	SHADOW();
	CALLED("leaf");
	done++;
}

static FRAME void once(void)
{
	SHADOW();
	CALLED("once");
	leaf();
}

static FRAME void often(void)
{
	SHADOW();
	for (int i = 0; i < 10; i++)
		leaf();
}

/* Each depth is the same path in a profile. */
static FRAME void deep(uint64_t n)
{
	sample_truth_at("calls=deep", "main;deep", 1);
	if (n > 1)
		deep(n - 1);
	done++;
}

static FRAME void odd(uint64_t n);

static FRAME void even(uint64_t n)
{
	SHADOW();
	CALLED("even");
	if (n)
		odd(n - 1);
	done++;
}

static FRAME void odd(uint64_t n)
{
	SHADOW();
	CALLED("odd");
	if (n)
		even(n - 1);
	done++;
}

static FRAME void choice(int signal)
{
	SHADOW();
	CALLED("choice");
	done += (uint64_t)signal;
}

static FRAME void pointed(void)
{
	void (*volatile at)(int) = choice;

	SHADOW();
	at(0);
}

static FRAME void signalled(void)
{
	SHADOW();
	raise(SIGUSR1);
}

static FRAME void *in_thread(void *arg)
{
	SHADOW();
	for (int i = 0; i < 10; i++)
		leaf();
	return arg;
}

#define AT_ONCE 16 /* threads */

static FRAME void threads(uint64_t n)
{
	pthread_t thread[AT_ONCE];

	for (uint64_t i = 0; i < n; i++) {
		pthread_t *t = &thread[i % AT_ONCE];

		if (i >= AT_ONCE)
			pthread_join(*t, NULL);
		if (pthread_create(t, NULL, in_thread, NULL))
			sample_fail("pthread_create");
	}
	for (uint64_t i = 0; i < n && i < AT_ONCE; i++)
		pthread_join(thread[i], NULL);
}

static FRAME void in_child(void)
{
	SHADOW();
	leaf();
}

static FRAME void children(uint64_t n)
{
	SHADOW();
	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			sample_fail("fork");
		if (pid == 0) {
			in_child();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static const char *const options[] = {
	"--times=", "--depth=", "--threads=", "--children=", NULL};

int main(int argc, char **argv)
{
	sample_start(argc, argv, options);
	signal(SIGUSR1, choice);
	for (uint64_t i = sample_number("--times=", 10); i-- > 0;) {
		once();
		often();
		deep(sample_number("--depth=", 100));
		even(5);
		pointed();
		signalled();
	}
	threads(sample_number("--threads=", 3));
	children(sample_number("--children=", 3));
	return sample_end();
}
