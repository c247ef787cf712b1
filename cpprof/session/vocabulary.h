/*
 * vocabulary.h - the words that the command line and the shell have in common.
 *
 * A word is one row here: the name of a command of the shell, of a setting or
 * of an option, with its help and what its argument is.  Tables of options
 * (OPT_WORD), of commands (ROW_WORD), of settings and of questions take their
 * rows from here, so a word means and says the same everywhere.
 *
 * In this order: name, letter of the option, argument of the option ("F";
 * "[=F]": may be left out; NULL: none), arguments of the command, help, what
 * completes the first argument, another name of the command.
 */
#ifndef CPPROF_VOCABULARY_H
#define CPPROF_VOCABULARY_H

/* What an argument is, for completion. */
enum completion {
	COMPLETE_NONE,
	COMPLETE_FUNCTION,
	COMPLETE_RESOURCE,
	COMPLETE_PROCESS,
	COMPLETE_THREAD,
	COMPLETE_MODULE,
	COMPLETE_CHOICE, /* one of those that its arguments name: [on|off] */
	COMPLETE_GROUP,  /* of its second argument, too: "by module" */
	COMPLETE_SETTING,
	COMPLETE_EXPORT,
	COMPLETE_HELP,
	COMPLETE_FILE,
	COMPLETE_MEASURED, /* a resource that can be profiled here */
	COMPLETE_COMMAND,
	COMPLETE_PID,
};

/* clang-format off */

/* Questions. */
#define WORD_FUNCTION "function", 'F', NULL, "[X]", \
	"functions, with all they call", COMPLETE_NONE, "f"
#define WORD_BODY "body", 'B', NULL, "[X]", \
	"functions, by their own bodies", COMPLETE_NONE, "b"
#define WORD_DOWN "down", 'd', "F", "[F] [X]", \
	"call paths that start with F", COMPLETE_FUNCTION, "d"
#define WORD_UP "up", 'u', "F", "[F] [X]", \
	"call paths that end with F", COMPLETE_FUNCTION, "u"
#define WORD_TREE "tree", 'T', NULL, "[X]", \
	"the tree of call stacks", COMPLETE_NONE, NULL
#define WORD_PROCESSES "processes", 0, NULL, "[X]", \
	"processes, by what they consumed", COMPLETE_NONE, NULL
#define WORD_THREADS "threads", 0, NULL, "[X]", \
	"threads, by what they consumed", COMPLETE_NONE, NULL
#define WORD_WHY "why", 0, "[=F]", "[F] [R]", \
	"functions, or paths from F, under every resource", \
	COMPLETE_FUNCTION, NULL
#define WORD_PERCALL "percall", 0, "[=F]", "[F]", \
	"what a call of F costs on each path to it", COMPLETE_FUNCTION, NULL
#define WORD_LEAKS "leaks", 0, NULL, "[X]", \
	"call paths to what lives at the end, and its age", COMPLETE_NONE, NULL
#define WORD_PAGES "pages", 0, NULL, "[X]", \
	"which pages of memory faulted how often", COMPLETE_NONE, NULL
#define WORD_CALLGRAPH "callgraph", 0, "F", "[F] [X]", \
	"callers of F above it, callees below", COMPLETE_FUNCTION, "peek"
#define WORD_CYCLES "cycles", 0, NULL, "[X]", \
	"the cycles of calls that happened", COMPLETE_NONE, NULL
#define WORD_ADVISE "advise", 0, NULL, "", \
	"up to five contexts that are worth a look", COMPLETE_NONE, NULL

/* What is looked at. */
#define WORD_RESOURCE "resource", 'r', "R", "[NAME]", \
	"the resource; default the first with samples", \
	COMPLETE_RESOURCE, NULL
#define WORD_ROOT "root", 0, "F", "[F]", \
	"where call paths begin; default main", COMPLETE_FUNCTION, NULL
#define WORD_PROCESS "process", 0, "NAME|PID", "[NAME]", \
	"keep the samples of these processes", COMPLETE_PROCESS, NULL
#define WORD_THREAD "thread", 0, "NAME|TID", "[NAME]", \
	"keep the samples of these threads", COMPLETE_THREAD, NULL
#define WORD_WINDOW "window", 0, "SPAN", "[SPAN]", \
	"keep this part of the run: 10s..20s", COMPLETE_NONE, NULL
#define WORD_CONTAINS "contains", 0, "F", "[F]", \
	"keep the samples whose stack has F", COMPLETE_FUNCTION, "focus"
#define WORD_THEN "then", 0, "F", "[F]", \
	"keep those of them with F below the last F", COMPLETE_FUNCTION, NULL
#define WORD_WITHOUT "without", 0, "F", "[F]", \
	"keep the samples whose stack has no F", COMPLETE_FUNCTION, "ignore"
#define WORD_MODULE "module", 0, "M", "[M]", \
	"keep the samples whose stack is in module M", COMPLETE_MODULE, NULL
#define WORD_ELIDE "elide", 0, "F", "[F]", \
	"leave out F and charge its callers; or off", \
	COMPLETE_FUNCTION, "hide"
#define WORD_ONLY "only", 0, "F", "[F]", \
	"leave out all but F, charge callers; or off", \
	COMPLETE_FUNCTION, "show"
#define WORD_GROUP "group", 0, "G", "[WHAT]", \
	"by module, file, thread or process; or off", COMPLETE_GROUP, NULL

/* How it is shown. */
#define WORD_THRESHOLD "threshold", 't', "X", "[X]", \
	"leave out entries below X; default 1%", COMPLETE_NONE, NULL
#define WORD_TOP "top", 'n', "N", "[N|all]", \
	"print the N heaviest lines of each profile", COMPLETE_NONE, NULL
#define WORD_WIDTH "width", 0, "N", "[N|auto|all]", \
	"columns of a line; all: no path is cut", COMPLETE_NONE, NULL
#define WORD_UNIT "unit", 0, NULL, "[on|off]", \
	"the resource's unit instead of %", COMPLETE_CHOICE, NULL
#define WORD_FOLD "fold", 0, NULL, "[on|off]", \
	"leave start-up code and wrappers out", COMPLETE_CHOICE, NULL
#define WORD_FORM "form", 0, "FORM", "[tree|list]", \
	"call paths as a tree (default) or a list", COMPLETE_CHOICE, NULL
#define WORD_NAMES "names", 0, "STYLE", "[short|full]", \
	"short (default) or full names of functions", COMPLETE_CHOICE, NULL
#define WORD_FORMAT "format", 'f', "FORMAT", "[text|paper|json|csv]", \
	"text (default), paper, json or csv", COMPLETE_CHOICE, NULL
#define WORD_SITES "sites", 0, NULL, "[on|off]", \
	"distinguish call sites", COMPLETE_CHOICE, NULL
#define WORD_INLINES "inlines", 0, NULL, "[on|off]", \
	"show inlined calls as functions", COMPLETE_CHOICE, NULL
#define WORD_CLONES "clones", 0, NULL, "[on|off]", \
	"show f.cold and f.part.0 as functions", COMPLETE_CHOICE, NULL
#define WORD_SYSCALLS "syscalls", 0, NULL, "[on|off]", \
	"system calls as functions", COMPLETE_CHOICE, NULL
#define WORD_OBJECTS "objects", 0, NULL, "[off|calls|on]", \
	"system calls and memory as functions", COMPLETE_CHOICE, NULL
#define WORD_INTERVALS "intervals", 0, NULL, "[on|off]", \
	"show the 95 % interval of each fraction", COMPLETE_CHOICE, NULL
#define WORD_SOURCE_PATH "source-path", 's', "DIR", "[DIR[:DIR...]|none]", \
	"where `list` looks for sources first", COMPLETE_FILE, NULL
#define WORD_SYSROOT "sysroot", 0, "DIR", "[DIR|none]", \
	"root of the files of the machine that ran", COMPLETE_FILE, NULL

/* The name of a word, and its row among the options and the commands. */
#define WORD_NAME(...) WORD_NAME_(__VA_ARGS__)
#define WORD_NAME_(name, letter, arg, args, help, complete, alias) name

#define OPT_WORD(id, ...) OPT_WORD_(id, __VA_ARGS__)
#define OPT_WORD_(id, name, letter, arg, args, help, complete, alias) \
	{name, letter, arg, help, id}
/* of a switch that is on where the option is not given */
#define OPT_NO_WORD(id, help, ...) OPT_NO_WORD_(id, help, __VA_ARGS__)
#define OPT_NO_WORD_(id, off, name, letter, arg, args, help, complete, alias) \
	{"no-" name, letter, arg, off, id}

#define ROW_WORD(max, run, ...) ROW_WORD_(max, run, __VA_ARGS__)
#define ROW_WORD_(max, run, name, letter, arg, args, help, complete, alias) \
	{name, args, help, max, complete, run, alias}

/* clang-format on */

#endif
