/* frame_program.c - runs call frame instructions (DWARF 5, section 6.4.2). */
#include <dwarf.h>

#include "lib/elf/frame_private.h"

#define NESTED 64 /* remembered states */
/*
 * Instructions that are run for one row: the longest function of cc1plus has 20
 * KB, and a hostile file must not cost seconds a sample.
 */
#define LONGEST (128 << 10)

struct machine {
	const struct frame_section *section;
	const struct frame_cie *cie;
	struct frame_row now, initial;
	struct frame_row kept[NESTED];
	unsigned nkept;
};

static struct frame_saved *of_register(struct frame_row *row, uint64_t reg)
{
	switch (reg) {
	case FRAME_FP:
		return &row->fp;
	case FRAME_SP:
		return &row->sp;
	case FRAME_RA:
		return &row->ra;
	default:
		return NULL;
	}
}

static void set_rule(
	struct machine *m, uint64_t reg, enum frame_rule rule, int64_t offset)
{
	struct frame_saved *saved = of_register(&m->now, reg);

	if (saved)
		*saved = (struct frame_saved){.rule = rule, .offset = offset};
}

static void set_ops(struct machine *m, enum frame_rule rule, struct cursor *in)
{
	struct frame_saved *saved = of_register(&m->now, cursor_varint(in));
	uint64_t n = cursor_varint(in);
	const uint8_t *ops = cursor_bytes(in, n);

	if (saved)
		*saved = (struct frame_saved){
			.rule = rule, .nops = (uint32_t)n, .ops = ops};
}

static void restore(struct machine *m, uint64_t reg)
{
	struct frame_saved *saved = of_register(&m->now, reg);

	if (saved)
		*saved = *of_register(&m->initial, reg);
}

static int64_t factored(int64_t factor, int64_t align)
{
	return (int64_t)((uint64_t)factor * (uint64_t)align);
}

/* Runs an instruction that defines the CFA; false: it is none. */
static bool define_cfa(struct machine *m, uint8_t op, struct cursor *in)
{
	struct frame_row *now = &m->now;
	int64_t align = m->cie->data_align;
	uint64_t n;

	switch (op) {
	case DW_CFA_def_cfa:
		now->cfa_reg = cursor_varint(in);
		now->cfa_offset = (int64_t)cursor_varint(in);
		now->cfa_ops = NULL;
		return true;
	case DW_CFA_def_cfa_sf:
		now->cfa_reg = cursor_varint(in);
		now->cfa_offset = factored(cursor_sleb(in), align);
		now->cfa_ops = NULL;
		return true;
	case DW_CFA_def_cfa_register:
		now->cfa_reg = cursor_varint(in);
		break;
	case DW_CFA_def_cfa_offset:
		now->cfa_offset = (int64_t)cursor_varint(in);
		break;
	case DW_CFA_def_cfa_offset_sf:
		now->cfa_offset = factored(cursor_sleb(in), align);
		break;
	case DW_CFA_def_cfa_expression:
		n = cursor_varint(in);
		now->cfa_ops = cursor_bytes(in, n);
		now->cfa_offset = (int64_t)n;
		return true;
	default:
		return false;
	}
	in->bad |= now->cfa_ops != NULL; /* there is no register to change */
	return true;
}

/* Runs an instruction that defines a register's rule; false: it is none. */
static bool define_rule(struct machine *m, uint8_t op, struct cursor *in)
{
	int64_t align = m->cie->data_align;
	uint64_t reg;

	switch (op) {
	case DW_CFA_offset_extended:
		reg = cursor_varint(in);
		set_rule(m, reg, FRAME_AT_CFA,
			factored((int64_t)cursor_varint(in), align));
		return true;
	case DW_CFA_offset_extended_sf:
		reg = cursor_varint(in);
		set_rule(
			m, reg, FRAME_AT_CFA, factored(cursor_sleb(in), align));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = cursor_varint(in);
		set_rule(m, reg, FRAME_AT_CFA,
			factored(factored((int64_t)cursor_varint(in), align),
				-1));
		return true;
	case DW_CFA_val_offset:
		reg = cursor_varint(in);
		set_rule(m, reg, FRAME_IS_CFA,
			factored((int64_t)cursor_varint(in), align));
		return true;
	case DW_CFA_val_offset_sf:
		reg = cursor_varint(in);
		set_rule(
			m, reg, FRAME_IS_CFA, factored(cursor_sleb(in), align));
		return true;
	case DW_CFA_register:
		reg = cursor_varint(in);
		set_rule(m, reg, FRAME_REGISTER, (int64_t)cursor_varint(in));
		return true;
	case DW_CFA_expression:
		set_ops(m, FRAME_SAVED, in);
		return true;
	case DW_CFA_val_expression:
		set_ops(m, FRAME_VALUE, in);
		return true;
	case DW_CFA_restore_extended:
		restore(m, cursor_varint(in));
		return true;
	case DW_CFA_undefined:
		set_rule(m, cursor_varint(in), FRAME_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_rule(m, cursor_varint(in), FRAME_SAME, 0);
		return true;
	default:
		return false;
	}
}

/* Runs the others, which neither define nor advance. */
static void other(struct machine *m, uint8_t op, struct cursor *in)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: /* of other processors */
		break;
	case DW_CFA_remember_state:
		if (m->nkept == NESTED)
			in->bad = true;
		else
			m->kept[m->nkept++] = m->now;
		break;
	case DW_CFA_restore_state:
		if (m->nkept) {
			uint64_t lo = m->now.lo;

			m->now = m->kept[--m->nkept];
			m->now.lo = lo;
		} else {
			in->bad = true;
		}
		break;
	case DW_CFA_GNU_args_size:
		cursor_varint(in);
		break;
	default:
		in->bad = true;
	}
}

/* Whether an instruction advances to another address, and to which. */
static bool is_advance(
	const struct machine *m, uint8_t byte, struct cursor *in, uint64_t *to)
{
	uint64_t by;

	if ((byte & 0xc0) == DW_CFA_advance_loc)
		by = byte & 0x3f;
	else if (byte == DW_CFA_advance_loc1)
		by = cursor_fixed(in, 1);
	else if (byte == DW_CFA_advance_loc2)
		by = cursor_fixed(in, 2);
	else if (byte == DW_CFA_advance_loc4)
		by = cursor_fixed(in, 4);
	else if (byte == DW_CFA_MIPS_advance_loc8)
		by = cursor_fixed(in, 8);
	else if (byte == DW_CFA_set_loc) {
		*to = frame_pointer(m->section, in, m->cie->encoding);
		return true;
	} else
		return false;
	*to = m->now.lo + by * m->cie->code_align;
	return true;
}

/* Runs PROGRAM up to the row that holds at ADDR; false: it cannot be read. */
static bool run(struct machine *m, struct cursor program, uint64_t addr)
{
	while (cursor_left(&program) && !program.bad) {
		uint8_t byte = *program.p++, low = byte & 0x3f;
		uint64_t to;

		if (is_advance(m, byte, &program, &to)) {
			if (to > addr) {
				m->now.hi = to;
				break;
			}
			program.bad |= to < m->now.lo;
			m->now.lo = to;
		} else if ((byte & 0xc0) == DW_CFA_offset) {
			set_rule(m, low, FRAME_AT_CFA,
				factored((int64_t)cursor_varint(&program),
					m->cie->data_align));
		} else if ((byte & 0xc0) == DW_CFA_restore) {
			restore(m, low);
		} else if (!define_cfa(m, byte, &program) &&
			   !define_rule(m, byte, &program)) {
			other(m, byte, &program);
		}
	}
	return !program.bad;
}

bool frame_run(const struct frame_section *s, const struct frame_entry *entry,
	uint64_t addr, struct frame_row *row)
{
	struct machine m;

	if (cursor_left(&entry->program) > LONGEST ||
		cursor_left(&entry->cie.program) > LONGEST)
		return false;
	m.section = s;
	m.cie = &entry->cie;
	m.nkept = 0;
	m.now = (struct frame_row){.lo = entry->lo,
		.hi = entry->hi,
		.signal = entry->cie.signal,
		.cfa_reg = UINT64_MAX};
	m.initial = m.now;
	if (!run(&m, entry->cie.program, UINT64_MAX))
		return false;
	m.now.lo = entry->lo;
	m.initial = m.now;
	m.now.hi = entry->hi;
	if (!run(&m, entry->program, addr))
		return false;
	*row = m.now;
	if (row->hi > entry->hi)
		row->hi = entry->hi;
	return true;
}
