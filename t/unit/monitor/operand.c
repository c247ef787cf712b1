/* operand - operands of probes in files that anybody may have written. */
#include "monitor/arch/arch.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "monitor/arch/amount.h"
#include "t/lib/tap.h"

static const struct {
	const char *text;
	bool good;
} rows[] = {
	{"%rdi", true},
	{"%al", true},
	{"$-5", true},
	{"8(%rsp)", true},
	{"-4(%rbp,%rcx,8)", true},
	{"(%rax,%rbx)", true},
	{"", false},
	{"%", false},
	{"%xmm0", false},
	{"%rdi,", false},
	{"$", false},
	{"$5x", false},
	{"$5000000000", false},
	{"8", false},
	{"8(", false},
	{"8(%rsp", false},
	{"8(%rsp,", false},
	{"8(%rsp,%rcx,3)", false},
	{"8(%rsp,%rcx,", false},
	{"8(%rsp)x", false},
	{"name(%rip)", false},
};

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *end = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (end == MAP_FAILED || mprotect(end + page, page, PROT_NONE))
		return 1;
	end += page; /* what is read behind a text ends the test */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n = strlen(rows[i].text) + 1;
		uint64_t amount;

		memcpy(end - n, rows[i].text, n);
		ok(amount_of_operand(end - n, 8, false, &amount) ==
				rows[i].good,
			"\"%s\" is %s", rows[i].text,
			rows[i].good ? "known" : "refused");
	}
	return done_testing();
}
