/* Keeps the addresses at which a clock finds a thread that is at a probe. */
#include "config.h"

#include "lib/lower_bound.h"
#include "monitor/probe/cost.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/arch/control_flow.h"
#include "lib/order.h"
#include "lib/sys/regular.h"
#include "monitor/arch/arch.h"
#include "monitor/space/module.h"

#define LONGEST 15 /* bytes of an instruction */

#define OTHER UINT32_MAX /* no file with probes */

/* The file's index; OTHER: it has no probes. */
static uint32_t find_file(const struct probe_cost *cost, const struct stat *st)
{
	for (size_t i = 0; i < cost->files.n; i++)
		if (cost->files.v[i].dev == st->st_dev &&
			cost->files.v[i].inode == st->st_ino)
			return (uint32_t)i;
	return OTHER;
}

static bool decode(struct decoder *decoder, const struct probe_point *point)
{
	uint8_t code[LONGEST];
	int fd = regular_open(AT_FDCWD, point->file, 0, NULL, NULL);
	ssize_t n = fd < 0 ? -1
			   : pread(fd, code, sizeof code, (off_t)point->offset);

	if (fd >= 0)
		close(fd);
	return n > 0 && insn_decode(decoder, code, (size_t)n, point->addr);
}

/*
 * Where a thread is behind an instruction that the kernel has executed itself.
 * It does so with jumps and calls; a thread on its way out then is at the
 * target, and so may be one in its own code.  A call leaves its return address,
 * which tells them apart: 15 % of its cost were the called function's.
 */
static int add_behind(
	struct probe_cost *cost, const struct probe_point *point, uint32_t file)
{
	struct probe_trap next = {.file = file}, target = {.file = file};
	struct decoder decoder;
	bool known = decoder_open(&decoder) && decode(&decoder, point);

	if (known) {
		next.addr = point->addr + insn_size(&decoder);
		target.addr = insn_target(&decoder);
		target.kernel = insn_kind(&decoder) != INSN_CALL;
		target.word = target.kernel ? 0 : next.addr;
	}
	decoder_close(&decoder);
	if (!known)
		return 0;
	return vec_add(&cost->at, next) &&
			       (!target.addr || vec_add(&cost->at, target))
		       ? 0
		       : -1;
}

static int add_point(
	struct probe_cost *cost, const struct probe_point *point, bool uprobes)
{
	struct stat st;
	uint32_t index;

	if (stat(point->file, &st)) /* deleted: it cannot be mapped either */
		return 0;
	index = find_file(cost, &st);
	if (index == OTHER) {
		if (!vec_add(&cost->files,
			    (struct probe_file){st.st_dev, st.st_ino}))
			return -1;
		index = (uint32_t)cost->files.n - 1;
	}
	if (!vec_add(&cost->at,
		    (struct probe_trap){.addr = point->addr, .file = index}))
		return -1;
	if (!uprobes)
		return 0;
	/* behind the trap's one byte, before the kernel has handled it */
	return vec_add(&cost->at, (struct probe_trap){.addr = point->addr + 1,
					  .file = index,
					  .kernel = true})
		       ? add_behind(cost, point, index)
		       : -1;
}

int probe_cost_add(
	struct probe_cost *cost, const struct calls *calls, bool uprobes)
{
	for (size_t i = 0; i < calls->points.n; i++)
		if (add_point(cost, &calls->points.v[i], uprobes))
			return -1;
	if (cost->at.n)
		qsort(cost->at.v, cost->at.n, sizeof *cost->at.v, order_u64);
	cost->uprobes |= uprobes;
	return 0;
}

/*
 * The file with probes that the module is; OTHER: none.  Its image may be
 * opened after the module is first seen: until then it is unknown.
 */
static uint32_t file_of(struct probe_cost *cost, const struct module *module)
{
	struct stat st;
	uint32_t *known, file;

	while (cost->modules.n <= module->id)
		if (!vec_push(&cost->modules))
			return OTHER;
	known = &cost->modules.v[module->id];
	if (*known)
		return *known == OTHER ? OTHER : *known - 1;
	if (!module->image || module->image->fd < 0 ||
		fstat(module->image->fd, &st))
		return OTHER;
	file = find_file(cost, &st);
	*known = file == OTHER ? OTHER : file + 1;
	return file;
}

static bool is_probed(const struct probe_cost *cost, uint64_t addr,
	uint32_t file, bool user, uint64_t word)
{
	size_t i = LOWER_BOUND(cost->at.n, k, cost->at.v[k].addr < addr);

	for (; i < cost->at.n && cost->at.v[i].addr == addr; i++)
		if (cost->at.v[i].file == file &&
			!(user && cost->at.v[i].kernel) &&
			(!cost->at.v[i].word || cost->at.v[i].word == word))
			return true;
	return false;
}

bool probe_cost_is(struct probe_cost *cost, const struct address_space *space,
	uint64_t ip, bool user, uint64_t word)
{
	const struct mapping *map;
	uint32_t file;

	if (!cost->at.n)
		return false;
	if (cost->uprobes && ip >= PROBE_COPIES && ip < PROBE_COPIES_END)
		return true;
	map = address_space_find(space, ip);
	if (!map)
		return false;
	if (map->probes)
		return cost->uprobes;
	file = file_of(cost, map->module);
	return file != OTHER &&
	       is_probed(cost, ip - map->bias, file, user, word - map->bias);
}

void probe_cost_fini(struct probe_cost *cost)
{
	vec_free(&cost->at);
	vec_free(&cost->files);
	vec_free(&cost->modules);
}
