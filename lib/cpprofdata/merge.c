/* Reads the heads of the inputs and checks that they fit together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/cpprofdata/merge_private.h"
#include "lib/cpprofdata/reader.h"
#include "lib/text.h"

int cpd_merge_no_memory(struct err *err)
{
	return err_memory(err, "merge", NULL);
}

/* --- the heads --- */

struct looking {
	struct cpd_merge *merge;
	struct merge_input *in;
};

static const char *keep(void *arg, const char *s)
{
	return arena_strdup(arg, s);
}

/* The words of a command line, blanks between them. */
static const char *join_words(struct cpd_merge *m, const struct cpd_head *head)
{
	size_t size = 1;
	char *text, *at;

	for (uint32_t i = 0; i < head->argc; i++)
		size += strlen(head->argv[i]) + 1;
	text = at = arena_alloc(&m->arena, size);
	for (uint32_t i = 0; text && i < head->argc; i++)
		at += sprintf(at, "%s%s", i ? " " : "", head->argv[i]);
	return text;
}

/* A head and resources are known; anything else ends the reading. */
static int look(void *arg, int kind, void *record, struct err *err)
{
	const struct looking *l = arg;
	struct merge_input *in = l->in;
	const struct cpd_resource *resource = record;
	bool bad;

	in->enough = kind != CPD_KIND_head && kind != CPD_KIND_resource;
	if (in->enough)
		return -1;
	bad = cpd_keep_texts(&cpd_rows[kind], record, keep, &l->merge->arena);
	if (kind == CPD_KIND_head) {
		in->head = *(const struct cpd_head *)record;
		in->command = join_words(l->merge, &in->head);
		in->head.argc = 0;
		in->head.argv = NULL;
		in->has_head = true;
		bad |= !in->command;
	} else {
		bad |= !vec_add(&in->resources, *resource);
	}
	return bad ? cpd_merge_no_memory(err) : 0;
}

static const struct cpd_handlers looking_handlers = {.any = look};

static int look_at(struct cpd_merge *m, struct merge_input *in, struct err *err)
{
	struct looking l = {m, in};
	struct cpd_result result;
	struct stat st;

	if (stat(in->path, &st))
		return err_sys(err, in->path, "open");
	if (!S_ISREG(st.st_mode))
		return err_say(err, in->path, "read", "Not a regular file",
			"it is read twice; save what comes through a "
			"pipe first");
	in->dev = st.st_dev;
	in->ino = st.st_ino;
	if (cpd_read(in->path, &looking_handlers, &l, &result, err) &&
		!in->enough)
		return -1;
	if (in->has_head && in->resources.n)
		return 0;
	return err_set(
		err, in->path, "read", "cut short before anything was sampled");
}

/* --- whether they fit together --- */

const struct cpd_resource *cpd_merge_find_resource(
	const struct merge_input *in, const char *name)
{
	for (size_t i = 0; i < in->resources.n; i++)
		if (strcmp(in->resources.v[i].name, name) == 0)
			return &in->resources.v[i];
	return NULL;
}

/* "cpu, pagefaults" */
static void list_resources(const struct merge_input *in, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < in->resources.n; i++)
		text_list(buf, size, in->resources.v[i].name);
}

static int check_resources(const struct merge_input *a,
	const struct merge_input *b, struct err *err)
{
	bool same = a->resources.n == b->resources.n;
	char ours[200], theirs[200];

	for (size_t i = 0; i < a->resources.n; i++) {
		const struct cpd_resource *x = &a->resources.v[i];
		const struct cpd_resource *y =
			cpd_merge_find_resource(b, x->name);

		if (!y) {
			same = false;
		} else if (x->unit != y->unit || strcmp(x->gtick, y->gtick)) {
			return err_set(err, b->path, "merge",
				"one gtick of %s is a %s here, a %s in %s",
				x->name, y->gtick, x->gtick, a->path);
		}
	}
	if (same)
		return 0;
	list_resources(a, ours, sizeof ours);
	list_resources(b, theirs, sizeof theirs);
	err_set(err, b->path, "merge", "it has %s; %s has %s", theirs, a->path,
		ours);
	return err_hint(err, "only files of the same resources can be joined: "
			     "collect them with the same -r");
}

static bool is_file(const struct merge_input *in, const struct stat *st)
{
	return in->dev == st->st_dev && in->ino == st->st_ino;
}

static int check_twice(const struct cpd_merge *m, const struct merge_input *in,
	struct err *err)
{
	const struct stat st = {.st_dev = in->dev, .st_ino = in->ino};

	for (const struct merge_input *other = m->inputs; other < in; other++)
		if (is_file(other, &st)) {
			err_set(err, in->path, "merge", "the same file as %s",
				other->path);
			return err_hint(err, "name each file once");
		}
	return 0;
}

struct cpd_merge *cpd_merge_open(const char *const *paths, size_t n,
	const struct work *work, struct err *err)
{
	struct cpd_merge *m = calloc(1, sizeof *m);

	if (m)
		m->inputs = calloc(n ? n : 1, sizeof *m->inputs);
	if (!m || !m->inputs) {
		cpd_merge_no_memory(err);
		cpd_merge_close(m);
		return NULL;
	}
	m->n = n;
	m->work = work;
	for (size_t i = 0; i < n; i++) {
		struct merge_input *in = &m->inputs[i];

		in->path = paths[i];
		if (look_at(m, in, err) || check_twice(m, in, err) ||
			check_resources(&m->inputs[0], in, err)) {
			cpd_merge_close(m);
			return NULL;
		}
		if (!m->base || in->head.start_unix < m->base->head.start_unix)
			m->base = in;
	}
	return m;
}

/* Whether the file at PATH followed by SUFFIX is one of the inputs. */
static int check_name(const struct cpd_merge *m, const char *path,
	const char *suffix, struct err *err)
{
	char *name = NULL;
	struct stat st;
	int found;

	if (asprintf(&name, "%s%s", path, suffix) < 0)
		return cpd_merge_no_memory(err);
	found = stat(name, &st) == 0;
	free(name);
	for (size_t i = 0; found && i < m->n; i++) {
		if (!is_file(&m->inputs[i], &st))
			continue;
		if (!*suffix)
			err_set(err, path, "write", "it is one of the inputs");
		else
			err_set(err, path, "write",
				"%s%s is one of the inputs and would be "
				"replaced",
				path, suffix);
		return err_hint(err, "choose another name for -o");
	}
	return 0;
}

int cpd_merge_check_output(
	const struct cpd_merge *m, const char *out, struct err *err)
{
	struct stat st;
	char *real;
	int bad;

	if (check_name(m, out, "", err))
		return -1;
	real = realpath(out, NULL); /* the target of a link */
	bad = (stat(out, &st) == 0 &&
		      check_name(m, real ? real : out, ".old", err)) ||
	      check_name(m, real ? real : out, ".partial", err);
	free(real);
	return bad ? -1 : 0;
}

void cpd_merge_close(struct cpd_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		vec_free(&m->inputs[i].resources);
	cpd_merge_tables_fini(&m->tables);
	arena_fini(&m->arena);
	arena_fini(&m->notes_arena);
	for (size_t i = 0; i < CPD_KINDS; i++)
		vec_free(&m->numbers[i]);
	vec_free(&m->nodes);
	vec_free(&m->notes);
	vec_free(&m->found);
	vec_free(&m->renamed);
	free(m->sums);
	free(m->inputs);
	free(m);
}
