/* Whose memory without a file is, as the kernel reports what is mapped. */
#include "monitor/space/objects.h"

#include <string.h>

#include "t/lib/tap.h"

#define PAGE 0x1000ull

static struct objects objects;
static struct process_objects its;

static void map(uint64_t page, uint64_t end, const char *path, bool code)
{
	const struct object_map map = {.start = page * PAGE,
		.end = end * PAGE,
		.offset = *path == '/' && !code ? PAGE : 0,
		.path = path,
		.code = code};

	objects_map(&objects, &its, &map);
}

/* Whether the memory of a page is called NAME. */
static bool is(uint64_t page, const char *name)
{
	char label[OBJECT_LABEL] = "";
	const struct mapping *at = objects_find(&its, page * PAGE);

	if (at)
		objects_label(&objects, at, page * PAGE, label);
	if (strcmp(label, name) != 0)
		diag("it is called '%s'", label);
	return strcmp(label, name) == 0;
}

static void program(void)
{
	map(10, 12, "/bin/prog", true);
	map(12, 14, "/bin/prog", false);
	map(14, 16, "//anon", false);
	map(100, 110, "/lib/libx.so", true);
	map(110, 112, "/lib/libx.so", false);
	map(112, 116, "//anon", false);
}

int main(void)
{
	program();
	ok(is(15, "[prog data]"), "what the program's file has no bytes for");
	ok(is(115, "[libx.so data]"), "... and what a library's has none for");
	map(112, 120, "//anon", false);
	ok(is(115, "[libx.so data]"), "... stays the library's");
	ok(is(116, "[anonymous]"), "what is mapped behind it is not, though "
				   "the kernel joins them");
	map(120, 124, "//anon", false);
	ok(is(121, "[anonymous]"), "... nor is what comes behind that");
	map(16, 20, "//anon", false);
	ok(is(17, "[heap]"), "what comes behind the program is brk's");
	objects_drop(&its);
	objects_fini(&objects);
	return done_testing();
}
