/* Reads lines with readline, whose keys it reads itself to see an interrupt. */
#include "cpprof/shell/prompt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include <readline/readline.h>

#include "cpprof/interrupt.h"
#include "cpprof/shell/complete.h"

/* Where Ctrl-C ends a search or an argument, and not yet the line. */
#define NESTED                                                                 \
	(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG |           \
		RL_STATE_MULTIKEY | RL_STATE_METANEXT | RL_STATE_MOREINPUT |   \
		RL_STATE_VIMOTION | RL_STATE_CHARSEARCH)
#define ABORT '\a' /* Ctrl-G */

static bool aborting; /* the line is to go, too */

/* Ctrl-C: the line is forgotten, a new prompt shown. */
static void clear_line(void)
{
	aborting = false;
	rl_replace_line("", 1);
	rl_crlf();
	rl_on_new_line();
	rl_redisplay();
}

/*
 * An interrupt comes inside ppoll() only, or it could be overlooked until the
 * next key.  readline's own interface for that, rl_callback_read_char(), dies
 * of a key behind Ctrl-R Ctrl-X (8.2).
 */
static int get_key(FILE *stream)
{
	struct pollfd in = {.fd = fileno(stream), .events = POLLIN};
	sigset_t all;

	sigprocmask(SIG_SETMASK, NULL, &all);
	sigdelset(&all, SIGINT);
	for (;;) {
		int n;

		if (aborting)
			clear_line();
		n = ppoll(&in, 1, NULL, &all);
		if (interrupt_came()) {
			interrupt_clear();
			aborting = true;
			if (RL_ISSTATE(NESTED))
				return ABORT;
		} else if (n > 0) {
			return rl_getc(stream);
		} else if (n < 0 && errno != EINTR) {
			return EOF;
		}
	}
}

void prompt_begin(struct history *history, const struct session *session,
	const struct shell_row *commands)
{
	interrupt_begin(false);
	rl_readline_name = "cpprof";
	/* Interrupts are ours; readline sees to the size of the window. */
	rl_catch_signals = 0;
	rl_catch_sigwinch = 1;
	/* COLUMNS in the environment would not follow the window. */
	rl_change_environment = 0;
	rl_getc_function = get_key;
	complete_begin(session, commands);
	history_begin(history);
}

/* When the terminal goes away, ppoll() returns and readline reads the end. */
char *prompt_line(const struct history *history, const char *prompt)
{
	sigset_t interrupt, old;
	char *line;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &old);
	interrupt_clear();
	line = readline(prompt);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (line)
		history_add(history, line);
	else
		fputc('\n', stdout);
	return line;
}

void prompt_end(const struct history *history)
{
	history_end(history);
	interrupt_end();
}
