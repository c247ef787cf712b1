#include "cpprof/exports.h"

#include <string.h>

static int folded(FILE *out, struct session *s, struct err *err)
{
	const struct tree *tree = session_tree(s, err);

	return tree ? report_folded(out, tree, err) : -1;
}

const struct export_format export_formats[] = {
	{"folded", "'root;...;leaf hits' lines, for flame graphs", folded},
	{0},
};

const struct export_format *export_find(const char *name, struct err *err)
{
	char list[256] = "";
	size_t n = 0;

	for (const struct export_format *f = export_formats; f->name; f++) {
		if (strcmp(f->name, name) == 0)
			return f;
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
				n ? ", " : "", f->name);
	}
	err_set(err, name, NULL, "no such export format");
	err_hint(err, "there are: %s", list);
	return NULL;
}

int export_write(const struct export_format *format, FILE *out,
	struct session *s, struct err *err)
{
	if (!session_profile(s, PROFILE_BODY, NULL, 0, err))
		return -1;
	return format->write(out, s, err);
}
