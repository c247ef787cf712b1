/* What a session looks at and how it shows it. */
#include "cpprof/session/settings.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpprof/message.h"

#define SETTINGS_MAX 32

/* One of the words that VALUES lists: which; -1 and the error that names
   them. */
static int parse_choice(
	const struct setting *self, const char *value, struct err *err)
{
	char words[64], *rest = words, *word;
	int i = 0;

	snprintf(words, sizeof words, "%s", self->values + 1);
	words[strcspn(words, "]")] = '\0';
	for (; (word = strsep(&rest, "|")); i++)
		if (strcmp(word, value) == 0)
			return i;
	err_set(err, value, self->name, "no such value");
	return err_hint(err, "it can be %.*s", (int)strlen(self->values) - 2,
		self->values + 1);
}

/* What a choice has in the session: the number of its word, or whether that is
   the first. */
static unsigned char *choice_in(struct session *s, const struct setting *self)
{
	return (unsigned char *)s + self->what;
}

static const char *get_choice(const struct session *s,
	const struct setting *self, char *buf, size_t size)
{
	unsigned at = *choice_in((struct session *)s, self);
	const char *word = self->values + 1;

	for (at = self->numbered ? at : !at; at; at--)
		word = strchr(word, '|') + 1;
	snprintf(buf, size, "%.*s", (int)strcspn(word, "|]"), word);
	return buf;
}

static int set_choice(struct session *s, const struct setting *self,
	const char *value, struct err *err)
{
	struct tree_view before = s->view, after;
	int at = parse_choice(self, value, err);

	if (at < 0)
		return -1;
	*choice_in(s, self) = (unsigned char)(self->numbered ? at : !at);
	/* what is of the view has to be changed there */
	after = s->view;
	s->view = before;
	session_view(s, &after);
	return 0;
}

/* get_NAME(), which is a word of the session's; set_NAME(), which the session
   does. */
#define GETS(name, word)                                                       \
	static const char *get_##name(const struct session *s,                 \
		const struct setting *self, char *buf, size_t size)            \
	{                                                                      \
		(void)self, (void)buf, (void)size;                             \
		return word;                                                   \
	}
#define SETS(name, done)                                                       \
	static int set_##name(struct session *s, const struct setting *self,   \
		const char *value, struct err *err)                            \
	{                                                                      \
		(void)self;                                                    \
		return done;                                                   \
	}

GETS(format, s->format->name)
GETS(syscalls, s->view.objects ? "on" : "off")
GETS(sysroot, s->sources.sysroot ? s->sources.sysroot : "none")
GETS(resource, session_resource(s)->name)
GETS(root, s->root)
GETS(group, dataset_group_names[s->group])
SETS(threshold, session_parse_threshold(value, &s->threshold, err))
SETS(top, session_parse_top(value, &s->style.top, err))
SETS(root, session_root(s, value, err))
SETS(group, session_group(s, value, err))

static const char *get_objects(const struct session *s,
	const struct setting *self, char *buf, size_t size)
{
	static const char *const words[] = {"off", "calls", "on"};

	(void)self, (void)buf, (void)size;
	return words[s->view.objects];
}

static const char *get_threshold(const struct session *s,
	const struct setting *self, char *buf, size_t size)
{
	(void)self;
	snprintf(buf, size, "%g", s->threshold);
	return buf;
}

static const char *get_top(const struct session *s, const struct setting *self,
	char *buf, size_t size)
{
	(void)self;
	snprintf(buf, size, "%zu", s->style.top);
	return s->style.top ? buf : "all";
}

static const char *get_width(const struct session *s,
	const struct setting *self, char *buf, size_t size)
{
	(void)self;
	snprintf(buf, size, "%u", s->style.columns);
	return s->style.whole ? "all" : s->style.columns ? buf : "auto";
}

static int set_width(struct session *s, const struct setting *self,
	const char *value, struct err *err)
{
	bool all = strcmp(value, "all") == 0, any = strcmp(value, "auto") == 0;
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!all && !any && (*end || n < 1 || n > 10000)) {
		err_set(err, value, self->name, "not a number of columns");
		return err_hint(err, "a number like 100, auto, or all");
	}
	s->style.columns = all || any ? 0 : (unsigned)n;
	s->style.whole = all;
	return 0;
}

static int set_names(struct session *s, const struct setting *self,
	const char *value, struct err *err)
{
	int bad = set_choice(s, self, value, err);

	s->names_set |= !bad;
	return bad;
}

static int set_format(struct session *s, const struct setting *self,
	const char *value, struct err *err)
{
	const struct report_format *format = report_format_find(value, err);

	(void)self;
	if (!format)
		return -1;
	s->format = format;
	return 0;
}

/* Whether there are such as OBJECTS shows. */
static bool has_objects(const struct dataset *data, int objects)
{
	for (uint32_t i = 0; i < data->nlocations; i++)
		if (data->locations[i].object &&
			(int)data->locations[i].object <= objects)
			return true;
	return false;
}

/* The one switch: "syscalls on" is "objects calls". */
static int set_objects(struct session *s, const struct setting *self,
	const char *value, struct err *err)
{
	int at = parse_choice(self, value, err);

	if (at < 0)
		return -1;
	if (!self->numbered)
		at = at ? OBJECTS_NONE : OBJECTS_CALLS;
	if (at && s->data && !has_objects(s->data, at)) {
		err_set(err, self->name, NULL,
			"no sample of this file tells what it was at");
		return err_hint(err,
			"per-CPU timers (root) and stop timers know system "
			"calls; per-CPU and per-task timers know the memory "
			"of page faults");
	}
	s->objects = at;
	session_view(s, &s->view);
	return 0;
}

static const char *get_source_path(const struct session *s,
	const struct setting *self, char *buf, size_t size)
{
	size_t used = 0;

	(void)self;
	buf[0] = '\0';
	for (size_t i = 0; i < s->sources.n && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
			i ? ":" : "", s->sources.v[i]);
	return s->sources.n ? buf : "none";
}

/* Replaces the folders by one, or by several with colons between them. */
static int set_source_path(struct session *s, const struct setting *self,
	const char *value, struct err *err)
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
		return err_sys(err, value, self->name);
	}
	paths.search = s->sources.search;
	paths.sysroot = s->sources.sysroot;
	s->sources.sysroot = NULL;
	source_paths_fini(&s->sources);
	s->sources = paths;
	return 0;
}

static int set_sysroot(struct session *s, const struct setting *self,
	const char *value, struct err *err)
{
	bool none = !strcmp(value, "none");
	DIR *dir = none ? NULL : opendir(value);
	char *root = dir ? strdup(value) : NULL;

	if (!none && !root)
		err_sys(err, value, self->name);
	if (dir)
		closedir(dir);
	if (!none && !root)
		return -1;
	free(s->sources.sysroot);
	s->sources.search.sysroot = s->sources.sysroot = root;
	return 0;
}

static int set_resource(struct session *s, const struct setting *self,
	const char *value, struct err *err)
{
	struct tree_view view = s->view;

	(void)self;
	view.resource = dataset_resource(s->data, value, err);
	if (!view.resource)
		return -1;
	session_view(s, &view);
	return 0;
}

static int set_filter(struct session *s, const struct setting *self,
	const char *value, struct err *err)
{
	if (self->what >= FILTER_ELIDE && strcmp(value, "off") == 0) {
		session_show_elided(s);
		return 0;
	}
	return session_filter(s, (enum filter_kind)self->what, value, err);
}

/* clang-format off */
#define SETTING(word, ...) SETTING_(word, __VA_ARGS__)
#define SETTING_(n, letter, arg, args, h, complete, alias, ...) \
	{.name = n, .values = args, .help = h, __VA_ARGS__}
#define CHOICE(field) .set = set_choice, .get = get_choice, \
	.what = offsetof(struct session, field)
#define FILTER(kind) .set = set_filter, .of_file = true, .what = kind

const struct setting settings[] = {
	SETTING(WORD_THRESHOLD, .set = set_threshold, .get = get_threshold),
	SETTING(WORD_TOP, .set = set_top, .get = get_top),
	SETTING(WORD_WIDTH, .set = set_width, .get = get_width),
	SETTING(WORD_UNIT, CHOICE(style.unit)),
	SETTING(WORD_FOLD, CHOICE(view.no_fold),
		.numbered = true),
	SETTING(WORD_FORM, CHOICE(style.form), .numbered = true),
	SETTING(WORD_NAMES, .set = set_names, .get = get_choice,
		.what = offsetof(struct session, style.full_names),
		.numbered = true),
	SETTING(WORD_FORMAT, .set = set_format, .get = get_format),
	SETTING(WORD_SITES, CHOICE(view.sites)),
	SETTING(WORD_INLINES, CHOICE(view.no_inlines),
		.numbered = true),
	SETTING(WORD_CLONES, CHOICE(view.clones)),
	SETTING(WORD_SYSCALLS, .set = set_objects, .get = get_syscalls),
	SETTING(WORD_OBJECTS, .set = set_objects, .get = get_objects,
		.numbered = true),
	SETTING(WORD_INTERVALS, CHOICE(style.intervals)),
	SETTING(WORD_SOURCE_PATH, .set = set_source_path, .get = get_source_path),
	SETTING(WORD_SYSROOT, .set = set_sysroot, .get = get_sysroot),
	SETTING(WORD_RESOURCE, .set = set_resource, .get = get_resource,
		.of_file = true),
	SETTING(WORD_ROOT, .set = set_root, .get = get_root, .of_file = true),
	SETTING(WORD_PROCESS, FILTER(FILTER_PROCESS)),
	SETTING(WORD_THREAD, FILTER(FILTER_THREAD)),
	SETTING(WORD_WINDOW, FILTER(FILTER_WINDOW)),
	SETTING(WORD_CONTAINS, FILTER(FILTER_CONTAINS)),
	SETTING(WORD_THEN, FILTER(FILTER_THEN)),
	SETTING(WORD_WITHOUT, FILTER(FILTER_WITHOUT)),
	SETTING(WORD_MODULE, FILTER(FILTER_MODULE)),
	SETTING(WORD_ELIDE, FILTER(FILTER_ELIDE)),
	SETTING(WORD_ONLY, FILTER(FILTER_ONLY)),
	SETTING(WORD_GROUP, .set = set_group, .get = get_group,
		.of_file = true, .lead = "by"),
	{0},
};
/* clang-format on */

const struct setting *setting_named(const char *name)
{
	for (const struct setting *s = settings; s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

const struct setting *setting_find(const char *name, struct err *err)
{
	const char *names[SETTINGS_MAX];
	size_t n = 0;

	for (const struct setting *s = settings; s->name; s++) {
		if (s->of_file)
			continue;
		if (strcmp(s->name, name) == 0)
			return s;
		if (n < SETTINGS_MAX)
			names[n++] = s->name;
	}
	err_set(err, name, "set", "no such setting");
	message_hint(err, name, names, n, "'set' lists the settings");
	return NULL;
}

/* Tries VALUE on a session without a file. */
static int check(
	struct choices *choices, const struct choice *choice, struct err *err)
{
	if (choice->setting->of_file)
		return 0;
	if (!choices->check)
		choices->check = session_new(err);
	return choices->check ? choice->setting->set(choices->check,
					choice->setting, choice->value, err)
			      : -1;
}

int choices_take(struct choices *choices, const struct opt *opt,
	const char *value, struct err *err)
{
	bool off = !opt->arg && strncmp(opt->name, "no-", 3) == 0;
	struct choice *choice;

	choice = vec_push(&choices->v);
	if (!choice)
		return err_sys(err, opt->name, NULL);
	choice->setting = setting_named(opt->name + (off ? 3 : 0));
	choice->value = opt->arg ? value : off ? "off" : "on";
	return check(choices, choice, err);
}

bool choices_have(const struct choices *choices, const char *name)
{
	for (size_t i = 0; i < choices->v.n; i++)
		if (strcmp(choices->v.v[i].setting->name, name) == 0)
			return true;
	return false;
}

int choices_apply(
	const struct choices *choices, struct session *s, struct err *err)
{
	for (size_t i = 0; i < choices->v.n; i++) {
		const struct choice *c = &choices->v.v[i];

		if (c->setting->set(s, c->setting, c->value, err))
			return -1;
	}
	return 0;
}

void choices_fini(struct choices *choices)
{
	session_close(choices->check);
	vec_free(&choices->v);
}
