#include "monitor/unwind/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/unwind/cfi_check.h"
#include "monitor/unwind/cfi_eh_frame.h"
#include "monitor/unwind/go_rows.h"

#define FIRST_CODE 4 /* endbr64 */

/* DWARF register numbers of x86-64 (System V ABI, figure 3.36). */
enum { RBP = 6, RSP = 7, RIP = 16 };

/* Where the signal frame's ucontext keeps rsp and rip, from rsp. */
enum { UCONTEXT_RSP = 160 };

struct cfi {
	struct elf_image *image;
	struct eh_frame *fast; /* NULL: only libdw reads it */
	bool tried;            /* libdw's, which are opened when needed */
	Dwarf_CFI *eh;         /* .eh_frame */
	Dwarf *dwarf;          /* owns the one below */
	Dwarf_CFI *debug;      /* .debug_frame */
	struct go_rows *go;    /* NULL: no Go program */
};

struct cfi *cfi_open_libdw(struct elf_image *image)
{
	struct cfi *cfi = calloc(1, sizeof *cfi);

	if (cfi)
		cfi->image = image;
	return cfi;
}

struct cfi *cfi_open(struct elf_image *image)
{
	struct cfi *cfi = cfi_open_libdw(image);

	if (!cfi)
		return NULL;
	cfi->fast = eh_frame_open(image);
	cfi->go = go_rows_open(image);
	return cfi;
}

/* .eh_frame, unless it is harmful, or has a table in it that is not known. */
static void open_eh_frame(struct cfi *cfi, Elf *elf)
{
	struct eh_frame *eh = cfi->fast ? cfi->fast : eh_frame_open(cfi->image);
	uint64_t offset = 0, *entries = NULL;
	size_t n = 0;

	if (eh ? (entries = eh_frame_entries(eh, cfi->image, &n, &offset)) !=
				NULL
	       : eh_frame_no_table(cfi->image)) {
		if (cfi_check(elf, ".eh_frame", offset, entries, n))
			cfi->eh = dwarf_getcfi_elf(elf);
	}
	free(entries);
	if (eh != cfi->fast)
		eh_frame_close(eh);
}

static void open_libdw(struct cfi *cfi)
{
	Elf *elf = (Elf *)cfi->image->elf;

	if (cfi->tried)
		return;
	cfi->tried = true;
	open_eh_frame(cfi, elf);
	if (!cfi_check_leave_frames(elf))
		return;
	cfi->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (cfi->dwarf && cfi_check(elf, ".debug_frame", 0, NULL, 0))
		cfi->debug = dwarf_getcfi(cfi->dwarf);
}

void cfi_close(struct cfi *cfi)
{
	if (!cfi)
		return;
	if (cfi->eh)
		dwarf_cfi_end(cfi->eh);
	if (cfi->dwarf)
		dwarf_end(cfi->dwarf);
	eh_frame_close(cfi->fast);
	go_rows_close(cfi->go);
	free(cfi);
}

enum rule {
	RULE_SAME,
	RULE_UNDEFINED,
	RULE_AT_CFA,
	RULE_AT_RBP, /* saved at *rbp: gcc's realigned frames */
	RULE_OTHER,
};

/*
 * What libdw says of a register: DW_OP_call_frame_cfa [plus_uconst or
 * const, plus] is "saved at CFA + n"; no operations are "undefined" or, with a
 * NULL pointer, "unchanged" (libdw.h, dwarf_frame_register).
 */
static enum rule rule_of(Dwarf_Frame *frame, int reg, int64_t *offset)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	if (dwarf_frame_register(frame, reg, mem, &ops, &n))
		return RULE_OTHER;
	if (n == 0)
		return ops == mem ? RULE_UNDEFINED : RULE_SAME;
	if (n == 1 && ops[0].atom == DW_OP_breg6 && ops[0].number == 0)
		return RULE_AT_RBP;
	if (ops[0].atom != DW_OP_call_frame_cfa)
		return RULE_OTHER;
	if (n == 1)
		*offset = 0;
	else if (n == 2 && ops[1].atom == DW_OP_plus_uconst)
		*offset = (int64_t)ops[1].number;
	else
		return RULE_OTHER;
	return RULE_AT_CFA;
}

/* [breg7 a, breg16 0, lit15, and, litK, ge, lit3, shl, plus]: a PLT's slots */
static bool plt_cfa(
	const Dwarf_Op *ops, size_t n, uint64_t addr, int64_t *offset)
{
	if (n != 9 || ops[0].atom != DW_OP_breg7 ||
		ops[1].atom != DW_OP_breg16 || ops[1].number != 0 ||
		ops[2].atom != DW_OP_lit15 || ops[3].atom != DW_OP_and ||
		ops[4].atom < DW_OP_lit0 || ops[4].atom > DW_OP_lit31 ||
		ops[5].atom != DW_OP_ge || ops[6].atom != DW_OP_lit3 ||
		ops[7].atom != DW_OP_shl || ops[8].atom != DW_OP_plus)
		return false;
	*offset = (int64_t)ops[0].number;
	if ((addr & 15) >= (uint64_t)(ops[4].atom - DW_OP_lit0))
		*offset += 8;
	return true;
}

/* The shape of the CFA; false: none of ours.  *SINGLE: holds at ADDR only. */
static bool shape_cfa(const Dwarf_Op *ops, size_t n, uint64_t addr,
	struct row *row, bool *single)
{
	int64_t offset;

	*single = false;
	if (n == 1 && ops[0].atom == DW_OP_bregx &&
		(ops[0].number == RSP || ops[0].number == RBP)) {
		row->kind = ops[0].number == RSP ? ROW_RSP : ROW_RBP;
		offset = (int64_t)ops[0].number2;
	} else if (n == 1 &&
		   (ops[0].atom == DW_OP_breg7 || ops[0].atom == DW_OP_breg6)) {
		row->kind = ops[0].atom == DW_OP_breg7 ? ROW_RSP : ROW_RBP;
		offset = (int64_t)ops[0].number;
	} else if (n == 2 && ops[0].atom == DW_OP_breg6 &&
		   ops[1].atom == DW_OP_deref) {
		row->kind = ROW_RBP_DEREF;
		offset = (int64_t)ops[0].number;
	} else if (plt_cfa(ops, n, addr, &offset)) {
		row->kind = ROW_RSP;
		*single = true;
	} else {
		return false;
	}
	row->cfa = (int32_t)offset;
	return row->cfa == offset;
}

/* The kernel's signal frame as libc's __restore_rt describes it. */
static bool is_signal_frame(const Dwarf_Op *ops, size_t n)
{
	return n == 2 && ops[0].atom == DW_OP_breg7 &&
	       ops[0].number == UCONTEXT_RSP && ops[1].atom == DW_OP_deref;
}

static struct row make_row(
	Dwarf_Frame *frame, uint64_t addr, bool signal, bool *single)
{
	const struct row complex = {.kind = ROW_COMPLEX};
	struct row row = {.rbp = ROW_RBP_SAME};
	enum rule ra, rbp;
	int64_t offset;
	Dwarf_Op *ops;
	size_t n;

	*single = false;
	ra = rule_of(frame, RIP, &offset);
	if (ra == RULE_UNDEFINED)
		return (struct row){.kind = ROW_END};
	if (dwarf_frame_cfa(frame, &ops, &n))
		return complex;
	if (signal)
		return is_signal_frame(ops, n)
			       ? (struct row){.kind = ROW_SIGNAL}
			       : complex;
	if (ra != RULE_AT_CFA || offset != -8 ||
		!shape_cfa(ops, n, addr, &row, single))
		return complex;
	rbp = rule_of(frame, RBP, &offset);
	if (rbp == RULE_AT_CFA && offset > ROW_RBP_AT_RBP &&
		offset <= INT16_MAX)
		row.rbp = (int16_t)offset;
	else if (rbp == RULE_AT_RBP)
		row.rbp = ROW_RBP_AT_RBP;
	else if (rbp == RULE_OTHER || rbp == RULE_AT_CFA)
		return complex;
	return row;
}

static bool row_from(Dwarf_CFI *table, uint64_t addr, struct row_range *range)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr hi;
	bool signal = false, single;

	if (!table || dwarf_cfi_addrframe(table, addr, &frame))
		return false;
	dwarf_frame_info(frame, NULL, &hi, &signal);
	range->row = make_row(frame, addr, signal, &single);
	/* Behind DW_CFA_restore_state libdw (0.188) gives as start the one of
	   the remembered row, which lies before what differs: only the end can
	   be used. */
	if (!single && addr < hi)
		range->hi = hi;
	free(frame);
	return true;
}

/*
 * What a signal handler returns to, where libc has no unwind information for
 * it: mov $15, %rax or %eax; syscall (rt_sigreturn).  ADDR is its first byte or
 * its system call's, or the byte before, as a return address less 1.
 */
static bool is_signal_return(struct elf_image *image, uint64_t addr)
{
	static const uint8_t wide[] = {
		0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t narrow[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};
	const uint64_t starts[] = {addr, addr + 1, addr - 5, addr - 7};
	uint8_t code[sizeof wide];

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		if (elf_image_read(image, starts[i], code, sizeof wide) &&
			!memcmp(code, wide, sizeof wide))
			return true;
		if (elf_image_read(image, starts[i], code, sizeof narrow) &&
			!memcmp(code, narrow, sizeof narrow))
			return true;
	}
	return false;
}

/* By libdw, unless the fast reader has it or knows that .eh_frame has not. */
static bool row_by_dwarf(
	struct cfi *cfi, uint64_t addr, struct row_range *range)
{
	enum eh_frame_found found = EH_FRAME_OTHER;

	if (cfi->fast)
		found = eh_frame_row(cfi->fast, addr, &range->row);
	if (found == EH_FRAME_ROW)
		return true;
	open_libdw(cfi);
	return (found == EH_FRAME_OTHER && row_from(cfi->eh, addr, range)) ||
	       row_from(cfi->debug, addr, range);
}

void cfi_row(struct cfi *cfi, uint64_t addr, struct row_range *range)
{
	uint64_t entry = cfi->image->entry;

	/* Compilers say it only behind the first instruction. */
	if (entry && addr - entry < FIRST_CODE) {
		range->row = (struct row){.kind = ROW_END};
		return;
	}
	if (cfi->go && is_signal_return(cfi->image, addr)) {
		range->row = (struct row){.kind = ROW_SIGNAL};
		return;
	}
	/* Go's linker makes .debug_frame from the same table, but leaves out
	   where a function goes over to another stack. */
	if (go_rows_get(cfi->go, addr, range) || row_by_dwarf(cfi, addr, range))
		return;
	if (is_signal_return(cfi->image, addr))
		range->row = (struct row){.kind = ROW_SIGNAL};
	else if (entry && addr - entry < START_CODE)
		range->row = (struct row){.kind = ROW_END};
}

bool cfi_function(const struct cfi *cfi, uint64_t addr, uint64_t *start)
{
	return cfi && (go_rows_function(cfi->go, addr, start) ||
			      elf_image_function(cfi->image, addr, start));
}
