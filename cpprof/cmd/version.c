/* cpprof --version: what was built in. */
#include <config.h>

#include "cpprof/subcommand.h"

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

void version_print(FILE *out)
{
	fprintf(out, "cpprof %s\n\nParts:\n", VERSION);
	for (const struct part *p = parts; p->name; p++)
		fprintf(out, "  %-10s %-3s  %-8s %s\n", p->name,
			p->version ? "yes" : "no", p->version ? p->version : "",
			p->help);
}
