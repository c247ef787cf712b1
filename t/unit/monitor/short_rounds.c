/*
 * How long the rounds are after stacks beyond their copies: short for a while,
 * and shorter whiles where no such stack can be had.
 */
#include "monitor/stack/thread_stack.h"

#include "monitor/space/address_space.h"
#include "t/lib/tap.h"

#define MOST 50000000
#define ENOUGH 1000 /* rounds */

static bool asks, whole;

/* An unwinder that asks the live process, or does not. */
static void unwind(struct snapshot *snapshot, const struct address_space *space,
	const struct previous_stack *previous, struct unwind_stack *stack)
{
	char byte;

	(void)space;
	(void)previous;
	stack->found.n = stack->kept = 0;
	stack->end = whole ? UNWIND_WHOLE : UNWIND_NO_MEMORY;
	if (asks)
		snapshot->peek(snapshot, 1, &byte, sizeof byte);
}

/* Takes a stack; the number of short rounds that follow. */
static unsigned rounds_after(struct stack_taker *taker, bool ask, bool is_whole)
{
	struct thread_stack thread = {0};
	struct address_space space = {0};
	struct snapshot snapshot = {0};
	struct taken_stack taken;
	unsigned n = 0;

	asks = ask;
	whole = is_whole;
	if (stack_take(taker, &thread, &snapshot, &space, &taken))
		return ENOUGH;
	while (n < ENOUGH && stack_taker_round(taker, MOST) < MOST)
		n++;
	previous_fini(&thread.previous);
	return n;
}

static struct cpd_writer *start(void)
{
	const char *argv[] = {"test"};
	struct err err = {0};
	struct cpd_writer *writer = cpd_writer_open("/dev/null", &err);

	return writer && cpd_write_head(writer, &(struct cpd_head){.argc = 1,
							.argv = argv,
							.cwd = "/",
							.host = "",
							.kernel = "",
							.machine = "",
							.version = ""}) == 0
		       ? writer
		       : NULL;
}

int main(void)
{
	static const struct unwinder unwinder = {"test", "", unwind};
	struct cpd_writer *writer = start();
	struct stack_taker taker = {.writer = writer, .unwinder = &unwinder};
	unsigned first, n, last, fell = 0, all = 0;

	if (!writer)
		return 1;
	ok(rounds_after(&taker, false, false) == 0,
		"a stack that asks for nothing leaves rounds as long as they "
		"are");
	first = last = rounds_after(&taker, true, false);
	ok(first > 0 && first < ENOUGH,
		"one beyond its copy shortens some rounds (%u)", first);
	for (unsigned i = 0; i < 4; i++) {
		n = rounds_after(&taker, true, false);
		fell += n < last;
		last = n;
	}
	ok(fell > 2 && last < first / 4,
		"those after it, none of them whole, ever fewer (%u)", last);
	for (unsigned i = 0; i < 100; i++)
		all += rounds_after(&taker, true, false);
	ok(all > 0 && all < 100, "in the long run less than one each (%u)",
		all);
	ok(rounds_after(&taker, true, true) == first &&
			rounds_after(&taker, true, false) == first,
		"one that is whole shortens as many as the first");
	ok(rounds_after(&taker, true, false) < first,
		"and then they are fewer again");
	stack_taker_fini(&taker);
	cpd_writer_abandon(writer);
	return done_testing();
}
