/* Reads the notes about probes. */
#include "monitor/probe/usdt.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/elf_image.h"
#include "lib/sys/regular.h"
#include "lib/text.h"
#include "monitor/arch/amount.h"
#include "monitor/arch/arch.h"

#define NOTE_TYPE 3 /* of the owner "stapsdt" */
#define OPERAND_MAX 64

/* The offset in the file of link-time address ADDR; 0: it has none. */
static uint64_t offset_of(const struct elf_image *image, uint64_t addr)
{
	for (size_t i = 0; i < image->segments.n; i++) {
		const struct elf_segment *s = &image->segments.v[i];

		if (addr >= s->vaddr && addr - s->vaddr < s->filesz)
			return addr - s->vaddr + s->offset;
	}
	return 0;
}

/* Takes the text at *AT, which ends before END; NULL: it does not. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *zero = memchr(text, 0, (size_t)(end - text));

	*at = zero ? zero + 1 : end;
	return zero ? text : NULL;
}

/*
 * A note has the addresses of its probe, of a section of that time, by which a
 * prelinked file's are known to have moved, and of its semaphore.
 */
static bool read_note(const struct elf_image *image, const char *bytes,
	size_t size, uint64_t base, struct usdt_note *note)
{
	uint64_t words[3], moved;
	const char *at = bytes + sizeof words, *end = bytes + size;

	if (size < sizeof words)
		return false;
	memcpy(words, bytes, sizeof words);
	moved = base ? base - words[1] : 0;
	note->provider = take_text(&at, end);
	note->name = take_text(&at, end);
	note->arguments = take_text(&at, end);
	if (!note->arguments)
		note->arguments = "";
	note->addr = words[0] + moved;
	note->offset = elf_image_code(image, note->addr)
			       ? offset_of(image, note->addr)
			       : 0;
	note->semaphore = words[2] ? offset_of(image, words[2] + moved) : 0;
	return note->provider && note->name && note->offset &&
	       !words[2] == !note->semaphore;
}

int usdt_each(const char *file, int (*see)(void *arg, const struct usdt_note *),
	void *arg)
{
	int fd = regular_open(AT_FDCWD, file, 0, NULL, NULL), result = 0;
	struct elf_image *image = fd < 0 ? NULL : elf_image_open(fd);
	size_t at = 0, next, name, desc;
	GElf_Shdr header = {0}, base = {0};
	Elf_Data *data = NULL;
	GElf_Nhdr head;
	Elf_Scn *scn;

	if (!image)
		return 0;
	scn = elf_find_section(image->elf, ".note.stapsdt", &header);
	if (scn)
		data = elf_getdata(scn, NULL);
	elf_find_section(image->elf, ".stapsdt.base", &base);
	while (!result && data &&
		(next = gelf_getnote(data, at, &head, &name, &desc))) {
		const char *bytes = data->d_buf;
		struct usdt_note note;

		at = next;
		if (head.n_type == NOTE_TYPE && head.n_namesz == 8 &&
			memcmp(bytes + name, "stapsdt", 8) == 0 &&
			read_note(image, bytes + desc, head.n_descsz,
				base.sh_addr, &note))
			result = see(arg, &note);
	}
	elf_image_free(image);
	return result;
}

uint64_t usdt_amount(const struct usdt_note *note, unsigned n)
{
	const char *text = note->arguments + strspn(note->arguments, " ");
	char operand[OPERAND_MAX], *end;
	size_t length;
	uint64_t amount;
	long size;

	while (--n && *text) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	size = strtol(text, &end, 10);
	length = strcspn(text, " ");
	if (*end != '@' || (labs(size) != 1 && labs(size) != 2 &&
				   labs(size) != 4 && labs(size) != 8))
		return 0;
	length -= (size_t)(end + 1 - text);
	if (length >= sizeof operand)
		return 0;
	memcpy(operand, end + 1, length);
	operand[length] = '\0';
	return amount_of_operand(
		       operand, (unsigned)labs(size), size < 0, &amount)
		       ? amount
		       : 0;
}

/* --- one by its name --- */

/* "PROVIDER:NAME[.argN]" */
struct wanted_probe {
	usdt_points *points;
	usdt_names *seen;
	char name[256];
	unsigned argument; /* N; 0: none */
	struct err *err;
};

static bool split_name(struct wanted_probe *w, const char *text)
{
	char *dot, *end;

	snprintf(w->name, sizeof w->name, "%s", text);
	dot = strrchr(strrchr(w->name, ':'), '.');
	if (!dot)
		return true;
	*dot = '\0';
	if (strncmp(dot, "\0arg", 4) == 0)
		w->argument = (unsigned)strtoul(dot + 4, &end, 10);
	return w->argument && !*end;
}

static int bad_argument(
	const struct wanted_probe *w, const struct usdt_note *note)
{
	err_set(w->err, w->name, "usdt", "argument %u of it is no whole number",
		w->argument);
	if (*note->arguments)
		return err_hint(w->err,
			"the program keeps its arguments at %s; the first is "
			".arg1; a number in a register or on the stack can be "
			"added up",
			note->arguments);
	return err_hint(w->err, "it has no arguments");
}

static int no_memory(struct wanted_probe *w)
{
	return err_memory(w->err, "usdt", "start");
}

static bool has_point(const usdt_points *points, uint64_t addr)
{
	for (size_t i = 0; i < points->n; i++)
		if (points->v[i].addr == addr)
			return true;
	return false;
}

static int take_note(void *arg, const struct usdt_note *note)
{
	struct wanted_probe *w = arg;
	struct usdt_point point = {.offset = note->offset,
		.addr = note->addr,
		.semaphore = note->semaphore};
	char *name;

	if (asprintf(&name, "%s:%s", note->provider, note->name) < 0)
		return no_memory(w);
	if (!vec_add(w->seen, name)) {
		free(name);
		return no_memory(w);
	}
	if (strcmp(name, w->name) != 0 || has_point(w->points, note->addr))
		return 0;
	if (w->argument)
		point.amount = usdt_amount(note, w->argument);
	if (w->argument && !point.amount)
		return bad_argument(w, note);
	return vec_add(w->points, point) ? 0 : no_memory(w);
}

int usdt_find(const char *file, const char *text, usdt_points *points,
	usdt_names *seen, struct err *err)
{
	struct wanted_probe w = {.points = points, .seen = seen, .err = err};

	if (!split_name(&w, text))
		return err_say(err, text, "usdt", "no such argument",
			"they are .arg1, .arg2 and so on");
	return usdt_each(file, take_note, &w);
}

int usdt_unknown(const usdt_names *seen, const char *text, const char *file,
	bool libraries, struct err *err)
{
	const char *near[8];
	char list[600] = "";
	size_t n = text_nearest(
		text, (const char *const *)seen->v, seen->n, near, 8);

	for (size_t i = 0; i < n; i++)
		text_list(list, sizeof list, near[i]);
	err_set(err, text, "usdt", "no such probe in %s%s", file,
		libraries ? " or its libraries" : "");
	if (*list)
		return err_hint(err, "near are %s", list);
	return err_hint(err,
		"%zu probes have other names; 'cpprof resources "
		"--search=usdt' lists those of libraries; for a program that "
		"it runs write usdt:/PATH/TO/PROGRAM:%s",
		seen->n, text);
}

void usdt_names_free(usdt_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	vec_free(names);
}
