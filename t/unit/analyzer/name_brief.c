/*
 * name_brief - the short names of a file's functions: each is as short as it
 * can be with no other function of the same, and each finds its function.
 */
#include <stdlib.h>
#include <string.h>

#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

static const struct {
	uint32_t module;
	const char *name, *brief;
	enum cpd_function_source source;
} rows[] = {
	{1, "lone(int)", "lone", CPD_NAME_SYMTAB},
	{1, "foo(int)", "foo(int)", CPD_NAME_SYMTAB},
	{1, "foo(double)", "foo(double)", CPD_NAME_SYMTAB},
	/* the template's arguments tell them apart, the parameters need not */
	{1, "int twice<int>(int)", "twice<int>", CPD_NAME_SYMTAB},
	{1, "long twice<long>(long)", "twice<long>", CPD_NAME_SYMTAB},
	{1, "int once<int>(int)", "once", CPD_NAME_SYMTAB},
	/* a C function of the name */
	{1, "over", "over", CPD_NAME_SYMTAB},
	{2, "over(int)", "over(int)", CPD_NAME_SYMTAB},
	/* only const tells */
	{1, "X::get()", "X::get()", CPD_NAME_SYMTAB},
	{1, "X::get() const", "X::get() const", CPD_NAME_SYMTAB},
	/* lambdas are numbered within their parameters */
	{1, "f(int)::{lambda(int)#1}::operator()(int) const",
		"f(int)::{lambda(int)#1}::operator()(int) const",
		CPD_NAME_SYMTAB},
	{1, "f(int)::{lambda(long)#1}::operator()(long) const",
		"f(int)::{lambda(long)#1}::operator()(long) const",
		CPD_NAME_SYMTAB},
	{1, "f(int)::{lambda(int)#2}::operator()(int) const", "f::{lambda#2}",
		CPD_NAME_SYMTAB},
	/* only the return type tells: the full names */
	{1, "int g<1>()", "int g<1>()", CPD_NAME_SYMTAB},
	{1, "long g<1>()", "long g<1>()", CPD_NAME_SYMTAB},
	/* only what is dropped from types tells */
	{1, "h(std::vector<int, std::allocator<int> >)",
		"h(std::vector<int, std::allocator<int> >)", CPD_NAME_SYMTAB},
	{1, "h(std::vector<int>)", "h(std::vector<int>)", CPD_NAME_SYMTAB},
	/* one name in two modules */
	{1, "dup(int)", "prog!dup", CPD_NAME_SYMTAB},
	{2, "dup(int)", "liba.so!dup", CPD_NAME_SYMTAB},
	/* names of other languages */
	{1, "main.(*T).Run(x)", "main.(*T).Run(x)", CPD_NAME_GO},
	{1, "jit(int)[Tier1]", "jit(int)[Tier1]", CPD_NAME_JIT},
	/* Java's */
	{1, "java.lang.Long shop.Order.sum$1(int[])", "shop.Order.sum$1",
		CPD_NAME_JIT},
	{1, "void shop.Order.add(int)", "shop.Order.add(int)", CPD_NAME_JIT},
	{1, "int shop.Order.add(long)", "shop.Order.add(long)", CPD_NAME_JIT},
	{1, "void shop.Order.<init>(int)", "shop.Order.<init>", CPD_NAME_JIT},
	/* a file is where these are */
	{1, "JS:handle /srv/shop (1)/app.js:19:16",
		"JS:handle /srv/shop (1)/app.js:19:16", CPD_NAME_JIT},
	{1, "JS:handle node:internal/net:7:1",
		"JS:handle node:internal/net:7:1", CPD_NAME_JIT},
	{1, "RegExp:get(a|b)", "RegExp:get(a|b)", CPD_NAME_JIT},
	{1, "py::total:/srv/shop.py", "py::total:/srv/shop.py", CPD_NAME_JIT},
	{1, "<alloc::vec::Vec<u8> as core::ops::Drop>::drop",
		"<Vec<u8> as Drop>::drop", CPD_NAME_SYMTAB},
	{1, "std::vector<int, std::allocator<int> >::push_back(int&&)",
		"std::vector<int>::push_back", CPD_NAME_SYMTAB},
};
#define ROWS (sizeof rows / sizeof *rows)

static uint64_t address(size_t row)
{
	return 0x1000 * (row + 1);
}

static struct dataset *write_and_open(const char *path)
{
	struct cpd_writer *w = made_begin(path, NULL);

	made_program(w);
	cpd_write_module(w, &(struct cpd_module){.path = "/lib/liba.so"});
	for (size_t i = 0; i < ROWS; i++)
		cpd_write_sample(
			w, &(struct cpd_sample){.thread = 1,
				   .resource = 1,
				   .hits = 1,
				   .weight = 10,
				   .node = cpd_node(w, 0, rows[i].module,
					   address(i), CPD_NODE_EXACT)});
	for (size_t i = 0; i < ROWS; i++)
		made_function(w, (struct cpd_function){.module = rows[i].module,
					 .lo = address(i),
					 .name = rows[i].name,
					 .source = rows[i].source});
	return made_open(w, path, 0);
}

static const struct function *function_at(
	const struct dataset *data, uint64_t addr)
{
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		if (data->functions[i].lo == addr)
			return &data->functions[i];
	return NULL;
}

/* How many functions NAME stands for, FIRST among them or not. */
static size_t found(const struct dataset *data, const char *name,
	const struct function *first)
{
	uint32_t *numbers;
	struct err err;
	size_t n, hits = 0;

	if (dataset_find_all(data, name, &numbers, &n, &err))
		return 0;
	for (size_t i = 0; i < n; i++)
		hits += &data->functions[numbers[i]] == first;
	free(numbers);
	return first && !hits ? 0 : n;
}

static void check_names(const struct dataset *data)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct function *f = function_at(data, address(i));

		if (!ok(f && !strcmp(f->brief, rows[i].brief), "%s: %s",
			    rows[i].name, rows[i].brief))
			diag("is %s", f ? f->brief : "missing");
		ok(f && found(data, rows[i].brief, f) == 1,
			"%s finds it and no other", rows[i].brief);
		ok(f && found(data, f->shown, f) == 1,
			"%s finds it and no other", f ? f->shown : "");
	}
}

/* Two processes make code: PLACES of it, of the first KINDS without a name,
   with a record of the file and without one, and the others of one name. */
enum { KINDS = 2, PLACES = 3 };

static struct dataset *write_generated(const char *path)
{
	struct cpd_writer *w = made_begin(path, NULL);
	struct cpd_frame frame = {.line = 0, .file = ""};

	made_program(w);
	cpd_write_process(
		w, &(struct cpd_process){
			   .pid = 2, .name = "prog", .exe = "/bin/prog"});
	for (uint32_t p = 1; p <= 2; p++) {
		uint32_t m = cpd_write_module(
			w, &(struct cpd_module){.kind = CPD_MODULE_ANON,
				   .path = p > 1 ? "[heap]" : "//anon",
				   .process = p});

		for (size_t i = 0; i < PLACES; i++)
			cpd_write_sample(w, &(struct cpd_sample){.thread = 1,
						    .resource = 1,
						    .hits = 1,
						    .weight = 10,
						    .node = cpd_node(w, 0, m,
							    address(i) * p,
							    CPD_NODE_EXACT)});
		frame.function = cpd_write_function(
			w, &(struct cpd_function){.module = m,
				   .lo = address(1) * p,
				   .hi = address(1) * p + 1,
				   .name = "anon+0x2000",
				   .source = CPD_NAME_NONE,
				   .linkage = "",
				   .file = ""});
		cpd_write_addr(w, &(struct cpd_addr){.module = m,
					  .addr = address(1) * p,
					  .nframes = 1,
					  .frames = &frame});
		made_function(w, (struct cpd_function){.module = m,
					 .lo = address(2) * p,
					 .name = "JS:f /a.js:1:1",
					 .source = CPD_NAME_JIT});
	}
	return made_open(w, path, 0);
}

/* By name, be it at what addresses and in which process it may. */
static void check_generated(const char *path)
{
	struct dataset *data = write_generated(path);
	size_t nameless = 0, named = 0;

	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++) {
		const char *name = data->functions[i].shown;

		nameless += !strcmp(name, "[generated code]");
		named += !strcmp(name, "JS:f /a.js:1:1");
	}
	ok(nameless == KINDS, "generated code without a name is one function, "
			      "and one where the file has no record of it");
	ok(named == 1 && data->nfunctions == FN_FIRST_REAL + KINDS,
		"of one name it is one, too, in two processes");
	dataset_free(data);
}

int main(void)
{
	const char *path = temp_file();
	struct dataset *data = write_and_open(path);

	check_names(data);
	ok(found(data, "foo", NULL) == 2, "foo stands for both of the name");
	ok(found(data, "twice", NULL) == 2, "twice for both templates");
	ok(found(data, "over", NULL) == 1, "over for the one whose name it is");
	ok(found(data, "dup", NULL) == 2, "dup for those of two modules");
	ok(found(data, "shop.Order.add", NULL) == 2,
		"a method's name for both");
	ok(found(data, "handle", NULL) == 2 && found(data, "total", NULL) == 1,
		"generated code has the names that its source gives it");
	ok(found(data, "JS", NULL) == 0, "... and no other");
	ok(found(data, "f::*", NULL) == 1, "a glob fits short names");
	ok(found(data, "std::vector<int>::*", NULL) == 1,
		"... of the library too");
	dataset_free(data);
	check_generated(path);
	temp_file_remove(path);
	return done_testing();
}
