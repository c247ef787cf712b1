/*
 * draw.h - random numbers for tests: the same ones in each run.
 */
#ifndef CPPROF_DRAW_H
#define CPPROF_DRAW_H

#include <stdint.h>

static uint64_t draw_state = 1;

/* A linear congruential generator, whose upper bits are good. */
static uint32_t draw32(void)
{
	draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(draw_state >> 32);
}

/* 0 to N - 1; of N 0: 0. */
__attribute__((unused)) static uint32_t draw(uint32_t n)
{
	return (uint32_t)((uint64_t)draw32() * n >> 32);
}

__attribute__((unused)) static uint64_t draw64(void)
{
	uint64_t high = draw32();

	return high << 32 | draw32();
}

#endif
