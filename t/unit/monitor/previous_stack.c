/*
 * Which frames of a thread's previous stack are taken for its new one: the
 * outer frames, up to the first with a changed word.
 *
 * The stack is made up: a frame every few words, each with a return address and
 * a saved rbp.
 */
#include "monitor/stack/previous.h"

#include <string.h>

#include "t/lib/draw.h"
#include "t/lib/tap.h"

#define FRAMES 200
#define WORDS 8192
#define BASE 0x7ffc00000000u

static uint64_t stack[WORDS], live[WORDS];
/* Frame I's sp, outermost first, is BASE + 8 * at[I]. */
static unsigned at[FRAMES];

static void make_previous(struct previous_stack *previous)
{
	struct unwind_frame v[FRAMES] = {0};
	unwind_frames found = {0};
	struct snapshot whole = {.stack = (const uint8_t *)stack,
		.base = BASE,
		.size = sizeof stack};
	unsigned word = WORDS - 100;

	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = draw(1 << 30);
	for (unsigned i = 0; i < FRAMES; i++) {
		at[i] = word;
		v[i].sp = BASE + 8ull * word;
		v[i].ip = 0x400000 + draw(100000);
		v[i].fp = 0x1000 + draw(100000);
		v[i].step = i ? STEP_ROW : STEP_END;
		v[i].node = i + 1;
		if (i) { /* what led from frame i to i - 1 */
			stack[at[i - 1] - 1] = v[i - 1].ip;
			stack[at[i - 1] - 2] = v[i - 1].fp;
			v[i].fp_at = BASE + 8ull * (at[i - 1] - 2);
		}
		word -= 3 + draw(30);
	}
	for (unsigned i = FRAMES;
		i-- > 0;) { /* previous_set: innermost first */
		vec_reserve(&found, FRAMES);
		found.v[found.n++] = v[i];
	}
	previous_set(previous, 0, &found, &whole, 1);
	vec_free(&found);
	memcpy(live, stack, sizeof live);
}

static bool peek(struct snapshot *snapshot, uint64_t addr, void *buf, size_t n)
{
	(void)snapshot;
	if (addr < BASE || addr + n > BASE + sizeof live)
		return false;
	memcpy(buf, (const uint8_t *)live + (addr - BASE), n);
	return true;
}

struct outcome {
	bool whole, later;
	size_t next, same, found;
};

/* Follows from frame FROM with a copy of COPY words from its sp on. */
static struct outcome follow(
	const struct previous_stack *previous, unsigned from, size_t copy)
{
	const struct unwind_frame *f = &previous->frames.v[from];
	struct unwind_cursor c = {f->ip, f->sp, f->fp, f->exact};
	struct snapshot s = {.stack = (const uint8_t *)&stack[at[from]],
		.base = f->sp,
		.size = copy * 8,
		.peek = peek};
	unwind_frames found = {0};
	struct outcome o = {.next = previous->frames.n};
	uint32_t same;

	if (s.base + s.size > BASE + sizeof stack)
		s.size = BASE + sizeof stack - s.base;
	o.whole = previous_follow(previous, &s, &o.next, &c, &found, &same);
	o.same = same;
	o.found = found.n;
	o.later = s.read_later;
	vec_free(&found);
	return o;
}

static void in_the_copy(struct previous_stack *previous)
{
	unsigned wrong = 0, unseen = 0;
	struct outcome o = follow(previous, 150, WORDS);

	ok(o.whole && o.next == 151 && !o.later,
		"an unchanged stack is the previous one from the frame on");
	for (unsigned round = 0; round < 2000; round++) {
		unsigned from = 50 + draw(150), hit = draw(from);
		unsigned slot = at[hit] - 1 - draw(2);
		uint64_t old = stack[slot];

		stack[slot]++;
		o = follow(previous, from, WORDS);
		/* the step from frame hit + 1 (from 1: hit + 2) has changed */
		wrong += o.whole || o.same != hit + 2 ||
			 o.found != from - hit - 1;
		stack[slot] = old;
		o = follow(previous, from, WORDS);
		unseen += !o.whole;
	}
	ok(!wrong, "a changed return address or rbp ends it at that frame");
	ok(!unseen, "and nowhere else");
}

static void beyond_the_copy(struct previous_stack *previous)
{
	unsigned accepted = 0, refused = 0;
	struct outcome o = follow(previous, 199, 600);

	ok(o.whole && o.later, "beyond the copy the live stack confirms it");
	for (unsigned round = 0; round < 500; round++) {
		unsigned hit = draw(100), slot = at[hit] - 1 - draw(2);
		uint64_t old = live[slot];

		live[slot]++;
		accepted += follow(previous, 199, 600).whole;
		live[slot] = old;
		refused += !follow(previous, 199, 600).whole;
	}
	ok(!accepted, "never where the live stack is another by now");
	ok(!refused, "always where it is the same");
	accepted = 0;
	for (unsigned round = 0; round < 200; round++) {
		/* a local variable, in no frame's words */
		unsigned word = at[199] + 599 - draw(PREVIOUS_OVERLAP / 8);
		uint64_t old = stack[word];

		stack[word] ^= 0x5500000000000000;
		accepted += follow(previous, 199, 600).whole;
		stack[word] = old;
	}
	ok(!accepted, "never where the end of the copy is not what it was");
	ok(!follow(previous, 199, PREVIOUS_OVERLAP / 8 - 1).whole,
		"never on a copy shorter than the overlap");
}

int main(void)
{
	struct previous_stack previous = {0};
	struct outcome o;

	make_previous(&previous);
	in_the_copy(&previous);
	beyond_the_copy(&previous);
	previous.frames.v[100].step = STEP_OTHER;
	o = follow(&previous, 150, WORDS);
	ok(!o.whole && o.same == 101,
		"a frame found in another way is to be found again");
	previous.frames.v[100].step = STEP_ROW;
	previous.frames.v[120].ip++;
	ok(!follow(&previous, 150, WORDS).whole,
		"as is one whose caller's return address differs");
	previous_fini(&previous);
	return done_testing();
}
