/* What there is to name in a run: its distinct addresses and calls. */
#include <stdlib.h>

#include "analyzer/symbol/table/addresses.h"
#include "t/lib/tap.h"

static struct cpd_writer *start(void)
{
	const char *argv[] = {"x"};
	struct err err;
	struct cpd_writer *w = cpd_writer_open("/dev/null", &err);

	if (!w)
		abort();
	cpd_write_head(w, &(struct cpd_head){.argc = 1, .argv = argv});
	cpd_write_resource(
		w, &(struct cpd_resource){.name = "cpu", .interval = 1});
	return w;
}

static void distinct(void)
{
	struct cpd_writer *w = start();
	struct sym_addresses all;
	uint32_t a, b;

	ok(sym_addresses_init(&all, w) == 0 && !all.n && !all.ncalls,
		"no nodes, no addresses");
	sym_addresses_fini(&all);
	cpd_write_module(w, &(struct cpd_module){.path = "/bin/a"});
	cpd_write_module(w, &(struct cpd_module){.path = "/bin/b"});
	cpd_node(w, 0, 0, CPD_TRUNCATED, 0);
	a = cpd_node(w, 0, 2, 0x20, 0);
	b = cpd_node(w, a, 1, 0x31, 0);
	cpd_node(w, a, 1, 0x30, CPD_NODE_EXACT);
	cpd_node(w, b, 2, 0x10, CPD_NODE_EXACT);
	ok(sym_addresses_init(&all, w) == 0 && all.n == 3 &&
			all.v[0].module == 1 && all.v[0].addr == 0x30 &&
			all.v[1].module == 2 && all.v[1].addr == 0x10 &&
			all.v[2].module == 2 && all.v[2].addr == 0x1f,
		"each address once, return addresses less 1, sorted");
	ok(all.ncalls == 2 && all.calls[0].module == 1 &&
			all.calls[0].addr == 0x30 &&
			all.calls[0].callee_module == 2 &&
			all.calls[0].callee == 0x10 &&
			all.calls[1].module == 2 && all.calls[1].addr == 0x1f &&
			all.calls[1].callee_module == 1 &&
			all.calls[1].callee == 0x30,
		"each call once, by return addresses less 1, sorted");
	sym_addresses_fini(&all);
	cpd_writer_abandon(w);
}

/* Addresses in memory without a file come with the time they were first met. */
static void first_times(void)
{
	struct cpd_writer *w = start();
	struct cpd_process p = {.pid = 77, .name = "p", .exe = "/p"};
	struct cpd_thread t = {.process = 1, .tid = 77, .name = "p"};
	struct cpd_module m = {
		.kind = CPD_MODULE_ANON, .path = "//anon", .process = 1};
	struct cpd_sample s = {
		.thread = 1, .resource = 1, .hits = 1, .weight = 1};
	struct sym_addresses all;
	uint32_t a;

	cpd_write_process(w, &p);
	cpd_write_thread(w, &t);
	cpd_write_module(w, &m);
	a = cpd_node(w, 0, 1, 0x101, 0);
	s.node = cpd_node(w, a, 1, 0x200, CPD_NODE_EXACT);
	s.time = 50;
	cpd_write_sample(w, &s);
	s.node = cpd_node(w, a, 1, 0x300, CPD_NODE_EXACT);
	s.time = 60;
	cpd_write_sample(w, &s);
	s.node = cpd_node(w, s.node, 1, 0x200, CPD_NODE_EXACT);
	s.time = 70;
	cpd_write_sample(w, &s);
	cpd_node(w, 0, 1, 0x400, CPD_NODE_EXACT);
	ok(sym_addresses_init(&all, w) == 0 && all.n == 4 &&
			all.v[0].addr == 0x100 && all.v[0].time == 50 &&
			all.v[1].addr == 0x200 && all.v[1].time == 50 &&
			all.v[2].addr == 0x300 && all.v[2].time == 60 &&
			all.v[3].addr == 0x400 && all.v[3].time == 0,
		"each with the time of its first sample");
	sym_addresses_fini(&all);
	cpd_writer_abandon(w);
}

int main(void)
{
	distinct();
	first_times();
	return done_testing();
}
