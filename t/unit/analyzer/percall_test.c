/*
 * percall_test - cost per call of a small run that can be worked out by hand:
 * recursion, a path without calls, and time that is the probes'; and of random
 * recursive runs against an oracle that takes each stack by itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/report/report.h"
#include "t/lib/draw.h"
#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"
#include "t/unit/analyzer/oracle.h"

enum { MAIN = 1, G, H, K, F, FUNCTIONS };

static const char *path;
static const char *const names[] = {"", "main", "g", "h", "k", "f"};

static void add(struct cpd_writer *w, uint32_t resource, uint32_t times,
	const uint32_t *stack)
{
	uint32_t node = 0;

	for (; *stack; stack++)
		node = cpd_node(
			w, node, 1, 0x1000 * (uint64_t)*stack, CPD_NODE_EXACT);
	for (uint32_t i = 0; i < times; i++)
		cpd_write_sample(
			w, &(struct cpd_sample){.thread = 1,
				   .resource = resource,
				   .node = node,
				   .hits = 1,
				   .weight = resource == 1 ? 1000 : 1});
}

#define STACK(...)                                                             \
	(const uint32_t[])                                                     \
	{                                                                      \
		MAIN, __VA_ARGS__, 0                                           \
	}

/* CALLS from g; 5 from h, each with four more of f by itself; k has none. */
static struct dataset *make(uint32_t calls, uint32_t flags)
{
	const struct cpd_resource cpu = {.name = "cpu",
		.title = "CPU",
		.gtick = "us",
		.unit = CPD_USEC,
		.interval = 1000,
		.flags = CPD_RESOURCE_CLOCK | flags,
		.timer = "t"};
	struct cpd_writer *w = made_begin(path, &cpu);

	cpd_write_resource(w, &(struct cpd_resource){.name = "calls=f",
				      .title = "Calls",
				      .gtick = "call",
				      .interval = 1,
				      .timer = "t"});
	made_program(w);
	add(w, 1, 100, STACK(G, F));
	add(w, 1, 20, STACK(H, F));
	add(w, 1, 30, STACK(H, F, F));
	add(w, 1, 4, STACK(K, F));
	add(w, 1, 50, STACK(G));
	add(w, 2, calls, STACK(G, F));
	add(w, 2, 5, STACK(H, F));
	add(w, 2, 20, STACK(H, F, F));
	for (uint32_t f = MAIN; f < FUNCTIONS; f++)
		made_function(w, (struct cpd_function){.module = 1,
					 .lo = 0x1000 * (uint64_t)f,
					 .name = names[f]});
	return made_open(w, path, 0);
}

/* The row of the path from CALLER to f; NULL: there is none. */
static const struct percall_row *row_of(
	const struct percall *p, const struct dataset *data, const char *caller)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct percall_row *row = &p->rows[i];

		if (row->length == 2 &&
			!strcmp(data->functions[row->path[0]].name, caller))
			return row;
	}
	return NULL;
}

static int begin(struct percall *p, const struct dataset *data,
	double threshold, struct tree **trees, struct err *err)
{
	uint32_t *found;
	size_t n;
	int status;

	for (uint32_t r = 1; r <= 2; r++) {
		struct tree_view view = {.resource = r};

		trees[r - 1] = tree_new(data, &view, err);
	}
	dataset_find(data, "f", &found, &n, err);
	status = percall_init(
		p, (const struct tree *const *)trees, found, n, threshold, err);
	free(found);
	return status;
}

static void end(struct tree **trees, struct dataset *data)
{
	tree_free(trees[0]);
	tree_free(trees[1]);
	dataset_free(data);
}

/* --- the oracle --- */

#define ROUNDS 400
#define STACKS 40
#define DEPTH 16
#define LETTERS 6 /* functions that call each other; two of them are f */
#define TRUNCATED (LETTERS + 1) /* above a stack without its outer frames */
#define F1 1
#define F2 2
#define PROBE_USEC 10 /* a call's, at least */

/* One resource of a run: its samples, one by one, and what it lost. */
struct side {
	struct cpd_resource resource;
	uint32_t functions[STACKS][DEPTH];
	struct stack stacks[STACKS];
	size_t n;
	uint64_t lost, probes;
};

struct run {
	struct side cost, calls;
};

static const struct cpd_resource costs[] = {
	{.name = "cpu",
		.title = "CPU",
		.gtick = "us",
		.unit = CPD_USEC,
		.interval = 1000,
		.flags = CPD_RESOURCE_CLOCK,
		.timer = "t"},
	{.name = "cycles",
		.title = "Cycles",
		.gtick = "cycle",
		.interval = 1000,
		.timer = "t"},
	{.name = "pagefaults",
		.title = "Page Faults",
		.gtick = "fault",
		.interval = 10,
		.timer = "t"},
	{.name = "majorfaults",
		.title = "Major Faults",
		.gtick = "fault",
		.interval = 1,
		.timer = "t"},
};

static bool is_f(uint32_t function)
{
	return function == F1 || function == F2;
}

/* Few functions, so that they call each other and themselves.  The innermost
   frame of a call is the f that is called. */
static void draw_stack(
	struct side *side, size_t s, uint32_t nfunctions, bool calls)
{
	uint32_t *functions = side->functions[s];
	struct stack *stack = &side->stacks[s];

	stack->functions = functions;
	stack->depth = 1 + draw(DEPTH);
	stack->hits = 1;
	for (uint32_t i = 0; i < stack->depth; i++)
		functions[i] =
			i && !draw(4) ? functions[i - 1] : 1 + draw(nfunctions);
	if (!draw(10))
		functions[0] = TRUNCATED;
	if (calls)
		functions[stack->depth - 1] = F1 + draw(2);
}

static void draw_side(struct side *side, uint32_t nfunctions, bool calls)
{
	/* Some runs have more recursive calls, some dearer samples. */
	uint32_t most = draw(3) ? 3 : 2000;

	side->n = draw(STACKS);
	for (size_t s = 0; s < side->n; s++) {
		draw_stack(side, s, nfunctions, calls);
		side->stacks[s].weight =
			side->resource.interval * (1 + draw(most));
	}
	side->lost = draw(2) * draw(50) * side->resource.interval;
}

static void draw_run(struct run *run)
{
	uint32_t nfunctions = 2 + draw(LETTERS - 1);

	memset(run, 0, sizeof *run);
	run->cost.resource = costs[draw(sizeof costs / sizeof *costs)];
	run->calls.resource = (struct cpd_resource){.name = "calls=f",
		.title = "Calls",
		.gtick = "call",
		.interval = draw(3) ? 1 : 10,
		.timer = "t"};
	draw_side(&run->cost, nfunctions, false);
	draw_side(&run->calls, nfunctions, true);
	if (draw(2))
		run->cost.probes = (1 + draw(9)) * run->cost.resource.interval;
}

static void write_side(
	struct cpd_writer *w, const struct side *side, uint32_t resource)
{
	for (size_t s = 0; s < side->n; s++) {
		const struct stack *stack = &side->stacks[s];
		uint32_t node = 0;

		for (uint32_t i = 0; i < stack->depth; i++)
			node = stack->functions[i] == TRUNCATED
				       ? cpd_node(w, node, 0, CPD_TRUNCATED, 0)
				       : cpd_node(w, node, 1,
						 0x1000 *
							 (uint64_t)stack
								 ->functions[i],
						 CPD_NODE_EXACT);
		cpd_write_sample(
			w, &(struct cpd_sample){.thread = 1,
				   .resource = resource,
				   .node = node,
				   .hits = (uint32_t)(stack->weight /
						      side->resource.interval),
				   .weight = stack->weight});
	}
	if (side->lost)
		cpd_write_loss(w, &(struct cpd_loss){resource, CPD_LOST, 1,
					  side->lost, 1});
	if (side->probes)
		cpd_write_loss(w, &(struct cpd_loss){resource, CPD_PROBES, 1,
					  side->probes, 1});
}

static struct dataset *write_run(const struct run *run)
{
	static const char *const letters[] = {"", "f", "f", "a", "b", "c", "d"};
	struct cpd_writer *w = made_begin(path, &run->cost.resource);

	cpd_write_resource(w, &run->calls.resource);
	made_program(w);
	write_side(w, &run->cost, 1);
	write_side(w, &run->calls, 2);
	for (uint32_t f = 1; f <= LETTERS; f++)
		made_function(w, (struct cpd_function){.module = 1,
					 .lo = 0x1000 * (uint64_t)f,
					 .name = letters[f],
					 .file = f == F2 ? "2.c" : "1.c"});
	return made_open(w, path, 0);
}

/* What one resource has on each path to f. */
struct answer {
	struct oracle paths; /* their hits: samples */
	uint64_t f;          /* of all of them */
	uint64_t all;        /* of all stacks */
	double sample; /* the weight of one, of as many that would tell as much
			  that there is */
};

/* Cuts STACK behind its outermost f.  Of calls, one that is made below another
   f is none. */
static bool cut(struct stack *stack, bool calls)
{
	uint32_t end = 0;

	while (end < stack->depth && !is_f(stack->functions[end]))
		end++;
	if (end == stack->depth || (calls && end + 1 < stack->depth))
		return false;
	stack->depth = end + 1;
	return true;
}

/* Each stack, when cut, is a path from each function in it. */
static void find_answer(
	struct answer *answer, const struct side *side, bool calls)
{
	struct stack stacks[STACKS];
	double sum = 0, squares = 0;
	size_t n = 0;

	memset(answer, 0, sizeof *answer);
	for (size_t s = 0; s < side->n; s++) {
		double weight = (double)side->stacks[s].weight;

		stacks[n] = side->stacks[s];
		answer->all += stacks[n].weight;
		sum += weight;
		squares += weight * weight;
		if (!cut(&stacks[n], calls))
			continue;
		answer->f += stacks[n++].weight;
	}
	for (uint32_t f = 1; f <= TRUNCATED; f++)
		oracle_down(&answer->paths, stacks, n, f);
	answer->sample = side->n ? squares / sum : 1;
}

static const struct oracle_record *record_of(
	const struct answer *answer, const uint32_t *steps, uint32_t length)
{
	static const struct oracle_record none;
	const struct oracle_record *r =
		oracle_find(&answer->paths, steps, length);

	return r ? r : &none;
}

/* The row's path in the letters of the oracle. */
static const uint32_t *letters_of(
	const struct dataset *data, const struct percall_row *row)
{
	static uint32_t steps[DEPTH + 1];

	for (uint32_t i = 0; i < row->length; i++)
		steps[i] =
			row->path[i] == FN_TRUNCATED
				? TRUNCATED
				: (uint32_t)(data->functions[row->path[i]].lo /
					     0x1000);
	return steps;
}

static bool near(double is, double wanted)
{
	return fabs(is - wanted) <= 1e-9 * fabs(wanted);
}

static double spread(const struct answer *answer, const struct side *side,
	const struct oracle_record *r)
{
	bool exact = side->resource.interval == 1;

	return exact || !r->weight ? 0 : answer->sample / (double)r->weight;
}

/* --- what is held against it --- */

enum check {
	REFUSAL,
	PATHS,
	WEIGHT,
	CALLS,
	VALUE,
	DOUBT,
	SHARE,
	ORDER,
	EXACT,
	TITLE,
	CHECKS
};

static const char *const what[CHECKS] = {
	[REFUSAL] = "refused where the probes' time is in it and matters",
	[PATHS] = "each path to f that reaches the threshold, and no other",
	[WEIGHT] = "what was consumed on it, with recursive calls",
	[CALLS] = "its outermost calls",
	[VALUE] = "the one divided by the other, ? without calls",
	[DOUBT] = "the uncertainty of its samples at 95 %",
	[SHARE] = "its share of all, with what was lost and the probes'",
	[ORDER] = "by falling weight",
	[EXACT] = "whether each call was counted",
	[TITLE] = "how calls were counted, and what is in none, is said",
};

static unsigned wrong[CHECKS], refused, answered;

static bool reaches(const struct answer *answer, uint64_t weight, double part)
{
	return weight && (double)weight >= part * (double)answer->f;
}

static size_t count_paths(const struct answer *answers, double threshold)
{
	size_t n = 0;

	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; i < answers[t].paths.n; i++) {
			const struct oracle_record *r =
				&answers[t].paths.records[i];

			if (!is_f(r->path[r->length - 1]) ||
				!reaches(&answers[t], r->weight, threshold))
				continue;
			n += !t ||
			     !reaches(&answers[0],
				     record_of(&answers[0], r->path, r->length)
					     ->weight,
				     threshold);
		}
	return n;
}

static void check_row(const struct run *run, const struct answer *answers,
	const struct percall *p, size_t i, double threshold)
{
	const struct percall_row *row = &p->rows[i];
	const uint32_t *steps = letters_of(p->pruned[0]->data, row);
	const struct oracle_record *cost =
		record_of(&answers[0], steps, row->length);
	const struct oracle_record *calls =
		record_of(&answers[1], steps, row->length);
	double all =
		(double)(answers[0].all + run->cost.lost + run->cost.probes);
	double doubt = 1.96 * sqrt(spread(&answers[0], &run->cost, cost) +
				      spread(&answers[1], &run->calls, calls));

	wrong[PATHS] +=
		!is_f(steps[row->length - 1]) ||
		(!reaches(&answers[0], cost->weight, threshold) &&
			!reaches(&answers[1], calls->weight, threshold));
	wrong[WEIGHT] += row->of[0].weight != cost->weight ||
			 row->of[0].samples != cost->hits;
	wrong[CALLS] += row->of[1].weight != calls->weight;
	wrong[VALUE] +=
		calls->weight
			? !near(percall_value(row),
				  (double)cost->weight / (double)calls->weight)
			: percall_value(row) >= 0;
	wrong[DOUBT] += fabs(percall_doubt(p, row) - doubt) > 1e-4 * doubt;
	wrong[SHARE] += (double)p->pruned[0]->whole.weight != all;
	wrong[ORDER] += i && p->rows[i - 1].of[0].weight < row->of[0].weight;
}

/*
 * Calls of f by itself pass a probe as others do, and so do those that are
 * lost.  What matters is for the product to say: a thousandth does not, a tenth
 * does.
 */
static void check_refusal(
	const struct run *run, const struct answer *answers, bool is)
{
	uint64_t taken = (answers[1].all + run->calls.lost) * PROBE_USEC;
	bool consumes = run->cost.resource.unit == CPD_USEC ||
			!strcmp(run->cost.resource.name, "cycles");

	if (!consumes || run->cost.probes || !taken ||
		(run->cost.resource.unit == CPD_USEC &&
			taken * 1000 < answers[0].f))
		wrong[REFUSAL] += is;
	else if (answers[0].f && taken * 10 > answers[0].f)
		wrong[REFUSAL] += !is;
}

/* The first line of the text. */
static void check_title(const struct run *run, struct percall *p)
{
	const struct report_options options = {.columns = 200};
	const struct side *calls = &run->calls;
	char wanted[128], *text = NULL;
	struct err err;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	p->function = "f";
	wrong[TITLE] +=
		!out || report_percall(out, report_format_find("text", &err), p,
				0, &options, &err);
	if (out)
		fclose(out);
	snprintf(wanted, sizeof wanted, "%s per call of f%s%s",
		run->cost.resource.name,
		calls->resource.interval > 1 ? ", calls counted every 10"
		: calls->lost                ? ""
					     : ", every call counted",
		run->cost.probes || calls->lost ? "; " : "\n");
	wrong[TITLE] += strncmp(text, wanted, strlen(wanted)) != 0;
	snprintf(wanted, sizeof wanted, "; %d of its calls lost",
		(int)calls->lost);
	text[strcspn(text, "\n")] = 0;
	wrong[TITLE] += calls->lost ? !strstr(text, wanted)
				    : strstr(text, " lost") != NULL;
	wrong[TITLE] +=
		(strstr(text, "[probes]") != NULL) != (run->cost.probes > 0);
	free(text);
}

static void check_run(const struct run *run, double threshold)
{
	struct dataset *data = write_run(run);
	struct answer answers[2];
	struct tree *trees[2];
	struct percall p;
	struct err err;
	int status = begin(&p, data, threshold, trees, &err);

	find_answer(&answers[0], &run->cost, false);
	find_answer(&answers[1], &run->calls, true);
	check_refusal(run, answers, status != 0);
	refused += status != 0;
	if (!status) {
		answered += p.n > 0;
		wrong[PATHS] += p.n != count_paths(answers, threshold);
		wrong[EXACT] +=
			percall_counts_all(&p) !=
			(run->calls.resource.interval == 1 && !run->calls.lost);
		for (size_t i = 0; i < p.n; i++)
			check_row(run, answers, &p, i, threshold);
		check_title(run, &p);
		percall_fini(&p);
	}
	oracle_free(&answers[0].paths);
	oracle_free(&answers[1].paths);
	end(trees, data);
}

static void test_random(void)
{
	static struct run run;

	for (int round = 0; round < ROUNDS; round++) {
		draw_run(&run);
		check_run(&run, round % 4 ? 0 : 0.1);
	}
	for (int c = 0; c < CHECKS; c++)
		ok(!wrong[c], "%d random runs: %s", ROUNDS, what[c]);
	ok(answered > ROUNDS / 2 && refused > ROUNDS / 20,
		"%u were answered, %u refused", answered, refused);
}

int main(void)
{
	struct dataset *data;
	struct tree *trees[2];
	struct percall p;
	struct err err;
	const struct percall_row *row;

	path = temp_file();
	data = make(10, 0);
	if (begin(&p, data, 0, trees, &err)) {
		printf("Bail out! %s\n", err.reason);
		return 99;
	}
	row = row_of(&p, data, "g");
	ok(row && percall_value(row) == 10000, "100 ms in 10 calls");
	ok(row && fabs(percall_doubt(&p, row) - 0.19600) < 1e-4,
		"of 100 samples; the calls are counted");
	row = row_of(&p, data, "h");
	ok(row && percall_value(row) == 10000 && row->of[1].weight == 5,
		"calls of f by itself are a part of the outermost ones");
	ok(!row_of(&p, data, "f"), "and no path of their own");
	row = row_of(&p, data, "k");
	ok(row && percall_value(row) < 0,
		"time without a call: it began before collecting did");
	ok(tree_total(p.pruned[0], 0)->weight == 154000,
		"what is not below f is left out");
	percall_fini(&p);
	end(trees, data);
	data = make(5000, 0);
	ok(begin(&p, data, 0, trees, &err) < 0 &&
			strstr(err.reason, "5025 calls") && *err.hint,
		"the probes' time, in no books, is not passed off as f's: %s",
		err.reason);
	end(trees, data);
	data = make(5000, CPD_RESOURCE_NO_PROBES);
	ok(!begin(&p, data, 0, trees, &err),
		"a timer that tells it apart may have met none of it");
	percall_fini(&p);
	end(trees, data);
	test_random();
	temp_file_remove(path);
	return done_testing();
}
