/* The words that an argument may be. */
#include "cpprof/session/candidates.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/export/export.h"
#include "lib/text.h"
#include "cpprof/session/settings.h"

/* Names with control characters cannot be typed. */
static bool typable(const char *name)
{
	for (; *name; name++)
		if (iscntrl((unsigned char)*name))
			return false;
	return true;
}

static void add(const struct candidates *c, const char *word, const char *about,
	uint32_t function)
{
	char shown[4096];

	if (!typable(word) && c->reported)
		word = text_escape(word, shown, sizeof shown);
	if (typable(word) && strncmp(word, c->text, strlen(c->text)) == 0)
		c->offer(c->arg, word, about, function);
}

void candidates_add(
	const struct candidates *c, const char *word, const char *about)
{
	add(c, word, about, 0);
}

/* Whether it is shown by a name other than its full one. */
static bool has_short(const struct function *f)
{
	return f->shown == f->name && f->brief != f->name;
}

/* Functions as "f"; as "module!f" where the text has that form. */
static void add_functions(const struct candidates *c)
{
	bool module = strchr(c->text, '!');

	for (uint32_t i = FN_ALL; i <= c->data->nfunctions; i++) {
		const struct function *f = &c->data->functions[i];
		char whole[4096];

		if (*c->text && f->shown != f->name)
			add(c, f->shown, "", i);
		if (module && f->name) {
			snprintf(whole, sizeof whole, "%s!%s", f->module,
				f->name);
			add(c, whole, "", i);
		} else if (!c->reported && has_short(f) && typable(f->brief) &&
			   !strncmp(f->brief, c->text, strlen(c->text))) {
			add(c, f->brief, "", i);
		} else if (f->name) {
			add(c, f->name, "", i);
		}
	}
}

/* Modules, each with BEHIND after it. */
static void add_modules(const struct candidates *c, const char *behind)
{
	for (uint32_t i = FN_FIRST_REAL; i <= c->data->nfunctions; i++) {
		const char *module = c->data->functions[i].module;
		char name[512];

		if (!module || !*module)
			continue;
		snprintf(name, sizeof name, "%s%s", module, behind);
		add(c, name, "", 0);
	}
}

void candidates_inside(const struct candidates *c)
{
	for (uint32_t i = FN_ALL; *c->text && i <= c->data->nfunctions; i++) {
		const struct function *f = &c->data->functions[i];
		const char *name = f->name;

		if (has_short(f) && strstr(f->brief, c->text))
			name = f->brief;
		if (name && typable(name) && strstr(name, c->text))
			c->offer(c->arg, name, "", i);
	}
}

/* A process or thread as a name or a number. */
static void add_task(
	const struct candidates *c, const char *name, int32_t number)
{
	char word[16];

	if (*name)
		add(c, name, "", 0);
	snprintf(word, sizeof word, "%d", (int)number);
	if (*c->text >= '0' && *c->text <= '9')
		add(c, word, "", 0);
}

static void add_threads(const struct candidates *c)
{
	for (uint32_t i = 1; i <= c->data->nthreads; i++)
		add_task(c, dataset_thread_name(c->data, i),
			c->data->threads[i].tid);
}

static void add_processes(const struct candidates *c)
{
	for (uint32_t i = 1; i <= c->data->nprocesses; i++) {
		const struct cpd_process *p = &c->data->processes[i];

		add_task(c, p->name, p->pid);
		add_task(c, dataset_program(p), p->pid);
	}
}

/* The words of "[on|off]". */
static void add_choices(const struct candidates *c, const char *values)
{
	while (*values == '[' || *values == '|') {
		size_t n = strcspn(++values, "|]");
		char word[64];

		snprintf(word, sizeof word, "%.*s", (int)n, values);
		add(c, word, "", 0);
		values += n;
	}
}

static void add_resources(const struct candidates *c)
{
	for (uint32_t r = 1; r <= c->data->nresources; r++)
		add(c, c->data->resources[r].name, c->data->resources[r].title,
			0);
}

static void add_groups(const struct candidates *c)
{
	for (int k = GROUP_FUNCTION; k < GROUP_KINDS; k++)
		add(c, dataset_group_names[k], "", 0);
	add(c, "off", "", 0);
}

static void add_named(const struct candidates *c, enum completion kind)
{
	if (kind == COMPLETE_SETTING) {
		for (const struct setting *s = settings; s->name; s++)
			if (!s->of_file)
				add(c, s->name, s->help, 0);
	} else {
		for (const struct export_format *f = export_formats; f->name;
			f++)
			add(c, f->name, f->help, 0);
	}
}

/* What is in the file. */
static void add_of_file(const struct candidates *c, enum completion kind)
{
	switch (kind) {
	case COMPLETE_FUNCTION:
		add_functions(c);
		if (*c->text && !strchr(c->text, '!'))
			add_modules(c, "!");
		break;
	case COMPLETE_MODULE:
		add_modules(c, "");
		break;
	case COMPLETE_RESOURCE:
		add_resources(c);
		break;
	case COMPLETE_PROCESS:
		add_processes(c);
		break;
	case COMPLETE_THREAD:
		add_threads(c);
		break;
	default:
		break;
	}
}

void candidates_of(
	const struct candidates *c, enum completion kind, const char *values)
{
	switch (kind) {
	case COMPLETE_CHOICE:
		add_choices(c, values);
		break;
	case COMPLETE_GROUP:
		add_groups(c);
		break;
	case COMPLETE_SETTING:
	case COMPLETE_EXPORT:
		add_named(c, kind);
		break;
	default:
		if (c->data)
			add_of_file(c, kind);
	}
}
