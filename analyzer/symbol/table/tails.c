/* tails.c - reads the jumps of functions and finds what is on all ways. */

#include <stdlib.h>
#include <string.h>

#include "lib/arch/arch.h"
#include "lib/arch/control_flow.h"
#include "lib/elf/demangle.h"
#include "lib/id_map.h"
#include "analyzer/symbol/table/tails.h"

#define LONGEST 16384       /* bytes of a function */
#define BYTES_MAX (1 << 20) /* of all */
#define LEAST 64            /* bytes that each function counts for */
#define WAYS_MAX 32         /* out of one function */
#define PIECES_MAX 4        /* of a function */
#define REACHED_MAX 64      /* functions that are followed to a goal */

/*
 * Where a function jumps to, as far as it is read.  Its cold and hot pieces
 * count as one.
 */
struct leaver {
	uint64_t lo;
	bool anywhere; /* a jump has an unknown target */
	uint32_t nto;
	uint64_t to[WAYS_MAX]; /* starts of functions, each once */
	struct sym_function pieces[PIECES_MAX];
	size_t npieces, piece; /* that is read next, */
	size_t at;             /* from there */
};

struct sym_tails {
	const struct sym_table *table;
	struct decoder decoder;
	struct id_map leavers; /* by lo */
	size_t bytes;
};

struct sym_tails *sym_tails_new(const struct sym_table *table)
{
	struct sym_tails *tails;

	if (!table->image || !table->image->native)
		return NULL;
	tails = calloc(1, sizeof *tails);
	if (!tails)
		return NULL;
	tails->table = table;
	if (decoder_open(&tails->decoder))
		return tails;
	free(tails);
	return NULL;
}

void sym_tails_free(struct sym_tails *tails)
{
	if (!tails)
		return;
	for (size_t i = 0; i < tails->leavers.n; i++)
		free(tails->leavers.v[i].thing);
	id_map_free(&tails->leavers);
	decoder_close(&tails->decoder);
	free(tails);
}

/* Whether A and B are pieces of one function, by their names. */
static bool same_function(
	const struct sym_function *a, const struct sym_function *b)
{
	size_t n;

	if (!a->name || !b->name)
		return false;
	n = demangle_clone_base(a->name);
	return n == demangle_clone_base(b->name) &&
	       memcmp(a->name, b->name, n) == 0;
}

static void add_piece(struct leaver *l, const struct sym_function *f)
{
	for (size_t i = 0; i < l->npieces; i++)
		if (l->pieces[i].lo == f->lo)
			return;
	if (l->npieces == PIECES_MAX)
		l->anywhere = true;
	else
		l->pieces[l->npieces++] = *f;
}

/* Records a jump out of the piece AT. */
static void add_way(struct sym_tails *t, struct leaver *l,
	const struct sym_function *at, uint64_t to)
{
	struct sym_function f;

	if (!elf_image_code(t->table->image, to)) {
		l->anywhere = true;
		return;
	}
	f = sym_table_find(t->table, to);
	if (sym_stub_symbol(&f) || f.hi - f.lo <= 1) {
		l->anywhere = true;
		return;
	}
	if (f.lo != to || same_function(at, &f)) {
		add_piece(l, &f);
		return;
	}
	for (uint32_t i = 0; i < l->nto; i++)
		if (l->to[i] == to)
			return;
	if (l->nto == WAYS_MAX)
		l->anywhere = true;
	else
		l->to[l->nto++] = to;
}

/* Reads on in the piece at hand, to one more way out of it or to its end. */
static void read_piece(struct sym_tails *t, struct leaver *l)
{
	const struct sym_function *f = &l->pieces[l->piece];
	struct decoder *d = &t->decoder;
	uint8_t code[LONGEST];
	size_t from = l->at, size = f->hi - f->lo;
	uint32_t had = l->nto;

	if (size > LONGEST || (!from && t->bytes + size > BYTES_MAX) ||
		!elf_image_read(
			t->table->image, f->lo + from, code, size - from)) {
		l->anywhere = true;
		return;
	}
	if (!from)
		t->bytes += size + LEAST;
	for (; l->at < size && l->nto == had && !l->anywhere;
		l->at += insn_size(d)) {
		if (!insn_decode(d, code + l->at - from, size - l->at,
			    f->lo + l->at)) {
			l->anywhere = true; /* data among the code */
			return;
		}
		switch (insn_kind(d)) {
		case INSN_JUMP:
		case INSN_BRANCH:
			if (insn_target(d) < f->lo || insn_target(d) >= f->hi)
				add_way(t, l, f, insn_target(d));
			break;
		case INSN_JUMP_ELSEWHERE:
			l->anywhere = true;
			break;
		default:
			break;
		}
	}
	if (l->at >= size) {
		l->piece++;
		l->at = 0;
	}
}

/* The function that starts at LO; NULL: no memory. */
static struct leaver *leaver_at(struct sym_tails *t, uint64_t lo)
{
	struct leaver *l = id_map_get(&t->leavers, lo);

	if (l)
		return l;
	l = calloc(1, sizeof *l);
	if (!l || !id_map_put(&t->leavers, lo, l)) {
		free(l);
		return NULL;
	}
	l->lo = lo;
	l->pieces[l->npieces++] = sym_table_find(t->table, lo);
	return l;
}

/* Finds the functions that can be reached, and those that can reach the
   goal. */
struct reach {
	struct leaver *v[REACHED_MAX];
	bool leads[REACHED_MAX]; /* to the goal */
	size_t n;
};

static bool is_goal(const struct sym_goal *goal, uint64_t addr)
{
	return addr >= goal->lo && addr < goal->hi;
}

static size_t index_of(const struct reach *r, uint64_t lo)
{
	size_t i = 0;

	while (i < r->n && r->v[i]->lo != lo)
		i++;
	return i;
}

/*
 * Whether L jumps to the goal, by the bytes of such a jump.  Most do, and to
 * decode what is before it takes 400 times as long.
 */
static bool jumps_straight(struct sym_tails *t, const struct leaver *l,
	const struct sym_goal *goal)
{
	const struct sym_function *f = &l->pieces[0];
	uint8_t code[LONGEST];
	size_t size = f->hi - f->lo;

	if (size > LONGEST || t->bytes + size > BYTES_MAX ||
		!elf_image_read(t->table->image, f->lo, code, size))
		return false;
	t->bytes += size / LEAST;
	return code_jumps_into(code, size, f->lo, goal->lo, goal->hi);
}

/* Whether L jumps, or may jump, to the goal; reads no more than that takes. */
static bool is_last(
	struct sym_tails *t, struct leaver *l, const struct sym_goal *goal)
{
	bool scanned = false;

	for (uint32_t i = 0; !l->anywhere; i++) {
		while (i == l->nto && !l->anywhere && l->piece < l->npieces) {
			if (!scanned && jumps_straight(t, l, goal))
				return true;
			scanned = true;
			read_piece(t, l);
		}
		if (i == l->nto)
			break;
		if (is_goal(goal, l->to[i]))
			return true;
	}
	return l->anywhere;
}

/*
 * What may jump to the goal is the end of a way: what else it jumps to is not
 * read.  False: too many, or no memory.
 */
static bool find_reach(struct sym_tails *t, struct reach *r, uint64_t from,
	const struct sym_goal *goal)
{
	bool more = true;

	r->n = 0;
	r->v[r->n] = leaver_at(t, from);
	if (!r->v[r->n++])
		return false;
	for (size_t i = 0; i < r->n; i++) {
		r->leads[i] = is_last(t, r->v[i], goal);
		for (uint32_t k = 0; k < r->v[i]->nto && !r->leads[i]; k++) {
			uint64_t to = r->v[i]->to[k];

			if (index_of(r, to) < r->n)
				continue;
			if (r->n == REACHED_MAX)
				return false;
			r->v[r->n] = leaver_at(t, to);
			if (!r->v[r->n++])
				return false;
		}
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < r->n; i++)
			for (uint32_t k = 0; k < r->v[i]->nto; k++) {
				size_t to = index_of(r, r->v[i]->to[k]);

				if (r->leads[i] || to == r->n || !r->leads[to])
					continue;
				r->leads[i] = more = true;
			}
	}
	return true;
}

size_t sym_tails_between(struct sym_tails *t, uint64_t from,
	const struct sym_goal *goal, uint64_t between[SYM_TAILS_MAX])
{
	struct reach r;
	size_t at = 0, n = 0;

	if (!t || !find_reach(t, &r, from, goal))
		return 0;
	while (n < SYM_TAILS_MAX && !is_last(t, r.v[at], goal)) {
		size_t next = r.n;

		for (uint32_t k = 0; k < r.v[at]->nto; k++) {
			size_t to = index_of(&r, r.v[at]->to[k]);

			if (to == r.n || !r.leads[to])
				continue;
			if (next != r.n)
				return n;
			next = to;
		}
		if (next == r.n)
			return n;
		between[n++] = r.v[next]->lo;
		at = next;
	}
	return n;
}
