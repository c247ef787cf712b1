/* choose.h - which kind of timer counts a request. */
#ifndef CPPROF_RUN_CHOOSE
#define CPPROF_RUN_CHOOSE

#include "monitor/contract/timer.h"

/*
 * The best kind that can count REQUEST here, within the family chosen.  NULL:
 * there is none, and WHY has the reason of the least demanding one.  Otherwise
 * WHY tells what the next better one lacks; it is clear (reason "") where there
 * is no better one.
 */
const struct timer_kind *timer_choose(const struct resource_request *request,
	enum timer_choice choice, struct timer_machine *machine,
	struct err *why);

/*
 * The kind that can count CALLS of REQUEST here, when MACHINE's breakpoints are
 * taken already; takes what it needs.  If others have too many of them it is
 * uprobes, where possible (calls->crowded).  VARY: intervals have to vary. NULL
 * with the reason in WHY.
 */
const struct timer_kind *timer_choose_for_calls(
	const struct resource_request *request, struct calls *calls,
	enum timer_choice choice, bool vary, struct timer_machine *machine,
	struct err *why);

/* KIND, or what it is where the counting object is found (preload.h). */
const struct timer_kind *timer_in_process(const struct timer_kind *kind);

/* Whether CHOICE has kinds that are not of FAMILY. */
bool timer_has_others(
	enum timer_choice choice, const struct timer_family *family);

#endif
