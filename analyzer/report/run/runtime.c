/* runtime.c - how to see the functions that an interpreter runs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/lives.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/run/summary_facts.h"
#include "lib/text.h"

/* What each names its functions with, for profilers: since which minor version
   of its major one, 0: any that is in use. */
static const struct runtime {
	const char *program, *language;
	unsigned major, minor;
	const char *way;      /* NULL: nothing does */
	const char *variable; /* of the environment, that may have it, too */
	const char *timers;   /* that have them without that; NULL: none */
	const char *memory;   /* of its own that malloc() does not know */
} runtimes[] = {
	{"python", "Python", 3, 12, "-X perf", NULL,
		"per-CPU timers (as root) and --timer=stop have "
		"them",
		"small objects are in it only with PYTHONMALLOC=malloc in the "
		"environment"},
	{"node", "JavaScript", 0, 0,
		"--perf-basic-prof --interpreted-frames-native-stack",
		"NODE_OPTIONS", NULL,
		"own objects are not in it: it does not malloc() them"},
	{"java", "Java", 0, 0,
		"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
		"JAVA_TOOL_OPTIONS", NULL,
		"own objects are not in it: it does not malloc() them"},
	{"ruby", "Ruby", 3, 3, "--yjit --yjit-perf", "RUBYOPT", NULL, NULL},
	{"beam.smp", "Erlang", 0, 0, "+JPperf true", "ERL_FLAGS", NULL, NULL},
	{"php", "PHP", 0, 0, NULL, NULL, NULL,
		"small objects are in it only with USE_ZEND_ALLOC=0 in the "
		"environment"},
	{"perl", "Perl", 0, 0, NULL, NULL, NULL, NULL},
	{"lua", "Lua", 0, 0, NULL, NULL, NULL, NULL},
};

/* The row of PROGRAM, "python3.11", and its minor version, 0 where the name
   does not tell. */
static const struct runtime *find(const char *program, unsigned long *minor)
{
	for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
		size_t n = strlen(runtimes[i].program);
		const char *rest = program + n;

		if (strncmp(program, runtimes[i].program, n) != 0 ||
			rest[strspn(rest, "0123456789.")])
			continue;
		rest = strchr(rest, '.');
		*minor = rest ? strtoul(rest + 1, NULL, 10) : 0;
		return &runtimes[i];
	}
	return NULL;
}

/* Of a program that starts Java's machine itself (javac, maven). */
static bool has_java(const struct dataset *data)
{
	for (uint32_t i = 1; i <= data->nmodules; i++)
		if (!strcmp(text_base_name(data->modules[i].path), "libjvm.so"))
			return true;
	return false;
}

static bool has_generated(const struct dataset *data)
{
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		if (function_is_runtime(&data->functions[i]))
			return true;
	return false;
}

#define PID_TEXT 16

/* Of the first process that runs one.  Of what has no way to name its functions
   only the program that was started is meant, not a helper of another. */
static const struct runtime *find_runtime(const struct dataset *data,
	unsigned long *minor, const char **program, char pid[PID_TEXT])
{
	for (uint32_t i = 1; i <= data->nprocesses; i++) {
		const struct runtime *found;

		*program = dataset_program(&data->processes[i]);
		snprintf(pid, PID_TEXT, "%" PRId32, data->processes[i].pid);
		found = find(*program, minor);
		if (found && (found->way || data->processes[i].pid ==
						    data->processes[1].pid))
			return found;
	}
	*program = "Java";
	snprintf(pid, PID_TEXT, "PID"); /* which of them has it is not known */
	*minor = 0;
	return has_java(data) ? find("java", minor) : NULL;
}

/* Whether the command that was run is RUNTIME itself, or not known. */
static bool is_command(
	const struct dataset *data, const struct runtime *runtime)
{
	const char *const *argv = summary_command(data);
	unsigned long minor;

	return !argv || !*argv ||
	       find(text_base_name(*argv), &minor) == runtime;
}

static void put_memory(FILE *out, const char *name, const char *program,
	const struct runtime *runtime, const struct report_options *options)
{
	if (runtime->memory && lives_begins(name))
		layout_note(out, options, "%s's %s", program, runtime->memory);
}

#define INTERPRETED 0.05 /* of a resource, that is worth a word */

/* The part of a resource that is below Java's interpreter. */
static double interpreted(const struct dataset *data, uint32_t resource)
{
	bool *below = calloc((size_t)data->nnodes + 1, sizeof *below);
	uint64_t sum = 0, all = data->books[resource].weight;

	for (uint32_t i = 1; below && i <= data->nnodes; i++) {
		const struct location *at = dataset_location(data, i);

		below[i] = below[data->nodes[i].parent];
		for (uint32_t k = 0; k < at->nframes; k++)
			below[i] |= !strcmp(
				data->functions[at->frames[k].function].name,
				"Interpreter");
	}
	for (size_t i = 0; below && i < data->naggregates; i++)
		if (data->aggregates[i].resource == resource &&
			below[data->aggregates[i].node])
			sum += data->aggregates[i].weight;
	free(below);
	return all ? (double)sum / (double)all : 0;
}

bool summary_runtime(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options)
{
	const char *program = "", *unknown = dataset_noted(data, "python");
	unsigned long minor = 0;
	char pid[PID_TEXT], able[32]; /* the first that has the way */
	const struct runtime *runtime =
		data->imported ? NULL
			       : find_runtime(data, &minor, &program, pid);

	if (!runtime)
		return false;
	put_memory(
		out, data->resources[resource].name, program, runtime, options);
	if (has_generated(data) && !strcmp(runtime->program, "java") &&
		interpreted(data, resource) >= INTERPRETED)
		layout_note(out, options,
			"Interpreter stands for the methods that Java has not "
			"compiled: these have no names; with -Xcomp it "
			"compiles all");
	if (has_generated(data))
		return false;
	snprintf(able, sizeof able, "%s%u.%u", runtime->program, runtime->major,
		runtime->minor);
	if (runtime->timers && unknown)
		layout_note(out, options, "%s", unknown);
	else if (runtime->timers)
		layout_note(out, options, "no %s functions here: %s, or %s %s",
			runtime->language, runtime->timers,
			minor && minor < runtime->minor ? able : program,
			runtime->way);
	else if (!runtime->way)
		layout_note(out, options,
			"no %s functions here: %s tells nobody which one runs",
			runtime->language, program);
	else if (minor && minor < runtime->minor)
		layout_note(out, options,
			"no %s functions here: %s names none, %s %s does",
			runtime->language, program, able, runtime->way);
	else if (summary_facts(data).attached &&
		 !strcmp(runtime->program, "java"))
		layout_note(out, options,
			"no Java functions here: 'jcmd %s Compiler.perfmap' "
			"(Java 17), then attach again",
			pid);
	else if (is_command(data, runtime))
		layout_note(out, options,
			"no %s functions here: %s %s names them",
			runtime->language, program, runtime->way);
	else
		layout_note(out, options,
			"no %s functions here: %s='%s' in the environment "
			"names them",
			runtime->language, runtime->variable, runtime->way);
	return runtime->way != NULL;
}
