/*
 * export.c - the table of formats.
 */
#include "analyzer/export/export.h"
#include "lib/text.h"

#include <string.h>

const struct export_format export_formats[] = {
	{"folded", "'root;...;leaf hits' lines, for flame graphs", false, false,
		false, export_folded},
	{"pprof", "for pprof, and what reads its profile.proto", true, true,
		false, export_pprof},
	{"html", "a page for a browser: flame graph and tables", true, false,
		true, export_html},
	{"firefox", "for the Firefox Profiler, with a time line", true, false,
		false, export_firefox},
	{"perf-script", "sample by sample, as `perf script' prints", true,
		false, false, export_perf_script},
	{0},
};

const struct export_format *export_format_find(
	const char *name, struct err *err)
{
	char list[256] = "";

	for (const struct export_format *f = export_formats; f->name; f++) {
		if (strcmp(f->name, name) == 0)
			return f;
		text_list(list, sizeof list, f->name);
	}
	err_say(err, name, NULL, "no such export format", "there are: %s",
		list);
	return NULL;
}
