/*
 * Lines of random recursive stacks against an oracle that takes each stack by
 * itself; source files; instructions in writing.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/source/lines.h"
#include "analyzer/source/text.h"
#include "lib/arch/disassembly.h"
#include "t/lib/made_file.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define FUNCTIONS 4
#define LINES 6 /* of a function; line 0 is unknown */
#define ADDRESSES 24
#define INLINED 3
#define STACKS 40
#define DEPTH 40
#define ROUNDS 100

static const char *path;
struct place {
	uint32_t function, line;
};

struct address { /* innermost first */
	struct place frames[INLINED];
	uint32_t n;
};

struct stack_of { /* outermost first */
	uint32_t addresses[DEPTH], depth;
	uint64_t weight;
};

static struct address addresses[ADDRESSES];
static struct stack_of stacks[STACKS];
static size_t nstacks;

struct figure {
	uint64_t total, self;
};
static struct figure wanted[FUNCTIONS][LINES], whole[FUNCTIONS];

static void random_run(bool inlines)
{
	for (uint32_t a = 0; a < ADDRESSES; a++) {
		addresses[a].n = inlines ? 1 + draw(INLINED) : 1;
		for (uint32_t k = 0; k < addresses[a].n; k++)
			addresses[a].frames[k] =
				(struct place){draw(FUNCTIONS), draw(LINES)};
	}
	nstacks = 1 + draw(STACKS);
	for (size_t s = 0; s < nstacks; s++) {
		stacks[s].depth = 1 + draw(DEPTH);
		stacks[s].weight = 1 + draw(100);
		for (uint32_t i = 0; i < stacks[s].depth; i++)
			stacks[s].addresses[i] = draw(s % 2 ? 3 : ADDRESSES);
	}
}

/* As lines.h defines it, word by word. */
static void oracle(bool no_inlines)
{
	memset(wanted, 0, sizeof wanted);
	memset(whole, 0, sizeof whole);
	for (size_t s = 0; s < nstacks; s++) {
		bool seen[FUNCTIONS][LINES] = {0}, in[FUNCTIONS] = {0};
		struct place last = {0, 0};

		for (uint32_t i = 0; i < stacks[s].depth; i++) {
			const struct address *a =
				&addresses[stacks[s].addresses[i]];

			for (uint32_t k = a->n; k-- > 0;) {
				if (no_inlines && k + 1 < a->n)
					continue;
				last = a->frames[k];
				seen[last.function][last.line] = true;
				in[last.function] = true;
			}
		}
		for (int f = 0; f < FUNCTIONS; f++) {
			whole[f].total += in[f] ? stacks[s].weight : 0;
			for (int l = 0; l < LINES; l++)
				wanted[f][l].total +=
					seen[f][l] ? stacks[s].weight : 0;
		}
		wanted[last.function][last.line].self += stacks[s].weight;
		whole[last.function].self += stacks[s].weight;
	}
}

static void write_names(struct cpd_writer *w)
{
	uint32_t ids[FUNCTIONS];

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		char name[8];

		snprintf(name, sizeof name, "f%u", f);
		ids[f] = cpd_write_function(
			w, &(struct cpd_function){.module = 1,
				   .lo = 0x1000 + 0x100 * f,
				   .hi = 0x1100 + 0x100 * f,
				   .name = name,
				   .linkage = "",
				   .source = CPD_NAME_SYMTAB});
	}
	for (uint32_t a = 0; a < ADDRESSES; a++) {
		struct cpd_frame frames[INLINED];

		for (uint32_t k = 0; k < addresses[a].n; k++)
			frames[k] = (struct cpd_frame){
				ids[addresses[a].frames[k].function],
				addresses[a].frames[k].line,
				addresses[a].frames[k].line ? "/src/a.c" : ""};
		cpd_write_addr(w, &(struct cpd_addr){1, 0x5000 + 16 * a,
					  addresses[a].n, frames, 0, 0, NULL});
	}
}

static struct dataset *write_run(void)
{
	struct cpd_writer *w = made_begin(path, NULL);

	made_program(w);
	for (size_t s = 0; s < nstacks; s++) {
		struct cpd_sample sample = {.thread = 1,
			.resource = 1,
			.hits = 1,
			.weight = stacks[s].weight};

		for (uint32_t i = 0; i < stacks[s].depth; i++)
			sample.node = cpd_node(w, sample.node, 1,
				0x5001 + 16 * stacks[s].addresses[i], 0);
		cpd_write_sample(w, &sample);
	}
	write_names(w);
	return made_open(w, path, 0);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool agrees(const struct dataset *data, bool no_inlines)
{
	struct tree_view view = {.resource = 1, .no_inlines = no_inlines};
	uint32_t functions[FUNCTIONS];
	size_t n = 0, lines = 0, wanted_lines = 0;
	struct debug_search search = {0};
	struct err err;
	struct tree *tree = tree_new(data, &view, &err);
	struct source_lines *got;
	bool good = true;

	for (uint32_t f = FN_FIRST_REAL; f <= data->nfunctions; f++)
		if (data->functions[f].name[0] == 'f' && n < FUNCTIONS)
			functions[n++] = f;
	qsort(functions, n, sizeof *functions, by_number);
	got = tree ? source_lines_new(tree, functions, n, &search, &err) : NULL;
	for (size_t i = 0; got && i < got->n; i++) {
		const struct source_function *f = &got->v[i];
		int at = data->functions[f->function].name[1] - '0';

		good &= f->total.weight == whole[at].total &&
			f->self.weight == whole[at].self;
		for (size_t k = 0; k < f->nlines; k++) {
			const struct source_line *l = &f->lines[k];

			good &= l->total.weight == wanted[at][l->line].total &&
				l->self.weight == wanted[at][l->line].self;
			lines++;
		}
	}
	for (int f = 0; f < FUNCTIONS; f++)
		for (int l = 0; l < LINES; l++)
			wanted_lines += wanted[f][l].total > 0;
	good &= got && lines == wanted_lines;
	source_lines_free(got);
	tree_free(tree);
	return good;
}

static void test_lines(void)
{
	unsigned wrong[2] = {0};

	for (int round = 0; round < ROUNDS; round++) {
		struct dataset *data;

		random_run(round % 2);
		data = write_run();
		for (int no_inlines = 0; no_inlines < 2; no_inlines++) {
			oracle(no_inlines);
			wrong[no_inlines] += !data || !agrees(data, no_inlines);
		}
		dataset_free(data);
	}
	ok(!wrong[0], "%d random runs: lines as the oracle has them", ROUNDS);
	ok(!wrong[1], "also with inlined calls folded");
}

/* --- source files --- */

static void write_text(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

static bool has_line(
	const struct source_text *text, uint32_t number, const char *is)
{
	char *line = source_text_line(text, number);
	bool same = line && strcmp(line, is) == 0;

	free(line);
	return same;
}

static void test_text(void)
{
	char dir[] = "/tmp/cpprof-source.XXXXXX", name[128];
	struct source_paths paths = {0};
	struct source_text text;

	if (!mkdtemp(dir))
		abort();
	snprintf(name, sizeof name, "%s/src", dir);
	mkdir(name, 0700);
	snprintf(name, sizeof name, "%s/src/a.c", dir);
	write_text(name, "one\r\ntwo\n\nfour");
	source_text_open(&text, name, NULL, NULL);
	ok(text.path && text.n == 4, "a file where it is said to be");
	ok(has_line(&text, 1, "one") && has_line(&text, 2, "two") &&
			has_line(&text, 3, "") && has_line(&text, 4, "four"),
		"lines end with LF, CR LF or the file");
	ok(has_line(&text, 0, "") && has_line(&text, 5, "") &&
			has_line(&text, UINT32_MAX, ""),
		"lines that it does not have are empty");
	source_text_fini(&text);
	source_paths_add(&paths, dir);
	source_text_open(&text, "/build/x/src/a.c", NULL, &paths);
	ok(text.path && strcmp(text.path, name) == 0,
		"below a folder, without the first folders");
	source_text_fini(&text);
	source_text_open(&text, "../../../../../../etc/nothing", NULL, &paths);
	ok(!text.path && strstr(text.why, "not below "), "it says where");
	source_text_fini(&text);
	source_text_open(&text, "", NULL, &paths);
	ok(!text.path && *text.why, "a file without a name");
	source_text_fini(&text);
	source_text_open(&text, "/dev/zero", NULL, NULL);
	ok(!text.path && strstr(text.why, "no regular file"), "a device");
	source_text_fini(&text);
	source_paths_fini(&paths);
	unlink(name);
	snprintf(name, sizeof name, "%s/src", dir);
	rmdir(name);
	rmdir(dir);
}

/* --- instructions --- */

static void test_instructions(void)
{
	static const struct {
		const char *bytes;
		size_t n, size;
		const char *text;
		enum reference reference;
		uint64_t to;
	} rows[] = {
		{"\x55", 1, 1, "pushq %rbp", REFERENCE_NONE, 0},
		{"\x48\x89\xe5", 3, 3, "movq %rsp, %rbp", REFERENCE_NONE, 0},
		{"\xe8\x10\x00\x00\x00", 5, 5, "callq", REFERENCE_CODE, 0x1015},
		{"\x74\xfe", 2, 2, "je", REFERENCE_CODE, 0x1000},
		{"\xff\x25\x00\x01\x00\x00", 6, 6, "jmpq *0x100(%rip)",
			REFERENCE_POINTER, 0x1106},
		{"\x48\x8d\x05\xf9\xff\xff\xff", 7, 7, NULL, REFERENCE_DATA,
			0x1000},
		{"\x06\x90", 2, 1, "(bad) 0x06", REFERENCE_NONE, 0},
		{"\xe8\x10", 2, 1, "(bad) 0xe8", REFERENCE_NONE, 0},
	};

	struct decoder decoder;

	ok(disassembly_open(&decoder), "the decoder opens");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct instruction insn;

		disassemble(&decoder, (const uint8_t *)rows[i].bytes, rows[i].n,
			0x1000, &insn);
		if (!ok(insn.size == rows[i].size &&
				    insn.reference == rows[i].reference &&
				    insn.to == rows[i].to &&
				    (!rows[i].text ||
					    !strcmp(insn.text, rows[i].text)),
			    "%s", rows[i].text ? rows[i].text : "leaq"))
			diag("%s, %zu bytes, %d to %#llx", insn.text, insn.size,
				(int)insn.reference,
				(unsigned long long)insn.to);
	}
	decoder_close(&decoder);
}

int main(void)
{
	path = temp_file();
	test_lines();
	temp_file_remove(path);
	test_text();
	test_instructions();
	return done_testing();
}
