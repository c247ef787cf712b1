/*
 * sysmix - time of the program's own and time in the kernel on its behalf.
 *
 * user_part works in its own code, system_part has the kernel clear memory
 * (reads from /dev/zero) and hardly does anything itself, mixed_part does as
 * much of the one as of the other.  What the profiles must show: cpu as
 * --truth tells it (us, by the thread's own CPU clock); of user_part nearly all
 * is user, of system_part nearly all is system; user and system of each path
 * add up to its cpu.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "samples/sample.h"

#define ROUNDS 10
#define PART_US 20000

static double turns_per_us;
static char buffer[1 << 18];
static int zeros;

static FRAME void user_part(uint64_t us)
{
	SPIN((uint64_t)(turns_per_us * (double)us));
}

static FRAME void system_part(uint64_t us)
{
	for (uint64_t until = sample_cpu_us() + us; sample_cpu_us() < until;)
		if (read(zeros, buffer, sizeof(buffer)) !=
			(ssize_t)sizeof(buffer))
			sample_fail("/dev/zero: %s", strerror(errno));
}

static FRAME void mixed_part(void)
{
	SHADOW();
	MEASURED_CPU(user_part, PART_US);
	MEASURED_CPU(system_part, PART_US);
}

int main(int argc, char **argv)
{
	sample_start(argc, argv, NULL);
	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (zeros < 0)
		sample_fail("/dev/zero: %s", strerror(errno));
	memset(buffer, 1, sizeof(buffer));
	turns_per_us = sample_turns_per_us();
	for (unsigned round = 0; round < ROUNDS; round++) {
		MEASURED_CPU(user_part, PART_US);
		MEASURED_CPU(system_part, PART_US);
		mixed_part();
	}
	printf("%u rounds\n", ROUNDS);
	return sample_end();
}
