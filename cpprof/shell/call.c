/* Commands that ask who calls whom, which lines and why; arguments. */
#include "cpprof/shell/call.h"

#include <string.h>

#include "lib/text.h"
#include "cpprof/session/questions.h"
#include "cpprof/session/percall.h"
#include "cpprof/session/why.h"

int call_profile_args(struct call *call, bool rooted, const char **root,
	double *threshold, struct err *err)
{
	char *const *arg = call->args;
	size_t n = call->nargs;

	if (rooted && n && (n == 2 || !text_parse_fraction(*arg, threshold))) {
		*root = *arg++;
		n--;
	}
	return n ? session_parse_threshold(*arg, threshold, err) : 0;
}

int call_advise(struct call *call, struct err *err)
{
	return question_advise(call->shell->session, call->out, err);
}

int call_callgraph(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	double threshold = s->threshold;
	const char *name = NULL;

	if (call_profile_args(call, true, &name, &threshold, err) < 0)
		return -1;
	return question_callgraph(s, name, threshold, call->out, err);
}

int call_cycles(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	double threshold = s->threshold;

	if (call_profile_args(call, false, NULL, &threshold, err) < 0)
		return -1;
	return question_cycles(s, threshold, call->out, err);
}

/* [--asm] F [all] */
int call_list(struct call *call, struct err *err)
{
	struct list_question question = {.code = *call->row->name == 'd'};
	size_t at = 0;

	if (call->nargs && !strcmp(call->args[0], "--asm")) {
		question.code = true;
		at++;
	}
	if (at < call->nargs)
		question.name = call->args[at++];
	if (at < call->nargs && !strcmp(call->args[at], "all")) {
		question.all = true;
		at++;
	}
	if (question.name && at == call->nargs)
		return question_list(
			call->shell->session, &question, call->out, err);
	err_set(err, call->row->name, NULL,
		question.name ? "too many arguments" : "no function is named");
	return err_hint(
		err, "it is used as: %s %s", call->row->name, call->row->args);
}

/* The resource that WORD names; 0, and no error, where it names none. */
static uint32_t is_resource(const struct session *s, const char *word)
{
	struct err err;

	return dataset_resource(s->data, word, &err);
}

/* "why [F] [R]": R sorts, and a lone word that is a resource is that. */
int call_why(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	struct report_options options = session_options(s, NULL, call->out);
	struct tree_view view = s->view, before = s->view;
	size_t n = call->nargs;
	int status;

	if (n && (n == 2 || is_resource(s, call->args[n - 1]))) {
		view.resource = dataset_resource(s->data, call->args[--n], err);
		if (!view.resource)
			return -1;
		session_view(s, &view);
	}
	options.root = n ? call->args[0] : NULL;
	options.in_shell = true;
	status = why_print(s, NULL, 0, s->format, &options, s->threshold,
		call->out->stream, err);
	session_view(s, &before);
	return status;
}

int call_percall(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	struct report_options options = session_options(s, NULL, call->out);

	options.in_shell = true;
	return percall_print(s, call->nargs ? call->args[0] : NULL, s->format,
		&options, s->threshold, call->out->stream, err);
}
