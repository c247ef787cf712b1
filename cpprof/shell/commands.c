/* The rows of the commands, and those commands that are the shell's alone. */
#include "cpprof/shell/commands.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/report/layout.h"
#include "cpprof/session/exports.h"
#include "cpprof/shell/line.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"
#include "cpprof/session/summary.h"

#define SCRIPTS_DEEP 16

void summary_note(struct shell *shell, double threshold, size_t top)
{
	struct asked asked = {.name = shell->session->root,
		.threshold = threshold,
		.in_shell = true,
		.top = top ? top : SUMMARY_PATHS};

	call_note(shell, question_find(WORD_NAME(WORD_DOWN)), &asked);
}

static int cmd_top(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	struct report_options options = session_options(s, NULL, call->out);

	if (call->nargs &&
		session_parse_top(call->args[0], &options.top, err) < 0)
		return -1;
	options.in_shell = true;
	if (summary_print_all(
		    s, &options, s->threshold, call->out->stream, err))
		return -1;
	summary_note(call->shell, s->threshold, options.top);
	return 0;
}

static int cmd_undo(struct call *call, struct err *err)
{
	return session_undo(call->shell->session, err);
}

static int cmd_shell_info(struct call *call, struct err *err)
{
	const struct session *s = call->shell->session;
	const struct report_options options =
		session_options(s, NULL, call->out);

	return report_info(
		call->out->stream, s->format, s->data, &options, err);
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

	if (!call->nargs)
		return err_say(err, "source", NULL, "missing argument",
			"it is used as: source FILE");
	name = call->args[0];
	if (shell->depth >= SCRIPTS_DEEP)
		return err_say(err, name, NULL, "scripts read scripts too deep",
			"does it read itself?");
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

static void help_list(const struct output *out)
{
	bool narrow = out->columns < LAYOUT_COLUMNS;

	for (const struct shell_row *c = shell_commands; c->name; c++) {
		char left[64], line[256];

		snprintf(left, sizeof left, "%s %s", c->name, c->args);
		snprintf(line, sizeof line,
			narrow ? "%s: %s%s%s%s" : "  %-19s  %s%s%s%s", left,
			c->help, c->alias ? " (also: " : "",
			c->alias ? c->alias : "", c->alias ? ")" : "");
		if (narrow)
			layout_flow(out->stream, line, out->columns);
		else
			fputs(line, out->stream);
		fputc('\n', out->stream);
	}
	layout_flow(out->stream,
		"F is a function or module!function, X a fraction; an argument "
		"of a profile is valid for that profile only. Filters take "
		"globs (f*) and regular expressions (/f/), too. Commands may "
		"be "
		"abbreviated; ; separates them. > FILE and | COMMAND redirect "
		"the output.",
		out->columns);
	fputc('\n', out->stream);
}

/* What the arguments of a command are, and what takes others. */
static void help_arguments(FILE *out, const struct shell_row *row)
{
	static const struct {
		const char *called, *is;
	} arguments[] = {
		{"F", "a function: its name, a part of it, or module!function"},
		{"X", "a fraction such as 0.05 or 5%, for this answer alone"},
		{"[N]", "the number of lines of each table"},
		{"[R]", "the resource that sorts"},
		{"[NAME]", "TAB completes it"},
		{"[SPAN]", "from..to, in s or ms after the start; either may "
			   "lack"},
		{"[M]", "the name of a program or library"},
		{"[WHAT]", "module, file, thread, process or function"},
	};
	char words[64], *rest = words, *word;

	snprintf(words, sizeof words, "%s", row->args);
	while ((word = strsep(&rest, " ")))
		for (size_t i = 0; i < sizeof arguments / sizeof *arguments;
			i++) {
			const char *called = arguments[i].called;

			if (!strcmp(word, called) ||
				(*word == '[' && word[1] == *called &&
					!strcmp(word + 2, "]")))
				fprintf(out, "  %-8s%s\n", word,
					arguments[i].is);
		}
	if (row->run == call_filter || row->run == call_elide)
		fputs("F and names may be globs (f*) or regular expressions "
		      "(/f/).  'undo' takes the\nlast filter away, 'filters' "
		      "lists them.\n",
			out);
	fputs("'help shell' has the manual of all commands.\n", out);
}

static int cmd_shell_help(struct call *call, struct err *err)
{
	const struct shell_row *row;
	const char *topic = call->nargs ? call->args[0] : NULL;
	const struct subcommand *page = topic ? subcommand_find(topic) : NULL;

	if (!topic) {
		help_list(call->out);
		return 0;
	}
	row = row_find(shell_commands, topic, err);
	if (row && (!page || strcmp(row->name, topic) == 0)) {
		fprintf(call->out->stream, "%s %s\n  %s\n", row->name,
			row->args, row->help);
		if (row->alias)
			fprintf(call->out->stream, "  also: %s\n", row->alias);
		help_arguments(call->out->stream, row);
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
#define ASK(max, word) ROW_WORD(max, call_question, word)
#define SET(word) ROW_WORD(1, call_setting, word)
#define KEEP(word) ROW_WORD(1, call_filter, word)

const struct shell_row shell_commands[] = {
	SET(WORD_ROOT), SET(WORD_THRESHOLD),
	ROW_WORD(1, call_resource, WORD_RESOURCE),
	ASK(2, WORD_DOWN), ASK(2, WORD_UP), ASK(1, WORD_FUNCTION),
	ASK(1, WORD_BODY), ASK(1, WORD_TREE), ASK(0, WORD_ADVISE),
	ASK(2, WORD_CALLGRAPH), ASK(1, WORD_CYCLES),
	{"list", "[--asm] F", "source lines or instructions of F; F all: no gaps",
		3, COMPLETE_FUNCTION, call_list, NULL},
	{"disasm", "F [all]", "instructions of F with their lines",
		2, COMPLETE_FUNCTION, call_list, NULL},
	{"top", "[N]", "the run, its functions, its call paths",
		1, COMPLETE_NONE, cmd_top, "report"},
	{"set", "[NAME] [VALUE]", "list the settings, show or change one",
		2, COMPLETE_SETTING, call_set, NULL},
	SET(WORD_FOLD), SET(WORD_NAMES),
	{"path", "N", "path N of the last table, with nothing left out",
		1, COMPLETE_NONE, call_path, NULL},
	ROW_WORD(2, call_why, WORD_WHY), ASK(1, WORD_PERCALL),
	ASK(1, WORD_LEAKS), ASK(1, WORD_PAGES),
	SET(WORD_SITES), SET(WORD_INLINES), SET(WORD_CLONES),
	SET(WORD_SYSCALLS), SET(WORD_OBJECTS),
	SET(WORD_INTERVALS),
	KEEP(WORD_PROCESS), KEEP(WORD_THREAD), KEEP(WORD_CONTAINS),
	KEEP(WORD_THEN), KEEP(WORD_WITHOUT), KEEP(WORD_MODULE),
	KEEP(WORD_WINDOW),
	ROW_WORD(1, call_elide, WORD_ELIDE), ROW_WORD(1, call_elide, WORD_ONLY),
	ROW_WORD(2, call_group, WORD_GROUP),
	{"undo", "", "remove the last filter",
		0, COMPLETE_NONE, cmd_undo, NULL},
	{"filters", "", "list the filters and what they keep",
		0, COMPLETE_NONE, call_filters, NULL},
	ASK(1, WORD_PROCESSES), ASK(1, WORD_THREADS),
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
	if (call.nargs > row->max_args)
		return err_say(err, row->name, NULL, "too many arguments",
			"it is used as: %s%s%s", row->name,
			*row->args ? " " : "", row->args);
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
			bad = err_say(err, NULL, NULL, "a NUL in the line",
				"a text file of commands is wanted");
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
