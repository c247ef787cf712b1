/*
 * pprof.c - profile.proto, as pprof, Go's runtime and many others write it.
 *
 * Its tables may stand anywhere, strings last as a rule, so all of it is
 * unpacked into memory and gone over twice: first the tables, then the samples.
 */
#include "analyzer/import/pprof_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define UNPACKED_MAX (1ull << 30)

/* What few bytes unpack to is believed up to here.  gzip packs a thousand
   zeros into one byte, and no profile. */
#define UNPACKED_FREE (64ull << 20)
#define UNPACKED_TIMES 256
#define PARTS_FREE (1ull << 20)
#define PARTS_TIMES 16
/* So many bytes of strings are gone over; each place has some of them. */
#define TEXT_FREE (1ull << 30)
#define TEXT_TIMES 32

int pprof_error(const struct proto_reader *r, const uint8_t *at,
	struct err *err, const char *what)
{
	char where[64];

	snprintf(where, sizeof where, "byte %zu of what is unpacked",
		(size_t)(at - r->bytes.v));
	return err_set(err, r->im->path, where, "%s", what);
}

/* Unpacks all of the input; what is not packed is taken as it is. */
static int unpack(struct proto_reader *r, struct err *err)
{
	int fd = dup(fileno(r->im->in)), got = 0, status = Z_OK;
	char room[1 << 16];
	struct stat st;
	uint64_t most;
	gzFile in;

	if (fd < 0 || fstat(fd, &st) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		return err_sys(err, r->im->path, "read");
	most = UNPACKED_FREE + UNPACKED_TIMES * (uint64_t)st.st_size;
	most = most < UNPACKED_MAX ? most : UNPACKED_MAX;
	r->parts_max = PARTS_FREE + PARTS_TIMES * (uint64_t)st.st_size;
	in = gzdopen(fd, "rb");
	if (!in) {
		close(fd);
		return err_memory(err, r->im->path, "read");
	}
	while (status == Z_OK && (got = gzread(in, room, sizeof room)) > 0) {
		gzerror(in, &status); /* the next read may forget it */
		if (r->bytes.n + (size_t)got > most) {
			gzclose(in);
			return err_set(err, r->im->path, "unpack",
				"more than %" PRIu64 " MiB", most >> 20);
		}
		bytes_put(&r->bytes, room, (size_t)got);
		if (work_ask(r->im->work, "unpacking", r->bytes.n, 0, err)) {
			gzclose(in);
			return -1;
		}
	}
	status = gzclose(in) != Z_OK || status != Z_OK;
	if (r->bytes.failed)
		return err_memory(err, r->im->path, "unpack");
	if (got < 0 || status)
		return err_set(err, r->im->path, "unpack",
			"it is cut or broken after %zu bytes", r->bytes.n);
	return 0;
}

bool pprof_part(struct proto_reader *r)
{
	if (r->parts++ < r->parts_max)
		return true;
	build_excess(r->b, "it unpacks to more functions, places and frames "
			   "than its size can tell");
	return false;
}

/* A C string of string ID; NULL: no memory. */
static const struct proto_text *text_of(struct proto_reader *r, uint64_t id)
{
	const struct proto_span *s = &r->strings.v[id];
	const char *p = (const char *)r->bytes.v + s->at;
	struct proto_text text = {.id = id};
	uint32_t i = set_find(&r->texts, &text, sizeof text.id);

	if (i == HASH_NONE) {
		text.n = (uint32_t)strnlen(p, s->n);
		text.made = arena_strndup(&r->arena, p, text.n);
		if (text.made)
			i = set_add(&r->texts, &text, sizeof text.id);
	}
	return i == HASH_NONE ? NULL : &r->texts.v[i];
}

const char *pprof_text(struct proto_reader *r, uint64_t id)
{
	const struct proto_text *text;

	if (id >= r->strings.n || build_broken(r->b))
		return "";
	text = text_of(r, id);
	if (!text) {
		build_no_memory(r->b);
		return "";
	}
	r->text += text->n;
	if (r->text > TEXT_FREE + TEXT_TIMES * r->bytes.n)
		build_excess(r->b, "few long names stand in too many places");
	return text->made;
}

/* Samples. */

/* "worker 43": a name and a number. */
static void split_number(
	const char *text, char name[static 256], int32_t *number)
{
	char *blank, *end;
	long n;

	snprintf(name, 256, "%s", text);
	blank = strrchr(name, ' ');
	if (!blank || !blank[1])
		return;
	n = strtol(blank + 1, &end, 10);
	if (*end || n < 0 || n > INT32_MAX)
		return;
	*blank = '\0';
	*number = (int32_t)n;
}

static bool is_any(const char *key, const char *const *keys)
{
	for (; *keys; keys++)
		if (strcmp(key, *keys) == 0)
			return true;
	return false;
}

/* Of the label's number, what the process or thread is. */
static void take_number(struct proto_reader *r, struct proto_labels *l,
	const char *key, uint64_t number)
{
	static const char *const pids[] = {
		"pid", "process_id", "process", NULL};
	static const char *const tids[] = {"tid", "thread_id", "thread", NULL};
	int32_t n = number <= INT32_MAX ? (int32_t)number : 0;

	if (r->ours && strcmp(key, PPROF_HITS) == 0)
		l->hits = number;
	else if (r->ours && strcmp(key, PPROF_SAMPLES) == 0)
		l->samples = number;
	else if (is_any(key, pids))
		l->pid = n;
	else if (is_any(key, tids))
		l->tid = n;
	else
		r->other_labels = true;
}

static void take_text(struct proto_reader *r, struct proto_labels *l,
	const char *key, const char *text)
{
	static const char *const threads[] = {"thread", "thread_name", NULL};

	if (strcmp(key, "process") == 0) {
		split_number(text, l->process, &l->pid);
	} else if (is_any(key, threads)) {
		split_number(text, l->thread, &l->tid);
	} else if (strcmp(key, "comm") == 0) {
		snprintf(l->process, sizeof l->process, "%s", text);
		snprintf(l->thread, sizeof l->thread, "%s", text);
	} else if (strcmp(key, "command") == 0) {
		l->exe = text;
		l->whole = r->ours;
	} else {
		r->other_labels = true;
	}
}

static int take_label(struct proto_reader *r, struct proto_labels *l,
	struct cursor label, struct err *err)
{
	const uint8_t *start = label.p;
	uint64_t key = 0, str = 0, num = 0;
	struct pb_field f;

	while (pb_next(&label, &f))
		*(f.number == LABEL_KEY         ? &key
			: f.number == LABEL_STR ? &str
			: f.number == LABEL_NUM ? &num
						: &f.value) = f.value;
	if (label.bad)
		return pprof_error(r, start, err, "a broken label");
	if (str)
		take_text(r, l, pprof_text(r, key), pprof_text(r, str));
	else
		take_number(r, l, pprof_text(r, key), num);
	return 0;
}

/* A number, or a packed run of them, at the end of TO. */
static int take_numbers(struct proto_reader *r, const struct pb_field *f,
	proto_numbers *to, struct err *err)
{
	struct cursor packed = f->inside;

	if (f->kind != PB_BYTES) {
		if (!vec_add(to, f->value))
			build_no_memory(r->b);
		return 0;
	}
	while (cursor_left(&packed)) {
		uint64_t value = cursor_varint(&packed);

		if (packed.bad)
			return pprof_error(
				r, f->inside.p, err, "a broken row of numbers");
		if (!vec_add(to, value)) {
			build_no_memory(r->b);
			return 0;
		}
	}
	return 0;
}

static int parse_sample(struct proto_reader *r, struct cursor sample,
	struct proto_labels *labels, struct err *err)
{
	const uint8_t *start = sample.p;
	struct pb_field f;
	int bad = 0;

	r->locations_of.n = r->values.n = 0;
	while (!bad && pb_next(&sample, &f)) {
		if (f.number == SAMPLE_LOCATION_ID)
			bad = take_numbers(r, &f, &r->locations_of, err);
		else if (f.number == SAMPLE_VALUE)
			bad = take_numbers(r, &f, &r->values, err);
		else if (f.number == SAMPLE_LABEL && f.kind == PB_BYTES &&
			 labels)
			bad = take_label(r, labels, f.inside, err);
	}
	if (bad)
		return -1;
	if (sample.bad)
		return pprof_error(r, start, err, "a broken sample");
	if (r->values.n != r->types.n)
		return pprof_error(r, start, err,
			"a sample with more or less values than there are "
			"types");
	return 0;
}

/* Which types are whole microseconds, and whether there are differences. */
static int look_at_values(
	struct proto_reader *r, struct cursor sample, struct err *err)
{
	const uint8_t *start = sample.p;

	if (parse_sample(r, sample, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < r->values.n && i < r->types.n; i++) {
		if (r->values.v[i] > INT64_MAX) {
			pprof_error(r, start, err, "a value below 0");
			return err_hint(err, "the difference of two profiles "
					     "is none; import both");
		}
		r->types.v[i].odd |= build_is_odd(r->values.v[i]);
	}
	return 0;
}

static uint32_t sample_node(
	struct proto_reader *r, bool *loss, enum cpd_loss_kind *kind)
{
	uint32_t node = 0;

	*loss = false;
	for (size_t i = r->locations_of.n; i-- > 0;) {
		const struct proto_location *l =
			pprof_location(r, r->locations_of.v[i]);

		if (!l)
			return 0;
		if (l->pseudo) {
			if (r->locations_of.n == 1 &&
				build_is_loss(l->pseudo, kind)) {
				*loss = true;
				return 0;
			}
			if (!node && (node = build_pseudo(r->b, l->pseudo)))
				continue;
		}
		node = build_node(r->b, node, l->place);
		if (node > r->last_node && !pprof_part(r))
			return 0;
		if (node > r->last_node)
			r->last_node = node;
	}
	return node ? node : build_no_stack(r->b);
}

/* How many samples so many hits were, by what is said of all: at least 1. */
static uint64_t samples_of(const struct proto_type *t, uint64_t hits)
{
	unsigned __int128 n = (unsigned __int128)hits * t->samples;

	n = (n + t->hits / 2) / t->hits;
	return n < 1 ? 1 : n < hits ? (uint64_t)n : hits;
}

static uint64_t records_of(struct proto_reader *r, const struct proto_type *t,
	uint64_t hits, const struct proto_labels *l)
{
	if (l->whole)
		return l->samples ? l->samples : hits;
	r->estimated |= t->hits != t->samples;
	return t->hits      ? samples_of(t, hits)
	       : r->counted ? r->values.v[r->counted - 1]
			    : 1;
}

static void write_values(struct proto_reader *r, const struct proto_labels *l,
	uint32_t thread, uint32_t node, bool loss, enum cpd_loss_kind kind)
{
	for (size_t i = 0; i < r->values.n; i++) {
		const struct proto_type *t = &r->types.v[i];
		struct cpd_sample s = {.thread = thread,
			.resource = t->resource,
			.node = node};
		uint64_t hits;

		if (__builtin_mul_overflow(
			    r->values.v[i], t->unit.multiply, &s.weight))
			s.weight = UINT64_MAX; /* it is told of the sum */
		s.weight /= t->unit.divide;
		if (!s.weight)
			continue;
		if (loss) {
			build_loss(r->b, t->resource, kind, thread, s.weight);
			continue;
		}
		hits = l->whole && l->hits ? l->hits : s.weight / t->interval;
		build_samples(r->b, &s, hits, records_of(r, t, hits, l));
	}
}

static int read_sample(
	struct proto_reader *r, struct cursor sample, struct err *err)
{
	struct proto_labels l = {
		.exe = r->program_path, .whole = r->ours && r->counted_alone};
	const uint8_t *start = sample.p;
	enum cpd_loss_kind kind = CPD_LOST;
	uint32_t node, thread = 0;
	bool loss;

	snprintf(l.process, sizeof l.process, "%s", r->program);
	if (parse_sample(r, sample, &l, err) < 0)
		return -1;
	for (size_t i = 0; i < r->locations_of.n; i++)
		if (!pprof_location(r, r->locations_of.v[i]))
			return pprof_error(r, start, err,
				"a sample at a location that is not there");
	node = sample_node(r, &loss, &kind);
	/* A loss may be of no one thread. */
	if (!loss || l.tid || *l.thread)
		thread = build_thread(r->b,
			&(struct build_task){.pid = l.pid,
				.tid = l.tid ? l.tid : l.pid,
				.process = l.process,
				.exe = l.exe,
				.name = *l.thread ? l.thread : l.process});
	write_values(r, &l, thread, node, loss, kind);
	return 0;
}

int pprof_each(struct proto_reader *r, unsigned number,
	int (*take)(struct proto_reader *, struct cursor, struct err *),
	struct err *err)
{
	struct cursor all = cursor_of(r->bytes.v, r->bytes.n);
	struct pb_field f;
	uint64_t n = 0;

	while (pb_next(&all, &f)) {
		if (f.number != number || f.kind != PB_BYTES)
			continue;
		if (take(r, f.inside, err) < 0)
			return -1;
		if (build_broken(r->b))
			return 0;
		if (++n % WORK_STEPS == 0 &&
			work_ask(r->im->work, "reading",
				r->bytes.n - cursor_left(&all), r->bytes.n,
				err))
			return -1;
	}
	if (all.bad)
		return pprof_error(r, all.p, err, "no field of a profile");
	return 0;
}

static int read_profile(struct proto_reader *r, struct err *err)
{
	if (unpack(r, err) < 0 || pprof_tables(r, err) < 0)
		return -1;
	if (build_broken(r->b))
		return build_end(r->b, err);
	if (!r->types.n)
		return err_say(err, r->im->path, "import",
			"no profile.proto: it has no sample type",
			"say --from=folded or --from=perf if it "
			"is text");
	if (pprof_each(r, PPROF_SAMPLE, look_at_values, err) < 0 ||
		pprof_resources(r, err) < 0 ||
		pprof_each(r, PPROF_SAMPLE, read_sample, err) < 0)
		return -1;
	if (r->other_labels)
		build_note(r->b, "labels",
			"labels of the samples other than process, thread and "
			"command are left out");
	if (r->estimated)
		build_note(r->b, "samples",
			"how many hits and samples a stack had is estimated "
			"from its weight; weights are exact");
	snprintf(r->im->done->weight, sizeof r->im->done->weight,
		"a sample's weight is its value");
	return build_end(r->b, err);
}

int import_pprof(const struct import *im, struct err *err)
{
	struct proto_reader *r = calloc(1, sizeof *r);
	int bad = -1;

	if (!r)
		return err_memory(err, im->path, "import");
	r->im = im;
	r->b = build_new(im, err);
	if (r->b)
		bad = read_profile(r, err);
	pprof_tables_end(r);
	build_free(r->b);
	free(r);
	return bad;
}
