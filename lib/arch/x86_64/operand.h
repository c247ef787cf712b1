/* operand.h - the lengths of operands. */
#ifndef CPPROF_ARCH_X86_64_OPERAND_H
#define CPPROF_ARCH_X86_64_OPERAND_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a ModRM operand with what follows it, before END (Intel SDM,
   volume 2, table 2-5). */
size_t x86_operand_length(const uint8_t *modrm, const uint8_t *end);

#endif
