/* The rows of fields, and what makes a record valid. */
#include "lib/cpprofdata/records.h"

#define MEMBER(kind, record, member)                                           \
	.type = CPD_FIELD_##kind, .at = offsetof(struct cpd_##record, member), \
	.size = sizeof((struct cpd_##record *)0)->member
#define FIELD(kind, record, member)                                            \
	{                                                                      \
		MEMBER(kind, record, member)                                   \
	}
/* The member's number is that of another record. */
#define REFERENCE(record, member, kind, zero, what)                            \
	{                                                                      \
		MEMBER(NUMBER, record, member), .refers = CPD_KIND_##kind,     \
						.or_none = zero,               \
						.missing = what                \
	}
#define OF(record, member, kind, what)                                         \
	REFERENCE(record, member, kind, false,                                 \
		what " a " #kind " that was not announced")
#define OF_OR_NONE(record, member, kind, what)                                 \
	REFERENCE(record, member, kind, true,                                  \
		what " a " #kind " that was not announced")
#define LIST(kind, record, member, number, row)                                \
	{                                                                      \
		MEMBER(kind, record, member),                                  \
			.count = offsetof(struct cpd_##record, number),        \
			.elements = row                                        \
	}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROW(name, least, has_number)                                           \
	{                                                                      \
		name##_fields, COUNT(name##_fields), least,                    \
			sizeof(struct cpd_##name), has_number                  \
	}
#define WHOLE(name, has_number) ROW(name, COUNT(name##_fields), has_number)

struct cpd_word {
	const char *text;
};

static const struct cpd_field word_fields[] = {FIELD(TEXT, word, text)};
static const struct cpd_row word_row = WHOLE(word, false);

static const struct cpd_field head_fields[] = {FIELD(NUMBER, head, start_unix),
	FIELD(NUMBER, head, start), FIELD(TEXT, head, cwd),
	FIELD(TEXT, head, host), FIELD(TEXT, head, kernel),
	FIELD(TEXT, head, machine), FIELD(TEXT, head, version),
	FIELD(NUMBER, head, ncpu), FIELD(NUMBER, head, uid),
	LIST(LIST, head, argv, argc, &word_row)};

static const struct cpd_field resource_fields[] = {FIELD(TEXT, resource, name),
	FIELD(TEXT, resource, title), FIELD(TEXT, resource, gtick),
	FIELD(TEXT, resource, timer), FIELD(NUMBER, resource, unit),
	FIELD(NUMBER, resource, interval), FIELD(NUMBER, resource, flags)};

static const struct cpd_field process_fields[] = {
	REFERENCE(process, parent, process, true,
		"a process whose parent was not announced"),
	FIELD(SIGNED, process, pid), FIELD(TIME, process, time),
	FIELD(NAME, process, name), FIELD(TEXT, process, exe),
	FIELD(NUMBER, process, flags), FIELD(TEXT, process, host),
	FIELD(TEXT, process, called), FIELD(TEXT, process, args)};

static const struct cpd_field thread_fields[] = {
	OF(thread, process, process, "a thread of"), FIELD(SIGNED, thread, tid),
	FIELD(TIME, thread, time), FIELD(NAME, thread, name)};

static const struct cpd_field rename_fields[] = {
	OF(rename, process, process, "the name of"),
	OF_OR_NONE(rename, thread, thread, "the name of"),
	FIELD(TIME, rename, time), FIELD(NAME, rename, name)};

static const struct cpd_field exit_fields[] = {
	OF(exit, process, process, "the exit of"),
	OF_OR_NONE(exit, thread, thread, "the exit of"),
	FIELD(TIME, exit, time)};

static const struct cpd_field module_fields[] = {FIELD(NUMBER, module, kind),
	FIELD(TEXT, module, path),
	OF_OR_NONE(module, process, process, "a module of"),
	LIST(BYTES, module, build_id, build_id_len, NULL)};

static const struct cpd_field map_fields[] = {
	OF(map, process, process, "a mapping of"), FIELD(TIME, map, time),
	FIELD(NUMBER, map, start), FIELD(NUMBER, map, len),
	FIELD(NUMBER, map, offset), OF(map, module, module, "a mapping of")};

static const struct cpd_field total_fields[] = {
	OF(total, resource, resource, "the total of"),
	FIELD(NUMBER, total, gticks), FIELD(NUMBER, total, doubt)};

static const struct cpd_field loss_fields[] = {
	OF(loss, resource, resource, "a loss of"), FIELD(NUMBER, loss, kind),
	OF_OR_NONE(loss, thread, thread, "a loss of"),
	FIELD(NUMBER, loss, gticks), FIELD(NUMBER, loss, samples)};

static const struct cpd_field function_fields[] = {
	OF(function, module, module, "a function of"),
	FIELD(NUMBER, function, lo), FIELD(LENGTH, function, hi),
	FIELD(TEXT, function, name), FIELD(TEXT, function, linkage),
	FIELD(NUMBER, function, source), FIELD(NUMBER, function, flags),
	FIELD(TEXT, function, file), FIELD(NUMBER, function, line)};

static const struct cpd_field frame_fields[] = {
	OF(frame, function, function, "a frame of"), FIELD(NUMBER, frame, line),
	FIELD(TEXT, frame, file)};
static const struct cpd_row frame_row = WHOLE(frame, false);

static const struct cpd_field tail_fields[] = {
	OF(tail, found, function, "a tail call of"),
	OF(tail, via, function, "a tail call of")};
static const struct cpd_row tail_row = WHOLE(tail, false);

static const struct cpd_field addr_fields[] = {
	OF(addr, module, module, "an address in"), FIELD(NUMBER, addr, addr),
	LIST(LIST, addr, frames, nframes, &frame_row),
	OF_OR_NONE(addr, target, function, "a call of"),
	LIST(REST, addr, tails, ntails, &tail_row)};

static const struct cpd_field note_fields[] = {
	FIELD(TEXT, note, key), FIELD(TEXT, note, text)};

static const struct cpd_field end_fields[] = {FIELD(TIME, end, time),
	FIELD(SIGNED, end, status), FIELD(NUMBER, end, samples),
	FIELD(NUMBER, end, monitor_usec)};

static const struct cpd_field usage_fields[] = {FIELD(NUMBER, usage, user),
	FIELD(NUMBER, usage, system), FIELD(NUMBER, usage, minor),
	FIELD(NUMBER, usage, major), FIELD(NUMBER, usage, waits),
	FIELD(NUMBER, usage, preemptions)};

const struct cpd_row cpd_rows[CPD_KINDS] = {
	[CPD_KIND_head] = WHOLE(head, false),
	[CPD_KIND_resource] = WHOLE(resource, true),
	[CPD_KIND_process] = ROW(process, 6, true),
	[CPD_KIND_thread] = WHOLE(thread, true),
	[CPD_KIND_rename] = WHOLE(rename, false),
	[CPD_KIND_exit] = WHOLE(exit, false),
	[CPD_KIND_module] = WHOLE(module, true),
	[CPD_KIND_map] = WHOLE(map, false),
	[CPD_KIND_total] = ROW(total, 2, false),
	[CPD_KIND_loss] = WHOLE(loss, false),
	[CPD_KIND_function] = ROW(function, 7, true),
	[CPD_KIND_addr] = ROW(addr, 3, false),
	[CPD_KIND_note] = WHOLE(note, false),
	[CPD_KIND_end] = WHOLE(end, false),
	[CPD_KIND_usage] = WHOLE(usage, false)};

static const char *check_references(const struct cpd_known *k,
	const struct cpd_row *row, const void *record)
{
	const char *why = NULL;

	for (const struct cpd_field *f = row->fields;
		!why && f < row->fields + row->n; f++) {
		uint64_t id = f->refers ? cpd_field_number(f, record) : 0;

		if (f->refers && (id ? id > k->n[f->refers] : !f->or_none))
			why = f->missing;
		for (uint32_t i = 0;
			f->elements && !why && i < cpd_field_count(f, record);
			i++)
			why = check_references(k, f->elements,
				cpd_field_element(f, record, i));
	}
	return why;
}

static const char *check_map(const struct cpd_map *m)
{
	return m->len && m->len - 1 <= UINT64_MAX - m->start
		       ? NULL
		       : "a mapping that is empty or wraps around";
}

static const char *check_addr(const struct cpd_addr *a)
{
	if (!a->nframes)
		return "an address without a frame";
	return a->ntails && !a->target ? "a chain of tail calls without a first"
				       : NULL;
}

/* What is wrong with the fields of a record themselves. */
static const char *check_fields(const struct cpd_known *k, enum cpd_kind kind,
	const union cpd_record *r)
{
	switch (kind) {
	case CPD_KIND_resource:
		if (k->samples)
			return "a resource after the first sample";
		if (r->resource.unit > CPD_USEC)
			return "a resource of an unknown unit";
		return r->resource.interval
			       ? NULL
			       : "a resource with an interval of 0";
	case CPD_KIND_module:
		if (r->module.kind > CPD_MODULE_NO_CODE)
			return "a module of an unknown kind";
		return r->module.build_id_len > CPD_BUILD_ID_MAX
			       ? "a build id that is too long"
			       : NULL;
	case CPD_KIND_map:
		return check_map(&r->map);
	case CPD_KIND_loss:
		return r->loss.kind < CPD_LOSS_KINDS
			       ? NULL
			       : "a loss of an unknown kind";
	case CPD_KIND_function:
		if (r->function.lo > r->function.hi)
			return "a function that ends before it starts";
		return r->function.source <= CPD_NAME_RUNTIME
			       ? NULL
			       : "a function named by unknown means";
	case CPD_KIND_addr:
		return check_addr(&r->addr);
	default:
		return NULL;
	}
}

const char *cpd_check(
	const struct cpd_known *k, enum cpd_kind kind, const void *record)
{
	const char *why = cpd_check_order(k, kind);

	if (!why)
		why = check_fields(k, kind, record);
	return why ? why : check_references(k, &cpd_rows[kind], record);
}

int cpd_known_add(struct cpd_known *k, enum cpd_kind kind, const void *record)
{
	const struct cpd_resource *resource = record;

	if (kind == CPD_KIND_resource &&
		!vec_add(&k->intervals, resource->interval))
		return -1;
	k->n[kind]++;
	return 0;
}

int cpd_renumber(const struct cpd_row *row, void *record,
	uint32_t (*number)(void *arg, enum cpd_kind kind, uint32_t id),
	void *arg)
{
	for (const struct cpd_field *f = row->fields; f < row->fields + row->n;
		f++) {
		uint32_t id =
			f->refers ? (uint32_t)cpd_field_number(f, record) : 0;

		if (id) {
			id = number(arg, f->refers, id);
			if (!id)
				return -1;
			cpd_field_set(f, record, id);
		}
		for (uint32_t i = 0;
			f->elements && i < cpd_field_count(f, record); i++)
			if (cpd_renumber(f->elements,
				    cpd_field_element(f, record, i), number,
				    arg))
				return -1;
	}
	return 0;
}

int cpd_keep_texts(const struct cpd_row *row, void *record,
	const char *(*keep)(void *arg, const char *text), void *arg)
{
	for (const struct cpd_field *f = row->fields; f < row->fields + row->n;
		f++) {
		if (f->type == CPD_FIELD_TEXT || f->type == CPD_FIELD_NAME) {
			const char *text = keep(arg, cpd_field_text(f, record));

			if (!text)
				return -1;
			memcpy((char *)record + f->at, &text, sizeof text);
		}
		for (uint32_t i = 0;
			f->elements && i < cpd_field_count(f, record); i++)
			if (cpd_keep_texts(f->elements,
				    cpd_field_element(f, record, i), keep, arg))
				return -1;
	}
	return 0;
}
