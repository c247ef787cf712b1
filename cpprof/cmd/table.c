/* The subcommands, and what cpprof says of itself. */
#include <string.h>

#include "cpprof/cmd/gate.h"
#include "cpprof/message.h"
#include "cpprof/subcommand.h"

/* clang-format off */
const struct subcommand subcommands[] = {
	{"run", "[OPTIONS] [--] PROG [ARGS...]",
		"run a program and write its profile to cpprofdata",
		run_opts, run_more, EXIT_RUN_FAILED, cmd_run},
	{"attach", "[OPTIONS] PID|NAME",
		"profile a process that runs already",
		attach_opts, attach_more, EXIT_WRONG, cmd_attach},
	{"shell", "[OPTIONS] [FILE]",
		"explore a profile; `cpprof [FILE]` is the same",
		shell_opts, shell_more, EXIT_WRONG, cmd_shell},
	{"report", "[OPTIONS] [FILE]",
		"print profiles, without the shell",
		report_opts, report_more, EXIT_WRONG, cmd_report},
	{"advise", "[OPTIONS] [FILE]",
		"print up to five contexts that are worth a look",
		advise_opts, NULL, EXIT_WRONG, cmd_advise},
	{"callgraph", "[OPTIONS] [FILE]",
		"print who calls whom, and the cycles of calls",
		callgraph_opts, NULL, EXIT_WRONG, cmd_callgraph},
	{"list", "[OPTIONS] F [FILE]",
		"print the source lines or instructions of a function",
		list_opts, NULL, EXIT_WRONG, cmd_list},
	{"diff", "[OPTIONS] BEFORE... -- AFTER...",
		"compare runs, path by path, or fail if they grew",
		diff_opts, NULL, GATE_ERROR, cmd_diff},
	{"export", "[OPTIONS] [FILE]",
		"write the stacks for other programs",
		export_opts, NULL, EXIT_WRONG, cmd_export},
	{"merge", "-o OUT FILE...",
		"join files of the same resources into one",
		merge_opts, NULL, EXIT_WRONG, cmd_merge},
	{"symbolize", "-o OUT [FILE]",
		"look the names of a file up anew",
		symbolize_opts, NULL, EXIT_WRONG, cmd_symbolize},
	{"import", "[OPTIONS] FILE",
		"make a profile of samples that another tool took",
		import_opts, NULL, EXIT_WRONG, cmd_import},
	{"info", "[FILE]",
		"show what is in a file: the run, its books, its losses",
		info_opts, NULL, EXIT_WRONG, cmd_info},
	{"resources", "[OPTIONS] [RESOURCE...]",
		"list what can be profiled here, and by which timers",
		resources_opts, NULL, EXIT_WRONG, cmd_resources},
	{"help", "[TOPIC]",
		"open the manual page of a subcommand",
		help_opts, NULL, EXIT_WRONG, cmd_help},
	{0},
};
/* clang-format on */

const struct opt main_opts[] = {
	OPT_HELP_ROW,
	{"version", 'V', NULL, "print the version and the libraries built in",
		OPT_VERSION},
	{0},
};

void main_help(FILE *out)
{
	fputs("Usage: cpprof [FILE]\n"
	      "       cpprof SUBCOMMAND [OPTIONS] [ARGS...]\n"
	      "Shows which call paths of a program consume a resource.\n"
	      "  cpprof run -r pagefaults -- ./prog args    "
	      "collect; writes ./cpprofdata\n"
	      "  cpprof                                     "
	      "explore ./cpprofdata in the shell\n"
	      "Subcommands (each takes --help; cpprof help opens the "
	      "manual):\n",
		out);
	for (const struct subcommand *s = subcommands; s->name; s++)
		fprintf(out, "  %-9s %s\n", s->name, s->help);
	opt_print(main_opts, out);
}

const struct subcommand *subcommand_find(const char *name)
{
	for (const struct subcommand *s = subcommands; s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

int subcommand_near(struct err *err, const char *word, const char *otherwise)
{
	const char *names[sizeof subcommands / sizeof *subcommands];
	size_t n = 0;

	for (const struct subcommand *s = subcommands; s->name; s++)
		names[n++] = s->name;
	return message_hint(err, word, names, n, otherwise);
}
