/*
 * settings.h - what a session looks at and how it shows it, one row each: the
 * resource, the root, the filters, the threshold, the style.
 *
 * Each is a command of the shell or is set by `set`, and each is an option of
 * the subcommands that read a file.  Options are kept as choices, since most
 * subcommands open the file after them.
 */
#ifndef CPPROF_SETTINGS_H
#define CPPROF_SETTINGS_H

#include "lib/vec.h"
#include "cpprof/opt.h"
#include "cpprof/session/session.h"
#include "cpprof/session/vocabulary.h"

struct setting {
	const char *name;
	const char *values; /* "[on|off]" */
	const char *help;   /* one line */
	/* Reads VALUE; the session is unchanged after an error. */
	int (*set)(struct session *s, const struct setting *self,
		const char *value, struct err *err);
	/* The value, in BUF or elsewhere; NULL where there is none to show:
	   filters. */
	const char *(*get)(const struct session *s, const struct setting *self,
		char *buf, size_t size);
	bool of_file;  /* what VALUE means is in the file; `set` has the others
			*/
	size_t what;   /* for set and get: a filter_kind, or where the choice is
			  in the session */
	bool numbered; /* there is the number of its word; else whether it is
			  the first */
	const char *lead; /* may stand before the value: "by" */
};

extern const struct setting settings[]; /* ends with name NULL */

#define SETTING_VALUE 2048 /* bytes of a value that is shown */

/* The row of that name; NULL where there is none. */
const struct setting *setting_named(const char *name);

/* The same among those that `set` has; NULL and an error with the nearest. */
const struct setting *setting_find(const char *name, struct err *err);

/* The id of options that are settings. */
enum { OPT_SETTING = 1000 };

/* clang-format off */
#define OPT_SET(word) OPT_WORD(OPT_SETTING, word)
#define OPT_UNSET(word, help) OPT_NO_WORD(OPT_SETTING, help, word)
#define OPT_FILTER_ROWS \
	OPT_SET(WORD_PROCESS), OPT_SET(WORD_THREAD), OPT_SET(WORD_WINDOW), \
	OPT_SET(WORD_CONTAINS), OPT_SET(WORD_THEN), OPT_SET(WORD_WITHOUT), \
	OPT_SET(WORD_MODULE), OPT_SET(WORD_ELIDE), OPT_SET(WORD_ONLY), \
	OPT_SET(WORD_GROUP)
/* clang-format on */

/* The settings that options chose; zero when empty. */
struct choices {
	VEC(struct choice {
		const struct setting *setting;
		const char *value; /* lies in argv, or is constant */
	})
	v;
	struct session *check; /* without a file: what a wrong value is told by
				*/
};

/* Keeps OPT, which is a setting; -1 and the error. */
int choices_take(struct choices *choices, const struct opt *opt,
	const char *value, struct err *err);

/* Whether that word was chosen. */
bool choices_have(const struct choices *choices, const char *name);

/* Sets them all, in the order given.  -1 and the error. */
int choices_apply(
	const struct choices *choices, struct session *s, struct err *err);

void choices_fini(struct choices *choices);

#endif
