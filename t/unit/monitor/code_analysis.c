/*
 * Rows made from instructions, for code whose stack layout is known: the bytes
 * are those an assembler makes of the comment beside them.
 */
#include "monitor/unwind/code/code_analysis.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/lib/tap.h"

#define CODE 0x1000

struct bytes {
	const uint8_t *v;
	size_t n;
};

static size_t read_bytes(void *arg, uint64_t addr, uint8_t *buf, size_t n)
{
	const struct bytes *b = arg;

	if (addr < CODE || addr - CODE >= b->n)
		return 0;
	if (n > b->n - (addr - CODE))
		n = b->n - (addr - CODE);
	memcpy(buf, b->v + (addr - CODE), n);
	return n;
}

static struct unwind_row rows[CODE_ANALYSIS_ROWS];

static size_t analysis(const uint8_t *code, size_t n, uint64_t at)
{
	struct bytes bytes = {code, n};
	struct code_analysis_code source = {read_bytes, &bytes};

	return code_analysis_rows(&source, CODE + at, rows);
}

static bool one(size_t n, enum row_kind kind, int cfa, int rbp)
{
	return n == 1 && rows[0].kind == kind && rows[0].cfa == cfa &&
	       rows[0].fp == rbp;
}

static const uint8_t framed[] = {
	0x55,                   /* 0  push %rbp */
	0x48, 0x89, 0xe5,       /* 1  mov %rsp,%rbp */
	0x53,                   /* 4  push %rbx */
	0x48, 0x83, 0xec, 0x18, /* 5  sub $24,%rsp */
	0x31, 0xc0,             /* 9  xor %eax,%eax */
	0x48, 0x8b, 0x5d, 0xf8, /* 11 mov -8(%rbp),%rbx */
	0xc9,                   /* 15 leave */
	0xc3,                   /* 16 ret */
};

static const uint8_t frameless[] = {
	0x41, 0x54,             /* 0  push %r12 */
	0x55,                   /* 2  push %rbp */
	0x48, 0x83, 0xec, 0x28, /* 3  sub $40,%rsp */
	0x85, 0xff,             /* 7  test %edi,%edi */
	0x74, 0x08,             /* 9  je 19 */
	0x48, 0x83, 0xc4, 0x28, /* 11 add $40,%rsp */
	0x5d,                   /* 15 pop %rbp */
	0x41, 0x5c,             /* 16 pop %r12 */
	0xc3,                   /* 18 ret */
	0x31, 0xed,             /* 19 xor %ebp,%ebp */
	0xeb, 0xf4,             /* 21 jmp 11 */
};

static const uint8_t go[] = {
	0x48, 0x83, 0xec, 0x20,       /* 0  sub $32,%rsp */
	0x48, 0x89, 0x6c, 0x24, 0x18, /* 4  mov %rbp,24(%rsp) */
	0x48, 0x8d, 0x6c, 0x24, 0x18, /* 9  lea 24(%rsp),%rbp */
	0x48, 0x8b, 0x6c, 0x24, 0x18, /* 14 mov 24(%rsp),%rbp */
	0x48, 0x83, 0xc4, 0x20,       /* 19 add $32,%rsp */
	0xc3,                         /* 23 ret */
};

static const uint8_t unclear[] = {
	0x48, 0x83, 0xe4, 0xf0, /* 0 and $-16,%rsp */
	0xc3,                   /* 4 ret */
};

/* A function that ends in a call of one that does not return, and the next. */
static const uint8_t noreturn[] = {
	0x50,                   /* 0  push %rax */
	0x31, 0xff,             /* 1  xor %edi,%edi */
	0xe8, 0x08, 0, 0, 0,    /* 3  call 16 */
	0x53,                   /* 8  push %rbx: another function */
	0x53,                   /* 9  push %rbx */
	0x53,                   /* 10 push %rbx */
	0x48, 0x83, 0xc4, 0x18, /* 11 add $24,%rsp */
	0xc3,                   /* 15 ret */
	0xb8, 0x3c, 0, 0, 0,    /* 16 mov $60,%eax */
	0x0f, 0x05,             /* 21 syscall */
	0xc3,                   /* 23 ret */
};

static const uint8_t tail[] = {
	0x48, 0x83, 0xc4, 0x08, /* 0 add $8,%rsp */
	0xff, 0xe0,             /* 4 jmp *%rax */
};

/* Goes over to another stack on one of two ways. */
static const uint8_t switches[] = {
	0x53,             /* 0  push %rbx */
	0x85, 0xff,       /* 1  test %edi,%edi */
	0x74, 0x03,       /* 3  je 8 */
	0x48, 0x89, 0xf4, /* 5  mov %rsi,%rsp */
	0x31, 0xc0,       /* 8  xor %eax,%eax */
	0xc3,             /* 10 ret */
};

/* What is behind the table is reached by it alone. */
static const uint8_t table[] = {
	0x83, 0xff, 0x02,                /* 0  cmp $2,%edi */
	0x77, 0x10,                      /* 3  ja 21 */
	0x48, 0x8d, 0x15, 0x0d, 0, 0, 0, /* 5  lea 25(%rip),%rdx */
	0x48, 0x63, 0x04, 0xba,          /* 12 movslq (%rdx,%rdi,4),%rax */
	0x48, 0x01, 0xd0,                /* 16 add %rdx,%rax */
	0xff, 0xe0,                      /* 19 jmp *%rax */
	0x31, 0xc0,                      /* 21 xor %eax,%eax */
	0xc3, 0x90,                      /* 23 ret; nop */
	12, 0, 0, 0,                     /* 25 the table */
	12, 0, 0, 0,                     /* 29 */
	13, 0, 0, 0,                     /* 33 */
	0x53,                            /* 37 push %rbx */
	0x5b,                            /* 38 pop %rbx */
	0xc3,                            /* 39 ret */
};

static bool from_entry(
	const uint8_t *code, size_t n, uint64_t at, struct unwind_row *row)
{
	struct bytes bytes = {code, n};
	struct code_analysis_code source = {read_bytes, &bytes};

	return code_analysis_from_entry(&source, CODE, CODE + at, false, row);
}

static void jumps_and_switches(void)
{
	struct unwind_row row;

	ok(from_entry(switches, sizeof switches, 5, &row) && row.cfa == 16,
		"before a switch of stacks one's own is known");
	ok(!from_entry(switches, sizeof switches, 8, &row),
		"where a switch may have been it is not");
	ok(from_entry(table, sizeof table, 37, &row) && row.cfa == 8,
		"a jump by a table is followed");
	ok(!from_entry(table, sizeof table, 38, &row),
		"two numbers of it lead here, to different depths");
	ok(analysis(table, sizeof table, 0) == 2,
		"ways that disagree give several rows");
}

static void entries(void)
{
	uint8_t many[6000] = {0x74, 0x01}; /* je 3 */
	struct bytes bytes = {noreturn, sizeof noreturn};
	struct code_analysis_code source = {read_bytes, &bytes};
	struct unwind_row row;

	ok(code_analysis_from_entry(&source, CODE, CODE + 8, false, &row) &&
			row.kind == ROW_SP && row.cfa == 16,
		"behind its last call such a function is read from its entry");
	ok(!code_analysis_from_entry(&source, CODE, CODE + 12, false, &row),
		"which leads no further than its end");
	bytes = (struct bytes){framed, sizeof framed};
	ok(code_analysis_from_entry(&source, CODE, CODE + 9, false, &row) &&
			row.cfa == 48 && row.fp == -16,
		"a frame's saved rbp is found from the entry, too");
	memset(many + 2, 0x90, sizeof many - 2);
	bytes = (struct bytes){many, sizeof many};
	ok(code_analysis_from_entry(&source, CODE, CODE + 2, false, &row) &&
			row.cfa == 8,
		"of many instructions those before the goal are read");
	ok(!code_analysis_from_entry(&source, CODE, CODE + 2, true, &row),
		"if all are wanted they are too many");
}

static const uint8_t leaf[] = {
	0x48, 0x83, 0xec, 0x18,       /* 0  sub $24,%rsp */
	0x48, 0x89, 0x6c, 0x24, 0x10, /* 4  mov %rbp,16(%rsp) */
	0x31, 0xed,                   /* 9  xor %ebp,%ebp */
	0x48, 0x83, 0xc4, 0x10,       /* 11 add $16,%rsp */
	0x5d,                         /* 15 pop %rbp */
	0xc3,                         /* 16 ret */
};

static const uint8_t adapter[] = {
	0x58,                         /* 0  pop %rax */
	0x49, 0x89, 0xe5,             /* 1  mov %rsp,%r13 */
	0x48, 0x83, 0xec, 0x10,       /* 4  sub $16,%rsp */
	0x48, 0x89, 0x04, 0x24,       /* 8  mov %rax,(%rsp) */
	0x48, 0x89, 0x54, 0x24, 0x08, /* 12 mov %rdx,8(%rsp) */
	0x31, 0xc0,                   /* 17 xor %eax,%eax */
	0xff, 0xe3,                   /* 19 jmp *%rbx */
};

static const uint8_t method[] = {
	0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, /* 0 mov %eax,-81920(%rsp) */
	0x55,                                     /* 7  push %rbp */
	0x48, 0x83, 0xec, 0x20,                   /* 8  sub $32,%rsp */
	0x31, 0xed,                               /* 12 xor %ebp,%ebp */
	0x48, 0x83, 0xc4, 0x20,                   /* 14 add $32,%rsp */
	0x5d,                                     /* 18 pop %rbp */
	0xc3,                                     /* 19 ret */
	0xeb, 0xfe,                               /* 20 jmp 20 */
};

static void of_hotspot(void)
{
	struct bytes bytes = {method, sizeof method};
	struct code_analysis_code source = {read_bytes, &bytes};
	struct unwind_row row;

	ok(one(analysis(leaf, sizeof leaf, 4), ROW_SP, 32, ROW_FP_SAME),
		"before rbp is stored in the frame it is the caller's");
	ok(one(analysis(leaf, sizeof leaf, 9), ROW_SP, 32, -16),
		"then it is there");
	ok(one(analysis(adapter, sizeof adapter, 0), ROW_SP, 8, ROW_FP_SAME),
		"code that moves its return address has it on top before");
	ok(!code_analysis_from_prologue(&source, CODE + 20, &row) &&
			!analysis(method, sizeof method, 20),
		"a handler that nothing leads to has no row by its code");
}

static const uint8_t aligned[] = {
	0x55,                         /* 0  push %rbp */
	0x48, 0x89, 0xe0,             /* 1  mov %rsp,%rax */
	0x48, 0x83, 0xec, 0x40,       /* 4  sub $64,%rsp */
	0x48, 0x83, 0xe4, 0xe0,       /* 8  and $-32,%rsp */
	0x48, 0x89, 0x44, 0x24, 0x20, /* 12 mov %rax,32(%rsp) */
	0x62, 0xe1, 0x6d, 0x40, 0xf6, 0x57,
	0x02, /* 17 vpsadbw 128(%rdi),%zmm18,%zmm18 */
	0x62, 0xe3, 0x7d, 0x20, 0x38, 0x04, 0x0a,
	0x01, /* 24 vinserti32x4 $1,(%rdx,%rcx),%ymm16,%ymm16 */
	0x48, 0x8b, 0x64, 0x24, 0x20, /* 32 mov 32(%rsp),%rsp */
	0x5d,                         /* 37 pop %rbp */
	0xc3,                         /* 38 ret */
};

static const uint8_t by_jump[] = {
	0xc9,             /* 0  leave */
	0x5f,             /* 1  pop %rdi */
	0x48, 0x89, 0xcc, /* 2  mov %rcx,%rsp */
	0xff, 0xe7,       /* 5  jmp *%rdi */
};

static const uint8_t aligned_frame[] = {
	0x48, 0x83, 0xe4, 0xf0, /* 0  and $-16,%rsp */
	0xff, 0xd0,             /* 4  call *%rax */
	0xc9,                   /* 6  leave */
	0xc3,                   /* 7  ret */
};

static void of_assembly(void)
{
	ok(one(analysis(aligned, sizeof aligned, 17), ROW_SP_DEREF, 32, -16) &&
			rows[0].words == 2,
		"a stack pointer that is kept in the frame, behind AVX-512");
	ok(one(analysis(by_jump, sizeof by_jump, 0), ROW_FP, 16, -16),
		"a return by pop and jump");
	ok(one(analysis(aligned_frame, sizeof aligned_frame, 0), ROW_FP, 16,
		   -16),
		"an rsp that is unclear is clear again behind leave");
}

/* The status of a child that has only LEFT bytes for the decoder. */
static int with_memory(size_t left)
{
	static const struct rlimit none = {0};
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		void *room = malloc(left);
		void *volatile more; /* gcc 16 leaves out what nobody uses */

		if (!room || setrlimit(RLIMIT_DATA, &none))
			_exit(2);
		for (size_t n = 1 << 20; n >= 16; n /= 2)
			do
				more = malloc(n);
			while (more);
		free(room);
		_exit(analysis(framed, sizeof framed, 0) != 0);
	}
	waitpid(child, &status, 0);
	return status;
}

/* Capstone would write to what malloc() refuses. */
static void without_memory(void)
{
	size_t left = 1 << 7;
	int status = 0;

	while (!status && left <= 1 << 14)
		status = with_memory(left *= 2);
	if (status && getenv("SANITIZERS") && *getenv("SANITIZERS"))
		skip(1, "a sanitizer's malloc() ends the program");
	else
		ok(status == 0,
			"without memory, nothing: %zu bytes, status %#x", left,
			status);
}

int main(void)
{
	without_memory();
	ok(one(analysis(framed, sizeof framed, 0), ROW_SP, 8, ROW_FP_SAME),
		"before a prologue nothing was pushed");
	ok(one(analysis(framed, sizeof framed, 1), ROW_SP, 16, -16),
		"behind the first push rbp lies below the return address");
	ok(one(analysis(framed, sizeof framed, 9), ROW_FP, 16, -16),
		"in the body leave says that rbp is the frame");
	ok(one(analysis(framed, sizeof framed, 16), ROW_SP, 8, ROW_FP_SAME),
		"at the return all is popped");
	ok(one(analysis(frameless, sizeof frameless, 7), ROW_SP, 64, -24),
		"without a frame pointer the pops are counted");
	ok(one(analysis(frameless, sizeof frameless, 19), ROW_SP, 64, -24),
		"also on the other side of a jump, with rbp in use");
	ok(one(analysis(frameless, sizeof frameless, 16), ROW_SP, 16,
		   ROW_FP_SAME),
		"and from the middle of an epilogue");
	ok(one(analysis(go, sizeof go, 14), ROW_SP, 40, -16),
		"rbp restored by a move");
	ok(analysis(unclear, sizeof unclear, 0) == 0,
		"an aligned rsp is unclear");
	ok(analysis(noreturn, sizeof noreturn, 1) == 0,
		"no return of the function behind is taken for one's own");
	ok(one(analysis(noreturn, sizeof noreturn, 16), ROW_END, 0, 0),
		"a thread that exits has no caller");
	ok(one(analysis(tail, sizeof tail, 0), ROW_SP, 16, ROW_FP_SAME),
		"a jump through a register can be the function's end");
	ok(analysis(framed, 3, 0) == 0, "code that breaks off gives nothing");
	entries();
	jumps_and_switches();
	of_hotspot();
	of_assembly();
	return done_testing();
}
