/* One profile, from the command line. */
#include "cpprof/cmd/file_command.h"

#include "cpprof/output.h"
#include "cpprof/session/questions.h"

static int print(struct session *s, const char *output,
	const struct file_command *command, void *arg, struct err *err)
{
	struct output_target target = {OUTPUT_FILE, output};
	struct output out;
	int bad;

	if (output_begin(&out, output ? &target : NULL, err) < 0)
		return -1;
	patience_begin(&s->patience);
	bad = command->answer(s, &out, arg, err) < 0;
	patience_end(&s->patience);
	if (!bad)
		return output_end(&out, err);
	output_drop(&out);
	return -1;
}

static int answer(const struct choices *choices, const char *file,
	const struct file_command *command, void *arg, struct err *err)
{
	const char *output = NULL;
	struct session *s;
	int bad;

	if (command->check && command->check(arg, choices, &output, err) < 0)
		return -1;
	output_init();
	s = session_open(file, err);
	if (!s)
		return -1;
	session_warn(s);
	bad = choices_apply(choices, s, err) < 0 ||
	      print(s, output, command, arg, err) < 0;
	session_close(s);
	return bad ? -1 : 0;
}

struct taking {
	struct choices choices;
	const struct file_command *command;
	void *arg;
};

/* A setting, or an option of the subcommand's own. */
static int take(
	void *arg, const struct opt *opt, const char *value, struct err *err)
{
	struct taking *t = arg;

	return opt->id == OPT_SETTING
		       ? choices_take(&t->choices, opt, value, err)
		       : t->command->take(t->arg, opt, value, err);
}

int file_command_run(const struct subcommand *self, int argc, char **argv,
	const struct file_command *command, void *arg)
{
	struct taking t = {.command = command, .arg = arg};
	struct opt_scan scan;
	struct err err;
	const char *file;
	int status = 0;

	opt_begin(&scan, self->opts, false, argc, argv);
	if (subcommand_options(self, &scan, arg, take, &t, &status) == 0) {
		file = command->operands ? command->operands(arg, &scan, &err)
					 : subcommand_file(&scan, &err);
		if (!file || answer(&t.choices, file, command, arg, &err))
			status = subcommand_fail(self, &err);
	}
	choices_fini(&t.choices);
	return status;
}

int file_command_ask(
	struct session *s, struct output *out, void *arg, struct err *err)
{
	const struct question *question = arg;
	const struct asked asked = {
		.threshold = question->all ? 0 : s->threshold};

	return question->ask(s, question, &asked, out, err);
}
