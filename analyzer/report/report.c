/* report.c - the table of formats. */
#include <string.h>

#include "analyzer/report/diff.h"
#include "analyzer/report/report_private.h"
#include "lib/text.h"

const struct report_format report_formats[] = {
	{"text", "for people", false, report_text, report_diff_text, NULL, NULL,
		false},
	{"paper", "lines after Hall and Goldberg's paper", false, report_paper,
		NULL, NULL, NULL, false},
	{"json", "one object per profile", true, NULL, report_diff_json,
		facts_json, rows_json, false},
	{"csv", "comma-separated values, with a header line", true, NULL,
		report_diff_csv, facts_csv, rows_csv, true},
	{0},
};

const struct report_format *report_format_find(
	const char *name, struct err *err)
{
	char list[128] = "";

	for (size_t i = 0; report_formats[i].name; i++) {
		if (!strcmp(report_formats[i].name, name))
			return &report_formats[i];
		text_list(list, sizeof list, report_formats[i].name);
	}
	err_set(err, NULL, NULL, "no format '%s'", name);
	err_hint(err, "formats: %s", list);
	return NULL;
}
