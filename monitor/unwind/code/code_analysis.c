/* Follows instructions on all paths from an address to a return. */
#include "monitor/unwind/code/code_analysis.h"

#include <string.h>

#include "lib/arch/arch.h"
#include "lib/arch/control_flow.h"
#include "lib/elf/elf_image.h"

#define MAX_INSTRUCTIONS 1500 /* from where the thread is */
#define MAX_FROM_ENTRY 5000
#define MAX_CALLED 300 /* to see whether a function returns */
#define MAX_WAYS 256
#define MAX_DEPTH 5
#define WINDOW 128
#define LONGEST 16 /* longer than any instruction */
#define SEEN 16384 /* a power of two, above MAX_FROM_ENTRY * 2 */
#define SEEN_CALLED 1024
#define PIECE 1024 /* searched for a prologue at once */
#define PIECES 64

size_t code_of_image(void *image, uint64_t addr, uint8_t *buf, size_t n)
{
	return elf_image_read_some(image, addr, buf, n);
}

struct code_analysis {
	const struct code_analysis_code *code;
	struct decoder *decoder;
	struct control_flow ways[MAX_WAYS];
	size_t nways;
	unsigned left;  /* instructions */
	unsigned depth; /* of calls, from the function that rows are made for */
	uint64_t goal;  /* the address that rows are wanted for; 0: before a
			   return */
	bool unclear;   /* a path that is lost came to the goal */
	bool returns;
	bool has_tail;            /* a jump to an unknown address */
	struct control_flow tail; /* the state at it */
	uint64_t *seen;           /* a hash table of visited places */
	size_t nseen;
	uint8_t window[WINDOW];
	uint64_t start; /* of the window */
	size_t size;
	struct unwind_row *rows;
	size_t nrows;
};

/*
 * Where rows are wanted, a place with another depth of the stack is another
 * one.
 */
static bool first_time(struct code_analysis *s, const struct control_flow *w)
{
	uint64_t key = w->addr;
	size_t i;

	if (s->rows)
		key ^= (uint64_t)w->off << 48 ^ (uint64_t)w->lost << 47;
	i = (key * 0x9e3779b97f4a7c15ull) >> 40 & (s->nseen - 1);
	for (; s->seen[i]; i = (i + 1) & (s->nseen - 1))
		if (s->seen[i] == key)
			return false;
	s->seen[i] = key;
	return true;
}

/* Decodes the instruction at ADDR. */
static bool decode(struct code_analysis *s, uint64_t addr)
{
	size_t skip;

	if (addr < s->start || addr + LONGEST > s->start + s->size) {
		s->start = addr;
		s->size = s->code->read(s->code->arg, addr, s->window, WINDOW);
		if (!s->size)
			return false;
	}
	skip = addr - s->start;
	return insn_decode(s->decoder, s->window + skip, s->size - skip, addr);
}

static void add_row(struct code_analysis *s, struct unwind_row row)
{
	for (size_t i = 0; i < s->nrows; i++)
		if (!memcmp(&s->rows[i], &row, sizeof row))
			return;
	if (s->nrows < CODE_ANALYSIS_ROWS)
		s->rows[s->nrows++] = row;
}

/* A return: the place of its return address gives the row. */
static void arrive(struct code_analysis *s, const struct control_flow *w)
{
	static const enum row_kind kinds[] = {
		[BASE_SP] = ROW_SP,
		[BASE_FP] = ROW_FP,
		[BASE_WORD] = ROW_SP_DEREF,
	};
	struct unwind_row row = {.kind = kinds[w->base], .fp = ROW_FP_SAME};
	int64_t cfa = w->off + 8, slot;

	if (w->lost || cfa != (int32_t)cfa ||
		(w->base != BASE_FP && w->off < 0))
		return;
	row.cfa = (int32_t)cfa;
	if (w->base == BASE_WORD) {
		if (w->word != (int32_t)w->word || cfa / 8 > UINT8_MAX)
			return;
		row.cfa = (int32_t)w->word;
		row.words = (uint8_t)(cfa / 8);
	}
	if (w->fp == FP_LOADED) {
		slot = w->fp_at - cfa;
		if (w->fp_base != w->base || slot < ROW_FP_AT_FP + 1 ||
			slot > INT16_MAX)
			return;
		row.fp = (int16_t)slot;
	} else if (w->fp != FP_ORIGINAL) {
		return;
	}
	add_row(s, row);
}

/*
 * The same where what was popped last is the return address: then sp does not
 * matter.
 */
static void arrive_popped(struct code_analysis *s, const struct control_flow *w)
{
	struct control_flow at = *w;

	at.base = w->popped.base;
	at.off = w->popped.off;
	at.lost = !w->popped.any;
	arrive(s, &at);
}

/* A jump to an address that was popped returns too. */
static bool jump_to_popped(
	struct code_analysis *s, const struct control_flow *w)
{
	if (!control_flow_jumps_to_popped(w))
		return false;
	s->returns = true;
	if (s->rows && !s->goal)
		arrive_popped(s, w);
	return true;
}

/*
 * Follows a direct jump: as another path, or as this one if it is the only one.
 */
static bool jump(struct code_analysis *s, struct control_flow *w)
{
	switch (insn_kind(s->decoder)) {
	case INSN_JUMP:
		w->addr = insn_target(s->decoder);
		return true;
	case INSN_BRANCH:
		if (s->nways < MAX_WAYS) {
			s->ways[s->nways] = *w;
			s->ways[s->nways++].addr = insn_target(s->decoder);
		}
		return true;
	default:
		return false;
	}
}

/* Follows the paths of a jump by a table.  False: no table is known here. */
static bool jump_by_table(struct code_analysis *s, const struct control_flow *w)
{
	uint64_t table;
	size_t size = control_flow_table(w, &table);
	uint8_t bytes[8];

	if (!size || w->numbers > MAX_WAYS - s->nways)
		return false;
	for (uint64_t i = 0; i < w->numbers; i++) {
		struct control_flow *way = &s->ways[s->nways];
		uint64_t target = 0;
		int32_t rel = 0;

		if (s->code->read(s->code->arg, table + size * i, bytes,
			    size) != size)
			return false;
		memcpy(size == 4 ? (void *)&rel : &target, bytes, size);
		*way = *w;
		way->addr = size == 8 ? target : table + (uint64_t)(int64_t)rel;
		s->nways++;
	}
	return true;
}

/* Makes a row at the goal, where there is no return. */
static void arrive_at_goal(
	struct code_analysis *s, const struct control_flow *w)
{
	struct unwind_row row = {
		.kind = ROW_SP, .fp = ROW_FP_SAME, .cfa = (int32_t)-w->off + 8};

	s->unclear |= w->lost;
	if (w->lost || w->base != BASE_SP || w->off > 0 ||
		-w->off != (int32_t)-w->off)
		return;
	if (w->pushed.any && w->pushed.fp == FP_ORIGINAL &&
		w->pushed.base == BASE_SP && w->pushed.off >= INT16_MIN + 16)
		row.fp = (int16_t)(w->pushed.off - 8);
	else if (w->fp != FP_ORIGINAL)
		return;
	add_row(s, row);
}

static bool never_returns(const struct code_analysis_code *code,
	struct decoder *decoder, uint64_t addr, unsigned depth);

/*
 * Whether the path ended with the call to TARGET before W->addr; decodes the
 * instruction there.
 */
static bool was_last(
	struct code_analysis *s, const struct control_flow *w, uint64_t target)
{
	if (!target || !insn_may_begin_function(s->decoder))
		return false;
	if (s->depth < MAX_DEPTH &&
		never_returns(s->code, s->decoder, target, s->depth + 1))
		return true;
	return !decode(s, w->addr); /* the decoder was elsewhere */
}

/*
 * Follows a path to its end.  With rows wanted, a return makes one; else it
 * only notes that there is a return.
 */
static void follow(struct code_analysis *s, struct control_flow *w)
{
	uint64_t target = 0;
	enum insn_kind kind;

	while (s->left && first_time(s, w) && decode(s, w->addr)) {
		if (w->addr == s->goal) {
			arrive_at_goal(s, w);
			return;
		}
		s->left--;
		kind = insn_kind(s->decoder);
		if (kind == INSN_TRAP || was_last(s, w, target))
			return;
		target = kind == INSN_CALL ? insn_target(s->decoder) : 0;
		w->addr += insn_size(s->decoder);
		if (control_flow_exits(w)) {
			if (s->rows && !s->goal)
				add_row(s,
					(struct unwind_row){.kind = ROW_END});
			return;
		}
		if (kind == INSN_RETURN) {
			s->returns = true;
			if (s->rows && !s->goal)
				arrive(s, w);
			return;
		}
		control_flow_note_number(w);
		if (kind >= INSN_JUMP) {
			if (jump(s, w))
				continue;
			if (jump_to_popped(s, w) || jump_by_table(s, w))
				return;
			s->returns = true; /* it may return */
			s->tail = *w;
			s->has_tail = true;
			return;
		}
		if (!control_flow_apply(w) && s->rows)
			w->lost = true; /* until it is made of fp again */
	}
	if (!s->left)
		s->returns = true;
}

static void follow_all(struct code_analysis *s, uint64_t addr)
{
	s->nways = 1;
	s->ways[0] = control_flow_begin(s->decoder, addr);
	while (s->nways && s->left && s->nrows < CODE_ANALYSIS_ROWS &&
		(s->rows || !s->returns)) {
		struct control_flow way = s->ways[--s->nways];

		follow(s, &way);
	}
}

static bool never_returns(const struct code_analysis_code *code,
	struct decoder *decoder, uint64_t addr, unsigned depth)
{
	uint64_t seen[SEEN_CALLED] = {0};
	struct code_analysis s = {.code = code,
		.decoder = decoder,
		.left = MAX_CALLED,
		.depth = depth,
		.seen = seen,
		.nseen = SEEN_CALLED};

	follow_all(&s, addr);
	return !s.returns && s.left;
}

size_t code_analysis_rows(const struct code_analysis_code *code, uint64_t addr,
	struct unwind_row *rows)
{
	uint64_t seen[SEEN] = {0};
	struct decoder decoder;
	struct code_analysis s = {.code = code,
		.decoder = &decoder,
		.left = MAX_INSTRUCTIONS,
		.rows = rows,
		.seen = seen,
		.nseen = SEEN};

	if (!decoder_open(&decoder))
		return 0;
	follow_all(&s, addr);
	decoder_close(&decoder);
	if (!s.nrows && s.has_tail) {
		arrive(&s, &s.tail); /* if it is a tail call */
		arrive_popped(&s, &s.tail);
	}
	return s.nrows;
}

bool code_analysis_from_entry(const struct code_analysis_code *code,
	uint64_t entry, uint64_t addr, bool all, struct unwind_row *row)
{
	struct unwind_row rows[CODE_ANALYSIS_ROWS];
	uint64_t seen[SEEN] = {0};
	struct decoder decoder;
	struct code_analysis s = {.code = code,
		.decoder = &decoder,
		.left = MAX_FROM_ENTRY,
		.rows = rows,
		.goal = addr,
		.seen = seen,
		.nseen = SEEN};

	if (!decoder_open(&decoder))
		return false;
	follow_all(&s, entry);
	decoder_close(&decoder);
	*row = rows[0];
	return s.nrows == 1 && !s.unclear && (s.left || !all);
}

/* The last prologue before ADDR; 0: none. */
static uint64_t find_prologue(
	const struct code_analysis_code *code, uint64_t addr)
{
	uint8_t bytes[PIECE + HOTSPOT_ENTRY];
	uint64_t at = addr & ~(uint64_t)(PIECE - 1); /* a mapping's part */

	for (unsigned i = 0; i < PIECES && at; i++, at -= PIECE) {
		size_t n = code->read(code->arg, at, bytes, sizeof bytes);

		for (; n >= HOTSPOT_ENTRY; n--) {
			uint64_t entry = at + n - HOTSPOT_ENTRY;

			if (entry < addr && code_is_hotspot_entry(
						    bytes + n - HOTSPOT_ENTRY))
				return entry;
		}
	}
	return 0;
}

bool code_analysis_from_prologue(const struct code_analysis_code *code,
	uint64_t addr, struct unwind_row *row)
{
	uint64_t entry = find_prologue(code, addr);

	return entry && code_analysis_from_entry(code, entry, addr, false, row);
}

bool code_analysis_never_returns(
	const struct code_analysis_code *code, uint64_t addr)
{
	struct decoder decoder;
	bool never = decoder_open(&decoder) &&
		     never_returns(code, &decoder, addr, 0);

	decoder_close(&decoder);
	return never;
}
