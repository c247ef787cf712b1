/* Opens files, pipes and the pager, and keeps a file whole until all of it is
   there. */
#include "cpprof/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sys/own_link.h"
#include "lib/sys/scratch.h"
#include "lib/sys/search_path.h"

void output_init(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* The name of an open file in /proc. */
static const char *own_file(int fd, char name[static 64])
{
	snprintf(name, 64, "/proc/self/fd/%d", fd);
	return name;
}

static bool want_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

static bool is_installed(const char *program)
{
	const char *folders = search_path();
	char file[PATH_MAX];

	while (search_path_next(&folders, program, file))
		if (access(file, X_OK) == 0)
			return true;
	return false;
}

/* The pager's command line, or NULL: the user wants none, or has none. */
static const char *pager(void)
{
	const char *p = getenv("CPPROF_PAGER");

	if (!p)
		p = getenv("PAGER");
	if (p)
		return *p && strcmp(p, "cat") != 0 ? p : NULL;
	return is_installed("less")   ? "less"
	       : is_installed("more") ? "more"
				      : NULL;
}

/* Whether the pager shows colours: less does, if told to. */
static bool pager_colors(const char *command)
{
	size_t len = strcspn(command, " \t"), base = len;
	const char *less = getenv("LESS");

	while (base > 0 && command[base - 1] != '/')
		base--;
	if (len - base != 4 || strncmp(command + base, "less", 4) != 0)
		return false;
	return !less || strpbrk(less, "rR");
}

/*
 * A file without a name in the folder of PATH: whatever ends the program, none
 * is left.  -1: the file system has no such files, or /proc, by which it gets
 * its name, is not there.
 */
static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
			: -1;
	char name[64];

	free(folder);
	if (fd < 0 || access(own_file(fd, name), F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

/*
 * Opens a new file beside NAME, which later takes NAME's place: TEMP is its
 * name, if it has one before, and REAL is where NAME leads.  NULL where that
 * cannot be: NAME is no plain file, has other names,
 * or its folder takes no new file.  A link of another user is replaced itself.
 */
static FILE *open_beside(struct output *out, const char *name)
{
	struct stat st;
	FILE *f = NULL;
	bool exists;
	int fd;

	out->real = own_link_follow(name);
	/* /dev/stdout, or a link that leads nowhere */
	if (!out->real || own_link_is(out->real))
		return NULL;
	exists = lstat(out->real, &st) == 0 && !S_ISLNK(st.st_mode);
	if ((exists && (!S_ISREG(st.st_mode) || st.st_nlink > 1 ||
			       access(out->real, W_OK) != 0)) ||
		asprintf(&out->temp, "%s.tmp.%ld", out->real, (long)getpid()) <
			0)
		return NULL;
	fd = open_nameless(out->real);
	out->named = fd < 0;
	if (out->named)
		fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0666);
	if (fd < 0)
		return NULL;
	if (!exists || (fchown(fd, st.st_uid, st.st_gid) == 0 &&
			       fchmod(fd, st.st_mode & 07777) == 0))
		f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		if (out->named)
			unlink(out->temp);
	}
	return f;
}

static void forget_names(struct output *out)
{
	free(out->temp);
	free(out->real);
	out->temp = out->real = NULL;
}

static struct winsize screen(void)
{
	struct winsize w = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_row || !w.ws_col)
		w = (struct winsize){.ws_row = 24, .ws_col = 80};
	return w;
}

/* An exported COLUMNS is what the user wants. */
static void find_columns(struct output *out)
{
	const char *wanted = getenv("COLUMNS");
	long n = wanted ? strtol(wanted, NULL, 10) : 0;
	bool good = n > 0 && n <= 10000;

	out->sized = good || out->terminal;
	out->columns = good            ? (unsigned)n
		       : out->terminal ? screen().ws_col
				       : 80;
}

/*
 * Opens what NAME leads to if that is no plain file, which has nothing to be
 * kept, or is standard output; else NULL.
 */
static FILE *open_direct(const char *name)
{
	struct stat st, own;

	if (stat(name, &st) != 0)
		return NULL;
	if (fstat(STDOUT_FILENO, &own) == 0 && own.st_dev == st.st_dev &&
		own.st_ino == st.st_ino)
		return stdout;
	return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? NULL
							  : fopen(name, "we");
}

/* Holds the output back in a file. */
static int hold_back(struct output *out, struct err *err)
{
	out->stream = out->held = scratch_open();
	return out->stream ? 0 : err_sys(err, NULL, "output");
}

int output_begin(
	struct output *out, const struct output_target *target, struct err *err)
{
	*out = (struct output){0};
	if (target)
		out->target = *target;
	out->terminal =
		out->target.to == OUTPUT_STDOUT && isatty(STDOUT_FILENO);
	out->rows = out->terminal ? screen().ws_row : 0;
	find_columns(out);
	if (out->target.to == OUTPUT_STDOUT) {
		if (!out->terminal) {
			out->stream = stdout;
			return 0;
		}
		out->color = want_color();
		out->stream = open_memstream(&out->text, &out->size);
		return out->stream ? 0 : err_sys(err, NULL, "output");
	}
	if (out->target.to == OUTPUT_FILE) {
		out->stream = open_direct(out->target.what);
		out->direct = out->stream != NULL;
		if (!out->stream)
			out->stream = open_beside(out, out->target.what);
		if (out->stream)
			return 0;
		forget_names(out);
	}
	return hold_back(out, err);
}

/* Lines of the screen that the text takes, up to ROWS + 1. */
static size_t count_rows(
	const char *text, size_t size, size_t columns, size_t rows)
{
	size_t n = 0, column = 0;

	for (size_t i = 0; i < size && n <= rows; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\033') {
			while (i < size && text[i] != 'm')
				i++;
		} else if (c == '\n') {
			n++;
			column = 0;
		} else if ((c & 0xc0) != 0x80 && ++column > columns) {
			n++;
			column = 1;
		}
	}
	return n;
}

static bool fits_screen(const struct output *out)
{
	struct winsize w = screen();

	return count_rows(out->text, out->size, w.ws_col, w.ws_row) < w.ws_row;
}

/* Removes the colours; names are escaped, so no other ESC is in the text. */
static void strip_colors(struct output *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->size; i++) {
		if (out->text[i] == '\033') {
			while (i < out->size && out->text[i] != 'm')
				i++;
		} else {
			out->text[n++] = out->text[i];
		}
	}
	out->size = n;
}

static void exec_shell(const char *command, int from)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	setenv("LESS", "FRX", 0);
	if (dup2(from, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EPIPE ? 0 : -1;
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Writes what was held back. */
static int write_held(const struct output *out, int fd)
{
	char room[1 << 16];
	size_t n;

	if (!out->held)
		return write_all(fd, out->text, out->size);
	rewind(out->held);
	while ((n = fread(room, 1, sizeof room, out->held)) > 0)
		if (write_all(fd, room, n) < 0)
			return -1;
	return ferror(out->held) ? -1 : 0;
}

static int feed(const struct output *out, const char *command, struct err *err)
{
	int ends[2], bad = 0, status = 0;
	pid_t pid;

	fflush(stdout);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, command, "pipe");
	pid = fork();
	if (pid == 0)
		exec_shell(command, ends[0]);
	close(ends[0]);
	if (pid < 0)
		err_sys(err, command, "fork");
	else if (write_held(out, ends[1]) < 0)
		bad = err_sys(err, command, "write");
	close(ends[1]);
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!bad && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		bad = err_say(err, command, NULL, "cannot be run",
			"the shell found no such command");
	return bad;
}

/* As feed(), with the keyboard's signals left to the command. */
static int feed_quietly(
	const struct output *out, const char *command, struct err *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, sigint, sigquit;
	int bad;

	sigaction(SIGINT, &ignore, &sigint);
	sigaction(SIGQUIT, &ignore, &sigquit);
	bad = feed(out, command, err);
	sigaction(SIGINT, &sigint, NULL);
	sigaction(SIGQUIT, &sigquit, NULL);
	return bad;
}

/*
 * Whether all of it was written; else errno says why not.  An error that came
 * earlier has been forgotten: what is written in vain anyway is written on.
 */
static bool is_written(FILE *stream)
{
	errno = 0;
	if (fflush(stream) == 0 && !ferror(stream))
		return true;
	if (!errno) {
		clearerr(stream);
		fputc('\n', stream);
		fflush(stream);
	}
	if (!errno)
		errno = EIO;
	return false;
}

static int finish_stream(FILE *stream, const char *name, struct err *err)
{
	if (is_written(stream))
		return 0;
	if (errno == EPIPE) {
		clearerr(stream); /* else the next call would find an error */
		return 0;
	}
	return err_sys(err, name, "write");
}

/* Gives the new file, which has a name or none, that of the old one. */
static int put_in_place(struct output *out)
{
	char name[64];

	own_file(fileno(out->stream), name);
	if (!out->named && linkat(AT_FDCWD, name, AT_FDCWD, out->real,
				   AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (!out->named &&
		(errno != EEXIST || linkat(AT_FDCWD, name, AT_FDCWD, out->temp,
					    AT_SYMLINK_FOLLOW) != 0))
		return -1;
	out->named = true;
	return rename(out->temp, out->real);
}

/* Puts the new file in the place of the old one. */
static int finish_file(struct output *out, struct err *err)
{
	const char *name = out->target.what;
	int bad = 0;

	if (!is_written(out->stream))
		bad = err_sys(err, name, "write");
	else if (put_in_place(out) != 0)
		bad = err_sys(err, name, "rename");
	if (fclose(out->stream) != 0 && !bad)
		bad = err_sys(err, name, "close");
	if (bad && out->named)
		unlink(out->temp);
	forget_names(out);
	return bad;
}

/* Writes what was held back to a file that cannot be replaced, or appends
   it. */
static int deliver_file(struct output *out, struct err *err)
{
	const char *name = out->target.what;
	FILE *f = fopen(name, out->target.to == OUTPUT_FILE ? "we" : "ae");
	int bad = 0;

	if (!f) {
		err_sys(err, name, "open");
		return err_hint(err, "choose another file");
	}
	if (write_held(out, fileno(f)) < 0)
		bad = err_sys(err, name, "write");
	if (fclose(f) != 0 && !bad)
		bad = err_sys(err, name, "close");
	return bad;
}

static int deliver_terminal(struct output *out, struct err *err)
{
	const char *command = pager();

	if (command && !fits_screen(out)) {
		if (out->color && !pager_colors(command))
			strip_colors(out);
		if (feed_quietly(out, command, err) == 0)
			return 0;
		/* Where the pager fails, the text goes to standard output. */
	}
	fwrite(out->text, 1, out->size, stdout);
	return finish_stream(stdout, "standard output", err);
}

/* Whether all of it was written to where it is held back. */
static int finish_held(struct output *out, struct err *err)
{
	if (is_written(out->stream))
		return 0;
	if (!out->held)
		return err_sys(err, NULL, "output");
	err_sys(err, "temporary file", "write");
	return err_hint(err, "TMPDIR names a folder with room for it");
}

static int deliver(struct output *out, struct err *err)
{
	if (out->target.to == OUTPUT_STDOUT)
		return deliver_terminal(out, err);
	if (out->target.to == OUTPUT_COMMAND)
		return feed_quietly(out, out->target.what, err);
	return deliver_file(out, err);
}

int output_end(struct output *out, struct err *err)
{
	int bad;

	if (out->stream == stdout)
		return finish_stream(stdout, "standard output", err);
	if (out->temp)
		return finish_file(out, err);
	if (out->direct) {
		bad = finish_stream(out->stream, out->target.what, err);
		fclose(out->stream);
		return bad;
	}
	bad = finish_held(out, err);
	if (!bad)
		bad = deliver(out, err);
	fclose(out->stream);
	free(out->text);
	return bad;
}

void output_drop(struct output *out)
{
	if (out->stream == stdout) {
		fflush(stdout);
		return;
	}
	fclose(out->stream);
	if (out->temp) {
		if (out->named)
			unlink(out->temp);
		forget_names(out);
	}
	free(out->text);
}
