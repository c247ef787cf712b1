/* code.c - disassembles functions and counts the samples at instructions. */
#include "analyzer/source/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/source/binary.h"
#include "analyzer/source/stacks.h"
#include "analyzer/tree/tree_frames.h"
#include "analyzer/symbol/lookup.h"
#include "lib/arch/disassembly.h"
#include "lib/arena.h"
#include "lib/impl.h"
#include "lib/lower_bound.h"
#include "lib/order.h"
#include "lib/vec.h"

struct code_private {
	struct arena arena;
	VEC(struct code_piece) pieces;
	/* While pieces are read: */
	struct decoder decoder;
	/* While samples are counted: */
	uint32_t **open;  /* by piece and instruction: times on the stack */
	uint32_t *inside; /* by piece, likewise */
};

/* --- pieces --- */

static bool is_wanted(const struct tree *tree, uint32_t function,
	const uint32_t *functions, size_t n)
{
	uint32_t shown = tree_base(tree->data, &tree->view, function);
	size_t at = LOWER_BOUND(n, i, functions[i] < shown);

	return at < n && functions[at] == shown;
}

/* The pieces that have bounds, by module. */
static int find_pieces(struct code *code, const uint32_t *functions, size_t n)
{
	const struct dataset *data = code->tree->data;

	for (uint32_t f = FN_FIRST_REAL; f <= data->nfunctions; f++) {
		const struct function *function = &data->functions[f];
		struct code_piece *piece;

		if (function->hi <= function->lo || !function->module_id ||
			!is_wanted(code->tree, f, functions, n))
			continue;
		piece = vec_push(&code->impl->pieces);
		if (!piece)
			return -1;
		piece->function = f;
		piece->lo = function->lo;
		piece->hi = function->hi - function->lo > CODE_MAX
				    ? function->lo + CODE_MAX
				    : function->hi;
	}
	code->v = code->impl->pieces.v;
	code->n = code->impl->pieces.n;
	return 0;
}

static uint32_t module_of(const struct code *code, size_t piece)
{
	return code->tree->data->functions[code->v[piece].function].module_id;
}

/* --- instructions --- */

/* "f+0x10"; within PIECE "0x401016", as the column of addresses has it, except
   for a call of itself. */
static const char *name_target(struct code_private *impl,
	struct sym_lookup *lookup, const struct code_piece *piece,
	const struct instruction *insn)
{
	uint64_t begin = insn->to;
	const char *name;
	char offset[24] = "", *text, *kept;

	if (insn->reference == REFERENCE_NONE)
		return "";
	if (insn->to > piece->lo && insn->to < piece->hi) {
		snprintf(offset, sizeof offset, "0x%" PRIx64, insn->to);
		return arena_strdup(&impl->arena, offset);
	}
	name = insn->reference == REFERENCE_POINTER
		       ? sym_lookup_slot(lookup, insn->to)
	       : insn->reference == REFERENCE_CODE
		       ? sym_lookup_name(lookup, insn->to, &begin)
		       : NULL;
	if (!name && insn->reference == REFERENCE_CODE) {
		snprintf(offset, sizeof offset, "0x%" PRIx64, insn->to);
		return arena_strdup(&impl->arena, offset);
	}
	if (!name)
		return "";
	if (begin != insn->to)
		snprintf(
			offset, sizeof offset, "+0x%" PRIx64, insn->to - begin);
	if (asprintf(&text, "%s%s", name, offset) < 0)
		return NULL;
	kept = arena_strdup(&impl->arena, text);
	free(text);
	return kept;
}

static int decode(struct code *code, struct sym_lookup *lookup,
	struct code_piece *piece, const uint8_t *bytes, size_t size)
{
	struct code_private *impl = code->impl;

	piece->lines =
		arena_alloc(&impl->arena, (size + 1) * sizeof *piece->lines);
	for (size_t at = 0; piece->lines && at < size;) {
		struct code_line *line = &piece->lines[piece->n++];
		struct instruction insn;

		disassemble(&impl->decoder, bytes + at, size - at,
			piece->lo + at, &insn);
		line->addr = piece->lo + at;
		line->text = arena_strdup(&impl->arena, insn.text);
		line->target = name_target(impl, lookup, piece, &insn);
		line->file = "";
		if (!line->text || !line->target)
			return -1;
		at += insn.size;
	}
	return piece->lines ? 0 : -1;
}

static int place_lines(struct code *code, struct sym_lookup *lookup,
	const struct code_piece *piece)
{
	uint64_t *addrs = calloc(piece->n + 1, sizeof *addrs);
	struct sym_place *places = calloc(piece->n + 1, sizeof *places);
	int status = -1;

	if (addrs && places) {
		for (size_t i = 0; i < piece->n; i++)
			addrs[i] = piece->lines[i].addr;
		status = sym_lookup_places(lookup, addrs, piece->n, false,
			places, &code->impl->arena);
	}
	for (size_t i = 0; !status && i < piece->n; i++) {
		piece->lines[i].file = places[i].file;
		piece->lines[i].line = places[i].line;
		code->has_places |= places[i].line != 0;
	}
	free(addrs);
	free(places);
	return status;
}

static int read_piece(struct code *code, const struct binary *binary,
	struct sym_lookup *lookup, struct code_piece *piece)
{
	size_t size = (size_t)(piece->hi - piece->lo);
	uint8_t *bytes = malloc(size);
	int status;

	if (!bytes)
		return -1;
	size = binary_read(binary, piece->lo, bytes, size);
	status = decode(code, lookup, piece, bytes, size);
	free(bytes);
	return status ? status : place_lines(code, lookup, piece);
}

/* All pieces of the module of number MODULE. */
static int read_module(struct code *code, uint32_t module, struct err *err)
{
	const struct cpd_module *about = &code->tree->data->modules[module];
	struct sym_lookup *lookup = NULL;
	struct binary binary;
	int status = -1;

	binary_open(&binary, about, &code->paths->search, err);
	if (binary.state != BINARY_SAME)
		goto out;
	lookup = sym_lookup_open(about, &code->paths->search);
	if (!lookup) {
		err_memory(err, NULL, "list");
		goto out;
	}
	status = 0;
	for (size_t i = 0; i < code->n && !status; i++) {
		if (module_of(code, i) != module || code->v[i].lines)
			continue;
		if (work_ask(code->tree->view.work, "reading code", i, code->n,
			    err))
			status = -1;
		else if (read_piece(code, &binary, lookup, &code->v[i]))
			status = err_memory(err, NULL, "list");
	}
out:
	sym_lookup_close(lookup);
	binary_close(&binary);
	return status;
}

/* --- samples --- */

/* Where a node is: the place of its piece and instruction. */
static bool locate(const struct code *code, const struct location *at,
	size_t *piece, size_t *line)
{
	const struct dataset *data = code->tree->data;
	uint64_t addr = location_address(at);
	uint32_t function;

	if (!at->nframes || !at->module)
		return false;
	function = at->frames[at->nframes - 1].function;
	for (size_t i = 0; i < code->n; i++) {
		const struct code_piece *p = &code->v[i];

		if (addr < p->lo || addr >= p->hi || !p->n ||
			data->functions[function].module_id !=
				module_of(code, i))
			continue;
		*piece = i;
		*line = LOWER_BOUND(p->n, k, p->lines[k].addr <= addr) - 1;
		return true;
	}
	return false;
}

static int enter(void *arg, uint32_t number, const struct tree_sums *all,
	const struct tree_sums *own)
{
	struct code *code = arg;
	size_t i, k;

	if (!locate(code, dataset_location(code->tree->data, number), &i, &k))
		return 0;
	if (!code->impl->open[i][k]++)
		tree_sums_add(&code->v[i].lines[k].total, all);
	if (!code->impl->inside[i]++)
		tree_sums_add(&code->v[i].total, all);
	tree_sums_add(&code->v[i].lines[k].self, own);
	tree_sums_add(&code->v[i].self, own);
	return 0;
}

static void leave(void *arg, uint32_t number)
{
	struct code *code = arg;
	size_t i, k;

	if (!locate(code, dataset_location(code->tree->data, number), &i, &k))
		return;
	code->impl->open[i][k]--;
	code->impl->inside[i]--;
}

static int count_samples(struct code *code, struct err *err)
{
	struct stacks_visitor visitor = {code, enter, leave};
	struct code_private *impl = code->impl;

	impl->open = arena_alloc(&impl->arena, code->n * sizeof *impl->open);
	impl->inside =
		arena_alloc(&impl->arena, code->n * sizeof *impl->inside);
	if (!impl->open || !impl->inside)
		return err_memory(err, NULL, "list");
	for (size_t i = 0; i < code->n; i++) {
		impl->open[i] = arena_alloc(
			&impl->arena, (code->v[i].n + 1) * sizeof **impl->open);
		if (!impl->open[i])
			return err_memory(err, NULL, "list");
	}
	return stacks_walk(code->tree, &visitor, err);
}

static int compare(const void *a, const void *b)
{
	const struct code_piece *x = a, *y = b;

	return ORDER(y->total.weight, x->total.weight)
		       ?: ORDER(x->function, y->function);
}

static int no_code(
	const struct code *code, const uint32_t *functions, struct err *err)
{
	const struct function *f = &code->tree->data->functions[functions[0]];

	return err_say(err, f->name, NULL, "it has no code of its own",
		functions[0] < FN_FIRST_REAL
			? "it is no function of a program"
			: "it was inlined wherever it was sampled; "
			  "'list' shows its lines");
}

static int make(
	struct code *code, const uint32_t *functions, size_t n, struct err *err)
{
	if (find_pieces(code, functions, n))
		return err_memory(err, NULL, "list");
	if (!code->n)
		return no_code(code, functions, err);
	if (!disassembly_open(&code->impl->decoder))
		return err_set(err, NULL, "list", "no disassembler");
	for (size_t i = 0; i < code->n; i++)
		if (!code->v[i].lines &&
			read_module(code, module_of(code, i), err))
			return -1;
	if (count_samples(code, err))
		return -1;
	qsort(code->v, code->n, sizeof *code->v, compare);
	return 0;
}

struct code *code_new(const struct tree *tree, const uint32_t *functions,
	size_t n, struct source_paths *paths, struct err *err)
{
	struct code *code = new_with_impl(struct code);
	int status;

	if (!code) {
		err_memory(err, NULL, "list");
		return NULL;
	}
	code->tree = tree;
	code->paths = paths;
	status = make(code, functions, n, err);
	decoder_close(&code->impl->decoder);
	if (status == 0)
		return code;
	code_free(code);
	return NULL;
}

void code_free(struct code *code)
{
	if (!code)
		return;
	vec_free(&code->impl->pieces);
	arena_fini(&code->impl->arena);
	free(code);
}
