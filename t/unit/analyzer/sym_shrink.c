/*
 * sym_shrink - a file that is truncated while its addresses are named.
 *
 * This program copies its own file, and cuts the copy to nothing when the
 * symbolizer tells of its progress.  The names to come are then read from pages
 * that the file no longer has.
 */
#include "config.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/symbol/symbolize.h"
#include "t/lib/tap.h"

static char copy[] = "/tmp/cpprof-shrink.XXXXXX";
static int told;

static void cut(void *arg, size_t done, size_t all)
{
	(void)arg;
	(void)done;
	(void)all;
	if (!told++ && truncate(copy, 0) < 0)
		abort();
}

static bool copy_self(void)
{
	char buf[65536];
	FILE *in = fopen("/proc/self/exe", "rb");
	int out = mkstemp(copy);
	size_t n;

	while (in && out >= 0 && (n = fread(buf, 1, sizeof buf, in)) > 0)
		if (write(out, buf, n) != (ssize_t)n)
			return false;
	if (in)
		fclose(in);
	return in && out >= 0 && close(out) == 0;
}

/* Twice: before and after the cut, so that it happens in between. */
static int name_all(void)
{
	struct symbolize_options options = {
		.progress = cut, .in_process = true};
	struct err err = {0};
	struct cpd_writer *w = cpd_writer_open("/dev/null", &err);
	const char *argv[] = {"x"};

	cpd_write_head(w, &(struct cpd_head){.argc = 1, .argv = argv});
	cpd_write_module(w, &(struct cpd_module){.path = copy});
	for (uint64_t at = 0; at < 400000; at += 16)
		cpd_node(w, 0, 1, at, CPD_NODE_EXACT);
	if (symbolize(w, &options, &err) < 0)
		return 1;
	return cpd_writer_close(w, &(struct cpd_end){0}, &err) < 0 || told < 2;
}

int main(void)
{
	int status = -1;
	pid_t pid;

	if (!copy_self()) {
		printf("1..0 # SKIP cannot copy this program\n");
		return 0;
	}
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(name_all());
	waitpid(pid, &status, 0);
	ok(status == 0, "a file may shrink while it is read: status %x",
		(unsigned)status);
	unlink(copy);
	return done_testing();
}
