/* Filters from the command line. */
#include "cpprof/cmd/filter_opts.h"

int filter_opts_take(struct filter_opts *opts, const struct opt *opt,
	const char *value, struct err *err)
{
	struct filter_opt *to;

	if (opt->id == OPT_GROUP) {
		opts->group = value;
		return 1;
	}
	if (opt->id < OPT_FILTER || opt->id >= OPT_FILTER + FILTER_KINDS)
		return 0;
	to = vec_push(&opts->v);
	if (!to)
		return err_sys(err, opt->name, NULL);
	*to = (struct filter_opt){opt->id - OPT_FILTER, value};
	return 1;
}

int filter_opts_apply(
	const struct filter_opts *opts, struct session *s, struct err *err)
{
	for (size_t i = 0; i < opts->v.n; i++)
		if (session_filter(
			    s, opts->v.v[i].kind, opts->v.v[i].name, err) < 0)
			return -1;
	return opts->group ? session_group(s, opts->group, err) : 0;
}

void filter_opts_fini(struct filter_opts *opts)
{
	vec_free(&opts->v);
}
