/* Gives what was consumed to single calls. */
#include "analyzer/questions/spread.h"
#include "lib/order.h"

#include <math.h>
#include <stdlib.h>

/* Whether the code at a place is one of the functions', and no inlined copy,
   whose calls are not counted. */
static bool is_in(const struct dataset *data, const struct location *at,
	const uint32_t *functions, size_t n)
{
	uint32_t f = at->nframes ? at->frames[at->nframes - 1].function : 0;

	for (size_t i = 0; i < n; i++)
		if (f == functions[i] ||
			data->functions[f].base == functions[i])
			return true;
	return false;
}

int spread_init(struct spread *spread, const struct dataset *data,
	const uint32_t *functions, size_t n)
{
	bool *in = calloc((size_t)data->nlocations + 1, sizeof *in);

	*spread = (struct spread){.open = calloc((size_t)data->nthreads + 1,
					  sizeof *spread->open),
		.inside = calloc(
			(size_t)data->nnodes + 1, sizeof *spread->inside)};
	if (!in || !spread->open || !spread->inside) {
		free(in);
		return -1;
	}
	for (uint32_t i = 1; i <= data->nlocations; i++)
		in[i] = is_in(data, &data->locations[i], functions, n);
	for (uint32_t i = 1; i <= data->nnodes; i++) {
		const struct node *node = &data->nodes[i];
		unsigned above = spread->inside[node->parent];

		spread->inside[i] =
			(uint8_t)(above + (above < 2 && in[node->location]));
	}
	free(in);
	return 0;
}

int spread_take(
	struct spread *spread, const struct cpd_sample *sample, bool cost)
{
	size_t *open = &spread->open[sample->thread];
	unsigned inside = spread->inside[sample->node];

	if (!cost && inside == 1) {
		if (!vec_push(&spread->calls))
			return -1;
		*open = spread->calls.n;
	} else if (cost && inside && *open) {
		spread->calls.v[*open - 1] += sample->weight;
		spread->placed += sample->weight;
	}
	return 0;
}

void spread_sort(struct spread *spread)
{
	if (spread->calls.n)
		qsort(spread->calls.v, spread->calls.n, sizeof *spread->calls.v,
			order_u64);
}

uint64_t spread_at(const struct spread *spread, double part)
{
	double rank = ceil(part * (double)spread->calls.n);

	return spread->calls.v[rank < 1 ? 0 : (size_t)rank - 1];
}

void spread_fini(struct spread *spread)
{
	vec_free(&spread->calls);
	free(spread->open);
	free(spread->inside);
	*spread = (struct spread){0};
}
