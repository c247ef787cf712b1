#include "scan.h"

#include <config.h>

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>
#include <string.h>
#include <sys/syscall.h>

#define MAX_INSTRUCTIONS 1500 /* from where the thread is */
#define MAX_FROM_ENTRY 5000
#define MAX_CALLED 300 /* to see whether a function returns */
#define MAX_WAYS 256
#define MAX_DEPTH 5
#define WINDOW 128
#define LONGEST 16 /* more than any instruction */
#define FRESH 12   /* instructions from a comparison to a jump by a table */
#define SEEN 16384 /* a power of two, above MAX_FROM_ENTRY * 2 */
#define SEEN_CALLED 1024

enum base { BASE_RSP, BASE_RBP }; /* as they were at the start */

enum rbp_state {
	RBP_ORIGINAL,
	RBP_LOADED, /* from the word at rbp_at */
	RBP_FRAME,  /* is rbp_at: set up in the prologue */
	RBP_OTHER,
};

struct way {
	uint64_t addr;
	enum base base;
	int64_t off; /* rsp is now base + off */
	enum rbp_state rbp;
	enum base rbp_base; /* of rbp_at */
	int64_t rbp_at;
	struct {
		bool any;
		enum base base, rbp_base;
		int64_t off, rbp_at;
		enum rbp_state rbp;
	} pushed;    /* the last rbp that was, and where */
	int64_t eax; /* as last set to a number; the number of a call */
	bool lost;   /* nobody knows where rsp is */
	/* for jumps by a table: the number that was compared with last, how
	   many there are as a jump after that told, for how many instructions
	   yet, and the address that was loaded last */
	uint64_t compared, numbers, table;
	unsigned fresh;
};

struct scan {
	const struct scan_code *code;
	struct way ways[MAX_WAYS];
	size_t nways;
	unsigned left;  /* instructions */
	unsigned depth; /* of calls, from the function that rows are made for */
	uint64_t goal;  /* where rows are wanted for; 0: before a return */
	bool unclear;   /* a lost way came to the goal */
	bool returns;
	bool has_tail;   /* a jump to an address that is not known */
	struct way tail; /* at it */
	uint64_t *seen;  /* a hash table of places */
	size_t nseen;
	uint8_t window[WINDOW];
	uint64_t start; /* of the window */
	size_t size;
	struct row *rows;
	size_t nrows;
};

static csh decoder;
static cs_insn *insn;

static bool decoder_open(void)
{
	if (insn)
		return true;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) != CS_ERR_OK)
		return false;
	cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(decoder);
	return insn;
}

void scan_fini(void)
{
	if (!insn)
		return;
	cs_free(insn, 1);
	cs_close(&decoder);
	insn = NULL;
}

/* Where rows are wanted, another depth of the stack is another place. */
static bool first_time(struct scan *s, const struct way *w)
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
static bool decode(struct scan *s, uint64_t addr)
{
	const uint8_t *bytes;
	size_t left;
	uint64_t at = addr;

	if (addr < s->start || addr + LONGEST > s->start + s->size) {
		s->start = addr;
		s->size = s->code->read(s->code->arg, addr, s->window, WINDOW);
		if (!s->size)
			return false;
	}
	bytes = s->window + (addr - s->start);
	left = s->size - (addr - s->start);
	return cs_disasm_iter(decoder, &bytes, &left, &at, insn);
}

static const cs_x86_op *operand(unsigned i)
{
	const cs_x86 *x = &insn->detail->x86;

	return i < x->op_count ? &x->operands[i] : NULL;
}

static bool is_reg(const cs_x86_op *op, x86_reg reg)
{
	return op && op->type == X86_OP_REG && op->reg == reg;
}

/* [reg + disp] */
static bool is_mem(const cs_x86_op *op, x86_reg reg)
{
	return op && op->type == X86_OP_MEM && op->mem.base == reg &&
	       op->mem.index == X86_REG_INVALID &&
	       op->mem.segment == X86_REG_INVALID;
}

static bool writes(x86_reg reg)
{
	cs_regs reads, written;
	uint8_t nreads, nwritten;

	if (cs_regs_access(decoder, insn, reads, &nreads, written, &nwritten))
		return true;
	for (uint8_t i = 0; i < nwritten; i++)
		if (written[i] == reg)
			return true;
	return false;
}

/* A word at base + AT is read into rbp. */
static void load_rbp(struct way *w, enum base base, int64_t at)
{
	if (w->pushed.any && w->pushed.base == base && w->pushed.off == at) {
		w->rbp = w->pushed.rbp;
		w->rbp_base = w->pushed.rbp_base;
		w->rbp_at = w->pushed.rbp_at;
	} else if (base == BASE_RSP && at < 0) {
		w->rbp = RBP_OTHER;
	} else {
		w->rbp = RBP_LOADED;
		w->rbp_base = base;
		w->rbp_at = at;
	}
}

/* rsp = rbp + DISP; false: nobody knows what that is. */
static bool rsp_from_rbp(struct way *w, int64_t disp)
{
	if (w->rbp == RBP_ORIGINAL) {
		w->base = BASE_RBP;
		w->off = disp;
	} else if (w->rbp == RBP_FRAME) {
		w->base = w->rbp_base;
		w->off = w->rbp_at + disp;
	} else {
		return false;
	}
	return true;
}

static void pop(struct way *w)
{
	if (is_reg(operand(0), X86_REG_RBP))
		load_rbp(w, w->base, w->off);
	w->off += 8;
}

static void push(struct way *w)
{
	w->off -= 8;
	if (!is_reg(operand(0), X86_REG_RBP))
		return;
	w->pushed.any = true;
	w->pushed.base = w->base;
	w->pushed.off = w->off;
	w->pushed.rbp = w->rbp;
	w->pushed.rbp_base = w->rbp_base;
	w->pushed.rbp_at = w->rbp_at;
}

/* mov and lea to rsp or rbp; false: unclear. */
static bool set_pointer(struct way *w)
{
	const cs_x86_op *to = operand(0), *from = operand(1);
	bool lea = insn->id == X86_INS_LEA;

	if (is_reg(to, X86_REG_RSP)) {
		if (!lea)
			return is_reg(from, X86_REG_RBP) && rsp_from_rbp(w, 0);
		if (is_mem(from, X86_REG_RBP))
			return rsp_from_rbp(w, from->mem.disp);
		if (!is_mem(from, X86_REG_RSP))
			return false;
		w->off += from->mem.disp;
	} else if (!lea && is_reg(from, X86_REG_RSP)) {
		w->rbp = RBP_FRAME;
		w->rbp_base = w->base;
		w->rbp_at = w->off;
	} else if (lea && is_mem(from, X86_REG_RSP)) {
		w->rbp = RBP_FRAME;
		w->rbp_base = w->base;
		w->rbp_at = w->off + from->mem.disp;
	} else if (!lea && is_mem(from, X86_REG_RSP)) {
		load_rbp(w, w->base, w->off + from->mem.disp);
	} else {
		w->rbp = RBP_OTHER;
	}
	return true;
}

/* add and sub; false: unclear. */
static bool move_rsp(struct way *w)
{
	const cs_x86_op *by = operand(1);

	if (by->type != X86_OP_IMM)
		return false;
	w->off += insn->id == X86_INS_ADD ? by->imm : -by->imm;
	return true;
}

/* What a jump by a table may need. */
static void note_number(struct way *w)
{
	const cs_x86_op *to = operand(0), *from = operand(1);

	if (w->fresh)
		w->fresh--;
	switch (insn->id) {
	case X86_INS_CMP:
		w->compared = from->type == X86_OP_IMM ? (uint64_t)from->imm
						       : UINT64_MAX;
		break;
	case X86_INS_JA:
	case X86_INS_JBE:
		w->numbers = w->compared + 1;
		w->fresh = FRESH;
		break;
	case X86_INS_JAE:
	case X86_INS_JB:
		w->numbers = w->compared;
		w->fresh = FRESH;
		break;
	case X86_INS_LEA:
		if (is_mem(from, X86_REG_RIP) && to->type == X86_OP_REG)
			w->table = w->addr + (uint64_t)from->mem.disp;
		break;
	default:
		break;
	}
}

/* What an instruction that is no jump does to rsp and rbp. */
static bool apply(struct way *w)
{
	const cs_x86_op *to = operand(0);

	switch (insn->id) {
	case X86_INS_PUSH:
	case X86_INS_PUSHFQ:
		push(w);
		return true;
	case X86_INS_POP:
	case X86_INS_POPFQ:
		if (is_reg(to, X86_REG_RSP))
			return false;
		pop(w);
		return true;
	case X86_INS_LEAVE:
		if (!rsp_from_rbp(w, 0))
			return false;
		load_rbp(w, w->base, w->off);
		w->off += 8;
		return true;
	case X86_INS_MOV:
		if (is_reg(to, X86_REG_EAX))
			w->eax = operand(1)->type == X86_OP_IMM
					 ? operand(1)->imm
					 : -1;
		/* fall through */
	case X86_INS_LEA:
		if (is_reg(to, X86_REG_RSP) || is_reg(to, X86_REG_RBP))
			return set_pointer(w);
		return true;
	case X86_INS_ADD:
	case X86_INS_SUB:
		if (is_reg(to, X86_REG_RSP))
			return move_rsp(w);
		break;
	case X86_INS_CALL:
	case X86_INS_SYSCALL:
	case X86_INS_ENDBR64:
	case X86_INS_NOP:
		return true;
	default:
		break;
	}
	if (writes(X86_REG_RSP) || writes(X86_REG_ESP))
		return false;
	if (writes(X86_REG_RBP) || writes(X86_REG_EBP))
		w->rbp = RBP_OTHER;
	return true;
}

static void add_row(struct scan *s, struct row row)
{
	for (size_t i = 0; i < s->nrows; i++)
		if (!memcmp(&s->rows[i], &row, sizeof row))
			return;
	if (s->nrows < SCAN_ROWS)
		s->rows[s->nrows++] = row;
}

/* A return: where the return address is tells the row. */
static void arrive(struct scan *s, const struct way *w)
{
	struct row row = {.kind = w->base == BASE_RSP ? ROW_RSP : ROW_RBP,
		.rbp = ROW_RBP_SAME};
	int64_t cfa = w->off + 8, slot;

	if (cfa != (int32_t)cfa || (w->base == BASE_RSP && w->off < 0))
		return;
	row.cfa = (int32_t)cfa;
	if (w->rbp == RBP_LOADED) {
		slot = w->rbp_at - cfa;
		if (w->rbp_base != w->base || slot < ROW_RBP_AT_RBP + 1 ||
			slot > INT16_MAX)
			return;
		row.rbp = (int16_t)slot;
	} else if (w->rbp != RBP_ORIGINAL) {
		return;
	}
	add_row(s, row);
}

/* A direct jump's target, as another way or (if it is the only one) this. */
static bool jump(struct scan *s, struct way *w)
{
	const cs_x86_op *to = operand(0);

	if (!to || to->type != X86_OP_IMM)
		return false;
	if (insn->id == X86_INS_JMP) {
		w->addr = (uint64_t)to->imm;
		return true;
	}
	if (s->nways < MAX_WAYS) {
		s->ways[s->nways] = *w;
		s->ways[s->nways++].addr = (uint64_t)to->imm;
	}
	return true;
}

/*
 * The ways of a jump by a table, as compilers write it: just before, a number
 *was compared with the highest there is, and lea table(%rip), %a; movslq
 *(%a,%number,4), %b; add %a, %b; jmp *%b or	jmp *table(,%number,8). False:
 *no table is known here.
 */
static bool jump_by_table(struct scan *s, const struct way *w)
{
	const cs_x86_op *to = operand(0);
	uint64_t table = w->table, size = 4;
	uint8_t bytes[8];

	if (to && to->type == X86_OP_MEM && to->mem.base == X86_REG_INVALID &&
		to->mem.scale == 8) {
		table = (uint64_t)to->mem.disp;
		size = 8;
	} else if (!to || to->type != X86_OP_REG) {
		return false;
	}
	if (!table || !w->fresh || w->numbers > MAX_WAYS - s->nways)
		return false;
	for (uint64_t i = 0; i < w->numbers; i++) {
		struct way *way = &s->ways[s->nways];
		uint64_t target = 0;
		int32_t rel;

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

/* The same for the place that was looked for, which is not at a return. */
static void arrive_at_goal(struct scan *s, const struct way *w)
{
	struct row row = {.kind = ROW_RSP,
		.rbp = ROW_RBP_SAME,
		.cfa = (int32_t)-w->off + 8};

	s->unclear |= w->lost;
	if (w->lost || w->base != BASE_RSP || w->off > 0 ||
		-w->off != (int32_t)-w->off)
		return;
	if (w->pushed.any && w->pushed.rbp == RBP_ORIGINAL &&
		w->pushed.base == BASE_RSP && w->pushed.off >= INT16_MIN + 16)
		row.rbp = (int16_t)(w->pushed.off - 8);
	else if (w->rbp != RBP_ORIGINAL)
		return;
	add_row(s, row);
}

static bool is_trap(void)
{
	return insn->id == X86_INS_INT3 || insn->id == X86_INS_UD2 ||
	       insn->id == X86_INS_HLT;
}

/* What may be the next function, where a call was the last of this one. */
static bool may_begin_function(void)
{
	return insn->id == X86_INS_NOP || insn->id == X86_INS_ENDBR64 ||
	       insn->id == X86_INS_PUSH ||
	       (insn->id == X86_INS_SUB && is_reg(operand(0), X86_REG_RSP));
}

static bool is_exit(const struct way *w)
{
	return insn->id == X86_INS_SYSCALL &&
	       (w->eax == SYS_exit || w->eax == SYS_exit_group);
}

static bool never_returns(
	const struct scan_code *code, uint64_t addr, unsigned depth);

/* Whether the call to TARGET that W->addr follows was the way's end; the
   instruction there is decoded. */
static bool was_last(struct scan *s, const struct way *w, uint64_t target)
{
	if (!target || !may_begin_function())
		return false;
	if (s->depth < MAX_DEPTH &&
		never_returns(s->code, target, s->depth + 1))
		return true;
	return !decode(s, w->addr); /* the decoder was elsewhere */
}

/* The target of a direct call, else 0. */
static uint64_t call_target(void)
{
	const cs_x86_op *to = operand(0);

	return insn->id == X86_INS_CALL && to && to->type == X86_OP_IMM
		       ? (uint64_t)to->imm
		       : 0;
}

/*
 * Follows a way to its end.  With rows wanted, a return makes one; else it
 * only counts that there is a return.
 */
static void follow(struct scan *s, struct way *w)
{
	uint64_t target = 0;

	while (s->left && first_time(s, w) && decode(s, w->addr)) {
		if (w->addr == s->goal) {
			arrive_at_goal(s, w);
			return;
		}
		s->left--;
		if (is_trap() || was_last(s, w, target))
			return;
		target = call_target();
		w->addr += insn->size;
		if (is_exit(w)) {
			if (s->rows && !s->goal)
				add_row(s, (struct row){.kind = ROW_END});
			return;
		}
		if (cs_insn_group(decoder, insn, CS_GRP_RET)) {
			s->returns = true;
			if (s->rows && !s->goal)
				arrive(s, w);
			return;
		}
		note_number(w);
		if (cs_insn_group(decoder, insn, CS_GRP_JUMP)) {
			if (jump(s, w))
				continue;
			if (jump_by_table(s, w))
				return;
			s->returns = true; /* for all that is known */
			s->tail = *w;
			s->has_tail = true;
			return;
		}
		if (!apply(w) && s->rows) {
			if (!s->goal)
				return;
			w->lost = true;
		}
	}
	if (!s->left)
		s->returns = true;
}

static void follow_all(struct scan *s, uint64_t addr)
{
	s->nways = 1;
	s->ways[0] = (struct way){.addr = addr, .eax = -1};
	while (s->nways && s->left && s->nrows < SCAN_ROWS &&
		(s->rows || !s->returns)) {
		struct way way = s->ways[--s->nways];

		follow(s, &way);
	}
}

static bool never_returns(
	const struct scan_code *code, uint64_t addr, unsigned depth)
{
	uint64_t seen[SEEN_CALLED] = {0};
	struct scan s = {.code = code,
		.left = MAX_CALLED,
		.depth = depth,
		.seen = seen,
		.nseen = SEEN_CALLED};

	follow_all(&s, addr);
	return !s.returns && s.left;
}

size_t scan_rows(const struct scan_code *code, uint64_t addr, struct row *rows)
{
	uint64_t seen[SEEN] = {0};
	struct scan s = {.code = code,
		.left = MAX_INSTRUCTIONS,
		.rows = rows,
		.seen = seen,
		.nseen = SEEN};

	if (!decoder_open())
		return 0;
	follow_all(&s, addr);
	if (!s.nrows && s.has_tail) /* if it is a tail call */
		arrive(&s, &s.tail);
	return s.nrows;
}

bool scan_from_entry(const struct scan_code *code, uint64_t entry,
	uint64_t addr, struct row *row)
{
	struct row rows[SCAN_ROWS];
	uint64_t seen[SEEN] = {0};
	struct scan s = {.code = code,
		.left = MAX_FROM_ENTRY,
		.rows = rows,
		.goal = addr,
		.seen = seen,
		.nseen = SEEN};

	if (!decoder_open())
		return false;
	follow_all(&s, entry);
	*row = rows[0];
	return s.nrows == 1 && !s.unclear;
}

#else

bool scan_from_entry(const struct scan_code *code, uint64_t entry,
	uint64_t addr, struct row *row)
{
	(void)code;
	(void)entry;
	(void)addr;
	(void)row;
	return false;
}

size_t scan_rows(const struct scan_code *code, uint64_t addr, struct row *rows)
{
	(void)code;
	(void)addr;
	(void)rows;
	return 0;
}

void scan_fini(void)
{
}

#endif
