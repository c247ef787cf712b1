#include "cpprof/shell/prompt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <readline/readline.h>

#include "cpprof/interrupt.h"
#include "cpprof/shell/complete.h"
#include "cpprof/shell/history.h"

#define PROMPT "cpprof> "

static char *line;
static bool done;

static void on_line(char *got)
{
	rl_callback_handler_remove();
	line = got;
	done = true;
}

/* Ctrl-C: the line is forgotten, a new prompt shown. */
static void clear_line(void)
{
	interrupt_clear();
	rl_callback_sigcleanup();
	rl_replace_line("", 1);
	rl_callback_handler_remove();
	rl_crlf();
	rl_callback_handler_install(PROMPT, on_line);
}

void prompt_begin(
	const struct session *session, const struct shell_row *commands)
{
	interrupt_begin(false);
	rl_readline_name = "cpprof";
	/* Interrupts are ours; readline sees to the size of the window. */
	rl_catch_signals = 0;
	rl_catch_sigwinch = 1;
	/* COLUMNS in the environment would not follow the window. */
	rl_change_environment = 0;
	complete_begin(session, commands);
	history_begin();
}

/* When the terminal goes away, poll() returns and readline reads the end. */
char *prompt_line(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	sigset_t interrupt, old;

	/* An interrupt comes inside ppoll() only, or it could be overlooked
	   until the next key. */
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &old);
	line = NULL;
	done = false;
	interrupt_clear();
	rl_callback_handler_install(PROMPT, on_line);
	while (!done) {
		int n = ppoll(&in, 1, NULL, &old);

		if (interrupt_came())
			clear_line();
		else if (n > 0)
			rl_callback_read_char();
		else if (n < 0 && errno != EINTR)
			on_line(NULL);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (line)
		history_add(line);
	else
		fputc('\n', stdout);
	return line;
}

void prompt_end(void)
{
	history_end();
	interrupt_end();
}
