/*
 * process_db - a database bigger than the memory it may have.
 *
 * Source: the page fault study of R. J. Hall and A. J. Goldberg, "Call Path
 * Profiling of Monotonic Program Resources in UNIX", USENIX Summer 1993: a
 * program that reads a database, makes its records unique by name and sorts
 * what is left.
 *
 * The records lie in a file in no order.  uniquify_db sorts pointers to them
 * by name with qsort, whose comparisons visit the records all over the file,
 * then walks them in name order and keeps one of each name in a table of their
 * own; order_by_balance sorts that table with qsort again.
 *
 * What its pagefaults profile must show: the first qsort takes most faults, and
 * more than twice as many when --records is doubled; the second, the same
 * function at work, takes none.  So not qsort is to be improved but its use in
 * uniquify_db.  With --optimized that is done as in the paper, by locality: the
 * keys are copied to a compact array in one sequential pass and that is sorted.
 * It really runs faster and faults far less.
 *
 * How memory is bounded here, without privilege and exactly: the program is its
 * own pager.  The file is a memfd; of its mapping only the RESIDENT pages
 * visited last stay in, the others are dropped from the page table (their
 * content stays in the page cache), so that the next visit faults again.  A
 * visit writes, because the kernel maps neighbours along with a page that is
 * only read.  --truth: page faults.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "samples/sample.h"

#define PAGE 4096u
#define RESIDENT 256u /* pages */
#define NAMES 1024u   /* different ones */
#define NAME_LEN 24
#define RECORDS_MAX 1048576u

struct record {
	char name[NAME_LEN];
	uint32_t balance;
	uint32_t visits;
	char address[224];
};

#define PER_PAGE (PAGE / sizeof(struct record))

/* A name, and what all its records have together. */
struct customer {
	char name[NAME_LEN];
	uint64_t balance;
	uint32_t records;
};

/* The part of a record that sorting needs. */
struct key {
	char name[NAME_LEN];
	uint32_t balance;
	uint32_t number;
};

/* A page in the list of resident pages, the latest visited first. */
struct page {
	struct page *newer, *older;
	bool resident;
};

static struct record *db;
static size_t db_records;
static struct page *pages;
static size_t page_count;
static struct page residents = {&residents, &residents, false};
static size_t resident_pages;

/* In visits, with --truth: what the kernel took, and what was to be taken. */
static uint64_t faults, faults_due;

static struct customer customers[NAMES];
static size_t customer_count;

static void unlink_page(struct page *page)
{
	page->newer->older = page->older;
	page->older->newer = page->newer;
}

static void link_newest(struct page *page)
{
	page->newer = &residents;
	page->older = residents.older;
	residents.older->newer = page;
	residents.older = page;
}

static void evict(struct page *page)
{
	unlink_page(page);
	page->resident = false;
	resident_pages--;
	if (madvise((char *)db + (size_t)(page - pages) * PAGE, PAGE,
		    MADV_DONTNEED) != 0)
		sample_fail("madvise: %s", strerror(errno));
}

/*
 * All uses of a record start here.  Its page is resident afterwards, and stays
 * so for at least RESIDENT - 1 visits of others.
 */
static FRAME struct record *visit(struct record *record)
{
	struct page *page = &pages[(size_t)(record - db) / PER_PAGE];
	bool is_told = sample_flag("--truth");

	if (is_told)
		faults -= sample_faults();
	if (page->resident) {
		unlink_page(page);
	} else {
		SHADOW();
		if (resident_pages == RESIDENT)
			evict(residents.newer);
		page->resident = true;
		resident_pages++;
		sample_truth("pagefaults", NULL, 1);
		faults_due++;
	}
	link_newest(page);
	record->visits++;
	if (is_told)
		faults += sample_faults();
	return record;
}

static FRAME int compare_names(const void *a, const void *b)
{
	struct record *x, *y;
	int order;

	SHADOW();
	x = visit(*(struct record *const *)a);
	y = visit(*(struct record *const *)b);
	order = strcmp(x->name, y->name);
	return order != 0 ? order : x < y ? -1 : x > y;
}

static FRAME int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : x->number < y->number ? -1 : 1;
}

static FRAME int compare_balances(const void *a, const void *b)
{
	const struct customer *x = a, *y = b;

	if (x->balance != y->balance)
		return x->balance < y->balance ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void open_db(size_t records)
{
	size_t size;
	int fd = memfd_create("process_db", MFD_CLOEXEC);

	page_count = (records + PER_PAGE - 1) / PER_PAGE;
	size = page_count * PAGE;
	if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
		sample_fail("memfd: %s", strerror(errno));
	db = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pages = calloc(page_count, sizeof(*pages));
	if (db == MAP_FAILED || pages == NULL)
		sample_fail("%zu records: %s", records, strerror(errno));
	(void)madvise(db, size, MADV_NOHUGEPAGE);
	close(fd);
	db_records = records;
}

/*
 * Touches what else would fault: the heap that qsort takes for as many bytes,
 * the lists, the code.  Leaves no page resident.
 */
static FRAME void warm_up(size_t sort_size)
{
	struct key *scratch;

	SHADOW();
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, 1 << 20);
	memset(customers, 1, sizeof(customers));
	memset(pages, 0, page_count * sizeof(*pages));
	scratch = malloc(sort_size);
	if (scratch == NULL)
		sample_fail("no memory");
	memset(scratch, 0, sort_size);
	for (size_t i = 0; i < sort_size / sizeof(*scratch); i++)
		scratch[i].number = (uint32_t)(i * 2654435761u);
	qsort(scratch, sort_size / sizeof(*scratch), sizeof(*scratch),
		compare_keys);
	free(scratch);
	for (size_t i = 0; i <= RESIDENT; i++)
		visit(&db[i * PER_PAGE % db_records]);
	while (resident_pages > 0)
		evict(residents.newer);
}

static FRAME uint64_t load_db(void)
{
	uint64_t seed = 1993, sum = 0;

	SHADOW();
	for (size_t i = 0; i < db_records; i++) {
		struct record *record = visit(&db[i]);

		snprintf(record->name, NAME_LEN, "customer %05u",
			sample_random(&seed) % NAMES * 61 % 99991);
		record->balance = sample_random(&seed) % 1000;
		sum += record->balance;
	}
	return sum;
}

static FRAME void add_to_customer(const char *name, uint32_t balance)
{
	struct customer *last = NULL;

	if (customer_count > 0)
		last = &customers[customer_count - 1];
	if (last == NULL || strcmp(last->name, name) != 0) {
		if (customer_count == NAMES)
			sample_fail("a name too many: %s", name);
		last = &customers[customer_count++];
		memset(last, 0, sizeof(*last));
		memcpy(last->name, name, NAME_LEN);
	}
	last->balance += balance;
	last->records++;
}

static FRAME void keep_one_of_each(struct record **by_name)
{
	SHADOW();
	for (size_t i = 0; i < db_records; i++) {
		const struct record *record = visit(by_name[i]);

		add_to_customer(record->name, record->balance);
	}
}

static FRAME void uniquify_db(struct record **by_name)
{
	SHADOW();
	for (size_t i = 0; i < db_records; i++)
		by_name[i] = &db[i];
	qsort(by_name, db_records, sizeof(*by_name), compare_names);
	keep_one_of_each(by_name);
}

static FRAME void localize_keys(struct key *keys)
{
	SHADOW();
	for (size_t i = 0; i < db_records; i++) {
		const struct record *record = visit(&db[i]);

		memcpy(keys[i].name, record->name, NAME_LEN);
		keys[i].balance = record->balance;
		keys[i].number = (uint32_t)i;
	}
}

static FRAME void uniquify_db_locally(struct key *keys)
{
	SHADOW();
	localize_keys(keys);
	qsort(keys, db_records, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < db_records; i++)
		add_to_customer(keys[i].name, keys[i].balance);
}

static FRAME void order_by_balance(void)
{
	SHADOW();
	qsort(customers, customer_count, sizeof(customers[0]),
		compare_balances);
}

static void check(uint64_t sum)
{
	uint64_t kept = 0, records = 0;

	for (size_t i = 0; i < customer_count; i++) {
		kept += customers[i].balance;
		records += customers[i].records;
		if (i > 0 && customers[i].balance > customers[i - 1].balance)
			sample_fail("customer %zu is out of order", i);
	}
	if (kept != sum || records != db_records)
		sample_fail("%llu of %llu kept", (unsigned long long)kept,
			(unsigned long long)sum);
}

int main(int argc, char **argv)
{
	static const char *const options[] = {
		"--optimized", "--records=", NULL};
	size_t records, table_size;
	void *table;
	uint64_t sum;

	sample_start(argc, argv, options);
	records = sample_number("--records=", 16384);
	if (records < RESIDENT * PER_PAGE * 2 || records > RECORDS_MAX)
		sample_fail("--records=: from %zu to %u",
			RESIDENT * PER_PAGE * 2, RECORDS_MAX);
	open_db(records);
	table_size = records * (sample_flag("--optimized")
					       ? sizeof(struct key)
					       : sizeof(struct record *));
	warm_up(table_size);
	/* the first touch is not what this program shows */
	table = malloc(table_size);
	if (table == NULL)
		sample_fail("no memory");
	memset(table, 0, table_size);

	sum = load_db();
	if (sample_flag("--optimized"))
		uniquify_db_locally(table);
	else
		uniquify_db(table);
	order_by_balance();
	free(table);
	check(sum);
	printf("%zu records, %zu customers, richest: %s with %llu\n",
		db_records, customer_count, customers[0].name,
		(unsigned long long)customers[0].balance);
	/* now and then the kernel takes one besides */
	if (sample_flag("--truth") && faults != faults_due)
		fprintf(stderr, "process_db: %llu faults for %llu pages\n",
			(unsigned long long)faults,
			(unsigned long long)faults_due);
	return sample_end();
}
