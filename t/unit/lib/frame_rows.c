/*
 * The rows of lib/elf/frame.h against readelf's, every one of each file, and
 * against libdw's, where libdw is right: of this program, its libraries, large
 * programs and some that are built for it.  Files given as arguments are tried
 * instead.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/elf/frame.h"
#include "t/lib/tap.h"

static unsigned long rows, wrong;

static void tell(
	uint64_t addr, const char *what, const char *ours, const char *theirs)
{
	if (wrong++ < 5)
		printf("# %#jx: %s %s, by readelf %s\n", (uintmax_t)addr, what,
			ours, theirs);
}

/* A register's rule in readelf's words. */
static void rule_text(const struct frame_saved *saved, char *text, size_t size)
{
	switch (saved->rule) {
	case FRAME_UNDEFINED:
		snprintf(text, size, "u");
		break;
	case FRAME_AT_CFA:
		snprintf(text, size, "c%+jd", (intmax_t)saved->offset);
		break;
	case FRAME_IS_CFA:
		snprintf(text, size, "v%+jd", (intmax_t)saved->offset);
		break;
	case FRAME_SAVED:
		snprintf(text, size, "exp");
		break;
	case FRAME_VALUE:
		snprintf(text, size, "vexp");
		break;
	case FRAME_REGISTER:
		snprintf(text, size, "r%jd", (intmax_t)saved->offset);
		break;
	default:
		snprintf(text, size, "s");
	}
}

static void cfa_text(const struct frame_row *row, char *text, size_t size)
{
	const char *names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp",
		"rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};

	if (row->cfa_ops)
		snprintf(text, size, "exp");
	else
		snprintf(text, size, "%s%+jd",
			row->cfa_reg < 16 ? names[row->cfa_reg] : "?",
			(intmax_t)row->cfa_offset);
}

/* Where readelf's columns are; 0: not in this entry. */
struct columns {
	unsigned rbp, ra;
	uint64_t end; /* of the entry */
};

static void read_columns(char *line, struct columns *columns)
{
	unsigned i = 0;

	columns->rbp = columns->ra = 0;
	for (char *word = strtok(line, " \n"); word;
		word = strtok(NULL, " \n"), i++) {
		if (strcmp(word, "rbp") == 0)
			columns->rbp = i;
		else if (strcmp(word, "ra") == 0)
			columns->ra = i;
	}
}

/* readelf has the same of the register, or nothing where nothing is known. */
static void compare_rule(uint64_t addr, const char *name,
	const struct frame_saved *saved, const char *theirs)
{
	char text[32];

	rule_text(saved, text, sizeof text);
	if (!theirs || (saved->rule == FRAME_SAME && strcmp(theirs, "u") == 0 &&
			       strcmp(name, "rbp") == 0))
		theirs = "s";
	if (strcmp(text, theirs) != 0)
		tell(addr, name, text, theirs);
}

static void compare_row(
	struct frames *frames, char *line, const struct columns *columns)
{
	const char *words[24] = {NULL};
	struct frame_row row = {0};
	char text[32];
	unsigned n = 0;
	uint64_t addr;

	for (char *word = strtok(line, " \n"); word && n < 24;
		word = strtok(NULL, " \n"))
		if (*word != '(') /* r10 (r10) */
			words[n++] = word;
	if (n < 2 || strcmp(words[1], "ZERO") == 0) /* terminator */
		return;
	addr = strtoull(words[0], NULL, 16);
	if (addr >= columns->end) /* a last row, of no address */
		return;
	rows++;
	if (frames_row(frames, addr, &row) != FRAME_ROW || row.lo != addr) {
		tell(addr, "row", "none", words[1]);
		return;
	}
	cfa_text(&row, text, sizeof text);
	if (strcmp(text, words[1]) != 0)
		tell(addr, "CFA", text, words[1]);
	compare_rule(
		addr, "rbp", &row.fp, columns->rbp ? words[columns->rbp] : 0);
	compare_rule(addr, "ra", &row.ra, columns->ra ? words[columns->ra] : 0);
}

/*
 * An entry's line: "... FDE cie=... pc=LO..HI".  False: it covers nothing, or
 * .eh_frame described that code already.
 */
static bool is_entry(struct frames *frames, const char *line, bool debug_frame,
	uint64_t *end)
{
	const char *pc = strstr(line, " pc=");
	struct frame_range range;
	uint64_t lo, hi;

	if (!strstr(line, " FDE ") || !pc ||
		sscanf(pc, " pc=%jx..%jx", &lo, &hi) != 2 || !lo || lo >= hi)
		return false;
	*end = hi;
	if (frames_range(frames, lo, &range) && range.lo == lo &&
		range.hi == hi)
		return true;
	if (!debug_frame)
		tell(lo, "entry", "none or another", pc);
	return false;
}

static void by_readelf(struct frames *frames, const char *path)
{
	bool debug_frame = false, entry = false;
	struct columns columns = {0};
	char command[5000], line[4096];
	FILE *f;

	snprintf(command, sizeof command,
		"readelf --debug-dump=frames-interp '%s' 2>&1", path);
	f = popen(command, "r");
	rows = wrong = 0;
	while (f && fgets(line, sizeof line, f)) {
		if (strncmp(line, "Contents of the", 15) == 0)
			debug_frame = strstr(line, "debug_frame") != NULL;
		else if (strstr(line, " FDE ") || strstr(line, " CIE "))
			entry = is_entry(
				frames, line, debug_frame, &columns.end);
		else if (strstr(line, "   LOC ") && entry)
			read_columns(line, &columns);
		else if (entry && line[0] >= '0' && line[0] <= 'f')
			compare_row(frames, line, &columns);
	}
	if (f)
		pclose(f);
	ok(rows > 0 && wrong == 0, "%s: %lu rows as readelf has them, %lu not",
		path, rows - wrong, wrong);
}

/* What libdw says of a register as one of our rules; -1: it is not sure. */
static int dw_rule(Dwarf_Frame *frame, int reg, int64_t *offset)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	*offset = 0;
	if (dwarf_frame_register(frame, reg, mem, &ops, &n))
		return -1;
	if (n == 0)
		return ops == mem ? FRAME_UNDEFINED : FRAME_SAME;
	if (ops[0].atom != DW_OP_call_frame_cfa ||
		(n > 1 && ops[1].atom != DW_OP_plus_uconst &&
			ops[1].atom != DW_OP_stack_value))
		return -1; /* an expression: 0.188 changes them, 0.196 has the
			      CFA before them */
	if (n == 2 && ops[1].atom == DW_OP_plus_uconst)
		*offset = (int64_t)ops[1].number;
	return n <= 2 ? FRAME_AT_CFA : FRAME_IS_CFA;
}

static bool dw_agrees(
	Dwarf_Frame *frame, int reg, const struct frame_saved *saved)
{
	int64_t offset;
	int rule = dw_rule(frame, reg, &offset);

	return rule < 0 || saved->rule == FRAME_REGISTER ||
	       (rule == (int)saved->rule &&
		       (rule != FRAME_AT_CFA || offset == saved->offset));
}

static bool dw_cfa_agrees(Dwarf_Frame *frame, const struct frame_row *row)
{
	int64_t offset;
	unsigned reg;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) || n != 1 || row->cfa_ops)
		return row->cfa_ops != NULL;
	reg = ops[0].atom == DW_OP_bregx ? (unsigned)ops[0].number
					 : (unsigned)ops[0].atom - DW_OP_breg0;
	offset = (int64_t)(ops[0].atom == DW_OP_bregx ? ops[0].number2
						      : ops[0].number);
	return reg == row->cfa_reg && offset == row->cfa_offset;
}

struct by_dw {
	Dwarf_CFI *cfi;
	struct frames *frames;
	unsigned long n, differ;
};

/* At the first, the last and the middle of each tenth function. */
static void compare_entry(struct by_dw *by, const struct frame_range *range)
{
	const uint64_t at[] = {
		range->lo, (range->lo + range->hi) / 2, range->hi - 1};

	if (range->lo / 16 % 10)
		return;
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		Dwarf_Frame *frame = NULL;
		struct frame_row row;

		if (dwarf_cfi_addrframe(by->cfi, at[i], &frame))
			continue;
		by->n++;
		if (frames_row(by->frames, at[i], &row) != FRAME_ROW ||
			!dw_cfa_agrees(frame, &row) ||
			!dw_agrees(frame, FRAME_FP, &row.fp) ||
			!dw_agrees(frame, FRAME_RA, &row.ra)) {
			if (by->differ++ < 5)
				printf("# %#jx differs\n", (uintmax_t)at[i]);
		}
		free(frame);
	}
}

static void by_libdw(struct frames *frames, Elf *elf, const char *path)
{
	struct by_dw by = {.cfi = dwarf_getcfi_elf(elf), .frames = frames};

	struct frame_range range;

	for (uint64_t at = 0;
		by.cfi && (at = frames_next(frames, at)) != UINT64_MAX;)
		if (frames_range(frames, at, &range))
			compare_entry(&by, &range);
	if (by.n)
		ok(by.differ == 0, "%s: %lu rows as libdw has them, %lu not",
			path, by.n - by.differ, by.differ);
	else
		skip(1, "%s: libdw finds nothing", path);
	if (by.cfi)
		dwarf_cfi_end(by.cfi);
}

static void try_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	struct frames *frames = elf ? frames_open(elf, NULL) : NULL;

	if (!ok(frames != NULL, "%s can be read", path))
		return;
	by_readelf(frames, path);
	by_libdw(frames, elf, path);
	frames_close(frames);
	elf_end(elf);
	close(fd);
}

static int library(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (info->dlpi_name[0] == '/')
		try_file(info->dlpi_name);
	return 0;
}

/* A program with a realigned frame and an array of variable length. */
static void try_built(const char *name, const char *flags)
{
	char folder[] = "/tmp/frame_rows.XXXXXX", command[2000], path[100];
	const char *cc = getenv("CC");

	if (!mkdtemp(folder))
		return;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	snprintf(command, sizeof command,
		"echo 'int main(int n, char **v) { char a[n];"
		"_Alignas(64) char b[64]; volatile char *p = a, *q = b;"
		"p[0] = n; q[n] = 1; return v[p[0]] != 0; }' |"
		" %s -O2 -w -x c %s -o '%s' - 2>/dev/null",
		cc ? cc : "cc", flags, path);
	if (system(command) == 0)
		try_file(path);
	else
		skip(3, "%s cannot be built", name);
	unlink(path);
	rmdir(folder);
}

int main(int argc, char **argv)
{
	static const char *const programs[] = {"/usr/bin/python3",
		"/usr/bin/perl", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus"};
	const char debug[] = "-g -fno-asynchronous-unwind-tables -static ";
	char flags[200], self[4096];
	ssize_t n;

	elf_version(EV_CURRENT);
	if (system("readelf --version >/dev/null 2>&1") != 0) {
		skip(1, "no readelf here");
		return done_testing();
	}
	for (int i = 1; i < argc; i++)
		try_file(argv[i]);
	if (argc > 1)
		return done_testing();
	n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = '\0';
	try_file(self);
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (!access(programs[i], R_OK))
			try_file(programs[i]);
	dl_iterate_phdr(library, NULL);
	try_built("static-pie", "-static-pie");
	try_built("static", "-static");
	try_built("no_header", "-static -Wl,--no-eh-frame-hdr");
	snprintf(flags, sizeof flags, "%s", debug);
	try_built("debug_frame", flags);
	snprintf(flags, sizeof flags, "%s -gdwarf64", debug);
	try_built("dwarf64", flags);
	snprintf(flags, sizeof flags, "%s -Wl,--compress-debug-sections=zlib",
		debug);
	try_built("compressed", flags);
	return done_testing();
}
