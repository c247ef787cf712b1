/*
 * records.h - the records that have a length, as rows of fields.
 *
 * A row says where a record's fields are in its struct and how they stand in a
 * file.  By it the writer writes a record, the decoder reads it, both check it,
 * and a merge numbers it anew; only nodes and samples, of which there are
 * millions, have code of their own.
 */
#ifndef CPPROF_CPPROFDATA_RECORDS_H
#define CPPROF_CPPROFDATA_RECORDS_H

#include <string.h>

#include "lib/cpprofdata/format.h"

enum cpd_field_type {
	CPD_FIELD_NUMBER,
	CPD_FIELD_SIGNED,
	CPD_FIELD_TIME,   /* from the last time in the chunk */
	CPD_FIELD_TEXT,   /* a string, by its number */
	CPD_FIELD_NAME,   /* the same, of a thread or a process */
	CPD_FIELD_LENGTH, /* what the member is more than the one before it */
	CPD_FIELD_BYTES,  /* their number, and they */
	CPD_FIELD_LIST,   /* the number of elements, and they */
	CPD_FIELD_REST,   /* elements up to the end of the record */
};

struct cpd_field {
	enum cpd_field_type type;
	uint16_t at, size; /* of the member */
	uint16_t count;    /* BYTES, LIST, REST: of the member with how many */
	const struct cpd_row *elements;
	/* A number of another record: of this kind (0: it is none), and what is
	   wrong if that was not announced. */
	enum cpd_kind refers;
	bool or_none; /* it may be 0 */
	const char *missing;
};

struct cpd_row {
	const struct cpd_field *fields;
	size_t n;
	size_t always; /* so many are there; others up to the first empty one */
	size_t size;   /* of the struct */
	bool numbered; /* which begins with the record's id */
};

extern const struct cpd_row cpd_rows[CPD_KINDS];

/* Room for any of these records. */
union cpd_record {
	uint32_t id;
#define X(number, name) struct cpd_##name name;
	CPD_RECORDS(X)
#undef X
};

static inline uint64_t cpd_field_number(
	const struct cpd_field *f, const void *record)
{
	uint64_t number = 0;

	memcpy(&number, (const char *)record + f->at, f->size);
	return number;
}

static inline void cpd_field_set(
	const struct cpd_field *f, void *record, uint64_t number)
{
	memcpy((char *)record + f->at, &number, f->size);
}

/* Never NULL. */
static inline const char *cpd_field_text(
	const struct cpd_field *f, const void *record)
{
	const char *text;

	memcpy(&text, (const char *)record + f->at, sizeof text);
	return text ? text : "";
}

static inline uint32_t cpd_field_count(
	const struct cpd_field *f, const void *record)
{
	uint32_t count;

	memcpy(&count, (const char *)record + f->count, sizeof count);
	return count;
}

static inline void *cpd_field_element(
	const struct cpd_field *f, const void *record, size_t i)
{
	char *list;

	memcpy(&list, (const char *)record + f->at, sizeof list);
	return list + i * f->elements->size;
}

/* As cpd_check_order(), of a record of KIND. */
const char *cpd_check(
	const struct cpd_known *k, enum cpd_kind kind, const void *record);

/* Counts a record that is checked.  -1: no memory. */
int cpd_known_add(struct cpd_known *k, enum cpd_kind kind, const void *record);

/*
 * Replaces the numbers of other records in RECORD, but 0, by those that NUMBER
 * returns.  -1: one of them is 0.
 */
int cpd_renumber(const struct cpd_row *row, void *record,
	uint32_t (*number)(void *arg, enum cpd_kind kind, uint32_t id),
	void *arg);

/* Replaces the texts in RECORD by those that KEEP returns.  -1: it returned
   NULL. */
int cpd_keep_texts(const struct cpd_row *row, void *record,
	const char *(*keep)(void *arg, const char *text), void *arg);

#endif
