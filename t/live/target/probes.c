/*
 * probes - a program with probes for tracers, whose arguments are in each kind
 * of place; prints how often it came to each and what the arguments were in
 * all, as truth.awk reads it.
 *
 * The notes are those that SystemTap's <sys/sdt.h> makes, which not every
 * machine has.
 */
#include <stdint.h>
#include <stdio.h>

#define FRAME __attribute__((noinline))
#define STAY() __asm__ volatile("" ::: "memory")

#ifdef __x86_64__
#define PROBE(name, semaphore, arguments, ...)                                 \
	__asm__ volatile("990: nop\n"                                          \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"         \
			 ".balign 4\n"                                         \
			 ".4byte 992f-991f, 994f-993f, 3\n"                    \
			 "991: .asciz \"stapsdt\"\n"                           \
			 "992: .balign 4\n"                                    \
			 "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"   \
			 ".asciz \"t\", \"" name "\", \"" arguments "\"\n"     \
			 "994: .balign 4\n"                                    \
			 ".popsection\n" ::__VA_ARGS__                         \
			 : "memory")
__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection");
#else
#define PROBE(...) (void)0
#endif

#define MANY 7
#define FEW 3

unsigned short armed_semaphore __attribute__((section(".probes"))) = 0;

static uint32_t numbers[8] = {0, 10, 200, 3000, 40000};
static uint64_t armed;

/* What passed here: N as it is, and once more in each argument. */
static FRAME void pass(uint64_t n)
{
	PROBE("plain", "0", "8@%%rax -2@%%dx 1@%%cl 8@$5 -4@$-5 8f@%%xmm0",
		"a"(n), "d"(n % 2 ? -1 : (int)n), "c"(n | 0xff00));
	PROBE("memory", "0",
		"4@(%%rdi) 4@4(%%rdi) 4@-4(%%rdi,%%rsi,4) -8@numbers(%%rip)",
		"D"(numbers + 1), "S"(n % 4));
	STAY();
}

static FRAME void many(void)
{
	for (uint64_t n = 0; n < MANY; n++)
		pass(n);
	STAY();
}

static FRAME void few(void)
{
	for (uint64_t n = 0; n < FEW; n++)
		pass(n);
	STAY();
}

/* Only a tracer has it come to the probe. */
static FRAME void arm(void)
{
	if (*(volatile unsigned short *)&armed_semaphore) {
		PROBE("armed", "armed_semaphore", "", "r"(0));
		armed++;
	}
	STAY();
}

static void tell(const char *probe, uint64_t in_many, uint64_t in_few)
{
	printf("truth usdt:t:%s main;many;pass %ju\n", probe,
		(uintmax_t)in_many);
	printf("truth usdt:t:%s main;few;pass %ju\n", probe, (uintmax_t)in_few);
}

int main(void)
{
	uint64_t all[5] = {0}, before[5];

	many();
	few();
	for (int i = 0; i < 5; i++)
		arm();
	for (uint64_t n = 0; n < MANY; n++) {
		if (n == FEW)
			for (int i = 0; i < 5; i++)
				before[i] = all[i];
		all[0]++;
		all[1] += n;
		all[2] += n % 2 ? 0 : n;
		all[3] += n & 0xff;
		all[4] += numbers[n % 4];
	}
	tell("plain", all[0], before[0]);
	tell("plain.arg1", all[1], before[1]);
	tell("plain.arg2", all[2], before[2]);
	tell("plain.arg3", all[3], before[3]);
	tell("plain.arg4", 5 * all[0], 5 * before[0]);
	tell("memory.arg1", 10 * all[0], 10 * before[0]);
	tell("memory.arg2", 200 * all[0], 200 * before[0]);
	tell("memory.arg3", all[4], before[4]);
	printf("truth usdt:t:armed main;arm %ju\n", (uintmax_t)armed);
	return 0;
}
