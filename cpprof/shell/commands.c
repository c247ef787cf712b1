#include "cpprof/shell/commands.h"

#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "cpprof/session/exports.h"
#include "cpprof/shell/line.h"
#include "cpprof/shell/settings.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"
#include "cpprof/session/summary.h"

#define SCRIPTS_DEEP 16

/* Prints the root as it can be typed again. */
static int show_root(struct call *call)
{
	char word[1024], shown[2048];

	line_quoted(call->shell->session->root, word, sizeof word);
	fprintf(call->out->stream, "root %s\n",
		text_escape(word, shown, sizeof shown));
	return 0;
}

static int cmd_root(struct call *call, struct err *err)
{
	if (!call->nargs)
		return show_root(call);
	return session_root(call->shell->session, call->args[0], err);
}

static int show_resource(struct call *call)
{
	const struct session *s = call->shell->session;
	const struct dataset *data = s->data;
	const char *lead = "   # there are also: ";

	fprintf(call->out->stream, "resource %s", session_resource(s)->name);
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

static int cmd_resource(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	struct tree_view view = s->view;

	if (!call->nargs)
		return show_resource(call);
	view.resource = dataset_resource(s->data, call->args[0], err);
	if (!view.resource)
		return -1;
	session_view(s, &view);
	return 0;
}

static int cmd_profile(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	const struct session_kind *kind = session_kinds;
	struct report_options options = session_options(s, s->root, call->out);
	const struct profile *profile;
	double threshold = s->threshold;

	while (strcmp(kind->name, call->row->name) != 0)
		kind++;
	if (call_profile_args(
		    call, kind->rooted, &options.root, &threshold, err) < 0)
		return -1;
	if (!kind->rooted)
		options.root = NULL;
	profile = session_profile(s, kind->kind, options.root, threshold, err);
	if (!profile)
		return -1;
	options.in_shell = true;
	return session_write(s, profile, &options, call->out->stream, err);
}

static int cmd_top(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	struct report_options options = session_options(s, NULL, call->out);
	double threshold = s->threshold;

	if (call->nargs &&
		session_parse_threshold(call->args[0], &threshold, err) < 0)
		return -1;
	options.in_shell = true;
	return summary_print_all(
		s, &options, threshold, call->out->stream, err);
}

static int show_setting(const struct call *call, const struct setting *setting)
{
	char buf[64];

	fprintf(call->out->stream, "%s %s\n", setting->name,
		setting->get(call->shell->session, buf, sizeof buf));
	return 0;
}

/* Runs a setting that is also a command. */
static int cmd_switch(struct call *call, struct err *err)
{
	const struct setting *setting = setting_find(call->row->name, err);

	if (!call->nargs)
		return show_setting(call, setting);
	return setting->set(call->shell->session, call->args[0], err);
}

/* Prints all settings as they can be typed again. */
static void list_settings(const struct call *call)
{
	char buf[64], left[64];

	for (const struct setting *s = settings; s->name; s++) {
		snprintf(left, sizeof left, "set %s %s", s->name,
			s->get(call->shell->session, buf, sizeof buf));
		fprintf(call->out->stream, "%-22s # %s: %s\n", left, s->values,
			s->help);
	}
}

static int cmd_set(struct call *call, struct err *err)
{
	const struct setting *setting;

	if (!call->nargs) {
		list_settings(call);
		return 0;
	}
	setting = setting_find(call->args[0], err);
	if (!setting)
		return -1;
	if (call->nargs == 1)
		return show_setting(call, setting);
	return setting->set(call->shell->session, call->args[1], err);
}

static double share(const struct tree *tree, uint64_t part)
{
	return tree->whole.weight ? (double)part / (double)tree->whole.weight
				  : 0;
}

/* Prints the filters as they can be typed again, and what they keep. */
static int cmd_filters(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	const struct filters *filters = &s->filters;
	const struct tree *tree = session_tree(s, err);
	char word[1024], shown[2048];

	if (!tree)
		return -1;
	if (s->format->write_facts)
		return report_filter_facts(
			call->out->stream, s->format, tree, err);
	for (size_t i = 0; i < filters->n; i++) {
		line_quoted(filters->v[i].name, word, sizeof word);
		fprintf(call->out->stream, "%s %s\n",
			filter_names[filters->v[i].kind],
			text_escape(word, shown, sizeof shown));
	}
	if (!filters->n)
		fputs("# no filter is in force\n", call->out->stream);
	else
		fprintf(call->out->stream, "# keeps %.5f of %s\n",
			share(tree, tree_total(tree, 0)->weight),
			session_resource(s)->name);
	if (tree->undecided.weight)
		fprintf(call->out->stream,
			"# undecided: %.5f, truncated, which may hide a "
			"function\n",
			share(tree, tree->undecided.weight));
	return 0;
}

static int cmd_filter(struct call *call, struct err *err)
{
	enum filter_kind kind = 0;

	if (!call->nargs)
		return cmd_filters(call, err);
	while (strcmp(filter_names[kind], call->row->name) != 0)
		kind++;
	return session_filter(call->shell->session, kind, call->args[0], err);
}

static void show_elided(struct call *call)
{
	const struct filters *elided = &call->shell->session->elided;
	char word[1024], shown[2048];

	for (size_t i = 0; i < elided->n; i++) {
		line_quoted(elided->v[i].name, word, sizeof word);
		fprintf(call->out->stream, "elide %s\n",
			text_escape(word, shown, sizeof shown));
	}
	if (!elided->n)
		fputs("elide off\n", call->out->stream);
}

static int cmd_elide(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;

	if (!call->nargs)
		show_elided(call);
	else if (strcmp(call->args[0], "off") == 0)
		session_show_elided(s);
	else
		return session_filter(s, FILTER_ELIDE, call->args[0], err);
	return 0;
}

/* "group by module" as well as "group module". */
static int cmd_group(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	bool by = call->nargs && strcmp(call->args[0], "by") == 0;

	if (call->nargs == by) {
		fprintf(call->out->stream, "group by %s\n",
			dataset_group_names[s->group]);
		return 0;
	}
	if (call->nargs > 1u + by) {
		err_set(err, "group", NULL, "too many arguments");
		return err_hint(err, "it is used as: group by module");
	}
	return session_group(s, call->args[by], err);
}

static int cmd_undo(struct call *call, struct err *err)
{
	return session_undo(call->shell->session, err);
}

static int cmd_tasks(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	struct report_options options = session_options(s, NULL, call->out);
	double threshold = 0;
	const struct tree *tree;

	if (call->nargs &&
		session_parse_threshold(call->args[0], &threshold, err) < 0)
		return -1;
	tree = session_tree(s, err);
	return tree ? report_tasks(call->out->stream, s->format, tree,
			      *call->row->name == 't', threshold, &options, err)
		    : -1;
}

static int cmd_shell_info(struct call *call, struct err *err)
{
	const struct session *s = call->shell->session;

	return report_info(call->out->stream, s->format, s->data, err);
}

static int cmd_shell_export(struct call *call, struct err *err)
{
	const struct export_options options = {0};
	const struct export_format *format = export_format_find(
		call->nargs ? call->args[0] : export_formats->name, err);

	if (!format || (call->out->target.to == OUTPUT_STDOUT &&
			       export_check_output(format, err) < 0))
		return -1;
	return export_write(
		format, call->out->stream, call->shell->session, &options, err);
}

static int cmd_source(struct call *call, struct err *err)
{
	struct shell *shell = call->shell;
	const char *name;
	FILE *script;
	int bad;

	if (!call->nargs) {
		err_set(err, "source", NULL, "missing argument");
		return err_hint(err, "it is used as: source FILE");
	}
	name = call->args[0];
	if (shell->depth >= SCRIPTS_DEEP) {
		err_set(err, name, NULL, "scripts read scripts too deep");
		return err_hint(err, "does it read itself?");
	}
	script = fopen(name, "re");
	if (!script) {
		err_sys(err, name, "open");
		return err_hint(err, "a file of commands is wanted");
	}
	shell->depth++;
	bad = command_script(shell, script, name, err);
	shell->depth--;
	fclose(script);
	return bad;
}

static void help_list(FILE *out)
{
	for (const struct shell_row *c = shell_commands; c->name; c++) {
		char left[64];

		snprintf(left, sizeof left, "%s %s", c->name, c->args);
		fprintf(out, "  %-20s %s%s%s%s\n", left, c->help,
			c->alias ? " (also: " : "", c->alias ? c->alias : "",
			c->alias ? ")" : "");
	}
	fputs("F is a function or module!function, X a fraction; an argument "
	      "of a profile is\nvalid for that profile only.  Filters take "
	      "globs (f*) and regular expressions\n(/f/), too.  Commands may "
	      "be "
	      "abbreviated; ; separates them.\n> FILE and | COMMAND redirect "
	      "the output.\n",
		out);
}

static int cmd_shell_help(struct call *call, struct err *err)
{
	const struct shell_row *row;
	const char *topic = call->nargs ? call->args[0] : NULL;
	const struct subcommand *page = topic ? subcommand_find(topic) : NULL;

	if (!topic) {
		help_list(call->out->stream);
		return 0;
	}
	row = row_find(shell_commands, topic, err);
	if (row && (!page || strcmp(row->name, topic) == 0)) {
		fprintf(call->out->stream, "%s %s\n  %s\n", row->name,
			row->args, row->help);
		if (row->alias)
			fprintf(call->out->stream, "  also: %s\n", row->alias);
		return 0;
	}
	if (!page)
		return -1;
	if (!call->shell->typed || help_open_page(topic) < 0)
		subcommand_help(page, call->out->stream);
	return 0;
}

static int cmd_quit(struct call *call, struct err *err)
{
	(void)err;
	call->shell->quit = true;
	return 0;
}

/* clang-format off */
const struct shell_row shell_commands[] = {
	{"root", "[F]", "set the root of down and up, or show it",
		1, COMPLETE_FUNCTION, cmd_root, NULL},
	{"threshold", "[X]", "leave out entries below X (0.05, 5%), or show it",
		1, COMPLETE_NONE, cmd_switch, NULL},
	{"resource", "[NAME]", "choose the resource, or show the choice",
		1, COMPLETE_RESOURCE, cmd_resource, NULL},
	{"down", "[F] [X]", "call paths that start with the root",
		2, COMPLETE_FUNCTION, cmd_profile, "d"},
	{"up", "[F] [X]", "call paths that end with the root",
		2, COMPLETE_FUNCTION, cmd_profile, "u"},
	{"function", "[X]", "functions, with all they call",
		1, COMPLETE_NONE, cmd_profile, "f"},
	{"body", "[X]", "functions, by their own bodies",
		1, COMPLETE_NONE, cmd_profile, "b"},
	{"tree", "[X]", "the tree of call stacks",
		1, COMPLETE_NONE, cmd_profile, NULL},
	{"advise", "", "up to five contexts that are worth a look",
		0, COMPLETE_NONE, call_advise, NULL},
	{"callgraph", "[F] [X]", "callers of F above it, callees below",
		2, COMPLETE_FUNCTION, call_callgraph, "peek"},
	{"cycles", "[X]", "the cycles of calls that happened",
		1, COMPLETE_NONE, call_cycles, NULL},
	{"list", "[--asm] F", "source lines or instructions of F; F all: no gaps",
		3, COMPLETE_FUNCTION, call_list, NULL},
	{"disasm", "F [all]", "instructions of F with their lines",
		2, COMPLETE_FUNCTION, call_list, NULL},
	{"top", "[X]", "what the run took, its functions, its call paths",
		1, COMPLETE_NONE, cmd_top, NULL},
	{"set", "[NAME] [VALUE]", "list the settings, show or change one",
		2, COMPLETE_SETTING, cmd_set, NULL},
	{"fold", "[on|off]", "leave start-up code and wrappers out",
		1, COMPLETE_SWITCH, cmd_switch, NULL},
	{"names", "[short|full]", "how texts name functions of C++ and Rust",
		1, COMPLETE_NAMES, cmd_switch, NULL},
	{"why", "[F] [R]", "functions, or paths from F, under every resource",
		2, COMPLETE_FUNCTION, call_why, NULL},
	{"percall", "[F]", "what a call of F costs on each path to it",
		1, COMPLETE_FUNCTION, call_percall, NULL},
	{"sites", "[on|off]", "distinguish call sites",
		1, COMPLETE_SWITCH, cmd_switch, NULL},
	{"inlines", "[on|off]", "show inlined calls as functions",
		1, COMPLETE_SWITCH, cmd_switch, NULL},
	{"clones", "[on|off]", "show f.cold and f.part.0 as functions",
		1, COMPLETE_SWITCH, cmd_switch, NULL},
	{"intervals", "[on|off]", "show the 95 % interval of each fraction",
		1, COMPLETE_SWITCH, cmd_switch, NULL},
	{"process", "[NAME]", "keep the samples of processes, by name or pid",
		1, COMPLETE_PROCESS, cmd_filter, NULL},
	{"thread", "[NAME]", "keep the samples of threads, by name or tid",
		1, COMPLETE_THREAD, cmd_filter, NULL},
	{"contains", "[F]", "keep the samples whose stack has F",
		1, COMPLETE_FUNCTION, cmd_filter, "focus"},
	{"then", "[F]", "keep those of them with F below the last F",
		1, COMPLETE_FUNCTION, cmd_filter, NULL},
	{"without", "[F]", "keep the samples whose stack has no F",
		1, COMPLETE_FUNCTION, cmd_filter, "ignore"},
	{"module", "[M]", "keep the samples whose stack is in module M",
		1, COMPLETE_MODULE, cmd_filter, NULL},
	{"window", "[SPAN]", "keep the samples of a part of the run, 10s..20s",
		1, COMPLETE_NONE, cmd_filter, NULL},
	{"elide", "[F]", "leave out F and charge its callers; or off",
		1, COMPLETE_FUNCTION, cmd_elide, "hide"},
	{"group", "[WHAT]", "by module, file, thread or process; or off",
		2, COMPLETE_GROUP, cmd_group, NULL},
	{"undo", "", "remove the last filter",
		0, COMPLETE_NONE, cmd_undo, NULL},
	{"filters", "", "list the filters and what they keep",
		0, COMPLETE_NONE, cmd_filters, NULL},
	{"processes", "[X]", "processes, by what they consumed",
		1, COMPLETE_NONE, cmd_tasks, NULL},
	{"threads", "[X]", "threads, by what they consumed",
		1, COMPLETE_NONE, cmd_tasks, NULL},
	{"info", "", "show what is in the file: the run, its books, its losses",
		0, COMPLETE_NONE, cmd_shell_info, NULL},
	{"export", "[FORMAT]", "write the stacks for other programs, as folded, pprof",
		1, COMPLETE_EXPORT, cmd_shell_export, NULL},
	{"source", "FILE", "run the commands of a file",
		1, COMPLETE_FILE, cmd_source, NULL},
	{"help", "[COMMAND]", "explain a command, or list them all",
		1, COMPLETE_HELP, cmd_shell_help, NULL},
	{"quit", "", "exit; so do exit and Ctrl-D",
		0, COMPLETE_NONE, cmd_quit, NULL},
	{"exit", "", "the same as quit",
		0, COMPLETE_NONE, cmd_quit, NULL},
	{0},
};
/* clang-format on */

static int run_command(
	struct shell *shell, struct line_command *line, struct err *err)
{
	const struct shell_row *row =
		row_find(shell_commands, line->words[0], err);
	struct output out;
	struct call call = {.shell = shell,
		.row = row,
		.args = line->words + 1,
		.nargs = line->n - 1,
		.out = &out};
	int bad;

	if (!row)
		return -1;
	if (call.nargs > row->max_args) {
		err_set(err, row->name, NULL, "too many arguments");
		return err_hint(err, "it is used as: %s%s%s", row->name,
			*row->args ? " " : "", row->args);
	}
	if (output_begin(&out, line->redirected ? &line->target : NULL, err) <
		0)
		return -1;
	patience_begin(&shell->session->patience);
	bad = row->run(&call, err);
	patience_end(&shell->session->patience);
	if (bad < 0) {
		output_drop(&out);
		return -1;
	}
	return output_end(&out, err);
}

int command_line(struct shell *shell, const char *line, struct err *err)
{
	struct line_command command;
	int got;

	while (!shell->quit && (got = line_next(&line, &command, err)) != 0) {
		if (got < 0)
			return -1;
		got = run_command(shell, &command, err);
		line_free(&command);
		if (got < 0)
			return -1;
	}
	return 0;
}

int command_script(
	struct shell *shell, FILE *script, const char *name, struct err *err)
{
	char *line = NULL, where[600];
	size_t size = 0;
	unsigned long number = 0;
	ssize_t got;
	int bad = 0;

	while (!bad && !shell->quit) {
		got = getline(&line, &size, script);
		if (got < 0)
			break;
		number++;
		if (memchr(line, '\0', (size_t)got)) {
			bad = err_set(err, NULL, NULL, "a NUL in the line");
			err_hint(err, "a text file of commands is wanted");
		} else {
			bad = command_line(shell, line, err);
		}
		if (bad) {
			snprintf(where, sizeof where, "%.500s:%lu", name,
				number);
			message_where(err, where);
		}
	}
	if (!bad && ferror(script))
		bad = err_sys(err, name, "read");
	free(line);
	return bad;
}
