/* Vectors, arenas, kept strings, numbers in bytes, chance. */
#include <stdalign.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/lib/tap.h"
#include "lib/arena.h"
#include "lib/bytes.h"
#include "lib/sys/random.h"
#include "lib/vec.h"

static void vectors(void)
{
	VEC(struct {
		char c;
		long n;
	})
	v = {0};
	bool zeroed = true, same = true;

	for (long i = 0; i < 10000; i++) {
		__typeof__(v.v) p = vec_push(&v);

		zeroed = zeroed && !p->c && !p->n;
		p->c = 1;
		p->n = i;
	}
	for (long i = 0; i < 10000; i++)
		same = same && v.v[i].n == i;
	ok(zeroed && same && v.n == 10000, "a vector of 10000");
	v.n = 5;
	ok(vec_push(&v)->n == 0, "an element used again is zeroed");
	ok(!vec_reserve(&v, SIZE_MAX / 2) && v.n == 6 && v.v[3].n == 3,
		"too much is refused, and the vector stays");
	vec_free(&v);
	ok(!v.v && !v.n && !v.cap, "freed");
}

static void arenas(void)
{
	static const size_t sizes[] = {
		1, 0, 16, 3, 4000, 5000, 100000, 7, 300000, 64, 1000000, 2};
	struct arena arena = {0};
	bool good = true;
	char *all[1200];

	for (int i = 0; i < 1200; i++) {
		size_t n = sizes[i % 12];

		all[i] = arena_alloc(&arena, n);
		good = good && all[i] &&
		       !((uintptr_t)all[i] % alignof(max_align_t));
		for (size_t k = 0; k < n; k++)
			good = good && !all[i][k];
		memset(all[i], i + 1, n);
		if (i % 3 == 0)
			all[i] = arena_strndup(&arena, "abcdef", i % 7);
	}
	ok(good, "memory is aligned and zeroed");
	for (int i = 0; i < 1200; i++)
		if (i % 3 == 0)
			good = good && strlen(all[i]) == (size_t)i % 7 &&
			       !strncmp(all[i], "abcdef", i % 7);
		else
			for (size_t k = 0; k < sizes[i % 12]; k++)
				good = good && all[i][k] == (char)(i + 1);
	ok(good, "and nobody else's");
	ok(!arena_alloc(&arena, SIZE_MAX) && !arena_alloc(&arena, SIZE_MAX / 2),
		"too much is refused");
	arena_fini(&arena);
	ok(!arena.head, "freed");
}

static void strings(void)
{
	struct strings s = {0};
	bool good = true;
	char text[32];

	ok(strings_count(&s) == 1 && strings_add(&s, "", 0) == 0 &&
			!*strings_get(&s, 0),
		"number 0 is the empty string");
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= 20000; i++) {
			int n = snprintf(text, sizeof text, "s%u", i);

			good = good && strings_add(&s, text, (size_t)n) == i;
			good = good && !strcmp(strings_get(&s, i), text);
		}
	ok(good && strings_count(&s) == 20001,
		"equal strings have one number, in order of appearance");
	ok(strings_add(&s, "s12345", 3) == 12, "the length counts");
	ok(!*strings_get(&s, 99999), "an unknown number is empty");
	strings_free(&s);
}

static void numbers(void)
{
	static const uint64_t edges[] = {0, 1, 127, 128, 16383, 16384,
		UINT32_MAX, (uint64_t)UINT32_MAX + 1, INT64_MAX,
		(uint64_t)INT64_MAX + 1, UINT64_MAX};
	size_t n = sizeof edges / sizeof *edges;
	struct bytes b = {0};
	struct cursor c;
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		bytes_varint(&b, edges[i]);
		bytes_signed(&b, (int64_t)edges[i]);
	}
	c = cursor_of(b.v, b.n);
	for (size_t i = 0; i < n; i++)
		same = same && cursor_varint(&c) == edges[i] &&
		       cursor_signed(&c) == (int64_t)edges[i];
	ok(same && !c.bad && !cursor_left(&c), "varints there and back");
	b.n = 0;
	bytes_varint(&b, 300);
	bytes_signed(&b, -1);
	bytes_signed(&b, 1);
	bytes_le16(&b, 0x1234);
	bytes_le32(&b, 0x56789abc);
	ok(b.n == 10 && !memcmp(b.v, "\xac\2\1\2\x34\x12\xbc\x9a\x78\x56", 10),
		"their bytes");
	c = cursor_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\2", 10);
	ok(!cursor_varint(&c) && c.bad, "65 bits are too many");
	c = cursor_of("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0", 11);
	ok(!cursor_varint(&c) && c.bad, "eleven bytes too");
	c = cursor_of("\x80", 1);
	ok(!cursor_varint(&c) && c.bad && !cursor_u8(&c), "a cut number");
	c = cursor_of("\x80\x80\x80\x80\x10", 5);
	ok(!cursor_varint32(&c) && c.bad, "33 bits for 32");
	c = cursor_of("ab", 2);
	ok(!cursor_bytes(&c, 3) && c.bad && !cursor_left(&c), "too few bytes");
	bytes_free(&b);
}

/* What a new process draws first. */
static uint64_t first_drawn(void)
{
	int ends[2], status = 1;
	uint64_t drawn = 0;
	pid_t child;

	if (pipe(ends) || (child = fork()) < 0)
		return 0;
	if (child == 0) {
		drawn = random_below(0);
		_exit(write(ends[1], &drawn, sizeof drawn) < 0);
	}
	waitpid(child, &status, 0);
	if (status || read(ends[0], &drawn, sizeof drawn) < 0)
		drawn = 0;
	close(ends[0]);
	close(ends[1]);
	return drawn;
}

static void chance(void)
{
	const uint64_t mean = 10000000000, spread = mean / 2;
	double sum = 0, quarters[4] = {0};
	bool inside = true, level = true;
	uint64_t r;

	ok(first_drawn() != first_drawn(), "each process has its own chance");
	for (int i = 0; i < 100000; i++) {
		r = random_around(mean, spread);
		inside = inside && r >= mean - spread && r <= mean + spread;
		sum += (double)r;
		if (inside)
			quarters[(r - spread) * 4 / (2 * spread + 1)]++;
	}
	ok(inside, "within the spread, beyond 32 bits");
	ok(sum / 1e5 > 0.99e10 && sum / 1e5 < 1.01e10,
		"the mean is the mean: %.4g", sum / 1e5);
	for (int i = 0; i < 4; i++)
		level = level && quarters[i] > 24000 && quarters[i] < 26000;
	ok(level, "all of it equally often: %g %g %g %g", quarters[0],
		quarters[1], quarters[2], quarters[3]);
	ok(random_below(1) == 0 && random_around(7, 0) == 7,
		"no choice, no chance");
}

int main(void)
{
	chance();
	vectors();
	arenas();
	strings();
	numbers();
	return done_testing();
}
