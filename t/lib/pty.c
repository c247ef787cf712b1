/*
 * pty - runs a command on a terminal of its own and talks to it.
 *
 *     pty ROWS COLUMNS COMMAND [ARGS...] <SCRIPT
 *
 * Each line of the script is `expect TEXT` (waits until TEXT has come since
 * the last match), `prompt TEXT` (the same, and until keys are read one by
 * one), `send TEXT` or `size ROWS COLUMNS`; TEXT may have \t \r \e \\ and \xNN.
 * What the command wrote goes to standard output; at the end of the script its
 * end is waited for and its status is the exit status.  99: it did not say or
 * do in time what it should have.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PATIENCE_MS 30000

static int master;
static pid_t child;
static char *said; /* all of it */
static size_t size, matched;

static void fail(const char *what, const char *text)
{
	fwrite(said, 1, size, stdout);
	fprintf(stderr, "pty: %s: %s\n", what, text);
	kill(child, SIGKILL);
	exit(99);
}

/* Reads what there is within MS: 1, 0 for nothing, -1 at the end. */
static int listen_for(int ms)
{
	struct pollfd p = {.fd = master, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return 0;
	said = realloc(said, size + 4097);
	n = said ? read(master, said + size, 4096) : -1;
	if (n <= 0)
		return -1;
	size += (size_t)n;
	said[size] = '\0';
	return 1;
}

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s != '\\') {
			*to++ = *s;
			continue;
		}
		s++;
		if (*s == 'x') {
			char hex[3] = {s[1], s[2], '\0'};

			*to++ = (char)strtol(hex, NULL, 16);
			s += 2;
		} else {
			*to++ = *s == 't'   ? '\t'
				: *s == 'r' ? '\r'
				: *s == 'e' ? '\033'
					    : *s;
		}
	}
	*to = '\0';
}

static void expect(const char *text)
{
	for (int waited = 0;; waited += 100) {
		char *at = said ? memmem(said + matched, size - matched, text,
					  strlen(text))
				: NULL;
		if (at) {
			matched = (size_t)(at - said) + strlen(text);
			return;
		}
		int got = listen_for(100);

		if (got > 0)
			waited -= 100;
		if (got < 0)
			fail("it ended before it said", text);
		if (waited > PATIENCE_MS)
			fail("it does not say", text);
	}
}

/* Keys sent before the line editor is there would be taken as a line. */
static void await_editor(void)
{
	struct termios t;

	for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
		if (tcgetattr(master, &t) == 0 && !(t.c_lflag & ICANON))
			return;
		listen_for(10);
	}
	fail("it reads whole lines", "");
}

static void resize(int fd, const char *rows, const char *columns)
{
	struct winsize w = {.ws_row = (unsigned short)atoi(rows),
		.ws_col = (unsigned short)atoi(columns)};

	ioctl(fd, TIOCSWINSZ, &w);
}

static void start(char **argv)
{
	int slave;

	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || grantpt(master) || unlockpt(master))
		exit(77);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0)
		exit(77);
	resize(slave, argv[1], argv[2]);
	child = fork();
	if (child == 0) {
		/* what the test's own starter ignores, a terminal's does not */
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		setsid();
		ioctl(slave, TIOCSCTTY, 0);
		dup2(slave, 0);
		dup2(slave, 1);
		dup2(slave, 2);
		if (slave > 2)
			close(slave);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	close(slave);
}

static void obey(char *line)
{
	char *text = strchr(line, ' '), *second;

	line[strcspn(line, "\n")] = '\0';
	if (!text)
		return;
	*text++ = '\0';
	unescape(text);
	if (strcmp(line, "expect") == 0 || strcmp(line, "prompt") == 0) {
		expect(text);
		if (*line == 'p')
			await_editor();
	} else if (strcmp(line, "send") == 0) {
		if (write(master, text, strlen(text)) < 0)
			fail("it does not listen", text);
	} else if ((second = strchr(text, ' '))) {
		resize(master, text, second + 1);
	}
}

int main(int argc, char **argv)
{
	char line[1024];
	int status, waited = 0, got;

	if (argc < 4)
		return 2;
	start(argv);
	while (fgets(line, sizeof line, stdin))
		obey(line);
	while ((got = listen_for(100)) >= 0 && waited < PATIENCE_MS)
		waited = got ? 0 : waited + 100;
	if (got >= 0)
		fail("it does not end", argv[3]);
	fwrite(said, 1, size, stdout);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
