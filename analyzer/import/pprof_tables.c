/*
 * pprof_tables.c - a profile.proto's strings, types, mappings, functions and
 * locations.
 */
#include <inttypes.h>
#include <string.h>

#include "analyzer/import/pprof_private.h"
#include "lib/text.h"

/* The thing of SET with the number WANTED; NULL: there is none. */
#define by_id(set, wanted)                                                     \
	({                                                                     \
		uint64_t id_ = (wanted);                                       \
		uint32_t i_ = set_find(set, (const void *)&id_, sizeof id_);   \
		i_ == HASH_NONE ? NULL : &(set)->v[i_];                        \
	})

/* Adds THING, whose number comes first and is any but 0; of one number the
   first thing counts. */
#define add_new(r, set, thing)                                                 \
	do {                                                                   \
		if ((thing)->id && !by_id(set, (thing)->id) &&                 \
			pprof_part(r) &&                                       \
			set_add(set, thing, sizeof(thing)->id) == HASH_NONE)   \
			build_no_memory((r)->b);                               \
	} while (0)

const struct proto_location *pprof_location(
	const struct proto_reader *r, uint64_t id)
{
	return by_id(&r->locations, id);
}

/* The fields of a message that are numbers: TO[n] is field n. */
static int take_fields(struct proto_reader *r, struct cursor message,
	uint64_t *to, unsigned n, struct err *err, const char *what)
{
	const uint8_t *start = message.p;
	struct pb_field f;

	while (pb_next(&message, &f))
		if (f.number < n)
			to[f.number] = f.value;
	return message.bad ? pprof_error(r, start, err, what) : 0;
}

static int take_string(struct proto_reader *r, struct cursor s, struct err *err)
{
	(void)err;
	if (!pprof_part(r) ||
		!vec_add(&r->strings,
			(struct proto_span){(uint32_t)(s.p - r->bytes.v),
				(uint32_t)cursor_left(&s)}))
		build_no_memory(r->b);
	return 0;
}

static int take_type(
	struct proto_reader *r, struct cursor message, struct err *err)
{
	uint64_t f[3] = {0};

	if (take_fields(r, message, f, 3, err, "a broken type") < 0)
		return -1;
	if (r->types.n >= 256)
		return pprof_error(r, message.p, err, "too many sample types");
	if (!vec_add(&r->types, (struct proto_type){.name = f[VALUE_TYPE_TYPE],
					.unit_name = f[VALUE_TYPE_UNIT]}))
		build_no_memory(r->b);
	return 0;
}

static int take_mapping(
	struct proto_reader *r, struct cursor message, struct err *err)
{
	uint64_t f[MAPPING_BUILD_ID + 1] = {0};
	struct proto_mapping m;

	if (take_fields(r, message, f, MAPPING_BUILD_ID + 1, err,
		    "a broken mapping") < 0)
		return -1;
	m = (struct proto_mapping){f[MAPPING_ID], f[MAPPING_START],
		f[MAPPING_OFFSET], f[MAPPING_FILENAME], f[MAPPING_BUILD_ID], 0};
	add_new(r, &r->mappings, &m);
	return 0;
}

static int take_function(
	struct proto_reader *r, struct cursor message, struct err *err)
{
	uint64_t f[FUNCTION_START_LINE + 1] = {0};
	struct proto_function function;

	if (take_fields(r, message, f, FUNCTION_START_LINE + 1, err,
		    "a broken function") < 0)
		return -1;
	function = (struct proto_function){.id = f[FUNCTION_ID],
		.name = f[FUNCTION_NAME],
		.system_name = f[FUNCTION_SYSTEM_NAME],
		.filename = f[FUNCTION_FILENAME],
		.line = f[FUNCTION_START_LINE],
		.lo = UINT64_MAX};
	add_new(r, &r->functions, &function);
	return 0;
}

static int take_location(
	struct proto_reader *r, struct cursor message, struct err *err)
{
	uint64_t f[LOCATION_ADDRESS + 1] = {0};
	struct proto_location l;

	if (take_fields(r, message, f, LOCATION_ADDRESS + 1, err,
		    "a broken location") < 0)
		return -1;
	l = (struct proto_location){f[LOCATION_ID], f[LOCATION_MAPPING_ID],
		f[LOCATION_ADDRESS], message, NULL, 0};
	add_new(r, &r->locations, &l);
	return 0;
}

/* The comments are strings; each is taken once. */
static void take_comment(struct proto_reader *r, uint64_t id)
{
	if (set_find(&r->comments, &id, 0) == HASH_NONE && pprof_part(r) &&
		set_add(&r->comments, &id, 0) == HASH_NONE)
		build_no_memory(r->b);
}

static int take_rest(struct proto_reader *r, struct err *err)
{
	struct cursor all = cursor_of(r->bytes.v, r->bytes.n);
	struct pb_field f;
	uint64_t n = 0;

	while (pb_next(&all, &f) && !build_broken(r->b)) {
		if (++n % WORK_STEPS == 0 &&
			work_ask(r->im->work, "reading",
				r->bytes.n - cursor_left(&all), r->bytes.n,
				err))
			return -1;
		if (f.number == PPROF_PERIOD_TYPE && f.kind == PB_BYTES)
			r->period_type = f.inside;
		else if (f.number == PPROF_PERIOD)
			r->period = f.value;
		else if (f.number == PPROF_TIME_NANOS)
			r->start = f.value;
		else if (f.number == PPROF_DURATION_NANOS)
			r->im->done->end = f.value < INT64_MAX ? f.value : 0;
		if (f.number != PPROF_COMMENT)
			continue;
		if (f.kind != PB_BYTES)
			take_comment(r, f.value);
		else
			while (cursor_left(&f.inside) && !build_broken(r->b))
				take_comment(r, cursor_varint(&f.inside));
	}
	return all.bad ? pprof_error(r, all.p, err, "no field of a profile")
		       : 0;
}

static uint32_t module_of(struct proto_reader *r, struct proto_mapping *m)
{
	uint8_t id[CPD_BUILD_ID_MAX];
	uint32_t n = 0;
	const char *hex, *path;
	unsigned byte;

	if (m->module)
		return m->module;
	hex = pprof_text(r, m->build_id);
	path = pprof_text(r, m->filename);
	if (strlen(hex) % 2 == 0 &&
		strspn(hex, "0123456789abcdefABCDEF") == strlen(hex))
		for (; n < CPD_BUILD_ID_MAX && sscanf(hex, "%2x", &byte) == 1;
			hex += 2)
			id[n++] = (uint8_t)byte;
	m->module = build_module(r->b, *path ? path : "[unknown]", id, n);
	return m->module;
}

/* The frames of a location, innermost first; those that are too many between
 * the innermost and the outermost are left out. */
static int take_lines(struct proto_reader *r, const struct proto_location *l,
	struct build_frame *frames, size_t *n,
	struct proto_function **outermost, struct err *err)
{
	struct cursor message = l->message;
	struct pb_field f;

	*n = 0;
	*outermost = NULL;
	while (pb_next(&message, &f)) {
		uint64_t line[3] = {0};
		struct proto_function *fn;

		if (f.number != LOCATION_LINE || f.kind != PB_BYTES)
			continue;
		if (take_fields(r, f.inside, line, 3, err, "a broken line") < 0)
			return -1;
		fn = by_id(&r->functions, line[LINE_FUNCTION_ID]);
		if (!fn)
			return pprof_error(r, f.inside.p, err,
				"a line of a function that is not there");
		*outermost = fn;
		frames[*n] = (struct build_frame){
			.name = pprof_text(r, fn->name),
			.linkage = pprof_text(r, fn->system_name),
			.file = pprof_text(r, fn->filename),
			.declared =
				fn->line <= UINT32_MAX ? (uint32_t)fn->line : 0,
			.line = line[LINE_LINE] <= UINT32_MAX
					? (uint32_t)line[LINE_LINE]
					: 0,
			.number = fn->id};
		/* cpprof has it twice where there is but one */
		if (strcmp(frames[*n].linkage, frames[*n].name) == 0)
			frames[*n].linkage = "";
		if (*n + 1 < BUILD_FRAMES_MAX)
			++*n;
	}
	return 0;
}

/* The function that a location is in begins at the lowest of its addresses, as
 * far as can be known. */
static int place_functions(struct proto_reader *r, struct err *err)
{
	struct build_frame frames[BUILD_FRAMES_MAX];
	struct proto_function *f;
	size_t n;

	for (size_t i = 0; i < r->locations.n && !build_broken(r->b); i++) {
		if (i % WORK_STEPS == 0 && work_ask(r->im->work, "reading", i,
						   r->locations.n, err))
			return -1;
		if (take_lines(r, &r->locations.v[i], frames, &n, &f, err) < 0)
			return -1;
		if (f && r->locations.v[i].addr &&
			r->locations.v[i].addr < f->lo)
			f->lo = r->locations.v[i].addr;
	}
	return 0;
}

static int place_location(
	struct proto_reader *r, struct proto_location *l, struct err *err)
{
	struct build_frame frames[BUILD_FRAMES_MAX];
	struct proto_mapping *m = by_id(&r->mappings, l->mapping);
	size_t n;
	struct proto_function *f;
	char name[512];
	uint32_t module;

	if (take_lines(r, l, frames, &n, &f, err) < 0)
		return -1;
	module = m ? module_of(r, m) : build_module(r->b, "[unknown]", NULL, 0);
	if (n == 1 && !m && !l->addr)
		l->pseudo = frames[0].name;
	if (!n) {
		snprintf(name, sizeof name, "%.400s+0x%" PRIx64,
			m ? text_base_name(pprof_text(r, m->filename)) : "",
			m && l->addr >= m->start
				? l->addr - m->start + m->offset
				: l->addr);
		frames[n++] = (struct build_frame){
			.name = name, .linkage = "", .file = ""};
	}
	l->place = build_place(r->b, module, frames, n,
		f && l->addr ? l->addr - f->lo : BUILD_NO_OFFSET);
	return 0;
}

/* What cpprof's own comments say of the tables. */
static void read_comments(struct proto_reader *r)
{
	struct build_comment c;

	for (size_t i = 0; i < r->comments.n; i++) {
		const char *text = pprof_text(r, r->comments.v[i]);

		if (build_comment(text, &c)) {
			r->ours = true;
			if (!vec_add(&r->ours_of, c))
				build_no_memory(r->b);
		}
		r->counted_alone |= strcmp(text, PPROF_COUNTED) == 0;
	}
}

int pprof_tables(struct proto_reader *r, struct err *err)
{
	if (pprof_each(r, PPROF_STRING_TABLE, take_string, err) < 0 ||
		pprof_each(r, PPROF_SAMPLE_TYPE, take_type, err) < 0 ||
		pprof_each(r, PPROF_MAPPING, take_mapping, err) < 0 ||
		pprof_each(r, PPROF_FUNCTION, take_function, err) < 0 ||
		pprof_each(r, PPROF_LOCATION, take_location, err) < 0 ||
		take_rest(r, err) < 0)
		return -1;
	read_comments(r);
	r->program_path =
		r->mappings.n ? pprof_text(r, r->mappings.v[0].filename) : "";
	r->program =
		*r->program_path ? text_base_name(r->program_path) : "[pprof]";
	return 0;
}

static void make_resource(struct proto_reader *r, struct proto_type *t,
	uint64_t period_name, uint64_t period_unit)
{
	const char *name = pprof_text(r, t->name);
	const char *unit = pprof_text(r, t->unit_name);
	const struct build_comment *c = NULL;
	bool samples = strcmp(name, "samples") == 0;

	t->unit = build_unit(unit, !t->odd && r->period % 1000 == 0);
	t->interval = 1;
	for (size_t i = 0; i < r->ours_of.n && !c; i++)
		if (strcmp(r->ours_of.v[i].name, name) == 0)
			c = &r->ours_of.v[i];
	if (c) {
		t->interval = c->interval;
		t->hits = c->hits;
		t->samples = c->samples;
	} else if (period_name == t->name && period_unit == t->unit_name &&
		   r->period <= INT64_MAX / t->unit.multiply) {
		t->interval = r->period * t->unit.multiply / t->unit.divide;
	}
	if (samples && strcmp(unit, "count") == 0) {
		r->counted = (size_t)(t - r->types.v) + 1;
		t->hits = t->samples = 1;
	}
	if (!t->interval)
		t->interval = 1;
	t->resource = build_resource(r->b, name, &t->unit, c ? c->gtick : NULL,
		t->interval, c ? build_flags(c) : 0);
}

int pprof_resources(struct proto_reader *r, struct err *err)
{
	uint64_t period[3] = {0};

	if (r->period_type.p && take_fields(r, r->period_type, period, 3, err,
					"a broken period type") < 0)
		return -1;
	build_head(r->b, r->start, 0);
	for (size_t i = 0; i < r->types.n; i++)
		make_resource(r, &r->types.v[i], period[VALUE_TYPE_TYPE],
			period[VALUE_TYPE_UNIT]);
	for (size_t i = 0; i < r->comments.n; i++)
		build_note(r->b, "comment", pprof_text(r, r->comments.v[i]));
	if (place_functions(r, err) < 0)
		return -1;
	for (size_t i = 0; i < r->locations.n && !build_broken(r->b); i++)
		if ((i % WORK_STEPS == 0 && work_ask(r->im->work, "reading", i,
						    r->locations.n, err)) ||
			place_location(r, &r->locations.v[i], err) < 0)
			return -1;
	return 0;
}

void pprof_tables_end(struct proto_reader *r)
{
	bytes_free(&r->bytes);
	arena_fini(&r->arena);
	vec_free(&r->strings);
	set_free(&r->texts);
	vec_free(&r->ours_of);
	vec_free(&r->types);
	set_free(&r->mappings);
	set_free(&r->functions);
	set_free(&r->locations);
	set_free(&r->comments);
	vec_free(&r->locations_of);
	vec_free(&r->values);
}
