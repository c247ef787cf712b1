/* Commands that ask. */
#include "cpprof/shell/call.h"

#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

/*
 * The arguments [F] [X] of a question: a first one that is a fraction is X, and
 * for a question without a function there is nothing but X.
 */
static int parse(const struct call *call, const struct question *q,
	struct asked *asked, struct err *err)
{
	char *const *arg = call->args;
	size_t n = call->nargs;

	if (q->named && n &&
		(n == 2 || !q->cut ||
			!text_parse_fraction(*arg, &asked->threshold))) {
		asked->name = *arg++;
		n--;
	}
	return n && q->cut
		       ? session_parse_threshold(*arg, &asked->threshold, err)
		       : 0;
}

void call_forget(struct shell *shell)
{
	free((char *)shell->asked.name);
	shell->question = NULL;
}

void call_note(struct shell *shell, const struct question *q,
	const struct asked *asked)
{
	char *name = asked->name ? strdup(asked->name) : NULL;

	call_forget(shell);
	shell->asked = *asked;
	shell->asked.name = name;
	shell->question = asked->name && !name ? NULL : q;
}

int call_ask(struct call *call, const struct question *q,
	const struct asked *asked, struct err *err)
{
	if (q->ask(call->shell->session, q, asked, call->out, err) < 0)
		return -1;
	if (q->paths)
		call_note(call->shell, q, asked);
	return 0;
}

/* The path of that number in the table above. */
int call_path(struct call *call, struct err *err)
{
	const struct question *q = call->shell->question;
	struct asked asked = call->shell->asked;
	char *end = NULL;

	if (call->nargs)
		asked.line = strtoul(call->args[0], &end, 10);
	if (!asked.line || *end)
		return err_say(err, call->nargs ? call->args[0] : NULL, "path",
			"a number is wanted",
			"1 is the first path of the last table");
	if (q)
		return q->ask(call->shell->session, q, &asked, call->out, err);
	return err_say(err, "path", NULL, "no paths were shown",
		"down, up, tree, why, percall and leaks show some");
}

int call_question(struct call *call, struct err *err)
{
	struct session *s = call->shell->session;
	const struct question *q = question_find(call->row->name);
	struct asked asked = {
		.threshold = q->all ? 0 : s->threshold, .in_shell = true};

	if (parse(call, q, &asked, err) < 0)
		return -1;
	return call_ask(call, q, &asked, err);
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
	struct asked asked = {.threshold = s->threshold, .in_shell = true};
	struct tree_view view = s->view, before = s->view;
	size_t n = call->nargs;
	int status;

	if (n && (n == 2 || is_resource(s, call->args[n - 1]))) {
		view.resource = dataset_resource(s->data, call->args[--n], err);
		if (!view.resource)
			return -1;
		session_view(s, &view);
	}
	asked.name = n ? call->args[0] : NULL;
	status =
		call_ask(call, question_find(WORD_NAME(WORD_WHY)), &asked, err);
	session_view(s, &before);
	return status;
}
