/* Reads commands from the keyboard, scripts and options, and runs them. */
#include "cpprof/shell/shell.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/run/command.h"
#include "lib/text.h"
#include "lib/vec.h"
#include "analyzer/report/layout.h"
#include "cpprof/shell/commands.h"
#include "cpprof/shell/prompt.h"
#include "cpprof/message.h"
#include "cpprof/output.h"
#include "cpprof/subcommand.h"
#include "cpprof/session/summary.h"

enum { SHELL_SCRIPT, SHELL_COMMANDS };

const struct opt shell_opts[] = {
	{"source", 0, "SCRIPT", "run the commands of SCRIPT and exit",
		SHELL_SCRIPT},
	{"command", 'c', "COMMANDS", "run COMMANDS, separated by ;, and exit",
		SHELL_COMMANDS},
	OPT_HELP_ROW,
	{0},
};

/* A --source or -c, in their order. */
struct script_step {
	int id;
	const char *value;
};

typedef VEC(struct script_step) steps_t;

void shell_more(FILE *out)
{
	fputs("\nFILE is " DEFAULT_FILE
	      " by default.  Without --source and -c, commands are read\n"
	      "from standard input; 'help' lists them.  Without a terminal\n"
	      "the first error ends the shell with status 1.\n",
		out);
}

/* The command line that was profiled, cut to fit. */
static void print_program(FILE *out, const struct cpd_head *head)
{
	char word[256], shown[300];
	int room = 50;

	for (uint32_t i = 0; i < head->argc && room > 0; i++) {
		command_quoted(head->argv[i], word, sizeof word);
		text_escape(word, shown, sizeof shown);
		room -= fprintf(out, "%s%.*s", i ? " " : "", room, shown);
	}
	if (room <= 0)
		fputs("...", out);
}

/* What file it is, and the settings. */
static void print_file(const struct shell *shell, FILE *out)
{
	const struct session *s = shell->session;
	const struct dataset *data = s->data;
	char shown[1024];

	fprintf(out, "%s: ", text_escape(shell->file, shown, sizeof shown));
	print_program(out, &data->head);
	fputs("   'help' lists the commands\n", out);
}

/* What is looked at, and the summary, as much of it as a screen holds. */
static void welcome(struct shell *shell)
{
	struct layout_lines lines;
	struct session *s = shell->session;
	struct report_options options;
	struct output out;
	struct err err;
	int bad;

	if (output_begin(&out, NULL, &err) < 0)
		return;
	if (layout_lines_begin(&lines)) {
		print_file(shell, lines.stream);
		layout_lines_end(&lines, 0, stdout, out.columns);
		fflush(stdout);
	}
	options = session_options(s, NULL, &out);
	options.in_shell = true;
	options.top = out.rows > 24 ? (out.rows - 12) / 2 : 6;
	patience_begin(&s->patience);
	bad = summary_print_all(s, &options, s->threshold, out.stream, &err);
	patience_end(&s->patience);
	if (bad < 0)
		output_drop(&out);
	else
		bad = output_end(&out, &err);
	if (bad < 0)
		message_error(&err);
	else
		summary_note(shell, s->threshold, options.top);
}

static void put_filters(FILE *out, const struct filters *filters)
{
	for (size_t i = 0; i < filters->n; i++)
		fprintf(out, ", %s %s", filter_names[filters->v[i].kind],
			filters->v[i].name);
}

#define PROMPT "cpprof"
#define PROMPT_WIDTH 30

/* What is looked at: "cpu, without X", or how many filters there are; in new
   memory. */
static char *view_text(const struct session *s, bool counted)
{
	char *text = NULL;
	size_t size, n = s->filters.n + s->elided.n;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(session_resource(s)->name, out);
	if (counted) {
		fprintf(out, ", %zu filter%s", n, n == 1 ? "" : "s");
	} else {
		put_filters(out, &s->filters);
		put_filters(out, &s->elided);
	}
	if (s->group != GROUP_FUNCTION)
		fprintf(out, ", by %s", dataset_group_names[s->group]);
	return text_end(out, &text);
}

/* "cpprof> ", or, where it is not what the file was opened with, what is looked
   at: "cpu, without X> ". */
static char *read_line(
	const struct history *history, const struct session *s, uint32_t first)
{
	bool filtered = s->filters.n || s->elided.n;
	char *text = view_text(s, false), shown[1024] = PROMPT "> ";
	char escaped[1000];

	if (text && filtered && layout_width(text) > PROMPT_WIDTH) {
		free(text);
		text = view_text(s, true);
	}
	if (text && (filtered || s->view.resource != first ||
			    s->group != GROUP_FUNCTION))
		snprintf(shown, sizeof shown, "%s> ",
			text_escape(text, escaped, sizeof escaped));
	free(text);
	return prompt_line(history, shown);
}

static int typed(struct shell *shell)
{
	uint32_t first = shell->session->view.resource;
	struct history history;
	struct err err;
	char *line;

	shell->typed = true;
	welcome(shell);
	prompt_begin(&history, shell->session, shell_commands);
	while (!shell->quit &&
		(line = read_line(&history, shell->session, first)) != NULL) {
		if (command_line(shell, line, &err) < 0) {
			message_error(&err);
			clearerr(stdout);
		}
		free(line);
	}
	prompt_end(&history);
	return 0;
}

static int run_step(
	struct shell *shell, const struct script_step *step, struct err *err)
{
	FILE *script;
	int bad;

	if (step->id == SHELL_COMMANDS) {
		bad = command_line(shell, step->value, err);
		return bad ? message_where(err, "-c") : 0;
	}
	if (strcmp(step->value, "-") == 0)
		return command_script(shell, stdin, "standard input", err);
	script = fopen(step->value, "re");
	if (!script) {
		err_sys(err, step->value, "open");
		return err_hint(err, "a file of commands is wanted");
	}
	bad = command_script(shell, script, step->value, err);
	fclose(script);
	return bad;
}

static int run_shell(struct shell *shell, const steps_t *steps)
{
	struct err err;
	int bad = 0;

	if (!steps->n && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return typed(shell);
	for (size_t i = 0; i < steps->n && !bad && !shell->quit; i++)
		bad = run_step(shell, &steps->v[i], &err);
	if (!steps->n)
		bad = command_script(shell, stdin, "standard input", &err);
	if (!bad)
		return 0;
	message_error(&err);
	return EXIT_WRONG;
}

static int open_and_run(const char *file, const steps_t *steps)
{
	struct shell shell = {.file = file};
	struct err err;
	int status;

	output_init();
	shell.session = session_open(file, &err);
	if (!shell.session) {
		message_error(&err);
		return EXIT_WRONG;
	}
	session_warn(shell.session);
	status = run_shell(&shell, steps);
	call_forget(&shell);
	session_close(shell.session);
	return status;
}

int shell_open(const char *file)
{
	return open_and_run(file, &(steps_t){0});
}

static int take_step(
	void *arg, const struct opt *opt, const char *value, struct err *err)
{
	steps_t *steps = arg;

	return vec_add(steps, (struct script_step){opt->id, value})
		       ? 0
		       : err_memory(err, "shell", NULL);
}

int cmd_shell(const struct subcommand *self, int argc, char **argv)
{
	steps_t steps = {0};
	struct opt_scan scan;
	const char *file;
	struct err err;
	int status;

	opt_begin(&scan, self->opts, false, argc, argv);
	if (subcommand_options(self, &scan, NULL, take_step, &steps, &status) ==
		0) {
		file = subcommand_file(&scan, &err);
		status = file ? open_and_run(file, &steps)
			      : subcommand_fail(self, &err);
	}
	vec_free(&steps);
	return status;
}
