/*
 * candidates.h - the words that an argument may be, for completion in the shell
 * and on the command line.
 */
#ifndef CPPROF_CANDIDATES_H
#define CPPROF_CANDIDATES_H

#include "analyzer/data/dataset.h"
#include "cpprof/session/vocabulary.h"

/* What is typed so far, and who takes the words that it may become. */
struct candidates {
	const struct dataset *data; /* NULL: no file is known */
	const char *text;
	bool reported; /* names as reports have them: whole, and escaped; else
			  short ones, too, and none that cannot be typed */
	/* WORD is lent; it stands for FUNCTION of the file (0: none), or for
	   what ABOUT says, which lives on ("": nothing). */
	void (*offer)(void *arg, const char *word, const char *about,
		uint32_t function);
	void *arg;
};

/* Offers WORD if it begins with the text. */
void candidates_add(
	const struct candidates *c, const char *word, const char *about);

/* Offers what an argument of KIND may be; VALUES are the choices of
   COMPLETE_CHOICE: "[on|off]". */
void candidates_of(
	const struct candidates *c, enum completion kind, const char *values);

/* Offers functions that have the text inside; of use where none begins so. */
void candidates_inside(const struct candidates *c);

#endif
