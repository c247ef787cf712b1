/*
 * The counting object: takes itself out of the environment, so that the program
 * sees its own, and puts itself back into that of programs which can have it.
 *
 * The functions of exec may be called between vfork and exec: they take no
 * memory but the stack's.
 */
#include <alloca.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/sys/search_path.h"
#include "monitor/inprocess/next.h"
#include "monitor/inprocess/object.h"
#include "monitor/inprocess/preloadable.h"

#define PRELOAD "LD_PRELOAD"
#define SHELL "/bin/sh"

struct counting_settings settings;

extern char **environ;

/* Our two entries; "" as long as they are not known. */
static char preload[PATH_MAX + sizeof PRELOAD + 1];
static char variable[128];

/* The value of environment entry ENTRY if it is NAME's, else NULL. */
static char *value_of(char *entry, const char *name)
{
	size_t n = strlen(name);

	return strncmp(entry, name, n) == 0 && entry[n] == '=' ? entry + n + 1
							       : NULL;
}

static size_t find(char *const *envp, const char *name)
{
	size_t i = 0;

	while (envp[i] && !value_of(envp[i], name))
		i++;
	return i;
}

bool object_settings(void)
{
	unsigned long long bytes, requests;
	unsigned run, spread, stops, follows, first;
	int monitor, fd;
	size_t i;

	if (!environ)
		return false;
	i = find(environ, COUNTING_VARIABLE);
	if (!environ[i] || sscanf(value_of(environ[i], COUNTING_VARIABLE),
				   "%u:%llu:%llu:%u:%u:%u:%d:%d:%u", &run,
				   &bytes, &requests, &spread, &stops, &follows,
				   &monitor, &fd, &first) != 9)
		return false;
	settings.interval[COUNTING_BYTES] = bytes;
	settings.interval[COUNTING_REQUESTS] = requests;
	settings.spread = spread;
	settings.stops = stops;
	settings.follows = follows;
	settings.first = first;
	settings.monitor = monitor;
	settings.fd = fd;
	settings.run = run;
	return true;
}

static void remove_entry(size_t i)
{
	for (; environ[i]; i++)
		environ[i] = environ[i + 1];
}

/* Takes the object out of the environment, which is then the program's own. */
static void take_out(void)
{
	size_t i = find(environ, COUNTING_VARIABLE);
	char *value, *end;

	if (environ[i])
		remove_entry(i);
	i = find(environ, PRELOAD);
	value = environ[i] ? value_of(environ[i], PRELOAD) : NULL;
	if (!value)
		return;
	end = value + strcspn(value, ":");
	if (!*end)
		remove_entry(i);
	else
		memmove(value, end + 1, strlen(end + 1) + 1);
}

/* Keeps our entries, for other programs.  False: they are not as run made them.
 */
static bool keep_entries(void)
{
	const char *count = environ[find(environ, COUNTING_VARIABLE)];
	char *entry = environ[find(environ, PRELOAD)];
	const char *value = entry ? value_of(entry, PRELOAD) : "";
	size_t n = strcspn(value, ":");

	if (!n || n >= PATH_MAX || strlen(count) >= sizeof variable)
		return false;
	strcpy(variable, count);
	variable[strlen(variable) - 1] = '0';
	sprintf(preload, PRELOAD "=%.*s", (int)n, value);
	return true;
}

static void find_programs(void);

static __attribute__((constructor)) void cpprof_begin(void)
{
	object_find();
	contexts_find();
	find_programs();
	if (!environ || !object_settings()) {
		object_rest();
		return;
	}
	if (keep_entries())
		take_out();
	object_watch();
	object_start();
	contexts_begin();
}

static __attribute__((destructor)) void cpprof_end(void)
{
	object_flush();
}

NEXT(void, _exit, (int))
NEXT(void, quick_exit, (int))

EXPORT _Noreturn void _exit(int status)
{
	object_flush();
	NEXT_OF(_exit)(status);
	__builtin_unreachable();
}

EXPORT _Noreturn void _Exit(int status)
{
	_exit(status);
}

EXPORT _Noreturn void quick_exit(int status)
{
	object_flush();
	NEXT_OF(quick_exit)(status);
	__builtin_unreachable();
}

/* --- the environment of a program --- */

/* How many entries and bytes of the stack with_object() needs. */
#define ENTRIES_MORE 3
static size_t entries(char *const *envp)
{
	size_t n = 0;

	while (envp && envp[n])
		n++;
	return n;
}

/* Whether exec of PATH with ENVP is to have the object. */
/* Whether the environment is for it, and the dynamic linker will not list it.
 */
static bool fits(char *const *envp)
{
	char *entry = envp[find(envp, PRELOAD)];

	return !envp[find(envp, COUNTING_VARIABLE)] &&
	       !envp[find(envp, "LD_TRACE_LOADED_OBJECTS")] &&
	       !envp[find(envp, "LD_DEBUG")] &&
	       (!entry || preloadable_beside(entry));
}

static bool can_have(const char *path, char *const *envp)
{
	const char *why;

	return envp && *preload && fits(envp) &&
	       access(preload + sizeof PRELOAD, R_OK) == 0 &&
	       preloadable(path, &why);
}

/*
 * ENVP with the object, in WITH, which has room for ENTRIES_MORE entries more
 * than it has; TEXT has room for the longer LD_PRELOAD.
 */
static char *const *with_object(char *const *envp, char **with, char *text)
{
	size_t n = entries(envp), i = find(envp, PRELOAD);

	memcpy(with, envp, n * sizeof *with);
	if (i == n)
		with[n++] = preload;
	else {
		sprintf(text, "%s:%s", preload, value_of(envp[i], PRELOAD));
		with[i] = text;
	}
	with[n++] = variable;
	with[n] = NULL;
	return with;
}

/* The environment for PATH; on the caller's stack, where it is another one. */
#define ENVIRONMENT(path, envp)                                                \
	(can_have(path, envp)                                                  \
			? with_object(envp,                                    \
				  alloca((entries(envp) + ENTRIES_MORE) *      \
					  sizeof(char *)),                     \
				  alloca(sizeof preload + 1 +                  \
					  preload_length(envp)))               \
			: (envp))

static size_t preload_length(char *const *envp)
{
	const char *entry = envp[find(envp, PRELOAD)];

	return entry ? strlen(entry) : 0;
}

/* --- exec --- */

NEXT(int, execve, (const char *, char *const *, char *const *))
NEXT(int, fexecve, (int, char *const *, char *const *))
NEXT(int, posix_spawn,
	(pid_t *, const char *, const posix_spawn_file_actions_t *,
		const posix_spawnattr_t *, char *const *, char *const *))
NEXT(int, posix_spawnp,
	(pid_t *, const char *, const posix_spawn_file_actions_t *,
		const posix_spawnattr_t *, char *const *, char *const *))
NEXT(int, system, (const char *))
NEXT(FILE *, popen, (const char *, const char *))

EXPORT int execve(const char *path, char *const *argv, char *const *envp)
{
	object_flush();
	return NEXT_OF(execve)(path, argv, ENVIRONMENT(path, envp));
}

EXPORT int execv(const char *path, char *const *argv)
{
	return execve(path, argv, environ);
}

EXPORT int fexecve(int fd, char *const *argv, char *const *envp)
{
	char path[64];

	object_flush();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return NEXT_OF(fexecve)(fd, argv, ENVIRONMENT(path, envp));
}

/* Finds the file that execvp and posix_spawnp would take; false: none. */
static bool search(const char *name, char to[PATH_MAX])
{
	const char *path = search_path();

	if (strchr(name, '/') || !*name) {
		if (strlen(name) >= PATH_MAX)
			return false;
		strcpy(to, name);
		return true;
	}
	while (search_path_next(&path, name, to))
		if (access(to, X_OK) == 0)
			return true;
	return false;
}

NEXT(int, execvpe, (const char *, char *const *, char *const *))

/* Libc's own search: what it finds is what search() finds, or a text for sh. */
EXPORT int execvpe(const char *name, char *const *argv, char *const *envp)
{
	char path[PATH_MAX];

	object_flush();
	if (!search(name, path))
		return NEXT_OF(execvpe)(name, argv, envp);
	return NEXT_OF(execvpe)(name, argv, ENVIRONMENT(path, envp));
}

EXPORT int execvp(const char *name, char *const *argv)
{
	return execvpe(name, argv, environ);
}

/* How many arguments there are up to the NULL. */
static size_t arguments(const char *first, va_list list)
{
	size_t n = first != NULL;

	while (first && va_arg(list, char *))
		n++;
	return n;
}

static void copy_arguments(char **to, const char *first, size_t n, va_list list)
{
	to[0] = (char *)first;
	for (size_t i = 1; i <= n; i++)
		to[i] = va_arg(list, char *);
}

/* ARGV becomes the arguments after FIRST, and LIST stands behind them. */
#define ARGUMENTS(argv, first, list)                                           \
	do {                                                                   \
		size_t n_;                                                     \
                                                                               \
		va_start(list, first);                                         \
		n_ = arguments(first, list);                                   \
		va_end(list);                                                  \
		argv = alloca((n_ + 1) * sizeof *argv);                        \
		va_start(list, first);                                         \
		copy_arguments(argv, first, n_, list);                         \
	} while (0)

EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list list;
	char **argv;

	ARGUMENTS(argv, arg, list);
	va_end(list);
	return execve(path, argv, environ);
}

EXPORT int execlp(const char *name, const char *arg, ...)
{
	va_list list;
	char **argv;

	ARGUMENTS(argv, arg, list);
	va_end(list);
	return execvpe(name, argv, environ);
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	va_list list;
	char **argv;

	ARGUMENTS(argv, arg, list);
	envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, envp);
}

EXPORT int posix_spawn(pid_t *pid, const char *path,
	const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const *argv,
	char *const *envp)
{
	return NEXT_OF(posix_spawn)(
		pid, path, actions, attributes, argv, ENVIRONMENT(path, envp));
}

EXPORT int posix_spawnp(pid_t *pid, const char *name,
	const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const *argv,
	char *const *envp)
{
	char path[PATH_MAX];

	if (!search(name, path))
		return NEXT_OF(posix_spawnp)(
			pid, name, actions, attributes, argv, envp);
	return NEXT_OF(posix_spawnp)(
		pid, name, actions, attributes, argv, ENVIRONMENT(path, envp));
}

/*
 * What system() and popen() give their shell.  Other threads may look at it,
 * then or later: it is never given back.
 */
static struct {
	char **entries, *text;
	size_t room; /* entries */
	size_t most; /* bytes of text */
	bool busy;
} shell;

/* Makes room for N entries and SIZE bytes of text. */
static bool make_room(size_t n, size_t size)
{
	size_t bytes = (n + 64) * sizeof(char *) + size;
	char *memory;

	if (n <= shell.room && size <= shell.most)
		return true;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	shell.entries = (char **)memory;
	shell.room = n + 64;
	shell.text = memory + shell.room * sizeof(char *);
	shell.most = size;
	return true;
}

/* Gives the shell the object; returns the environment to come back to, or NULL.
 */
static char **begin_shell(void)
{
	size_t size = sizeof preload + 1 + preload_length(environ);
	char **own = environ;

	if (!can_have(SHELL, own) ||
		__atomic_exchange_n(&shell.busy, true, __ATOMIC_ACQUIRE))
		return NULL;
	if (!make_room(entries(own) + ENTRIES_MORE, size)) {
		__atomic_store_n(&shell.busy, false, __ATOMIC_RELEASE);
		return NULL;
	}
	with_object(own, shell.entries, shell.text);
	environ = shell.entries;
	return own;
}

static void end_shell(char ***own)
{
	if (!*own)
		return;
	if (environ == shell.entries)
		environ = *own;
	else /* another thread has changed it: it has a copy */
		take_out();
	__atomic_store_n(&shell.busy, false, __ATOMIC_RELEASE);
}

/* At the function's end, also where its thread is cancelled. */
#define WITH_SHELL                                                             \
	__attribute__((cleanup(end_shell), unused)) char **own = begin_shell()

EXPORT int system(const char *command)
{
	WITH_SHELL;

	return NEXT_OF(system)(command);
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	WITH_SHELL;

	return NEXT_OF(popen)(command, mode);
}

static void find_programs(void)
{
	NEXT_OF(_exit);
	NEXT_OF(quick_exit);
	NEXT_OF(execve);
	NEXT_OF(fexecve);
	NEXT_OF(execvpe);
	NEXT_OF(posix_spawn);
	NEXT_OF(posix_spawnp);
	NEXT_OF(system);
	NEXT_OF(popen);
}
