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
 * --truth tells the cpu of each function, us, and of each library's its work,
 * in turns.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "samples/dl_lib.h"
#include "samples/sample.h"

#define ROUNDS 40
#define TURNS 10000000u

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

static FRAME void use_library(const char *path, const char *function,
	uint64_t turns, struct dl_took *took)
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
	call(turns, sample_cpu_ns, took);
	if (dlclose(library) != 0)
		sample_fail("%s", dlerror());
}

static void tell(char letter, uint64_t turns, const struct dl_took *took)
{
	char path[128];

	snprintf(path, sizeof(path), "main;use_library;burn_in_%c", letter);
	sample_truth_cpu_at(path, took->burn_ns);
	sample_truth_at("work", path, ROUNDS * turns);
	snprintf(path, sizeof(path), "main;use_library;burn_in_%c;work_in_%c",
		letter, letter);
	sample_truth_cpu_at(path, took->work_ns);
}

int main(int argc, char **argv)
{
	struct dl_took took_a = {0}, took_b = {0};
	char a[PATH_MAX], b[PATH_MAX];

	sample_start(argc, argv, NULL);
	path_of("libdl_a.so", a, sizeof(a));
	path_of("libdl_b.so", b, sizeof(b));
	for (unsigned round = 0; round < ROUNDS; round++) {
		use_library(a, "burn_in_a", TURNS, &took_a);
		use_library(b, "burn_in_b", 2 * TURNS, &took_b);
	}
	tell('a', TURNS, &took_a);
	tell('b', 2 * TURNS, &took_b);
	printf("%u loads, all functions at one address\n", 2 * ROUNDS);
	return sample_end();
}
