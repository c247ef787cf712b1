#include "cpprof/shell/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpprof/message.h"

#define SETTINGS_MAX 32

static int parse_switch(const char *word, bool *on, struct err *err)
{
	*on = strcmp(word, "on") == 0;
	if (*on || strcmp(word, "off") == 0)
		return 0;
	err_set(err, word, NULL, "neither on nor off");
	return err_hint(err, "say on or off");
}

static const char *shown(bool on)
{
	return on ? "on" : "off";
}

/* A switch NAME that sets FIELD of the session, or its opposite. */
#define SWITCH(name, field, opposite)                                          \
	static const char *get_##name(                                         \
		const struct session *s, char *buf, size_t size)               \
	{                                                                      \
		(void)buf;                                                     \
		(void)size;                                                    \
		return shown((field) != (opposite));                           \
	}                                                                      \
	static int set_##name(                                                 \
		struct session *s, const char *value, struct err *err)         \
	{                                                                      \
		bool on;                                                       \
                                                                               \
		if (parse_switch(value, &on, err) < 0)                         \
			return -1;                                             \
		field = on != (opposite);                                      \
		return 0;                                                      \
	}

SWITCH(intervals, s->style.intervals, false)
SWITCH(unit, s->style.unit, false)
SWITCH(fold, s->style.no_fold, true)

/* Those that change the tree. */
#define VIEW_SWITCH(name, field, opposite)                                     \
	static const char *get_##name(                                         \
		const struct session *s, char *buf, size_t size)               \
	{                                                                      \
		(void)buf;                                                     \
		(void)size;                                                    \
		return shown(s->view.field != (opposite));                     \
	}                                                                      \
	static int set_##name(                                                 \
		struct session *s, const char *value, struct err *err)         \
	{                                                                      \
		struct tree_view view = s->view;                               \
		bool on;                                                       \
                                                                               \
		if (parse_switch(value, &on, err) < 0)                         \
			return -1;                                             \
		view.field = on != (opposite);                                 \
		session_view(s, &view);                                        \
		return 0;                                                      \
	}

VIEW_SWITCH(sites, sites, false)
VIEW_SWITCH(inlines, no_inlines, true)
VIEW_SWITCH(clones, clones, false)

static const char *get_threshold(
	const struct session *s, char *buf, size_t size)
{
	snprintf(buf, size, "%g", s->threshold);
	return buf;
}

static int set_threshold(struct session *s, const char *value, struct err *err)
{
	return session_parse_threshold(value, &s->threshold, err);
}

static const char *get_top(const struct session *s, char *buf, size_t size)
{
	snprintf(buf, size, "%zu", s->style.top);
	return s->style.top ? buf : "all";
}

static int set_top(struct session *s, const char *value, struct err *err)
{
	return session_parse_top(value, &s->style.top, err);
}

static const char *get_form(const struct session *s, char *buf, size_t size)
{
	(void)buf;
	(void)size;
	return report_forms[s->style.form];
}

static int set_form(struct session *s, const char *value, struct err *err)
{
	return session_parse_form(value, &s->style.form, err);
}

static const char *get_names(const struct session *s, char *buf, size_t size)
{
	(void)buf;
	(void)size;
	return s->style.full_names ? "full" : "short";
}

static int set_names(struct session *s, const char *value, struct err *err)
{
	bool full;

	if (session_parse_names(value, &full, err) < 0)
		return -1;
	s->style.full_names = full;
	s->names_set = true;
	return 0;
}

static const char *get_format(const struct session *s, char *buf, size_t size)
{
	(void)buf;
	(void)size;
	return s->format->name;
}

static int set_format(struct session *s, const char *value, struct err *err)
{
	const struct report_format *format = report_format_find(value, err);

	if (!format)
		return -1;
	s->format = format;
	return 0;
}

static const char *get_source_path(
	const struct session *s, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < s->sources.n && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
			i ? ":" : "", s->sources.v[i]);
	return s->sources.n ? buf : "none";
}

/* Replaces the folders by one, or by several with colons between them. */
static int set_source_path(
	struct session *s, const char *value, struct err *err)
{
	struct source_paths paths = {0};
	char *copy = strdup(value), *rest = copy, *folder;
	int bad = !copy;

	while (!bad && (folder = strsep(&rest, ":")))
		bad = *folder && strcmp(value, "none") != 0 &&
		      source_paths_add(&paths, folder);
	free(copy);
	if (bad) {
		source_paths_fini(&paths);
		return err_sys(err, value, "source-path");
	}
	source_paths_fini(&s->sources);
	s->sources = paths;
	return 0;
}

/* clang-format off */
const struct setting settings[] = {
	{"threshold", "X", "leave out entries below X",
		get_threshold, set_threshold},
	{"top", "N|all", "the number of lines of a profile at most",
		get_top, set_top},
	{"unit", "on|off", "the resource's unit instead of %",
		get_unit, set_unit},
	{"fold", "on|off", "leave start-up code and wrappers out",
		get_fold, set_fold},
	{"form", "usual|tree|list", "how call paths are shown",
		get_form, set_form},
	{"names", "short|full", "how texts name functions of C++ and Rust",
		get_names, set_names},
	{"format", "text|paper|json|csv", "how answers are written",
		get_format, set_format},
	{"sites", "on|off", "distinguish call sites", get_sites, set_sites},
	{"inlines", "on|off", "show inlined calls as functions",
		get_inlines, set_inlines},
	{"clones", "on|off", "show f.cold and f.part.0 as functions",
		get_clones, set_clones},
	{"intervals", "on|off", "show the 95 % interval of each fraction",
		get_intervals, set_intervals},
	{"source-path", "DIR[:DIR...]|none", "where `list` looks for sources first",
		get_source_path, set_source_path},
	{0},
};
/* clang-format on */

const struct setting *setting_find(const char *name, struct err *err)
{
	const char *names[SETTINGS_MAX];
	char near[256];
	size_t n = 0;

	for (const struct setting *s = settings; s->name; s++) {
		if (strcmp(s->name, name) == 0)
			return s;
		if (n < SETTINGS_MAX)
			names[n++] = s->name;
	}
	err_set(err, name, "set", "no such setting");
	if (message_nearest(name, names, n, near, sizeof near))
		err_hint(err, "%s", near);
	else
		err_hint(err, "'set' lists the settings");
	return NULL;
}
