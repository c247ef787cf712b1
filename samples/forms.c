/*
 * forms - five forms read from one database.
 *
 * Source: the program of Figure 1 in R. J. Hall and A. J. Goldberg, "Call Path
 * Profiling of Monotonic Program Resources in UNIX", USENIX Summer 1993.
 *
 * What its cpu profile must show: db_read_record is about 1.0 of the run, yet
 * in the tree of call stacks no node below main reaches 0.2 and none of
 * db_read_record's own reaches 0.14, since the work is spread over five forms.
 * The upward profile from db_read_record leads to what they share:
 * (address_information db_get_property db_read_record), about two thirds.
 *
 * --truth tells the cpu of each part's reads, us, and as their work the length
 * of what they read, in turns.
 */
#include <stdio.h>

#include "samples/sample.h"

#define ROUNDS 40
#define RECORDS 997

/* How often each part reads in a round; the sum is 1000. */
#define ADDRESS_READS 126 /* five times */
#define ITEM_READS 36     /* five times */
#define DIRECT_READS 8    /* five times */
#define INDEX_READS 120
#define CLOSING_READS 30

static uint64_t reads, length_read;

/* Reads of a part that --truth reports, below it in the functions of PATH. */
struct reading {
	uint64_t cpu_ns, length;
};

static struct reading begin_reading(void)
{
	return (struct reading){sample_cpu_ns(), length_read};
}

static void end_reading(const char *path, const struct reading *from)
{
	sample_truth_cpu(path, sample_cpu_ns() - from->cpu_ns);
	sample_truth("work", path, length_read - from->length);
}

/* Records differ in length: a read costs between 0.5 and 1.5 of the mean. */
static FRAME void db_read_record(unsigned number)
{
	uint64_t length = 12500 + number * 7919u % RECORDS * 25;

	SPIN(length);
	length_read += length;
	reads++;
}

static FRAME void db_get_property(unsigned customer, unsigned property)
{
	db_read_record(customer * 31 + property);
}

static FRAME void address_information(unsigned customer)
{
	SHADOW();
	struct reading from = begin_reading();

	for (unsigned i = 0; i < ADDRESS_READS; i++)
		db_get_property(customer + i / 6, i % 6);
	end_reading("db_get_property;db_read_record", &from);
}

static FRAME void line_items(unsigned customer)
{
	SHADOW();
	struct reading from = begin_reading();

	for (unsigned i = 0; i < ITEM_READS; i++)
		db_get_property(customer + i, 7);
	end_reading("db_get_property;db_read_record", &from);
}

static FRAME void form_head(unsigned customer)
{
	SHADOW();
	struct reading from = begin_reading();

	for (unsigned i = 0; i < DIRECT_READS; i++)
		db_read_record(customer + i);
	end_reading("db_read_record", &from);
}

static FRAME void invoice(unsigned customer)
{
	SHADOW();
	form_head(customer);
	address_information(customer);
	line_items(customer);
}

static FRAME void receipt(unsigned customer)
{
	SHADOW();
	form_head(customer);
	line_items(customer);
	address_information(customer);
}

static FRAME void purchase_order(unsigned customer)
{
	SHADOW();
	address_information(customer);
	form_head(customer);
	line_items(customer);
}

static FRAME void statement(unsigned customer)
{
	SHADOW();
	address_information(customer);
	line_items(customer);
	form_head(customer);
}

static FRAME void reminder(unsigned customer)
{
	SHADOW();
	line_items(customer);
	address_information(customer);
	form_head(customer);
}

static FRAME void check_index(void)
{
	SHADOW();
	struct reading from = begin_reading();

	for (unsigned i = 0; i < INDEX_READS; i++)
		db_read_record(i);
	end_reading("db_read_record", &from);
}

static FRAME void close_books(void)
{
	SHADOW();
	struct reading from = begin_reading();

	for (unsigned i = 0; i < CLOSING_READS; i++)
		db_read_record(i * 3);
	end_reading("db_read_record", &from);
}

int main(int argc, char **argv)
{
	sample_start(argc, argv, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		check_index();
		invoice(round);
		receipt(round + 100);
		purchase_order(round + 200);
		statement(round + 300);
		reminder(round + 400);
		close_books();
	}
	if (reads != ROUNDS * 1000)
		sample_fail("%llu reads", (unsigned long long)reads);
	printf("%llu records read\n", (unsigned long long)reads);
	return sample_end();
}
