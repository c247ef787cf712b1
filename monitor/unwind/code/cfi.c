/* Turns an entry of .eh_frame or .debug_frame into a row. */
#include "monitor/unwind/code/cfi.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "lib/arch/arch.h"
#include "lib/elf/frame.h"
#include "lib/leb128.h"
#include "monitor/arch/arch.h"
#include "monitor/unwind/code/go_rows.h"

#define FIRST_CODE 4       /* endbr64 */
#define LONGEST (16 << 10) /* bytes of a function that are read */

struct cfi {
	struct elf_image *image;
	struct elf_image *debug; /* has .debug_frame; NULL: none */
	struct frames *frames;
	struct go_rows *go; /* NULL: no Go program */
};

/* The separate debug file, if call frame information is in it. */
static struct elf_image *open_debug(const struct elf_image *image)
{
	struct elf_image *debug = elf_image_debug(image);
	GElf_Shdr shdr;

	if (debug && !elf_find_section(debug->elf, ".debug_frame", &shdr)) {
		elf_image_free(debug);
		return NULL;
	}
	return debug;
}

struct cfi *cfi_open(struct elf_image *image)
{
	struct cfi *cfi = calloc(1, sizeof *cfi);

	if (!cfi)
		return NULL;
	cfi->image = image;
	cfi->debug = open_debug(image);
	cfi->frames =
		frames_open(image->elf, cfi->debug ? cfi->debug->elf : NULL);
	if (!cfi->frames) {
		cfi_close(cfi);
		return NULL;
	}
	cfi->go = go_rows_open(image);
	return cfi;
}

void cfi_close(struct cfi *cfi)
{
	if (!cfi)
		return;
	frames_close(cfi->frames);
	elf_image_free(cfi->debug);
	go_rows_close(cfi->go);
	free(cfi);
}

/* A DWARF expression being read. */
struct ops {
	const uint8_t *at, *end;
};

/* Skips OP if it is the next operation. */
static bool take(struct ops *ops, uint8_t op)
{
	if (ops->at >= ops->end || *ops->at != op)
		return false;
	ops->at++;
	return true;
}

/* Skips an operation that adds a number to a register. */
static bool take_breg(struct ops *ops, uint8_t op, int64_t *offset)
{
	return take(ops, op) && leb128_signed(&ops->at, ops->end, offset);
}

/*
 * [breg7 a, breg16 0, lit15, and, litK, ge, lit3, shl, plus]: the entries of a
 * PLT
 */
static bool plt_cfa(struct ops ops, uint64_t addr, int64_t *offset)
{
	int64_t pc;
	uint8_t slot;

	if (!take_breg(&ops, DW_OP_breg7, offset) ||
		!take_breg(&ops, DW_OP_breg16, &pc) || pc != 0 ||
		!take(&ops, DW_OP_lit15) || !take(&ops, DW_OP_and) ||
		ops.at == ops.end)
		return false;
	slot = *ops.at++;
	if (slot < DW_OP_lit0 || slot > DW_OP_lit31 || !take(&ops, DW_OP_ge) ||
		!take(&ops, DW_OP_lit3) || !take(&ops, DW_OP_shl) ||
		!take(&ops, DW_OP_plus) || ops.at != ops.end)
		return false;
	if ((addr & 15) >= (uint64_t)(slot - DW_OP_lit0))
		*offset += 8;
	return true;
}

/* [breg a, deref] */
static bool deref_cfa(struct ops ops, uint8_t breg, int64_t *offset)
{
	return take_breg(&ops, breg, offset) && take(&ops, DW_OP_deref) &&
	       ops.at == ops.end;
}

/* The shape of the CFA; false: none of a row's. */
static bool shape_cfa(
	const struct frame_row *frame, uint64_t addr, struct unwind_row *row)
{
	struct ops ops = {frame->cfa_ops, frame->cfa_ops};
	int64_t offset = frame->cfa_offset;

	if (!frame->cfa_ops) {
		if (frame->cfa_reg != FRAME_SP && frame->cfa_reg != FRAME_FP)
			return false;
		row->kind = frame->cfa_reg == FRAME_SP ? ROW_SP : ROW_FP;
	} else {
		ops.end += frame->cfa_offset;
		if (plt_cfa(ops, addr, &offset))
			row->kind = ROW_SP;
		else if (deref_cfa(ops, DW_OP_breg6, &offset))
			row->kind = ROW_FP_DEREF;
		else
			return false;
	}
	row->cfa = (int32_t)offset;
	return row->cfa == offset;
}

/*
 * Whether it is the kernel's signal frame as libc's __restore_rt describes it.
 */
static bool is_signal_frame(const struct frame_row *frame)
{
	struct ops ops = {frame->cfa_ops, frame->cfa_ops};
	int64_t offset;

	if (!frame->cfa_ops)
		return false;
	ops.end += frame->cfa_offset;
	return deref_cfa(ops, DW_OP_breg7, &offset) && offset == UCONTEXT_SP;
}

/* Saved at *fp: in frames that gcc realigns. */
static bool is_at_fp(const struct frame_saved *saved)
{
	struct ops ops = {saved->ops, saved->ops + saved->nops};
	int64_t offset;

	return saved->rule == FRAME_SAVED &&
	       take_breg(&ops, DW_OP_breg6, &offset) && offset == 0 &&
	       ops.at == ops.end;
}

static bool shape_fp(const struct frame_saved *saved, struct unwind_row *row)
{
	if (saved->rule == FRAME_SAME || saved->rule == FRAME_UNDEFINED)
		row->fp = ROW_FP_SAME;
	else if (saved->rule == FRAME_AT_CFA && saved->offset > ROW_FP_AT_FP &&
		 saved->offset <= INT16_MAX)
		row->fp = (int16_t)saved->offset;
	else if (is_at_fp(saved))
		row->fp = ROW_FP_AT_FP;
	else
		return false;
	return true;
}

static struct unwind_row make_row(const struct frame_row *frame, uint64_t addr)
{
	struct unwind_row row = {.kind = ROW_COMPLEX};

	if (frame->ra.rule == FRAME_UNDEFINED)
		return (struct unwind_row){.kind = ROW_END};
	if (frame->signal)
		return (struct unwind_row){.kind = is_signal_frame(frame)
							   ? ROW_SIGNAL
							   : ROW_COMPLEX};
	/* unless it is said, the caller's sp is the CFA */
	if (frame->ra.rule != FRAME_AT_CFA || frame->ra.offset != -8 ||
		(frame->sp.rule != FRAME_SAME &&
			(frame->sp.rule != FRAME_IS_CFA || frame->sp.offset)) ||
		!shape_cfa(frame, addr, &row) || !shape_fp(&frame->fp, &row))
		return (struct unwind_row){.kind = ROW_COMPLEX};
	return row;
}

/*
 * Whether a signal handler returns to ADDR, where libc has no unwind
 * information for that code.  ADDR is its first byte, its system call's or the
 * one behind that (Go's has an instruction there), or the byte before, as a
 * return address less 1.
 */
static bool is_signal_return(struct elf_image *image, uint64_t addr)
{
	const uint64_t starts[] = {
		addr, addr + 1, addr - 5, addr - 7, addr - 9};
	uint8_t code[SYSCALL_BY_NUMBER];

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		size_t n = elf_image_read_some(
			image, starts[i], code, sizeof code);

		if (code_syscall_of(code, n, SYS_rt_sigreturn))
			return true;
	}
	return false;
}

struct unwind_row cfi_row(struct cfi *cfi, uint64_t addr)
{
	uint64_t entry = cfi->image->entry;
	struct frame_row frame;
	struct unwind_row row;

	/* Compilers state it only after the first instruction. */
	if (entry && addr - entry < FIRST_CODE)
		return (struct unwind_row){.kind = ROW_END};
	if (cfi->go && is_signal_return(cfi->image, addr))
		return (struct unwind_row){.kind = ROW_SIGNAL};
	/* Go's linker makes .debug_frame from the same table, but leaves out
	   where a function switches stacks. */
	if (go_rows_get(cfi->go, addr, &row))
		return row;
	if (frames_row(cfi->frames, addr, &frame) == FRAME_ROW)
		return make_row(&frame, addr);
	if (is_signal_return(cfi->image, addr))
		return (struct unwind_row){.kind = ROW_SIGNAL};
	return (struct unwind_row){.kind = entry && addr - entry < START_CODE
						   ? ROW_END
						   : ROW_UNKNOWN};
}

bool cfi_function(struct cfi *cfi, uint64_t addr, uint64_t *start)
{
	struct frame_range range;

	if (!cfi)
		return false;
	if (go_rows_function(cfi->go, addr, start))
		return true;
	if (!frames_range(cfi->frames, addr, &range))
		return false;
	*start = range.lo;
	return true;
}

bool cfi_jumps(struct cfi *cfi, uint64_t addr, uint64_t to)
{
	struct frame_range range, goal;
	uint8_t code[LONGEST];
	size_t n;

	if (!cfi || !frames_range(cfi->frames, addr, &range) ||
		!frames_range(cfi->frames, to, &goal))
		return false;
	n = range.hi - range.lo;
	return n > sizeof code ||
	       (elf_image_read(cfi->image, range.lo, code, n) &&
		       (code_jumps_into(code, n, range.lo, goal.lo, goal.hi) ||
			       code_jumps_short(code, n, range.lo, goal.lo)));
}

bool cfi_stands_for_call(const struct cfi *cfi, uint64_t addr)
{
	return cfi && go_rows_stands_for_call(cfi->go, addr);
}
