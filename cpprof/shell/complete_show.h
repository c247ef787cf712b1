/*
 * complete_show.h - what TAB offers, in a list that says what each word is.
 *
 * A completion begins with show_begin(); show_word() keeps what a word stands
 * for, and readline's list of matches is written with that.
 */
#ifndef CPPROF_SHELL_COMPLETE_SHOW_H
#define CPPROF_SHELL_COMPLETE_SHOW_H

#include "cpprof/session/session.h"

/* Tells readline.  SESSION is borrowed while lines are read. */
void show_init(const struct session *session);

void show_begin(void);

/* WORD stands for FUNCTION of the file (0: none), else for what ABOUT says,
   which is borrowed ("": nothing). */
void show_word(const char *word, const char *about, uint32_t function);

#endif
