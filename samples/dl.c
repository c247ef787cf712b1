/*
 * dl - two libraries at one address, one after the other.
 *
 * Source: the epochs of N. Froyd, J. Mellor-Crummey and R. Fowler,
 * "Low-Overhead Call Path Profiling of Unmodified, Optimized Code", ICS 2005:
 * what an address means depends on when.
 *
 * Loads libdl_a.so and libdl_b.so in turn, forty times each, always at the same
 * address, and calls burn_in_a and burn_in_b, which lie at the same offset. a
 * has one third of the work, b two thirds.  What the cpu profile must show:
 * just that, each under its own name, although both libraries are gone when the
 * run ends and every sample of both has the same addresses.
 *
 * The amounts of --truth are loop turns.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"

#define ROUNDS 40
#define TURNS 6250000u

typedef void burn(uint64_t turns);

static const void *burned_at;

/* The libraries lie beside the program. */
static void path_of(const char *name, char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (len < 0)
		sample_fail("/proc/self/exe: cannot be read");
	path[len] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL || (size_t)(slash + 1 - path) + strlen(name) >= size)
		sample_fail("%s: path too long", path);
	strcpy(slash + 1, name);
}

static FRAME void use_library(
	const char *path, const char *function, uint64_t turns)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const void *address;
	burn *call;

	if (library == NULL)
		sample_fail("%s", dlerror());
	address = dlsym(library, function);
	if (address == NULL)
		sample_fail("%s", dlerror());
	if (burned_at == NULL)
		burned_at = address;
	if (address != burned_at)
		sample_fail(
			"%s is at %p, not at %p", function, address, burned_at);
	call = (burn *)(uintptr_t)address;
	call(turns);
	if (dlclose(library) != 0)
		sample_fail("%s", dlerror());
}

static void tell(const char *burn_name, const char *work_name, uint64_t turns)
{
	char path[128];

	snprintf(path, sizeof(path), "main;use_library;%s", burn_name);
	sample_truth_at("cpu", path, turns / 4 * ROUNDS);
	snprintf(path, sizeof(path), "main;use_library;%s;%s", burn_name,
		work_name);
	sample_truth_at("cpu", path, (turns - turns / 4) * ROUNDS);
}

int main(int argc, char **argv)
{
	char a[PATH_MAX], b[PATH_MAX];

	sample_start(argc, argv, NULL);
	path_of("libdl_a.so", a, sizeof(a));
	path_of("libdl_b.so", b, sizeof(b));
	for (unsigned round = 0; round < ROUNDS; round++) {
		use_library(a, "burn_in_a", TURNS);
		use_library(b, "burn_in_b", 2 * TURNS);
	}
	tell("burn_in_a", "work_in_a", TURNS);
	tell("burn_in_b", "work_in_b", 2 * TURNS);
	printf("%u loads, all functions at one address\n", 2 * ROUNDS);
	return sample_end();
}
