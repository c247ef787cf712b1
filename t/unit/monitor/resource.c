/*
 * The resource table and what is read from --resource: arguments, intervals,
 * perf's names, and the names of system calls against the system's own header.
 */
#include "monitor/resource/resource.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "t/lib/tap.h"

static struct resource_request got[RESOURCES_MAX];
static size_t n;
static struct err err;

static bool parse(const char *spec)
{
	n = 0;
	err_clear(&err);
	return resource_parse(spec, got, &n, &err) == 0;
}

static void test_rows(void)
{
	bool whole = true, parsed = true;

	for (const struct resource *r = resources; r->name; r++) {
		char spec[64];

		whole &= r->title && r->gtick && r->help && r->rate &&
			 r->interval >= r->min_interval && r->min_interval &&
			 (r->perf || r->counts) && resource_find(r->name) == r;
		/* the names of these stand for many */
		if (resource_is_named_whole(r))
			continue;
		snprintf(spec, sizeof spec, "%s%s", r->name,
			r->argument == ARGUMENT_FUNCTION ? "=f" : "");
		parsed &= parse(spec) && n == 1 && got[0].resource == r &&
			  got[0].interval == r->interval &&
			  strcmp(got[0].name, spec) == 0;
	}
	ok(whole, "every row is whole and found by its name");
	ok(parsed, "every row can be asked for");
	ok(resource_find("page-faults") == resource_find("pagefaults") &&
			resource_find("context-switches") ==
				resource_find("switches"),
		"perf's names are taken");
}

static void test_arguments(void)
{
	ok(parse("syscalls=openat+read:5") && n == 1 && got[0].interval == 5 &&
			strcmp(got[0].name, "syscalls=openat+read") == 0 &&
			syscall_set_has(&got[0].syscalls, SYS_openat) &&
			syscall_set_has(&got[0].syscalls, SYS_read) &&
			!syscall_set_has(&got[0].syscalls, SYS_write),
		"system calls by name");
	ok(parse("syscalls") && syscall_set_has(&got[0].syscalls, 0) &&
			syscall_set_has(&got[0].syscalls, 511),
		"all of them without");
	ok(parse("syscalls=read,syscalls=write,syscalls") && n == 3,
		"one resource with several arguments");
	ok(!parse("syscalls=read,syscalls=read:2"), "but each once");
	ok(parse("signals=SIGSEGV+bus+10") &&
			got[0].signals ==
				(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
					1ull << 9),
		"signals by name and number");
	ok(parse("switches=voluntary") && got[0].switches == SWITCH_VOLUNTARY,
		"voluntary switches");
	ok(parse("calls=libm.so.6:sin:100") && got[0].interval == 100 &&
			strcmp(resource_function(&got[0]), "libm.so.6:sin") ==
				0,
		"a library's function with an interval");
	ok(parse("calls=ns::f") && got[0].interval == 1 &&
			strcmp(resource_function(&got[0]), "ns::f") == 0,
		"colons in a function's name");
	ok(parse("calls=ns::f<int, char>(int, char):7,cpu,calls=a,calls=b") &&
			n == 4 && got[0].interval == 7 &&
			strcmp(resource_function(&got[0]),
				"ns::f<int, char>(int, char)") == 0 &&
			strcmp(got[1].name, "cpu") == 0,
		"commas in a function's name");
	ok(parse("calls=C::operator<,calls=C::operator()(int, char),"
		 "calls=operator->,cpu") &&
			n == 4 &&
			strcmp(resource_function(&got[0]), "C::operator<") ==
				0 &&
			strcmp(got[3].name, "cpu") == 0,
		"operators");
}

static void test_errors(void)
{
	ok(!parse("syscalls=raed") && strstr(err.hint, "'read'"),
		"a wrong call has the nearest in its hint");
	ok(!parse("signals=SIGNONE"), "a wrong signal");
	ok(!parse("signals=65"), "a signal beyond the last");
	ok(!parse("switches=sideways"), "a wrong kind of switch");
	ok(!parse("calls") && !parse("calls="), "calls needs a function");
	ok(!parse("cpu=1"), "cpu takes no argument");
	ok(!parse("pagefault") && strstr(err.hint, "'pagefaults'"),
		"a wrong resource has the nearest in its hint");
	ok(!parse("cpu:5"), "an interval below the least");
	ok(parse("cpu:10kHz,real:3Hz,user:0.1MHz") && got[0].interval == 100 &&
			got[1].interval == 333333 && got[2].interval == 10,
		"rates");
	ok(!parse("cpu:0Hz") && !parse("cpu:infHz") && !parse("cpu:nanHz") &&
			!parse("cpu:-1Hz") && !parse("cpu:1mHz") &&
			!parse("cpu:1MHz") && !parse("cpu:1e-20Hz") &&
			!parse("syscalls:10Hz"),
		"no rates");
	ok(!parse("syscalls:0") && !parse("bytes:"), "no interval");
}

static void test_syscalls(void)
{
	bool all = true;

#define KNOWN(name) all &= syscall_number(#name) == SYS_##name
	KNOWN(read), KNOWN(write), KNOWN(rt_sigreturn), KNOWN(clone),
		KNOWN(openat), KNOWN(preadv2), KNOWN(copy_file_range),
		KNOWN(statx), KNOWN(clone3), KNOWN(futex_waitv);
	ok(all, "system calls have the numbers of <sys/syscall.h>");
	all = true;
	for (unsigned nr = 0; nr < SYSCALLS_MAX; nr++)
		all &= !syscall_name(nr) ||
		       syscall_number(syscall_name(nr)) == (int)nr;
	ok(all, "names and numbers go both ways");
	all = true;
	for (unsigned nr = 0; nr <= SYS_futex_waitv; nr++)
		all &= syscall_name(nr) || (nr > SYS_rseq && nr < 424);
	ok(all, "no number is without a name");
	ok(syscall_number("mseal") == 462,
		"calls that the headers may not have are known");
	ok(syscall_number("syscalls") < 0 && syscall_number("") < 0,
		"what is no call has no number");
	ok(syscall_transfer(SYS_read) == TRANSFER_READ &&
			syscall_transfer(SYS_sendmmsg) ==
				TRANSFER_WRITE_MESSAGES &&
			syscall_transfer(SYS_tee) == TRANSFER_BOTH &&
			syscall_transfer(SYS_fdatasync) == TRANSFER_WRITE &&
			syscall_transfer(SYS_open) == TRANSFER_NONE &&
			syscall_transfer(UINT64_MAX) == TRANSFER_NONE,
		"calls that move bytes are known");
}

int main(void)
{
	test_rows();
	test_arguments();
	test_errors();
	test_syscalls();
	return done_testing();
}
