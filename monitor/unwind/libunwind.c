/*
 * libunwind over a snapshot: its accessors get registers and stack from the
 * snapshot, unwind tables and code from the module's file, and nothing from the
 * process.  Used for the frames that no row describes, and alone as a second
 * opinion.
 */
#include "monitor/unwind/unwind.h"

#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

/* libunwind exports it for this use, but in no header. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as,
	unw_word_t ip, unw_dyn_info_t *di, unw_proc_info_t *pi,
	int need_unwind_info, void *arg);

struct libunwind_walk {
	struct snapshot *snapshot;
	const struct address_space *space;
	bool guesses; /* it had no unwind information for the last step */
	unw_addr_space_t tables; /* libunwind's; NULL: not begun */
	unw_cursor_t cursor;
};

/* .eh_frame_hdr: version, three encodings, eh_frame pointer, count, table */
struct eh_frame_hdr {
	uint8_t version, eh_frame_enc, count_enc, table_enc;
	int32_t eh_frame;
	uint32_t count;
};

enum {
	DW_EH_PE_UDATA4 = 0x03,
	DW_EH_PE_PCREL_SDATA4 = 0x1b,
	DW_EH_PE_DATAREL_SDATA4 = 0x3b
};

/* The sorted table of the module, as linkers write it. */
static bool table_of(const struct mapping *mapping, unw_dyn_info_t *di)
{
	struct elf_image *image = mapping->module->image;
	struct eh_frame_hdr header;

	if (!image || !image->eh_frame_hdr ||
		!elf_image_read(
			image, image->eh_frame_hdr, &header, sizeof header) ||
		header.version != 1 ||
		header.eh_frame_enc != DW_EH_PE_PCREL_SDATA4 ||
		header.count_enc != DW_EH_PE_UDATA4 ||
		header.table_enc != DW_EH_PE_DATAREL_SDATA4 ||
		header.count > image->eh_frame_hdr_size / 8)
		return false;
	memset(di, 0, sizeof *di);
	di->format = UNW_INFO_FORMAT_REMOTE_TABLE;
	di->start_ip = mapping->start;
	di->end_ip = mapping->end;
	di->u.rti.segbase = image->eh_frame_hdr + mapping->bias;
	di->u.rti.table_data = di->u.rti.segbase + sizeof header;
	di->u.rti.table_len = header.count * 8 / sizeof(unw_word_t);
	return true;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip,
	unw_proc_info_t *pi, int need_unwind_info, void *arg)
{
	struct libunwind_walk *walk = arg;
	const struct mapping *mapping = address_space_find(walk->space, ip);
	unw_dyn_info_t di;
	int error = -UNW_ENOINFO;

	if (mapping && table_of(mapping, &di))
		error = UNW_OBJ(dwarf_search_unwind_table)(
			as, ip, &di, pi, need_unwind_info, arg);
	walk->guesses |= error < 0;
	return error;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as, (void)arg;
	free(pi->unwind_info);
	pi->unwind_info = NULL;
}

static int get_dyn_info_list_addr(
	unw_addr_space_t as, unw_word_t *addr, void *arg)
{
	(void)as, (void)addr, (void)arg;
	return -UNW_ENOINFO;
}

/*
 * Unwind tables lie beside the code, in segments that perf does not report:
 * reads from any module whose code is mapped near enough.
 */
static bool read_module(
	struct libunwind_walk *walk, uint64_t addr, void *buf, size_t n)
{
	const struct mapping *m = address_space_find(walk->space, addr);

	if (m && m->module->image)
		return elf_image_read(m->module->image, addr - m->bias, buf, n);
	for (size_t i = 0; i < walk->space->maps.n; i++) {
		m = &walk->space->maps.v[i];
		if (m->module->image && elf_image_read(m->module->image,
						addr - m->bias, buf, n))
			return true;
	}
	return false;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value,
	int write, void *arg)
{
	struct libunwind_walk *walk = arg;

	(void)as;
	if (write)
		return -UNW_EINVAL;
	if (addr - walk->snapshot->base < walk->snapshot->size)
		return snapshot_read(walk->snapshot, addr, value) ? 0
								  : -UNW_EINVAL;
	if (read_module(walk, addr, value, sizeof *value))
		return 0;
	return snapshot_read(walk->snapshot, addr, value) ? 0 : -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value,
	int write, void *arg)
{
	struct libunwind_walk *walk = arg;

	(void)as;
	if (write || reg < 0 || reg >= SNAPSHOT_REGS)
		return -UNW_EBADREG;
	*value =
		walk->snapshot->regs[reg]; /* libunwind's numbers are DWARF's */
	return 0;
}

/*
 * Registers of floating point, names and resuming have none: libunwind asks for
 * them only in unw_get_fpreg(), unw_get_proc_name() and unw_resume().
 */
static const unw_accessors_t accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_unwind_info,
	.get_dyn_info_list_addr = get_dyn_info_list_addr,
	.access_mem = access_mem,
	.access_reg = access_reg,
};

static bool walk_begin(struct libunwind_walk *walk)
{
	unw_accessors_t copy = accessors;

	walk->tables = unw_create_addr_space(&copy, 0);
	if (!walk->tables)
		return false;
	/* an address can mean something else in the next frame's module */
	unw_set_caching_policy(walk->tables, UNW_CACHE_NONE);
	return unw_init_remote(&walk->cursor, walk->tables, walk) == 0;
}

static void walk_end(struct libunwind_walk *walk)
{
	if (walk->tables)
		unw_destroy_addr_space(walk->tables);
}

static bool read_cursor(unw_cursor_t *cursor, struct unwind_cursor *c)
{
	unw_word_t ip, sp, fp;

	if (unw_get_reg(cursor, UNW_REG_IP, &ip) ||
		unw_get_reg(cursor, UNW_REG_SP, &sp))
		return false;
	/* popped already in an epilogue: it was below the copy */
	if (unw_get_reg(cursor, REG_FP_, &fp))
		fp = 0;
	c->ip = ip;
	c->sp = sp;
	c->fp = fp;
	return true;
}

/* The caller of frame number INDEX. */
static bool step_from(
	struct libunwind_walk *walk, size_t index, struct unwind_cursor *caller)
{
	unw_cursor_t *cursor = &walk->cursor;
	struct unwind_cursor next = {0};
	uint64_t sp = caller->sp;
	bool signal;

	for (size_t i = 0; i < index; i++)
		if (unw_step(cursor) <= 0)
			return false;
	signal = unw_is_signal_frame(cursor) > 0;
	if (unw_step(cursor) <= 0 || walk->guesses ||
		!read_cursor(cursor, &next))
		return false;
	/* libc's vfork(2) keeps its return address in a register: only its own
	   frame may be empty. */
	if ((index ? next.sp <= sp : next.sp < sp) && !signal)
		return false;
	next.exact = signal;
	*caller = next;
	return true;
}

bool unwind_libunwind_step(struct snapshot *snapshot,
	const struct address_space *space, size_t index,
	struct unwind_cursor *caller)
{
	struct libunwind_walk walk = {.snapshot = snapshot, .space = space};
	bool found = walk_begin(&walk) && step_from(&walk, index, caller);

	walk_end(&walk);
	return found;
}

/* Pushes the frames; why the stack ends there. */
static enum unwind_end push_frames(
	struct libunwind_walk *walk, struct unwind_stack *stack)
{
	struct unwind_cursor c = {.exact = true};
	int more;

	do {
		const struct mapping *mapping;
		struct unwind_frame *frame;

		if (!read_cursor(&walk->cursor, &c))
			return UNWIND_NO_RULE;
		mapping = address_space_find(walk->space, c.ip - !c.exact);
		if (!mapping)
			return c.ip ? UNWIND_NO_MODULE : UNWIND_WHOLE;
		frame = unwind_push(stack);
		if (!frame)
			return UNWIND_TOO_DEEP;
		*frame = (struct unwind_frame){.module = mapping->module,
			.addr = c.ip - mapping->bias,
			.ip = c.ip,
			.sp = c.sp,
			.fp = c.fp,
			.exact = c.exact};
		walk->guesses = false;
		c.exact = unw_is_signal_frame(&walk->cursor) > 0;
		more = unw_step(&walk->cursor);
	} while (more > 0 && !walk->guesses);
	return more == 0 && !walk->guesses ? UNWIND_WHOLE : UNWIND_NO_RULE;
}

/*
 * Where libunwind has no table it tries frame pointers, without a check: the
 * stack ends there.
 */
void unwind_libunwind(struct snapshot *snapshot,
	const struct address_space *space,
	const struct previous_stack *previous, struct unwind_stack *stack)
{
	struct libunwind_walk walk = {.snapshot = snapshot, .space = space};

	(void)previous;
	stack->found.n = stack->kept = 0;
	stack->end = UNWIND_NO_STACK;
	if (snapshot->has_regs && walk_begin(&walk))
		stack->end = push_frames(&walk, stack);
	walk_end(&walk);
}
