#include "cpprof/cmd/gate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/diff.h"
#include "lib/text.h"

static int wrong(const char *text, struct err *err)
{
	err_set(err, text, "fail-if", "not a condition");
	return err_hint(err, "say for instance 'cpu > 5%%', 'cpu > 10ms' or "
			     "'syscalls > 0'");
}

/* The limit: a percentage, or an amount with a unit, or 0. */
static int parse_limit(const char *word, struct gate *gate)
{
	static const enum text_unit units[] = {
		TEXT_COUNT, TEXT_BYTES, TEXT_USEC};
	const char *why;
	uint64_t gticks;
	char *end;

	gate->limit = strtod(word, &end);
	if (end != word && gate->limit >= 0 && !strcmp(end, "%")) {
		gate->relative = true;
		gate->limit /= 100;
		return 0;
	}
	if (end != word && gate->limit >= 0 && !*end)
		return 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!text_parse_gticks(word, units[i], &gticks, &why)) {
			gate->limit = (double)gticks;
			return 0;
		}
	return -1;
}

int gate_parse(const char *text, struct gate *gate, struct err *err)
{
	const char *sign = strrchr(text, '>'), *at = text;
	char word[64];
	size_t n;

	*gate = (struct gate){0};
	if (!sign)
		return wrong(text, err);
	while (isspace((unsigned char)*at))
		at++;
	n = (size_t)(sign - at);
	while (n && isspace((unsigned char)at[n - 1]))
		n--;
	if (!n || n >= sizeof gate->resource)
		return wrong(text, err);
	memcpy(gate->resource, at, n);
	at = sign + 1;
	while (isspace((unsigned char)*at))
		at++;
	n = strlen(at);
	while (n && isspace((unsigned char)at[n - 1]))
		n--;
	if (!n || n >= sizeof word)
		return wrong(text, err);
	memcpy(word, at, n);
	word[n] = '\0';
	/* "5 %" and "5%" */
	if (n > 2 && word[n - 1] == '%' && word[n - 2] == ' ')
		memcpy(word + n - 2, "%", 2);
	return parse_limit(word, gate) ? wrong(text, err) : 0;
}

int gate_decide(const struct gate *gate, const struct diff *diff,
	const struct diff_figure *figure, const char *what, FILE *out)
{
	const struct tree *tree = diff->a.trees[0];
	const struct cpd_resource *r =
		&tree->data->resources[tree->view.resource];
	double limit = gate->relative ? gate->limit * figure->a : gate->limit;
	double change = figure->b - figure->a;
	bool known =
		figure->verdict == DIFF_SAME || figure->verdict == DIFF_EXACT;
	char buf[4][64], name[512];
	int status;

	if (known)
		status = change > limit ? GATE_YES : GATE_NO;
	else if (figure->verdict == DIFF_UNSURE)
		status = GATE_UNSURE;
	else
		status = figure->lo > limit    ? GATE_YES
			 : figure->hi <= limit ? GATE_NO
					       : GATE_UNSURE;
	fprintf(out, "%s: %s", r->name,
		status == GATE_YES  ? "yes"
		: status == GATE_NO ? "no"
				    : "inconclusive");
	if (what)
		fprintf(out, ": %s", text_escape(what, name, sizeof name));
	fprintf(out, ": %s a run",
		report_diff_change(r, change, buf[0], sizeof buf[0]));
	if (figure->verdict == DIFF_UNSURE)
		fputs(", one run a side", out);
	else if (known)
		fputs(", exactly", out);
	else
		fprintf(out, " (%s to %s at 95 %%)",
			report_diff_change(
				r, figure->lo, buf[1], sizeof buf[1]),
			report_diff_change(
				r, figure->hi, buf[2], sizeof buf[2]));
	fprintf(out, ", limit %s\n",
		report_diff_change(r, limit, buf[3], sizeof buf[3]));
	return status;
}
