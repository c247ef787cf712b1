/* Cuts words, quotes, redirections and pipes. */
#include "cpprof/shell/line.h"

#include <stdlib.h>
#include <string.h>

struct cutter {
	const char *s;
	char *to; /* where the next word is put */
	struct line_command *command;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_command(char c)
{
	return !c || c == ';' || c == '\n';
}

static void skip_blanks(struct cutter *c)
{
	while (blank(*c->s))
		c->s++;
	if (*c->s == '#')
		c->s += strcspn(c->s, "\n");
}

/* Copies the quoted word at S, without its quotes. */
static int cut_quoted(struct cutter *c, struct err *err)
{
	char quote = *c->s++;

	for (;; c->s++) {
		if (!*c->s) {
			err_set(err, NULL, NULL, "a quote %c is left open",
				quote);
			return err_hint(err, "inside quotes, the quote itself "
					     "is written twice");
		}
		if (*c->s == quote && *++c->s != quote)
			break;
		*c->to++ = *c->s;
	}
	if (blank(*c->s) || ends_command(*c->s))
		return 0;
	err_set(err, NULL, NULL, "text right behind a closing quote %c", quote);
	return err_hint(err, "inside quotes, the quote itself is written "
			     "twice");
}

/* Whether S names a function by its file, as reports write it: 'a.c':f */
static bool is_placed(const char *s)
{
	const char *end = *s == '\'' ? strchr(s + 1, '\'') : NULL;

	return end && end[1] == ':';
}

static int cut_word(struct cutter *c, char **word, struct err *err)
{
	*word = c->to;
	if ((*c->s == '\'' || *c->s == '"') && !is_placed(c->s)) {
		if (cut_quoted(c, err) < 0)
			return -1;
	} else {
		/* [futex wait] is one name, as reports have it */
		const char *end =
			c->s + (*c->s == '[' ? strcspn(c->s, "];\n") : 0);

		if (*end != ']')
			end = c->s;
		while ((c->s < end || !blank(*c->s)) && !ends_command(*c->s))
			*c->to++ = *c->s++;
	}
	*c->to++ = '\0';
	return 0;
}

static int cut_file(struct cutter *c, struct err *err)
{
	struct output_target *target = &c->command->target;
	char *word;

	target->to = c->s[1] == '>' ? OUTPUT_APPEND : OUTPUT_FILE;
	c->s += target->to == OUTPUT_APPEND ? 2 : 1;
	skip_blanks(c);
	if (ends_command(*c->s))
		return err_say(err, ">", NULL, "a file name is missing",
			"put a word that starts with > in quotes");
	if (cut_word(c, &word, err) < 0)
		return -1;
	target->what = word;
	return 0;
}

static int cut_pipe(struct cutter *c, struct err *err)
{
	char quote = 0;

	for (c->s++; blank(*c->s); c->s++)
		;
	c->command->target = (struct output_target){OUTPUT_COMMAND, c->to};
	for (; *c->s && (quote || !ends_command(*c->s)); c->s++) {
		if (quote)
			quote = *c->s == quote ? 0 : quote;
		else if (*c->s == '\'' || *c->s == '"')
			quote = *c->s;
		*c->to++ = *c->s;
	}
	*c->to++ = '\0';
	if (*c->command->target.what)
		return 0;
	return err_say(err, "|", NULL, "a command is missing",
		"put a word that starts with | in quotes");
}

static int cut_command(struct cutter *c, struct err *err)
{
	struct line_command *command = c->command;

	for (skip_blanks(c); !ends_command(*c->s); skip_blanks(c)) {
		int bad;

		if (command->redirected)
			return err_say(err, NULL, NULL,
				"text behind the file of a redirection",
				"> FILE comes last");
		if (*c->s == '>' || *c->s == '|') {
			command->redirected = true;
			bad = *c->s == '>' ? cut_file(c, err)
					   : cut_pipe(c, err);
		} else if (command->n == LINE_WORDS_MAX) {
			err_set(err, command->words[0], NULL,
				"too many arguments");
			bad = err_hint(err, "a name with spaces needs quotes");
		} else {
			bad = cut_word(c, &command->words[command->n], err);
			command->n += !bad;
		}
		if (bad)
			return -1;
	}
	command->ended = *c->s;
	c->s += command->ended;
	return 0;
}

int line_next(const char **rest, struct line_command *command, struct err *err)
{
	while (**rest) {
		struct cutter c = {.s = *rest, .command = command};
		int bad;

		*command = (struct line_command){0};
		/* Each word is shorter than what it is cut from, but for the
		   end of the last and of an empty redirection. */
		command->text = c.to = malloc(strlen(*rest) + 4);
		if (!command->text)
			return err_sys(err, NULL, "command");
		bad = cut_command(&c, err);
		*rest = c.s;
		if (!bad && command->redirected && !command->n) {
			err_set(err, NULL, NULL,
				"there is no command to take the output of");
			bad = err_hint(err, "as in: function > FILE");
		}
		if (!bad && command->n)
			return 1;
		line_free(command);
		if (bad)
			return -1;
	}
	return 0;
}

void line_free(struct line_command *command)
{
	free(command->text);
	command->text = NULL;
}

char *line_quoted(const char *word, char *buf, size_t size)
{
	bool needed =
		!*word || strpbrk(word, " \t\r\n;") || strchr("'\"#>|", *word);
	char quote = strchr(word, '\'') && !strchr(word, '"') ? '"' : '\'';
	size_t n = 0;

	if (needed && size > 3)
		buf[n++] = quote;
	for (; *word && n + 4 < size; word++) {
		buf[n++] = *word;
		if (needed && *word == quote)
			buf[n++] = quote;
	}
	if (needed && size > 3)
		buf[n++] = quote;
	if (size)
		buf[n] = '\0';
	return buf;
}
