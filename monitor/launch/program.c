/* Searches PATH for the target, and tells why none of what is there can run. */
#include "monitor/launch/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/sys/search_path.h"

/*
 * A program for another machine is no script.  Shells look for a zero byte in
 * the first line.
 */
static bool is_text(const char *path)
{
	char line[128];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line);
	const char *end;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return true;
	end = memchr(line, '\n', (size_t)n);
	return !memchr(line, '\0', end ? (size_t)(end - line) : (size_t)n);
}

static int exec_script(const char *path, char *const *argv)
{
	size_t n = 0;
	char **words;
	int error;

	while (argv[n])
		n++;
	words = malloc((n + 3) * sizeof *words);
	if (!words)
		return ENOMEM;
	words[0] = (char *)"/bin/sh";
	words[1] = (char *)path;
	for (size_t i = 1; i <= n; i++)
		words[i + 1] = argv[i];
	if (n == 0)
		words[2] = NULL;
	execv(words[0], words);
	error = errno;
	free(words);
	return error;
}

static int exec_file(const char *path, char *const *argv)
{
	execv(path, argv);
	if (errno != ENOEXEC || !is_text(path))
		return errno;
	return exec_script(path, argv);
}

/* Whether the search continues after a candidate with that error. */
static bool is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ESTALE ||
	       error == ENODEV || error == ETIMEDOUT;
}

int program_exec(char *const *argv)
{
	const char *path = search_path(), *name = argv[0];
	char candidate[PATH_MAX];
	int error, refused = 0;

	if (!*name)
		return ENOENT;
	if (strchr(name, '/'))
		return exec_file(name, argv);
	error = ENOENT;
	while (search_path_next(&path, name, candidate)) {
		error = exec_file(candidate, argv);
		if (error == EACCES)
			refused = EACCES;
		else if (!is_absent(error))
			return error;
	}
	return refused ? refused : error;
}

static void explain_missing(const char *program, struct err *err)
{
	if (!*program)
		err_hint(err, "its name is empty: is a variable not set?");
	else if (!strchr(program, '/') && access(program, X_OK) == 0)
		err_hint(err,
			"it is in the current directory, not in PATH: use ./%s",
			program);
	else if (!strchr(program, '/'))
		err_hint(err, "no program of that name is in PATH");
	else if (access(program, F_OK) == 0)
		err_hint(err, "the file is there, but not the interpreter that "
			      "it names");
	else
		err_hint(err, "there is no such file");
}

/* Why PATH may not be executed; false: it is no file at all. */
static bool explain_refused(const char *path, struct err *err)
{
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st)) {
		if (errno != EACCES)
			return false;
		err_hint(err,
			"%s: this user may not search one of the folders on "
			"the way",
			path);
	} else if (S_ISDIR(st.st_mode)) {
		err_hint(err, "%s is a folder: name a program in it", path);
	} else if (!S_ISREG(st.st_mode)) {
		err_hint(err, "%s is no regular file", path);
	} else if (access(path, X_OK)) {
		err_hint(err,
			"%s is not executable for this user; 'chmod +x' makes "
			"a script or program so",
			path);
	} else if (statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOEXEC)) {
		err_hint(err, "%s lies in a file system that is mounted noexec",
			path);
	} else {
		err_hint(err,
			"%s is executable, but not the interpreter that it "
			"names",
			path);
	}
	return true;
}

static void explain_access(const char *program, struct err *err)
{
	const char *path = search_path();
	char candidate[PATH_MAX];

	if (strchr(program, '/')) {
		explain_refused(program, err);
		return;
	}
	while (search_path_next(&path, program, candidate))
		if (explain_refused(candidate, err))
			return;
}

enum monitor_result program_explain(
	const char *program, int error, struct err *err)
{
	errno = error;
	err_sys(err, program, "exec");
	switch (error) {
	case ENOENT:
		explain_missing(program, err);
		return MONITOR_NOT_FOUND;
	case ENOTDIR:
		err_hint(err, "there is no such file");
		return MONITOR_NOT_FOUND;
	case EACCES:
		explain_access(program, err);
		return MONITOR_NOT_EXECUTABLE;
	case ENOEXEC:
		err_hint(err, "it is no program that this machine can run, and "
			      "no text for the shell");
		return MONITOR_NOT_EXECUTABLE;
	case E2BIG:
		err_hint(err, "the arguments and the environment are too long "
			      "together");
		return MONITOR_NOT_EXECUTABLE;
	case ETXTBSY:
		err_hint(err, "somebody has the file open for writing");
		return MONITOR_NOT_EXECUTABLE;
	default:
		return MONITOR_NOT_EXECUTABLE;
	}
}
