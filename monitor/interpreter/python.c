/* Where the versions of CPython have what a walk through their frames needs. */
#include "monitor/interpreter/python.h"

#include <stdio.h>
#include <string.h>

#define VERSION(word) ((unsigned)((word) >> 16)) /* PY_VERSION_HEX: 0x30b */
#define FIRST 0x30b
#define UNLOCKED_COPIES 0x30e
#define HEAD_WORDS 60 /* of _Py_DebugOffsets */

/* What has not moved since 3.12; OWNER_AT and CODE_AT have. */
#define FROM_3_12(owner_at, code_at)                                           \
	.previous = 8, .instruction = 56, .owner = owner_at, .entry = 3,       \
	.version = 92, .first_line = 68, .names = 112,                         \
	.instructions = code_at, .text = 40, .wide_text = 56, .kind = 2

/* By minor version, from Include/internal; 0: _Py_DebugOffsets has it. */
static const struct python_layout layouts[] = {
	{.interpreters = 40,
		.threads = 16,
		.next_thread = 8,
		.interpreter = 16,
		.native_id = 160,
		.cframe = 56,
		.frame = 8,
		.previous_cframe = 16,
		.root = 336,
		.code = 32,
		.previous = 48,
		.instruction = 56,
		.is_entry = 68,
		.entry = 1,
		.first_line = 72,
		.names = 112,
		.instructions = 184,
		.text = 48,
		.wide_text = 72,
		.kind = 2},
	{.interpreters = 40,
		.threads = 72,
		.next_thread = 8,
		.interpreter = 16,
		.native_id = 144,
		.cframe = 56,
		.previous_cframe = 8,
		.root = 272,
		FROM_3_12(70, 192)},
	{FROM_3_12(70, 200)},
	{FROM_3_12(74, 208)},
	{FROM_3_12(74, 208)},
};

#define LAST (FIRST + (unsigned)(sizeof layouts / sizeof *layouts) - 1)

/* What a build without the lock has else. */
static void take_unlocked(struct python_layout *l, unsigned version)
{
	l->head = 16;
	if (version < UNLOCKED_COPIES)
		return;
	l->copy = 72;
	l->owner += 4;
	l->copies = l->instructions;
	l->instructions += 8;
	l->kind = 8;
}

/* Its structures in _Py_DebugOffsets, by words: they grow. */
struct offsets {
	unsigned version, thread_frame, native_id, frame, code;
};

static const struct offsets offsets[] = {
	{0x30d, 23, 25, 28, 34},
	{0x30e, 26, 28, 31, 39},
	{0x30f, 26, 31, 39, 47},
};

enum { /* words of it that no version has moved */
	COOKIE,
	ITS_VERSION,
	UNLOCKED,
	INTERPRETERS = 5,
	NEXT_INTERPRETER = 8,
	THREADS = 9,
	/* from the start of a structure on */
	FRAME_PREVIOUS = 1,
	FRAME_CODE,
	FRAME_INSTRUCTION,
	FRAME_OWNER = 5,
	CODE_FILE = 1,
	CODE_LINES = 4,
	CODE_FIRST_LINE = 5,
	FRAME_COPY = 7,
	CODE_INSTRUCTIONS = 9,
	CODE_COPIES,
	NEXT_BEFORE_FRAME = 2, /* words, in the thread's */
};

/* Whether what Python says of itself agrees with its row; fills in the rest. */
static bool take_offsets(
	struct python_layout *l, const struct offsets *at, const uint64_t *word)
{
	const uint64_t *frame = word + at->frame, *code = word + at->code;

	l->interpreters = (__u16)word[INTERPRETERS];
	l->next_interpreter = (__u16)word[NEXT_INTERPRETER];
	l->threads = (__u16)word[THREADS];
	l->next_thread = (__u16)word[at->thread_frame - NEXT_BEFORE_FRAME];
	l->interpreter = (__u16)word[at->thread_frame - 1];
	l->frame = (__u16)word[at->thread_frame];
	l->native_id = (__u16)word[at->native_id];
	if (word[UNLOCKED])
		take_unlocked(l, at->version);
	return l->interpreters && l->threads && l->frame && l->native_id &&
	       frame[FRAME_PREVIOUS] == l->previous &&
	       frame[FRAME_CODE] == l->code &&
	       frame[FRAME_INSTRUCTION] == l->instruction &&
	       frame[FRAME_OWNER] == l->owner &&
	       code[CODE_FILE] == l->names + l->head &&
	       code[CODE_LINES] == l->names + 24u + l->head &&
	       code[CODE_FIRST_LINE] == l->first_line + l->head &&
	       code[CODE_INSTRUCTIONS] == l->instructions + l->head &&
	       (!l->copies ||
		       (frame[FRAME_COPY] == l->copy &&
			       code[CODE_COPIES] == l->copies + l->head));
}

struct symbols {
	GElf_Sym version, loop;
};

static int find_symbols(void *arg, const GElf_Sym *sym, const char *name)
{
	struct symbols *symbols = arg;

	if (name && strcmp(name, "Py_Version") == 0)
		symbols->version = *sym;
	if (name && strcmp(name, "_PyEval_EvalFrameDefault") == 0)
		symbols->loop = *sym;
	return 0;
}

/* Whether WORD, the start of _PyRuntime, says where things are. */
static bool has_offsets(const uint64_t *word)
{
	return memcmp(&word[COOKIE], "xdebugpy", 8) == 0;
}

/* PY_VERSION_HEX; 0: unknown. */
static uint64_t version_of(
	struct elf_image *image, const GElf_Sym *sym, const uint64_t *word)
{
	uint64_t version = 0;

	if (has_offsets(word))
		return word[ITS_VERSION];
	if (sym->st_value)
		elf_image_read(image, sym->st_value, &version, sizeof version);
	return version;
}

static bool take_layout(
	struct python_layout *layout, unsigned version, const uint64_t *word)
{
	if (version < FIRST || version > LAST)
		return false;
	*layout = layouts[version - FIRST];
	layout->minor = (__u16)(version - FIRST);
	for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
		if (offsets[i].version == version)
			return take_offsets(layout, &offsets[i], word);
	return true;
}

enum python_found python_find(struct elf_image *image,
	struct python_build *build, char *why, size_t size)
{
	uint64_t word[HEAD_WORDS], version;
	struct symbols symbols = {0};
	GElf_Shdr header;

	if (!image->native || !image->elf ||
		!elf_find_section(image->elf, ".PyRuntime", &header) ||
		!elf_image_read(image, header.sh_addr, word, sizeof word))
		return PYTHON_NONE;
	elf_each_dynsym(image->elf, find_symbols, &symbols);
	version = version_of(image, &symbols.version, word);
	build->runtime = header.sh_addr;
	build->loop = symbols.loop.st_value;
	build->loop_size = symbols.loop.st_size;
	if (take_layout(&build->layout, VERSION(version), word))
		return PYTHON_KNOWN;
	if (!version)
		snprintf(why, size, "Python before 3.11");
	else
		snprintf(why, size, "%sPython %u.%u",
			VERSION(version) <= LAST ? "this build of " : "",
			VERSION(version) >> 8, VERSION(version) & 0xff);
	return PYTHON_UNKNOWN;
}
