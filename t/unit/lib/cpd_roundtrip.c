/* What a writer was given is what a reader hands out. */
#include <sys/stat.h>
#include <unistd.h>

#include "t/lib/tap.h"
#include "t/unit/lib/cpd_random.h"

static void round_trip(const char *path, uint64_t seed, uint32_t records)
{
	struct cpd_log wrote = {0}, read = {0};
	struct cpd_result result;
	struct err err = {0};
	const char *why = random_file(path, seed, records, &wrote);
	char text[2048];
	struct stat st;

	ok(!why, "seed %d: writing%s%s", (int)seed, why ? ": " : "",
		why ? why : "");
	if (!ok(!cpd_read(path, &cpd_log_handlers, &read, &result, &err),
		    "seed %d: reading", (int)seed)) {
		err_format(&err, text, sizeof text);
		diag("%s", text);
	}
	ok(cpd_log_equal(&wrote, &read), "seed %d: %zu lines are the same",
		(int)seed, wrote.lines);
	ok(result.complete && !result.truncated && !result.dropped &&
			!stat(path, &st) &&
			result.bytes == (uint64_t)st.st_size,
		"seed %d: complete", (int)seed);
	cpd_log_free(&wrote);
	cpd_log_free(&read);
	unlink(path);
}

/* A million samples of an ordinary kind come to a few megabytes. */
static void size_of_samples(const char *path)
{
	struct err err;
	struct cpd_writer *w = cpd_writer_open(path, &err);
	const char *argv[] = {"prog"};
	uint32_t n = 100000;
	struct stat st;

	cpd_write_head(w, &(struct cpd_head){.argc = 1, .argv = argv});
	cpd_write_resource(w, &(struct cpd_resource){.interval = 100});
	cpd_write_process(w, &(struct cpd_process){.pid = 1});
	cpd_write_thread(w, &(struct cpd_thread){.process = 1});
	cpd_write_thread(w, &(struct cpd_thread){.process = 1});
	cpd_write_module(w, &(struct cpd_module){.path = "/bin/prog"});
	for (uint32_t i = 0; i < 20000; i++)
		cpd_node(w, i / 2, 1, 0x1000 + draw(1 << 20), 0);
	for (uint32_t i = 0; i < n; i++)
		cpd_write_sample(w, &(struct cpd_sample){
					    .time = 100000ull * i + draw(20000),
					    .thread = random_id(2),
					    .resource = 1,
					    .node = random_id(20000),
					    .hits = 1,
					    .weight = 100});
	ok(!cpd_writer_close(w, &(struct cpd_end){.samples = n}, &err),
		"%u samples written", n);
	if (stat(path, &st))
		st.st_size = INT64_MAX;
	ok(st.st_size < 9ll * n + 200000,
		"%lld bytes for %u samples at 20000 nodes",
		(long long)st.st_size, n);
	unlink(path);
}

int main(void)
{
	char path[] = "/tmp/cpprof-roundtrip.XXXXXX";
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	for (uint64_t seed = 1; seed <= 24; seed++)
		round_trip(path, seed, 400);
	round_trip(path, 99, 60000); /* many chunks */
	size_of_samples(path);
	return done_testing();
}
