/* How the answer to a question begins. */
#include "cpprof/session/asked.h"

struct report_options asked_begin(const struct asked *asked,
	const struct session *s, const char *function, const struct output *out)
{
	struct report_options options = session_options(s, function, out);

	options.in_shell = asked->in_shell;
	options.line = asked->line;
	if (!options.top)
		options.top = asked->top;
	if (asked->apart && !s->format->data)
		fputc('\n', out->stream);
	return options;
}
