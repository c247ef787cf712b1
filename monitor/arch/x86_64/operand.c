/* The operands of a probe's arguments, as the assembler writes them. */
#include <stdlib.h>
#include <string.h>

#include "monitor/arch/arch.h"
#include "monitor/arch/amount.h"

/* Of the first N letters: the word of struct pt_regs; -1: none. */
static int word_of(const char *name, size_t n)
{
	/* by words; of 64, 32, 16 and 8 bits */
	static const char *const names[][4] = {{"r15", "r15d", "r15w", "r15b"},
		{"r14", "r14d", "r14w", "r14b"},
		{"r13", "r13d", "r13w", "r13b"},
		{"r12", "r12d", "r12w", "r12b"}, {"rbp", "ebp", "bp", "bpl"},
		{"rbx", "ebx", "bx", "bl"}, {"r11", "r11d", "r11w", "r11b"},
		{"r10", "r10d", "r10w", "r10b"}, {"r9", "r9d", "r9w", "r9b"},
		{"r8", "r8d", "r8w", "r8b"}, {"rax", "eax", "ax", "al"},
		{"rcx", "ecx", "cx", "cl"}, {"rdx", "edx", "dx", "dl"},
		{"rsi", "esi", "si", "sil"}, {"rdi", "edi", "di", "dil"},
		[19] = {"rsp", "esp", "sp", "spl"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t k = 0; k < 4 && names[i][k]; k++)
			if (strlen(names[i][k]) == n &&
				memcmp(names[i][k], name, n) == 0)
				return (int)i;
	return -1;
}

/* Takes "%rax" off *TEXT; -1: there is none. */
static int take_register(const char **text)
{
	const char *name = *text + 1;
	size_t n;

	if (**text != '%')
		return -1;
	n = strcspn(name, ",)");
	*text = name + n;
	return word_of(name, n);
}

/* "(%rax)", "(%rax,%rbx)", "(%rax,%rbx,8)" */
static bool take_address(const char *text, uint64_t *parts)
{
	int base, index = -1, shift = 0;

	text++;
	base = take_register(&text);
	if (*text == ',') {
		text++;
		index = take_register(&text);
		if (index < 0)
			return false;
	}
	if (*text == ',') {
		static const char scales[] = "1248";
		const char *scale = strchr(scales, text[1]);

		if (!text[1] || !scale)
			return false;
		shift = (int)(scale - scales);
		text += 2;
	}
	*parts = amount_registers(
		(unsigned)base, (unsigned)(index + 1), (unsigned)shift);
	return base >= 0 && strcmp(text, ")") == 0;
}

bool amount_of_operand(
	const char *text, unsigned size, bool is_signed, uint64_t *amount)
{
	bool constant = *text == '$';
	const char *at = text + constant;
	char *end = (char *)at;
	long long offset = *at == '%' ? 0 : strtoll(at, &end, 0);
	enum amount_place place = constant      ? AMOUNT_CONSTANT
				  : *end == '(' ? AMOUNT_MEMORY
						: AMOUNT_REGISTER;
	uint64_t parts = 0;
	int word;

	if (offset != (int32_t)offset)
		return false;
	if (place == AMOUNT_REGISTER) {
		at = text;
		word = take_register(&at);
		if (word < 0 || *at)
			return false;
		parts = amount_registers((unsigned)word, 0, 0);
	} else if (place == AMOUNT_MEMORY ? !take_address(end, &parts)
					  : end == at || *end) {
		return false;
	}
	*amount = parts |
		  amount_of_parts(place, size, is_signed, (int32_t)offset);
	return true;
}
