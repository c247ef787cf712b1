/* Commands that set what is looked at and how it is shown. */
#include <string.h>

#include "lib/text.h"
#include "cpprof/session/settings.h"
#include "cpprof/shell/call.h"
#include "cpprof/shell/line.h"

/* Prints VALUE as it can be typed again, behind the command. */
static void show_word(const struct call *call, const char *command,
	const char *value, const char *end)
{
	char word[SETTING_VALUE / 2], shown[SETTING_VALUE];

	line_quoted(value, word, sizeof word);
	fprintf(call->out->stream, "%s %s%s", command,
		text_escape(word, shown, sizeof shown), end);
}

static void show(const struct call *call, const struct setting *setting)
{
	char buf[SETTING_VALUE], command[64];

	snprintf(command, sizeof command, "%s%s%s", setting->name,
		setting->lead ? " " : "", setting->lead ? setting->lead : "");
	show_word(call, command,
		setting->get(call->shell->session, setting, buf, sizeof buf),
		"\n");
}

int call_setting(struct call *call, struct err *err)
{
	const struct setting *setting = setting_named(call->row->name);

	if (call->nargs)
		return setting->set(
			call->shell->session, setting, call->args[0], err);
	show(call, setting);
	return 0;
}

/* Prints all settings as they can be typed again. */
static void list_settings(const struct call *call)
{
	char buf[SETTING_VALUE], left[SETTING_VALUE + 64];

	for (const struct setting *s = settings; s->name; s++) {
		if (s->of_file)
			continue;
		snprintf(left, sizeof left, "set %s %s", s->name,
			s->get(call->shell->session, s, buf, sizeof buf));
		fprintf(call->out->stream, "%-22s # %.*s: %s\n", left,
			(int)strlen(s->values) - 2, s->values + 1, s->help);
	}
}

int call_set(struct call *call, struct err *err)
{
	const struct setting *setting;

	if (!call->nargs) {
		list_settings(call);
		return 0;
	}
	setting = setting_find(call->args[0], err);
	if (!setting)
		return -1;
	if (call->nargs > 1)
		return setting->set(
			call->shell->session, setting, call->args[1], err);
	show(call, setting);
	return 0;
}

/* Alone it lists the others, too. */
int call_resource(struct call *call, struct err *err)
{
	const struct session *s = call->shell->session;
	const struct dataset *data = s->data;
	const char *lead = "   # there are also: ";

	if (call->nargs)
		return call_setting(call, err);
	show_word(call, "resource", session_resource(s)->name, "");
	for (uint32_t r = 1; r <= data->nresources; r++) {
		if (r == s->view.resource)
			continue;
		fprintf(call->out->stream, "%s%s", lead,
			data->resources[r].name);
		lead = ", ";
	}
	fputc('\n', call->out->stream);
	return 0;
}

static double share(const struct tree *tree, uint64_t part)
{
	return tree->whole.weight ? (double)part / (double)tree->whole.weight
				  : 0;
}

static void show_filters(const struct call *call, const struct filters *filters)
{
	for (size_t i = 0; i < filters->n; i++)
		show_word(call, filter_names[filters->v[i].kind],
			filters->v[i].name, "\n");
}

/* Prints which part of the resource the filters keep. */
static void show_kept(const struct call *call, const struct tree *tree)
{
	fprintf(call->out->stream, "# keeps %.1f %% of %s\n",
		100 * share(tree, tree_total(tree, 0)->weight),
		session_resource(call->shell->session)->name);
}

/* Prints the filters as they can be typed again, and what they keep. */
int call_filters(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	const struct tree *tree = session_tree(s, err);

	if (!tree)
		return -1;
	if (s->format->write_facts)
		return report_filter_facts(
			call->out->stream, s->format, tree, err);
	show_filters(call, &s->filters);
	if (!s->filters.n)
		fputs("# no filter is in force\n", call->out->stream);
	else
		show_kept(call, tree);
	if (tree->undecided.weight)
		fprintf(call->out->stream,
			"# undecided: %.5f, truncated, which may hide a "
			"function\n",
			share(tree, tree->undecided.weight));
	return 0;
}

/* One that is typed tells what is left. */
int call_filter(struct call *call, struct err *err)
{
	const struct tree *tree;

	if (!call->nargs)
		return call_filters(call, err);
	if (call_setting(call, err))
		return -1;
	tree = call->shell->typed ? session_tree(call->shell->session, err)
				  : NULL;
	if (tree)
		show_kept(call, tree);
	return call->shell->typed && !tree ? -1 : 0;
}

int call_elide(struct call *call, struct err *err)
{
	const struct filters *elided = &call->shell->session->elided;

	if (call->nargs)
		return call_setting(call, err);
	show_filters(call, elided);
	if (!elided->n)
		fprintf(call->out->stream, "%s off\n", call->row->name);
	return 0;
}

/* "group by module" as well as "group module". */
int call_group(struct call *call, struct err *err)
{
	bool by = call->nargs && strcmp(call->args[0], "by") == 0;
	struct call of = *call;

	of.args += by;
	of.nargs -= by;
	if (of.nargs < 2)
		return call_setting(&of, err);
	return err_say(err, "group", NULL, "too many arguments",
		"it is used as: group by module");
}
