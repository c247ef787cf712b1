/*
 * dataset_feed.c - what is read goes to a second thread.
 *
 * One thread reads the file, checks it and decodes records; another locates
 * nodes and adds samples up, which takes as long.  Records go over in batches.
 * The thread begins when the first batch is full: the file of a short run needs
 * none, and where there can be none the reader does its work.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "analyzer/data/dataset_private.h"

#define BATCH 8192 /* records of a kind; one takes 580 KB */
#define BATCHES 3  /* one is filled, one waits, one is emptied */

struct batch {
	struct node_read nodes[BATCH];
	struct cpd_sample samples[BATCH];
	size_t nnodes, nsamples;
};

struct feed {
	struct dataset_private *impl;
	struct batch batches[BATCHES];
	pthread_t thread;
	bool tried, threaded;
	/* Both threads look at these, under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t full, done; /* batches that were handed over; added */
	bool end, no_memory;
};

int dataset_feed_begin(struct dataset_private *impl)
{
	struct feed *f = impl->feed = calloc(1, sizeof *f);

	if (!f)
		return -1;
	f->impl = impl;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	return 0;
}

static int add_batch(struct dataset_private *impl, struct batch *batch)
{
	int status = dataset_add_nodes(impl, batch->nodes, batch->nnodes);

	if (!status)
		status = aggregates_add_all(
			&impl->adder, batch->samples, batch->nsamples);
	batch->nnodes = batch->nsamples = 0;
	return status;
}

/* The second thread.  After an error it only empties batches. */
static void *run(void *arg)
{
	struct feed *f = arg;

	pthread_mutex_lock(&f->lock);
	while (f->done < f->full || !f->end) {
		struct batch *batch = &f->batches[f->done % BATCHES];
		bool failed = f->no_memory;

		if (f->done == f->full) {
			pthread_cond_wait(&f->changed, &f->lock);
			continue;
		}
		pthread_mutex_unlock(&f->lock);
		failed = failed || add_batch(f->impl, batch);
		pthread_mutex_lock(&f->lock);
		f->no_memory = failed;
		f->done++;
		pthread_cond_signal(&f->changed);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

/* Signals go to the thread that reads. */
static void start(struct feed *f)
{
	sigset_t all, before;

	f->tried = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	f->threaded = !pthread_create(&f->thread, NULL, run, f);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct batch *at_hand(struct feed *f)
{
	return &f->batches[f->full % BATCHES];
}

/* The batch at hand is full; goes on with an empty one. */
static int hand_over(struct feed *f)
{
	bool no_memory;

	if (!f->tried)
		start(f);
	if (!f->threaded)
		return add_batch(f->impl, at_hand(f));
	pthread_mutex_lock(&f->lock);
	f->full++;
	pthread_cond_signal(&f->changed);
	while (f->full - f->done == BATCHES)
		pthread_cond_wait(&f->changed, &f->lock);
	no_memory = f->no_memory;
	pthread_mutex_unlock(&f->lock);
	return no_memory ? -1 : 0;
}

int dataset_feed_node(
	struct dataset_private *impl, const struct node_read *node)
{
	struct batch *batch = at_hand(impl->feed);

	batch->nodes[batch->nnodes++] = *node;
	return batch->nnodes < BATCH ? 0 : hand_over(impl->feed);
}

int dataset_feed_sample(
	struct dataset_private *impl, const struct cpd_sample *sample)
{
	struct batch *batch = at_hand(impl->feed);

	batch->samples[batch->nsamples++] = *sample;
	return batch->nsamples < BATCH ? 0 : hand_over(impl->feed);
}

int dataset_feed_end(struct dataset_private *impl)
{
	struct feed *f = impl->feed;
	int status;

	if (!f)
		return 0;
	if (f->threaded) {
		pthread_mutex_lock(&f->lock);
		f->end = true;
		pthread_cond_signal(&f->changed);
		pthread_mutex_unlock(&f->lock);
		pthread_join(f->thread, NULL);
	}
	status = f->no_memory ? -1 : add_batch(impl, at_hand(f));
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->changed);
	free(f);
	impl->feed = NULL;
	return status;
}
