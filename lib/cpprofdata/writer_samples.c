/* Writes nodes and samples, without a row of fields. */
#include "lib/cpprofdata/writer_private.h"

static void put_node(struct cpd_writer *w, const struct cpd_node *n)
{
	struct bytes *c = &w->chunk;
	uint32_t distance = n->id - n->parent;
	unsigned bits =
		(distance == 1 ? CPD_NODE_BIT_CHILD : 0) |
		(n->module == w->last.module ? CPD_NODE_BIT_MODULE : 0) |
		(n->flags & CPD_NODE_EXACT ? CPD_NODE_BIT_EXACT : 0) |
		(n->flags > CPD_NODE_EXACT ? CPD_NODE_BIT_FLAGS : 0);

	bytes_u8(c, (uint8_t)(CPD_KIND_NODE | bits));
	if (!(bits & CPD_NODE_BIT_CHILD))
		bytes_varint(c, distance);
	if (!(bits & CPD_NODE_BIT_MODULE))
		bytes_varint(c, n->module);
	if (bits & CPD_NODE_BIT_FLAGS)
		bytes_varint(c, n->flags >> 1);
	bytes_signed(c, (int64_t)(n->addr - w->last.addr));
	w->last.module = n->module;
	w->last.addr = n->addr;
}

/*
 * Code in memory without a file comes and goes: the time of its first sample
 * tells which code it was.  That is the time of the next sample.
 */
static int note_anon(struct cpd_writer *w, const struct cpd_node *n)
{
	if (!n->module || w->modules.v[n->module - 1].kind != CPD_MODULE_ANON)
		return 0;
	if (!vec_add(&w->anon, (struct cpd_node_time){.node = n->id}))
		return cpd_writer_no_memory(w);
	return 0;
}

/* The rare half of cpd_node(): a new node. */
static uint32_t add_node(
	struct cpd_writer *w, struct cpd_node *n, uint64_t hash)
{
	const char *why = cpd_check_order(&w->known, CPD_KIND_NODE);

	why = why ? why : cpd_check_node(&w->known, n);
	if (why)
		return cpd_writer_refuse(w, why), 0;
	if (!cpd_nodes_room(&w->nodes))
		return cpd_writer_no_memory(w), 0;
	n->id = w->known.nodes + 1;
	put_node(w, n);
	if (cpd_writer_record_done(w) || note_anon(w, n))
		return 0;
	cpd_nodes_add(&w->nodes, hash, n);
	return w->known.nodes = n->id;
}

static uint32_t node_with_hash(
	struct cpd_writer *w, struct cpd_node *n, uint64_t hash)
{
	uint32_t id = cpd_nodes_find(
		&w->nodes, hash, n->parent, n->module, n->addr, n->flags);

	return id ? id : add_node(w, n, hash);
}

/* The hash of a node by its number; unknown numbers are refused later. */
static uint64_t hash_of(const struct cpd_writer *w, uint32_t id)
{
	return id <= w->known.nodes ? w->nodes.v[id].hash : 0;
}

uint32_t cpd_node(struct cpd_writer *w, uint32_t parent, uint32_t module,
	uint64_t addr, uint32_t flags)
{
	struct cpd_node n = {0, parent, module, addr, flags};

	if (w->failed)
		return 0;
	return node_with_hash(
		w, &n, cpd_nodes_hash(hash_of(w, parent), module, addr, flags));
}

#define PATH_PART 16 /* lines of cache that are fetched at once */

uint32_t cpd_node_path(
	struct cpd_writer *w, uint32_t parent, struct cpd_step *steps, size_t n)
{
	struct cpd_node node = {.parent = parent};
	uint64_t hash[PATH_PART], last;

	if (w->failed)
		return 0;
	last = hash_of(w, parent);
	for (size_t i = 0; i < n; i += PATH_PART) {
		size_t part = n - i < PATH_PART ? n - i : PATH_PART;

		for (size_t j = 0; j < part; j++) {
			const struct cpd_step *s = &steps[i + j];

			last = hash[j] = cpd_nodes_hash(
				last, s->module, s->addr, s->flags);
			hash_fetch(&w->nodes.known, last);
		}
		for (size_t j = 0; j < part; j++) {
			struct cpd_step *s = &steps[i + j];

			node.module = s->module;
			node.addr = s->addr;
			node.flags = s->flags;
			s->node = node_with_hash(w, &node, hash[j]);
			if (!s->node)
				return 0;
			node.parent = s->node;
		}
	}
	return node.parent;
}

/* Where its length is to be. */
static size_t begin_field(struct bytes *c, enum cpd_kind kind)
{
	bytes_u8(c, (uint8_t)kind);
	bytes_u8(c, 0);
	return c->n - 1;
}

static void end_field(struct bytes *c, size_t at)
{
	if (!c->failed)
		c->v[at] = (uint8_t)(c->n - at - 1);
}

/* Fields of the sample that comes next. */
static void put_fields(struct cpd_writer *w, const struct cpd_sample *s)
{
	struct bytes *c = &w->chunk;
	size_t at;

	if (s->life) {
		at = begin_field(c, CPD_KIND_life);
		bytes_varint(c, s->life);
		end_field(c, at);
	}
	if (s->page) {
		at = begin_field(c, CPD_KIND_page);
		bytes_signed(c, (int64_t)(s->page - w->last.paged));
		end_field(c, at);
		w->last.paged = s->page;
	}
}

int cpd_write_sample(struct cpd_writer *w, const struct cpd_sample *s)
{
	const char *why = cpd_check_order(&w->known, CPD_KIND_SAMPLE);
	struct bytes *c = &w->chunk;
	unsigned bits = 0;

	if (w->failed)
		return -1;
	why = why ? why : cpd_check_sample(&w->known, s);
	if (why)
		return cpd_writer_refuse(w, why);
	bits |= s->thread == w->last.thread ? CPD_SAMPLE_BIT_THREAD : 0;
	bits |= s->resource == w->last.resource ? CPD_SAMPLE_BIT_RESOURCE : 0;
	bits |= s->hits == 1 ? CPD_SAMPLE_BIT_ONE : 0;
	bits |= s->weight == s->hits * w->known.intervals.v[s->resource - 1]
			? CPD_SAMPLE_BIT_WEIGHT
			: 0;
	bits |= s->flags ? CPD_SAMPLE_BIT_FLAGS : 0;
	put_fields(w, s);
	bytes_u8(c, (uint8_t)(CPD_KIND_SAMPLE | bits));
	bytes_signed(c, (int64_t)(s->time - w->last.time));
	w->last.time = s->time;
	bytes_signed(c, (int64_t)s->node - w->last.node);
	if (!(bits & CPD_SAMPLE_BIT_THREAD))
		bytes_varint(c, s->thread);
	if (!(bits & CPD_SAMPLE_BIT_RESOURCE))
		bytes_varint(c, s->resource);
	if (!(bits & CPD_SAMPLE_BIT_ONE))
		bytes_varint(c, s->hits);
	if (!(bits & CPD_SAMPLE_BIT_WEIGHT))
		bytes_varint(c, s->weight);
	if (bits & CPD_SAMPLE_BIT_FLAGS)
		bytes_varint(c, s->flags);
	w->last.thread = s->thread;
	w->last.resource = s->resource;
	w->last.node = s->node;
	w->known.samples = true;
	while (w->anon_timed < w->anon.n)
		w->anon.v[w->anon_timed++].time = s->time;
	return cpd_writer_record_done(w);
}
