/*
 * usual.h - the resources of a run that names none.
 *
 * Nothing here keeps state; what it prints goes to standard error.
 */
#ifndef CPPROF_USUAL_H
#define CPPROF_USUAL_H

#include "monitor/run/monitor.h"

/*
 * The resources of a run that names none: those of the usual list that this
 * user can have with timers of the family CHOICE, or its first.
 */
int usual_resources(struct resource_request *requests, size_t *n,
	enum timer_choice choice, struct timer_machine *machine,
	struct err *err);

/* Prints which these are, where this user could have more or better ones. */
void usual_tell(const struct resource_request *requests, size_t n,
	enum timer_choice choice, struct timer_machine *machine);

#endif
