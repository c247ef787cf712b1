/* Reads conditions, compares them with a diff's figures and prints what they
   come to. */
#include "cpprof/cmd/gate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/diff.h"
#include "analyzer/report/json_values.h"
#include "lib/text.h"

static const char *const verdicts[] = {
	[GATE_NO] = "no", [GATE_YES] = "yes", [GATE_UNSURE] = "inconclusive"};

static int wrong(const char *text, struct err *err)
{
	err_set(err, text, "fail-if", "not a condition");
	return err_hint(err, "say for instance 'cpu > 5%%', 'cpu > 10ms' or "
			     "'syscalls >= 1'");
}

/* Copies the N characters without the blanks around them; false: none are left,
   or too many. */
static bool trim(const char *from, size_t n, char *to, size_t size)
{
	while (n && isspace((unsigned char)*from))
		from++, n--;
	while (n && isspace((unsigned char)from[n - 1]))
		n--;
	snprintf(to, size, "%.*s", (int)n, from);
	return n && n < size;
}

int gate_parse(const char *text, struct gate *gate, struct err *err)
{
	const char *sign = strrchr(text, '>');
	double amount;
	char *end;

	*gate = (struct gate){.equal = sign && sign[1] == '='};
	if (!sign || !trim(text, (size_t)(sign - text), gate->resource,
			     sizeof gate->resource))
		return wrong(text, err);
	sign += 1 + gate->equal;
	if (!trim(sign, strlen(sign), gate->amount, sizeof gate->amount))
		return wrong(text, err);
	amount = strtod(gate->amount, &end);
	return end == gate->amount || !(amount >= 0) ? wrong(text, err) : 0;
}

/* The amount in gticks: of R, or a percentage of BEFORE. */
static int limit_of(const struct gate *gate, const struct cpd_resource *r,
	double before, double *limit, struct err *err)
{
	const char *why;
	uint64_t gticks;
	char *end;

	*limit = strtod(gate->amount, &end);
	while (*end == ' ')
		end++;
	if (!strcmp(end, "%")) {
		*limit *= before / 100;
		return 0;
	}
	if (!*end && (!*limit || r->unit == CPD_COUNT))
		return 0;
	if (*end && !text_parse_gticks(gate->amount, (enum text_unit)r->unit,
			    &gticks, &why)) {
		*limit = (double)gticks;
		return 0;
	}
	err_set(err, gate->amount, "fail-if",
		*end ? "no amount of %s" : "%s needs a unit", r->name);
	return err_hint(err, "say for instance '%s > %s' or '%s > 5%%'",
		r->name,
		r->unit == CPD_USEC    ? "5ms"
		: r->unit == CPD_BYTES ? "64KiB"
				       : "5",
		r->name);
}

/* Whether a growth by X makes the condition hold. */
static bool is_over(const struct gate *gate, double x, double limit)
{
	return gate->equal ? x >= limit : x > limit;
}

int gate_decide(const struct gate *gate, bool counted,
	struct gate_answer *answer, struct err *err)
{
	const struct diff_figure *figure = &answer->figure;
	double change = figure->b - figure->a, limit;
	bool unsure = figure->verdict == DIFF_UNSURE;

	if (limit_of(gate, answer->resource, figure->a, &limit, err))
		return -1;
	answer->limit = limit;
	answer->exact = figure->verdict == DIFF_SAME ||
			figure->verdict == DIFF_EXACT || (unsure && counted);
	if (answer->exact)
		answer->status =
			is_over(gate, change, limit) ? GATE_YES : GATE_NO;
	else
		answer->status = unsure ? GATE_UNSURE
				 : is_over(gate, figure->lo, limit) ? GATE_YES
				 : !is_over(gate, figure->hi, limit)
					 ? GATE_NO
					 : GATE_UNSURE;
	return 0;
}

void gate_print(const struct gate_answer *answer, FILE *out)
{
	const struct cpd_resource *r = answer->resource;
	const struct diff_figure *figure = &answer->figure;
	char buf[4][64], name[512];

	fprintf(out, "%s: %s", r->name, verdicts[answer->status]);
	if (answer->path)
		fprintf(out, ": %s",
			text_escape(answer->path, name, sizeof name));
	fprintf(out, ": %s a run",
		report_diff_change(
			r, figure->b - figure->a, buf[0], sizeof buf[0]));
	if (answer->exact)
		fputs(figure->verdict == DIFF_UNSURE
				? ", exactly, of one run a side"
				: ", exactly",
			out);
	else if (figure->verdict == DIFF_UNSURE)
		fputs(", one run a side", out);
	else
		fprintf(out, " (%s to %s at 95 %%)",
			report_diff_change(
				r, figure->lo, buf[1], sizeof buf[1]),
			report_diff_change(
				r, figure->hi, buf[2], sizeof buf[2]));
	fprintf(out, ", limit %s\n",
		report_diff_change(r, answer->limit, buf[3], sizeof buf[3]));
}

json_t *gate_object(const struct gate_answer *answers, size_t n)
{
	json_t *list = json_array();

	for (const struct gate_answer *a = answers; a < answers + n; a++)
		json_add(&list,
			json_pack("{s:o,s:o,s:o,s:s,s:b,s:f,s:f,s:f,s:f,s:f,"
				  "s:f}",
				"resource", json_text(a->resource->name),
				"unit", json_text(a->resource->gtick), "path",
				a->path ? json_text(a->path) : json_null(),
				"verdict", verdicts[a->status], "exact",
				a->exact, "before", a->figure.a, "after",
				a->figure.b, "change",
				a->figure.b - a->figure.a, "low", a->figure.lo,
				"high", a->figure.hi, "limit", a->limit));
	return json_with(
		json_begin("gate"), json_pack("{s:o}", "conditions", list));
}
