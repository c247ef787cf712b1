/* runtime.c - how to see the functions that an interpreter runs. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/run/summary_facts.h"
#include "lib/text.h"

/* What each names its functions with, for profilers: since which minor version
   of its major one, 0: any that is in use. */
static const struct runtime {
	const char *program;
	unsigned major, minor;
	const char *way;
	const char *timers; /* that have them without that; NULL: none */
} runtimes[] = {
	{"python", 3, 12, "-X perf",
		"per-CPU timers (as root) and --timer=stop have "
		"them"},
	{"node", 0, 0, "--perf-basic-prof --interpreted-frames-native-stack",
		NULL},
	{"java", 0, 0, "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
		NULL},
	{"ruby", 3, 3, "--yjit --yjit-perf", NULL},
	{"beam.smp", 0, 0, "+JPperf true", NULL},
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

bool summary_runtime(FILE *out, const struct dataset *data,
	const struct report_options *options)
{
	const struct runtime *runtime = NULL;
	const char *program = "", *unknown = dataset_noted(data, "python");
	unsigned long minor = 0;

	if (has_generated(data) || data->imported)
		return false;
	for (uint32_t i = 1; i <= data->nprocesses && !runtime; i++) {
		program = dataset_program(&data->processes[i]);
		runtime = find(program, &minor);
	}
	if (!runtime && has_java(data)) {
		layout_note(out, options,
			"Java's own functions: JAVA_TOOL_OPTIONS="
			"'-XX:+UnlockDiagnosticVMOptions "
			"-XX:+DumpPerfMapAtExit' in the environment");
		return true;
	}
	if (!runtime)
		return false;
	if (runtime->timers && unknown)
		layout_note(out, options, "%s", unknown);
	else if (runtime->timers)
		layout_note(out, options,
			"%s's own functions: %s, or %s%u.%u %s", program,
			runtime->timers, runtime->program, runtime->major,
			runtime->minor, runtime->way);
	else if (minor && minor < runtime->minor)
		layout_note(out, options,
			"%s does not name its own functions; %s%u.%u %s does",
			program, runtime->program, runtime->major,
			runtime->minor, runtime->way);
	else
		layout_note(out, options, "%s's own functions: %s %s", program,
			program, runtime->way);
	return true;
}
