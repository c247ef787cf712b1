/* Counts how often the same outer frames were read for one inner frame. */
#include "monitor/stack/steady.h"

static void see_others(struct steady_frame *f, uint64_t outer)
{
	f->others++;
	f->run = f->new == outer ? f->run + 1 : 1;
	f->new = outer;
	if (f->run < STEADY_LEAST)
		return;
	f->outer = outer; /* they have come to stay */
	f->seen = f->run;
	f->others = f->run = 0;
}

static void see(struct steady_frame *f, uint64_t outer)
{
	if (f->outer != outer) {
		see_others(f, outer);
		return;
	}
	f->run = 0;
	if (++f->seen < STEADY_MOST)
		return;
	f->seen /= 2;
	f->others /= 2;
}

bool steady_is(
	struct steady *steady, uint64_t frame, uint64_t outer, uint64_t time)
{
	struct steady_frame *f = &steady->frames[frame % STEADY_FRAMES];

	if (f->frame != frame || !f->time)
		*f = (struct steady_frame){.frame = frame, .outer = outer};
	if (time - f->time >= STEADY_GAP) {
		f->time = time;
		see(f, outer);
	}
	return f->outer == outer && f->seen >= STEADY_LEAST &&
	       f->others * STEADY_OTHERS <= f->seen;
}
