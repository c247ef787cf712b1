/*
 * settings.h - how the shell shows profiles, one row for each setting.
 *
 * `set` lists and changes them all; the switches among them are commands of
 * their own, too.
 */
#ifndef CPPROF_SHELL_SETTINGS_H
#define CPPROF_SHELL_SETTINGS_H

#include "cpprof/session/session.h"

struct setting {
	const char *name;
	const char *values; /* "on|off" */
	const char *help;   /* one line */
	const char *(*get)(const struct session *s, char *buf, size_t size);
	int (*set)(struct session *s, const char *value, struct err *err);
};

extern const struct setting settings[]; /* ends with name NULL */

/* The row of that name; NULL and an error that lists them. */
const struct setting *setting_find(const char *name, struct err *err);

#endif
