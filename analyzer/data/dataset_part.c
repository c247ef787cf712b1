/*
 * dataset_part.c - functions by a part of their name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lib/vec.h"
#include "analyzer/data/dataset.h"

#define LISTED 6

typedef VEC(uint32_t) numbers_t;

/* Among the functions from FROM to TO - 1. */
static int find_among(const struct dataset *data, const char *part,
	bool any_case, uint32_t from, uint32_t to, numbers_t *numbers)
{
	numbers->n = 0;
	for (uint32_t i = from; *part && i < to; i++) {
		const char *name = data->functions[i].shown;

		if ((any_case ? strcasestr(name, part) : strstr(name, part)) &&
			!vec_add(numbers, i))
			return -1;
	}
	return 0;
}

/* The program's own functions first: [lost] is not meant by "los". */
static int find_parts(
	const struct dataset *data, const char *part, numbers_t *numbers)
{
	uint32_t end = data->nfunctions + 1;

	if (find_among(data, part, false, FN_FIRST_REAL, end, numbers))
		return -1;
	if (!numbers->n &&
		find_among(data, part, true, FN_FIRST_REAL, end, numbers))
		return -1;
	if (!numbers->n && *part == '[')
		return find_among(
			data, part, true, FN_ALL, FN_FIRST_REAL, numbers);
	return 0;
}

static const char *name_of(const struct dataset *data, uint32_t function)
{
	return data->functions[function].shown;
}

/* Whether all of them go by one name. */
static bool one_name(const struct dataset *data, const numbers_t *numbers)
{
	for (size_t i = 1; i < numbers->n; i++)
		if (strcmp(name_of(data, numbers->v[i]),
			    name_of(data, numbers->v[0])))
			return false;
	return numbers->n > 0;
}

static bool is_stub(const char *name)
{
	size_t n = strlen(name), end = strlen("@plt");

	return n > end && !strcmp(name + n - end, "@plt");
}

/* Whether PART is the last one of NAME: "f" of "ns::T::f(int)", "main.f". */
static bool is_last(const char *name, const char *part)
{
	const char *end = name + strlen(name), *s = name;
	size_t n = strlen(part);

	while ((s = strstr(s + 1, part)))
		if (strchr(".:", s[-1]) &&
			(s + n == end || (s[n] == '(' && end[-1] == ')')))
			return true;
	return false;
}

/* Keeps what is no stub, has PART last, or has a weight, where there is any. */
static void narrow_down(const struct dataset *data, const char *part,
	const struct dataset_weights *weights, numbers_t *numbers)
{
	size_t kept = 0;

	for (size_t i = 0; i < numbers->n; i++) {
		uint32_t f = numbers->v[i];

		if (part          ? is_last(data->functions[f].brief, part)
			: weights ? weights->of[f] > 0
				  : !is_stub(name_of(data, f)))
			numbers->v[kept++] = f;
	}
	numbers->n = kept ? kept : numbers->n;
}

struct order {
	const struct dataset *data;
	const struct dataset_weights *weights;
};

/* The heavy ones first; a part is more of a short name than of a long one. */
static int compare_lengths(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	const char *x = name_of(order->data, *(const uint32_t *)a);
	const char *y = name_of(order->data, *(const uint32_t *)b);
	size_t left = strlen(x), right = strlen(y);
	const struct dataset_weights *w = order->weights;
	uint64_t of_x = w ? w->of[*(const uint32_t *)a] : 0;
	uint64_t of_y = w ? w->of[*(const uint32_t *)b] : 0;

	return ORDER(of_y, of_x) ?: ORDER(left, right) ?: strcmp(x, y);
}

static int ambiguous(const struct dataset *data, const char *part,
	const struct dataset_weights *weights, numbers_t *numbers,
	struct err *err)
{
	struct order order = {data, weights};
	char list[400] = "", share[32] = "";
	size_t used = 0, shown = 0, names = 0;

	qsort_r(numbers->v, numbers->n, sizeof *numbers->v, compare_lengths,
		&order);
	for (size_t i = 0; i < numbers->n; i++) {
		const char *name = name_of(data, numbers->v[i]);

		if (i && !strcmp(name, name_of(data, numbers->v[i - 1])))
			continue;
		if (weights && weights->all)
			snprintf(share, sizeof share, " (%.1f %%)",
				100 * (double)weights->of[numbers->v[i]] /
					(double)weights->all);
		if (names++ >= LISTED ||
			used + strlen(name) + strlen(share) + 2 >= sizeof list)
			continue;
		used += (size_t)snprintf(list + used, sizeof list - used,
			"%s%s%s", shown++ ? ", " : "", name, share);
	}
	err_set(err, NULL, NULL, "'%.80s' is a part of %zu functions' names",
		part, names);
	if (shown < names)
		return err_hint(err, "it could be: %s, and %zu more", list,
			names - shown);
	return err_hint(err, "it could be: %s", list);
}

int dataset_find_part(const struct dataset *data, const char *name,
	const struct dataset_weights *weights, uint32_t **found, size_t *n,
	struct err *err)
{
	numbers_t numbers = {0};
	int status = dataset_find(data, name, found, n, err);

	if (!status)
		return 0;
	if (find_parts(data, name, &numbers)) {
		status = err_memory(err, NULL, NULL);
	} else if (numbers.n) {
		if (!one_name(data, &numbers))
			narrow_down(data, NULL, NULL, &numbers);
		if (!one_name(data, &numbers))
			narrow_down(data, name, NULL, &numbers);
		if (weights && !one_name(data, &numbers))
			narrow_down(data, NULL, weights, &numbers);
		status =
			one_name(data, &numbers)
				? 0
				: ambiguous(data, name, weights, &numbers, err);
	}
	if (status) {
		vec_free(&numbers);
		return -1;
	}
	*found = numbers.v;
	*n = numbers.n;
	return 0;
}

bool dataset_is_part(const struct dataset *data, const char *name)
{
	numbers_t numbers = {0};
	bool is = !find_parts(data, name, &numbers) && numbers.n > 0;

	vec_free(&numbers);
	return is;
}
