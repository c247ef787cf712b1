/* Asks PATH, the dynamic linker, ldconfig or /proc which files there are. */
#include "monitor/probe/files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/arch/arch.h"
#include "lib/sys/regular.h"
#include "lib/sys/search_path.h"
#include "lib/text.h"

#define SCRIPTS_MAX 5 /* the kernel follows no more interpreters */
/* ldconfig marks what this machine can load. */
#define CACHE_MARK "," ARCH_NAME

extern char **environ;

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

static bool find_in_path(const char *command, char path[PATH_MAX])
{
	const char *folders = search_path();

	while (search_path_next(&folders, command, path))
		if (is_program(path))
			return true;
	return false;
}

/* The interpreter of a script; false: it is none. */
static bool read_interpreter(const char *path, char interpreter[PATH_MAX])
{
	char magic[SELFMAG];
	int fd = regular_open(AT_FDCWD, path, 0, NULL, NULL);
	ssize_t n = fd < 0 ? -1 : pread(fd, magic, sizeof magic, 0);
	bool script = n == sizeof magic && memcmp(magic, ELFMAG, SELFMAG) != 0;

	if (script && !script_interpreter(fd, interpreter))
		strcpy(interpreter, "/bin/sh"); /* as execvp does */
	if (fd >= 0)
		close(fd);
	return script;
}

bool probe_program(const char *command, char path[PATH_MAX])
{
	char next[PATH_MAX];

	if (strlen(command) >= PATH_MAX)
		return false;
	if (strchr(command, '/'))
		strcpy(path, command);
	else if (!find_in_path(command, path))
		return false;
	for (int i = 0; i <= SCRIPTS_MAX && is_program(path); i++) {
		if (!read_interpreter(path, next))
			return true;
		strcpy(path, next);
	}
	return false;
}

static int add(probe_libraries *list, const char *name, const char *path)
{
	const struct probe_library library = {strdup(name), strdup(path)};

	return library.name && library.path && vec_add(list, library) ? 0 : -1;
}

/*
 * A line of the linker: "\tlibc.so.6 => /lib/libc.so.6 (0x7f...)",
 * "\t/lib/ld.so (0x7f...)"; or of ldconfig: "\tlibc.so.6 (libc6,x86-64) =>
 * /lib/libc.so.6".
 */
static int take_line(probe_libraries *list, char *line)
{
	char *name = line + strspn(line, " \t"), *path = strstr(name, " => ");
	char *end;

	if (path) {
		name[strcspn(name, " ")] = '\0';
		path += 4;
	} else {
		path = name;
	}
	end = strstr(path, " (0x");
	if (!end)
		end = path + strcspn(path, "\n");
	*end = '\0';
	if (*path != '/')
		return 0;
	return add(list, text_base_name(name), path);
}

static int spawn_lister(char *const *argv, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int failed;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(
		&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(
		&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	failed = posix_spawn(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return failed;
}

/* The libraries in those lines of ARGV's output that have MARK. */
static int take_list(char *const *argv, const char *mark, probe_libraries *list)
{
	char *line = NULL;
	size_t room = 0;
	int out[2], bad;
	pid_t pid;
	FILE *f;

	if (pipe2(out, O_CLOEXEC))
		return 0;
	bad = spawn_lister(argv, out[1], &pid);
	close(out[1]);
	f = bad ? NULL : fdopen(out[0], "r");
	if (!f) {
		close(out[0]);
		return 0;
	}
	while (!bad && getline(&line, &room, f) > 0)
		if (strstr(line, mark))
			bad = take_line(list, line);
	free(line);
	fclose(f);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return bad;
}

int probe_libraries_of(
	const char *program, const char *linker, probe_libraries *list)
{
	char path[PATH_MAX];
	/* beside the file and not beside its link are libraries of $ORIGIN */
	char *const argv[] = {(char *)linker, (char *)"--list",
		realpath(program, path) ?: (char *)program, NULL};

	return *linker ? take_list(argv, " (0x", list) : 0;
}

int probe_libraries_known(probe_libraries *list)
{
	char *const argv[] = {(char *)"/sbin/ldconfig", (char *)"-p", NULL};

	return take_list(argv, CACHE_MARK, list);
}

int probe_libraries_mapped(pid_t pid, probe_libraries *list)
{
	char path[PATH_MAX + 32], *line = NULL, *file;
	size_t room = 0;
	int bad = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && !bad && getline(&line, &room, f) > 0) {
		char perms[5];

		file = strchr(line, '/');
		if (!file || sscanf(line, "%*s %4s", perms) != 1 ||
			perms[2] != 'x')
			continue;
		file[strcspn(file, "\n")] = '\0';
		/* its files may not be ours */
		snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, file);
		bad = add(list, strrchr(file, '/') + 1,
			access(file, R_OK) == 0 ? file : path);
	}
	free(line);
	if (f)
		fclose(f);
	return bad;
}

/* "libc" is libc.so.6, libc-2.31.so and libc.so. */
static bool is_called(const char *file, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(file, word, n) != 0)
		return false;
	return !file[n] || strncmp(file + n, ".so", 3) == 0 ||
	       (file[n] == '-' && file[n + 1] >= '0' && file[n + 1] <= '9');
}

const struct probe_library *probe_library_named(
	const probe_libraries *list, const char *word)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct probe_library *l = &list->v[i];
		const char *file = strrchr(l->path, '/');

		if (is_called(l->name, word) || is_called(file + 1, word))
			return l;
	}
	return NULL;
}

void probe_libraries_free(probe_libraries *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->v[i].name);
		free(list->v[i].path);
	}
	vec_free(list);
}
