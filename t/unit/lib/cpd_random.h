/*
 * cpd_random.h - cpprofdata files with random contents, for tests.
 *
 * random_file() writes records of every kind, in any legal order and with
 * numbers of every size, to a file, and a line for each to LOG.  The same seed
 * gives the same file.
 */
#ifndef CPPROF_T_CPD_RANDOM_H
#define CPPROF_T_CPD_RANDOM_H

#include "lib/cpprofdata/writer.h"
#include "t/lib/draw.h"
#include "t/unit/lib/cpd_log.h"

/* All lengths of number are equally likely. */
static uint64_t random_size(void)
{
	return draw64() >> draw(64);
}

/* 1 .. n */
static uint32_t random_id(uint32_t n)
{
	return 1 + draw(n);
}

/* One of eight buffers in turn: what a record names at once. */
static const char *random_string(void)
{
	static char ring[8][300];
	static unsigned turn;
	char *s = ring[turn++ % 8];
	uint32_t n = draw(8) ? draw(12) : draw(300);

	for (uint32_t i = 0; i < n; i++) /* any byte but NUL and line ends */
		s[i] = (char)(draw(4) ? 'a' + draw(4) : 14 + draw(242));
	s[n] = '\0';
	return s;
}

struct random_counts {
	uint32_t resources, processes, threads, modules, nodes, functions;
	uint64_t time, samples;
	uint64_t intervals[64];
	struct cpd_node node[512]; /* the first of them, to come back to */
};

static bool random_process(
	struct cpd_writer *w, struct random_counts *c, struct cpd_log *log)
{
	struct cpd_process p = {c->processes + 1, draw(c->processes + 1),
		(int32_t)draw64(), c->time, random_string(), random_string(),
		draw(2), random_string(), random_string(), random_string()};
	struct cpd_thread t = {c->threads + 1, p.id, (int32_t)random_size(),
		c->time, random_string()};

	cpd_log(log, process, &p);
	if (cpd_write_process(w, &p) != p.id)
		return false;
	cpd_log(log, thread, &t);
	c->processes++;
	c->threads++;
	return cpd_write_thread(w, &t) == t.id;
}

static bool random_rename(
	struct cpd_writer *w, struct random_counts *c, struct cpd_log *log)
{
	struct cpd_rename r = {random_id(c->processes), draw(c->threads + 1),
		c->time, random_string()};
	struct cpd_exit e = {
		random_id(c->processes), draw(c->threads + 1), draw64()};

	if (draw(2)) {
		cpd_log(log, rename, &r);
		return !cpd_write_rename(w, &r);
	}
	cpd_log(log, exit, &e);
	return !cpd_write_exit(w, &e);
}

static bool random_module(
	struct cpd_writer *w, struct random_counts *c, struct cpd_log *log)
{
	struct cpd_module m = {.id = c->modules + 1,
		.kind = (enum cpd_module_kind)draw(3),
		.path = random_string(),
		.build_id_len = draw(CPD_BUILD_ID_MAX + 1)};
	struct cpd_map map = {
		random_id(c->processes), c->time, 0, 0, random_size(), m.id};

	for (uint32_t i = 0; i < m.build_id_len; i++)
		m.build_id[i] = (uint8_t)draw64();
	if (m.kind == CPD_MODULE_ANON)
		m.process = random_id(c->processes);
	map.len = 1 + (random_size() >> 1);
	map.start = draw64() >> 1;
	cpd_log(log, module, &m);
	if (cpd_write_module(w, &m) != m.id)
		return false;
	c->modules++;
	cpd_log(log, map, &map);
	return !cpd_write_map(w, &map);
}

/* A new node is logged where the writer writes it; an old one is found. */
static bool random_node(
	struct cpd_writer *w, struct random_counts *c, struct cpd_log *log)
{
	struct cpd_node n = {c->nodes + 1, c->nodes, 0, 0, 0};

	if (draw(3))
		n.parent = draw(c->nodes + 1);
	n.module = random_id(c->modules);
	n.addr = draw(4) ? draw(1 << 20) : draw64();
	n.addr = n.addr << 20 | n.id; /* so that it is a new one */
	n.flags = draw(8) ? draw(2) : draw(1u << 31);
	if (!c->nodes)
		n = (struct cpd_node){1, 0, 0, CPD_TRUNCATED, 0};
	if (c->nodes > 8 && !draw(4)) {
		uint32_t old = draw(c->nodes < 512 ? c->nodes : 512);

		n = c->node[old];
		return cpd_node(w, n.parent, n.module, n.addr, n.flags) == n.id;
	}
	cpd_log(log, node, &n);
	if (cpd_node(w, n.parent, n.module, n.addr, n.flags) != n.id)
		return false;
	if (c->nodes < 512)
		c->node[c->nodes] = n;
	c->nodes++;
	return true;
}

static bool random_sample(
	struct cpd_writer *w, struct random_counts *c, struct cpd_log *log)
{
	struct cpd_sample s = {.time = c->time,
		.thread = random_id(c->threads),
		.resource = random_id(c->resources),
		.node = random_id(c->nodes),
		.hits = draw(4) ? 1 : random_id(1u << 31)};

	s.weight = draw(4) ? s.hits * c->intervals[s.resource - 1]
			   : random_size() | 1;
	s.weight = s.weight ? s.weight : 1;
	s.flags = draw(8) ? 0 : (uint32_t)random_size();
	s.life = draw(4) ? 0 : random_size();
	s.page = draw(4) ? 0 : random_size();
	c->samples++;
	cpd_log(log, sample, &s);
	return !cpd_write_sample(w, &s);
}

static bool random_books(
	struct cpd_writer *w, struct random_counts *c, struct cpd_log *log)
{
	struct cpd_total t = {random_id(c->resources), random_size(),
		draw(2) ? random_size() : 0};
	struct cpd_loss l = {random_id(c->resources),
		(enum cpd_loss_kind)draw(CPD_LOSS_KINDS), draw(c->threads + 1),
		random_size(), random_size()};
	struct cpd_note n = {random_string(), random_string()};
	struct cpd_usage u = {random_size(), random_size(), random_size(),
		random_size(), random_size(), random_size()};

	cpd_log(log, usage, &u);
	if (cpd_write_usage(w, &u))
		return false;
	cpd_log(log, total, &t);
	cpd_log(log, loss, &l);
	cpd_log(log, note, &n);
	return !cpd_write_total(w, &t) && !cpd_write_loss(w, &l) &&
	       !cpd_write_note(w, &n);
}

static bool random_names(
	struct cpd_writer *w, struct random_counts *c, struct cpd_log *log)
{
	struct cpd_frame frames[4];
	struct cpd_tail tails[3];
	struct cpd_function f = {.id = c->functions + 1,
		.module = random_id(c->modules),
		.lo = random_size() >> 1,
		.name = random_string(),
		.linkage = random_string(),
		.source = (enum cpd_function_source)draw(CPD_NAME_RUNTIME + 1),
		.flags = draw(2),
		.file = draw(2) ? random_string() : ""};
	struct cpd_addr a = {.module = random_id(c->modules),
		.addr = random_size(),
		.nframes = random_id(4),
		.frames = frames,
		.tails = tails};

	f.hi = f.lo + draw(4096);
	f.line = *f.file ? draw(9999) : 0;
	cpd_log(log, function, &f);
	if (cpd_write_function(w, &f) != f.id)
		return false;
	c->functions++;
	for (uint32_t i = 0; i < a.nframes; i++)
		frames[i] = (struct cpd_frame){random_id(c->functions),
			(uint32_t)random_size(), random_string()};
	a.target = draw(2) ? random_id(c->functions) : 0;
	a.ntails = a.target ? draw(4) : 0;
	for (uint32_t i = 0; i < a.ntails; i++)
		tails[i] = (struct cpd_tail){
			random_id(c->functions), random_id(c->functions)};
	cpd_log(log, addr, &a);
	return !cpd_write_addr(w, &a);
}

/* The head and NRESOURCES resources. */
static bool random_start(struct cpd_writer *w, struct random_counts *c,
	uint32_t nresources, struct cpd_log *log)
{
	const char *argv[] = {"prog", "", "an argument", "-x"};
	struct cpd_head head = {draw64(), draw64(), draw(5), argv,
		random_string(), random_string(), "6.1", "x86_64", "0.1",
		draw(1000), (uint32_t)draw64()};

	cpd_log(log, head, &head);
	if (cpd_write_head(w, &head))
		return false;
	while (c->resources < nresources) {
		struct cpd_resource r = {c->resources + 1, random_string(),
			random_string(), random_string(),
			(enum cpd_unit)draw(3), random_size() | 1,
			random_string(), draw(16)};

		c->intervals[c->resources++] = r.interval;
		cpd_log(log, resource, &r);
		if (cpd_write_resource(w, &r) != r.id)
			return false;
	}
	return true;
}

/*
 * Writes RECORDS random records, flushing now and then; NULL or what the
 * writer did wrong.
 */
__attribute__((unused)) static const char *random_file(
	const char *path, uint64_t seed, uint32_t records, struct cpd_log *log)
{
	static bool (*const kinds[])(struct cpd_writer *,
		struct random_counts *, struct cpd_log *) = {random_process,
		random_rename, random_module, random_node, random_node,
		random_sample, random_sample, random_sample, random_books};
	static struct random_counts c;
	struct cpd_end end;
	struct cpd_writer *w;
	static struct err err;
	bool fine;

	draw_state = seed;
	c = (struct random_counts){.time = draw64()};
	w = cpd_writer_open(path, &err);
	if (!w)
		return err.reason;
	fine = random_start(w, &c, random_id(3), log) &&
	       random_process(w, &c, log) && random_module(w, &c, log) &&
	       random_node(w, &c, log) && !cpd_writer_publish(w);
	for (uint32_t i = 0; fine && i < records; i++) {
		c.time += draw(32) ? draw(1000000) : draw64();
		fine = kinds[draw(sizeof kinds / sizeof *kinds)](w, &c, log);
		if (!draw(50))
			fine = fine && !cpd_writer_flush(w);
	}
	for (uint32_t i = 0; fine && i < records / 8 + 1; i++)
		fine = random_names(w, &c, log);
	end = (struct cpd_end){
		draw64(), (int32_t)draw64(), c.samples, random_size()};
	cpd_log(log, end, &end);
	if (cpd_writer_close(w, &end, &err))
		return err.reason;
	return fine ? NULL : "an id was not the one expected";
}

#endif
