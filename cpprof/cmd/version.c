/* cpprof --version: what was built in, and what is found when it runs. */
#include <config.h>

#include "cpprof/subcommand.h"
#include "lib/elf/debuginfod.h"

#ifdef HAVE_ELF_ZSTD
#define VERSION_ZSTD "libelf"
#else
#define VERSION_ZSTD NULL
#endif

#ifdef HAVE_BPF
#define VERSION_BPF VERSION_LIBBPF
#else
#define VERSION_BPF NULL
#endif

static const struct part {
	const char *name;
	const char *version; /* NULL: not built in */
	const char *help;
} parts[] = {
	{"elfutils", VERSION_LIBDW, "symbols, DWARF, unwind tables"},
	{"libunwind", VERSION_LIBUNWIND, "the second unwinder"},
	{"capstone", VERSION_CAPSTONE, "stacks through code without CFI"},
	{"readline", VERSION_READLINE, "editing and completion in the shell"},
	{"zstd", VERSION_ZSTD, "debug sections compressed with zstd"},
	{"libbpf", VERSION_BPF,
		"kernel timers for calls, bytes, short threads"},
	{"jansson", VERSION_JANSSON, "reports in JSON"},
	{0},
};

static void print_part(FILE *out, const struct part *p)
{
	fprintf(out, "  %-10s %-3s  %-8s %s\n", p->name,
		p->version ? "yes" : "no", p->version ? p->version : "",
		p->help);
}

void version_print(FILE *out)
{
	const struct part debuginfod = {"debuginfod",
		debuginfod_is_there() ? "" : NULL,
		"files of servers, if libdebuginfod is installed"};

	fprintf(out, "cpprof %s\n\nParts:\n", VERSION);
	for (const struct part *p = parts; p->name; p++)
		print_part(out, p);
	print_part(out, &debuginfod);
}
