/*
 * Files that are cut, damaged or made up: what a reader delivers of them is
 * the beginning of what was written, or it names the offset and refuses.
 */
#include <unistd.h>
#include <zlib.h>

#include "t/lib/read_memory.h"
#include "t/lib/tap.h"
#include "lib/bytes.h"
#include "lib/cpprofdata/format.h"
#include "t/unit/lib/cpd_random.h"

static char path[] = "/tmp/cpprof-hostile.XXXXXX";
static uint8_t file[1 << 20], copy[1 << 20];
static size_t size;
static struct cpd_log wrote;

static void make_file(uint64_t seed, uint32_t records)
{
	FILE *f;

	cpd_log_free(&wrote);
	random_file(path, seed, records, &wrote);
	f = fopen(path, "rb");
	size = f ? fread(file, 1, sizeof file, f) : 0;
	if (f)
		fclose(f);
	unlink(path);
}

static int read_bytes(const uint8_t *p, size_t n, struct cpd_log *log,
	struct cpd_result *result, struct err *err)
{
	log->n = 0;
	err_clear(err);
	return read_memory(p, n, &cpd_log_handlers, log, result, err);
}

/* Whether N is where a chunk ends, and so nothing is cut. */
static bool is_chunk_end(size_t n)
{
	size_t at = CPD_HEADER_SIZE;

	while (at < n)
		at += CPD_CHUNK_HEADER_SIZE + CPD_CHUNK_CRC_SIZE +
		      bytes_get_le32(file + at + 4);
	return at == n;
}

static void truncate_everywhere(void)
{
	int in_header = 0, refused = 0, wrong = 0, unsaid = 0;
	struct cpd_log log = {0};
	struct cpd_result result;
	size_t longest = 0;
	struct err err;

	for (size_t n = 0; n < size; n++) {
		int status = read_bytes(file, n, &log, &result, &err);

		if (n < CPD_HEADER_SIZE) {
			in_header +=
				status && (strstr(err.reason, "header") ||
						  strstr(err.reason, "empty"));
			continue;
		}
		refused += status != 0;
		wrong += !cpd_log_prefix(&log, &wrote) || log.n < longest;
		unsaid += result.truncated == is_chunk_end(n) ||
			  result.complete || result.bytes + result.dropped != n;
		longest = log.n;
	}
	ok(in_header == CPD_HEADER_SIZE, "a cut header is an error");
	ok(!refused, "no other cut is (%d of %zu were)", refused, size);
	ok(!wrong,
		"cut anywhere, it gives a beginning, and no less than "
		"when cut before (%d wrong)",
		wrong);
	ok(!unsaid, "and says that it was cut (%d did not)", unsaid);
	ok(longest > 0 && longest < wrote.n, "the last chunk is what is lost");
	cpd_log_free(&log);
}

/* Not in the minor version, which changes nothing yet. */
static void flip_everywhere(void)
{
	int wrong = 0, unnoticed = 0, no_reason = 0;
	struct cpd_log log = {0};
	struct cpd_result result;
	struct err err;

	for (size_t at = 0; at < size; at++) {
		if (at == 10 || at == 11)
			continue;
		for (int bit = 0; bit < 8; bit++) {
			int status;

			file[at] ^= (uint8_t)(1 << bit);
			status = read_bytes(file, size, &log, &result, &err);
			file[at] ^= (uint8_t)(1 << bit);
			wrong += !cpd_log_prefix(&log, &wrote);
			unnoticed += !status && result.complete;
			no_reason += status && !*err.reason;
		}
	}
	ok(!wrong, "a flipped bit never gives a wrong record (%d did)", wrong);
	ok(!unnoticed, "nor a complete file (%d did)", unnoticed);
	ok(!no_reason, "errors have reasons");
	cpd_log_free(&log);
}

static void put_checksums_right(uint8_t *p, size_t n)
{
	size_t at = CPD_HEADER_SIZE, len;

	for (; n - at >= CPD_CHUNK_HEADER_SIZE + CPD_CHUNK_CRC_SIZE;
		at += len + CPD_CHUNK_CRC_SIZE) {
		len = CPD_CHUNK_HEADER_SIZE + bytes_get_le32(p + at + 4);
		if (len > n - at - CPD_CHUNK_CRC_SIZE)
			return;
		bytes_set_le32(
			p + at + len, (uint32_t)crc32(0, p + at, (uInt)len));
	}
}

static int ignore_sample(void *arg, const struct cpd_sample *s, struct err *err)
{
	(void)err;
	*(uint64_t *)arg += s->weight;
	return 0;
}

/* With right checksums nothing but the checks is in the way. */
static void mutate(uint32_t times)
{
	static const struct cpd_handlers handlers = {.sample = ignore_sample};
	int refused = 0, no_offset = 0;
	struct cpd_result result;
	uint64_t sum = 0;
	struct err err;

	for (uint32_t i = 0; i < times; i++) {
		memcpy(copy, file, size);
		for (uint32_t k = random_id(6); k; k--) {
			size_t at = CPD_HEADER_SIZE +
				    draw((uint32_t)size - CPD_HEADER_SIZE);

			copy[at] = (uint8_t)draw64();
		}
		put_checksums_right(copy, size);
		err_clear(&err);
		if (!read_memory(copy, size, &handlers, &sum, &result, &err))
			continue;
		refused++;
		no_offset += strncmp(err.op, "offset ", 7) != 0;
	}
	ok(refused > (int)times / 20 && !no_offset,
		"%u made-up files: %d refused, each with its offset", times,
		refused);
}

/* A file of one chunk with this payload. */
static size_t one_chunk(const char *payload, size_t n)
{
	struct bytes b = {0};
	size_t total;

	bytes_put(&b, CPD_MAGIC "\1\0\0\0", CPD_HEADER_SIZE);
	bytes_put(&b, "RECS", 4);
	bytes_le32(&b, (uint32_t)n);
	bytes_put(&b, payload, n);
	bytes_le32(&b, 0);
	put_checksums_right(b.v, b.n);
	memcpy(copy, b.v, b.n);
	total = b.n;
	bytes_free(&b);
	return total;
}

/* Bytes after an empty head record, and the error in them. */
static void broken_records(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *why;
	} rows[] = {
#define ROW(bytes, why) {bytes, sizeof bytes - 1, why}
		ROW("\2\12\0\0\0\0\0\0\0\0\0\0", "second head"),
		ROW("\0\0", "kind 0"),
		ROW("\1\0", "empty"),
		ROW("\1\3a\0b", "NUL"),
		ROW("\1\5ab", "longer than its chunk"),
		ROW("\1\377\377\377\377\377\377\377\377\377\1a",
			"longer than its chunk"),
		ROW("\3\7\0\0\0\0\0\0\0", "interval of 0"),
		ROW("\3\7\0\0\0\0\3\1\0", "unknown unit"),
		ROW("\3\7\1\0\0\0\0\1\0", "out of range"),
		ROW("\5\4\1\0\0\0", "process that was not announced"),
		ROW("\4\6\1\0\0\0\0\0", "parent was not announced"),
		ROW("\10\4\0\0\0\41", "too long"),
		ROW("\100\1\1\0", "module that was not announced"),
		ROW("\100\1\0\2\100\2\0\4", "unknown pseudo node"),
		ROW("\101\0\2\101\0\2", "not below the root"),
		ROW("\100\2\0\2", "parent does not come before"),
		ROW("\160\0", "unknown bits"),
		ROW("\340\0", "unknown bits"),
		ROW("\200\0\2\1\1\1\1", "thread that was not announced"),
		ROW("\12\2\1\1", "resource that was not announced"),
		ROW("\17\4\0\0\0\0\16\2\0\0", "after the end record"),
#undef ROW
	};
	static const char head[] = "\2\12\0\0\0\0\0\0\0\0\0\0";
	char payload[256];

	memcpy(payload, head, 12);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static const struct cpd_handlers none;
		struct cpd_result result;
		struct err err = {0};
		size_t n;
		int status;

		memcpy(payload + 12, rows[i].bytes, rows[i].n);
		n = one_chunk(payload, 12 + rows[i].n);
		status = read_memory(copy, n, &none, NULL, &result, &err);
		if (!ok(status && strstr(err.reason, rows[i].why) &&
				    atoi(err.op + 7) >= 32,
			    "refused: %s", rows[i].why))
			diag("%d: %s: %s", status, err.op, err.reason);
	}
}

/* What a later minor version may add is passed over. */
static void additions(void)
{
	static const char payload[] =
		"\2\13\0\0\0\0\0\0\0\0\0\0\77" /* longer */
		"\60\3abc"                     /* unknown */
		"\16\2\0\0";
	struct cpd_log log = {0};
	struct cpd_result result;
	struct err err;
	size_t n = one_chunk(payload, sizeof payload - 1), whole;
	uint8_t *next = copy + n;

	memcpy(next, copy + CPD_HEADER_SIZE, n - CPD_HEADER_SIZE);
	memcpy(next, "LATR", 4);
	whole = n + n - CPD_HEADER_SIZE;
	copy[10] = 7;
	put_checksums_right(copy, whole);
	ok(!read_bytes(copy, whole, &log, &result, &err) && result.minor == 7 &&
			result.bytes == whole && log.lines > 1 &&
			strstr(log.text, "note |\n"),
		"unknown chunks, records and fields are passed over");
	next[8] ^= 1;
	ok(read_bytes(copy, whole, &log, &result, &err) &&
			strstr(err.reason, "checksum"),
		"but must have right checksums");
	cpd_log_free(&log);
}

static void headers(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *why;
	} rows[] = {
		{"", 0, "The file is empty"},
		{"\x89", 1, "The file ends within its header"},
		{"GIF89a and so on", 16, "Not a cpprofdata file"},
		{"x", 1, "Not a cpprofdata file"},
		{CPD_MAGIC "\2\0\0\0", 12,
			"Written by a newer cpprof (format 2.0; this one "
			"reads 1.x)"},
		{CPD_MAGIC "\0\0\5\0", 12,
			"Written by an older cpprof (format 0.5; this one "
			"reads 1.x)"},
		{CPD_MAGIC "\1\0\0\0RECS\1\0\0\1", 20,
			"a chunk that is longer than any may be"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static const struct cpd_handlers none;
		struct cpd_result result;
		struct err err = {0};

		ok(read_memory(rows[i].bytes, rows[i].n, &none, NULL, &result,
			   &err) &&
				!strcmp(err.reason, rows[i].why),
			"%s", rows[i].why);
	}
}

static int refuse(void *arg, const struct cpd_sample *s, struct err *err)
{
	(void)s;
	++*(int *)arg;
	return err_set(err, "me", NULL, "no more");
}

static void handler_refuses(void)
{
	static const struct cpd_handlers handlers = {.sample = refuse};
	struct cpd_result result;
	struct err err = {0};
	int calls = 0;

	ok(read_memory(file, size, &handlers, &calls, &result, &err) == -1 &&
			calls == 1 && !strcmp(err.reason, "no more"),
		"a handler can end the reading with an error of its own");
}

static bool has_all_kinds(void)
{
	static const char *const names[] = {
#define X(number, name) #name " ",
		CPD_RECORD_KINDS(X)
#undef X
			"node ",
		"sample "};
	bool all = true;

	for (size_t i = 1; i < sizeof names / sizeof *names; i++)
		if (!strstr(wrote.text, names[i])) {
			diag("no %s", names[i]);
			all = false;
		}
	return all;
}

int main(void)
{
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	make_file(5, 60);
	ok(has_all_kinds(), "a file of %zu bytes with records of all kinds",
		size);
	truncate_everywhere();
	flip_everywhere();
	handler_refuses();
	for (uint64_t seed = 20; seed < 24; seed++) {
		make_file(seed, 60);
		mutate(2000);
	}
	headers();
	broken_records();
	additions();
	cpd_log_free(&wrote);
	return done_testing();
}
