/* The counting object's table of blocks: what is put comes out, once. */
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/inprocess/object.h"
#include "t/lib/tap.h"

#define THREADS 4
#define BLOCKS 60000 /* each; more than the first two tables have room for */

static void *address(unsigned thread, unsigned i)
{
	return (void *)(((uintptr_t)thread << 32) + 16 * ((uintptr_t)i + 1));
}

static struct part {
	unsigned thread, bad;
	uint32_t block[BLOCKS];
} parts[THREADS];

/* Half of them end while others begin. */
static void *work(void *arg)
{
	struct part *p = arg;

	for (unsigned i = 0; i < BLOCKS; i++) {
		p->block[i] = followed_add(address(p->thread, i));
		p->bad += !p->block[i];
		p->bad += !followed_may_have(address(p->thread, i));
		if (i & 1)
			p->bad += followed_take(address(p->thread, i)) !=
				  p->block[i];
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned bad = 0, left = 0;
	int status;

	ok(!followed_may_have(address(0, 0)), "nothing is there at first");
	for (unsigned i = 0; i < THREADS; i++) {
		parts[i].thread = i;
		pthread_create(&threads[i], NULL, work, &parts[i]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		bad += parts[i].bad;
	}
	ok(bad == 0, "%d threads find what they put (%u not)", THREADS, bad);
	if (fork() == 0) {
		for (unsigned i = 0; i < BLOCKS; i++)
			left += followed_take(address(0, i)) != 0 ||
				followed_may_have(address(0, i));
		_exit(left != 0);
	}
	wait(&status);
	ok(status == 0, "a child has none of its parent's");
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < BLOCKS; k++)
			bad += followed_take(address(i, k)) !=
			       (k & 1 ? 0 : parts[i].block[k]);
	ok(bad == 0, "the others come out, once (%u not)", bad);
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < BLOCKS; k++)
			left += followed_may_have(address(i, k));
	ok(left == 0, "... and nothing is left");
	ok(followed_put(address(9, 9), 5) && followed_take(address(9, 9)) == 5,
		"a number can be put back");
	ok(!followed_add(NULL) && !followed_take(NULL), "NULL is no block");
	return done_testing();
}
