/*
 * interrupt.h - signals that ask to stop, noted instead of obeyed.
 *
 * Between interrupt_begin() and interrupt_end() a signal only leaves a note.
 * Long work looks at the note now and then (cpprof/progress_line.h).  System
 * calls are restarted where they can be; poll() and its like return EINTR.  A
 * signal that was ignored before stays ignored.
 */
#ifndef CPPROF_INTERRUPT_H
#define CPPROF_INTERRUPT_H

#include <stdbool.h>

/* SIGINT is noted; with ALL, SIGTERM, SIGHUP and SIGQUIT too. */
void interrupt_begin(bool all);

/* Restores what the signals did before. */
void interrupt_end(void);

/* The signal that came since the last interrupt_clear(), or 0. */
int interrupt_came(void);
void interrupt_clear(void);

/*
 * After interrupt_begin(): ends as by the signal that came, so that a shell
 * sees what it was.  Does nothing if none came.
 */
void interrupt_obey(void);

#endif
