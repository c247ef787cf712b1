/* What becomes of files: names, modes, failures, pipes. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/lib/tap.h"
#include "lib/cpprofdata/reader.h"
#include "lib/cpprofdata/writer.h"

static const struct cpd_end the_end = {.time = 9};

static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

/* What a reader takes for one that was cut short. */
static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fprintf(f, CPD_MAGIC "%s", text);
		fclose(f);
	}
}

static bool holds(const char *path, const char *text)
{
	char buf[64] = "", all[64];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buf, 1, sizeof buf - 1, f) : 0;

	snprintf(all, sizeof all, CPD_MAGIC "%s", text);
	if (f)
		fclose(f);
	return n == strlen(all) && !memcmp(buf, all, n);
}

/* How many names in this folder hold PART. */
static int count(const char *part)
{
	char command[128];
	FILE *f;
	int n = -1;

	snprintf(command, sizeof command, "ls -A | grep -c -- '%s'", part);
	f = popen(command, "r");
	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		pclose(f);
	return n;
}

static int count_note(void *arg, const struct cpd_note *note, struct err *err)
{
	(void)note, (void)err;
	++*(int *)arg;
	return 0;
}

/* The notes in PATH, or -1 if it cannot be read. */
static int notes(const char *path, struct cpd_result *result)
{
	static const struct cpd_handlers handlers = {.note = count_note};
	struct err err;
	int n = 0;

	return cpd_read(path, &handlers, &n, result, &err) ? -1 : n;
}

static struct cpd_writer *start(const char *path, struct err *err)
{
	struct cpd_writer *w = cpd_writer_open(path, err);

	if (w)
		cpd_write_head(w, &(struct cpd_head){0});
	return w;
}

static int note(struct cpd_writer *w, const char *text)
{
	return cpd_write_note(w, &(struct cpd_note){"k", text});
}

/* Notes with N different strings: some 20 bytes each. */
static int write_much(struct cpd_writer *w, int n)
{
	char text[32];

	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof text, "note number %d", i);
		if (note(w, text))
			return -1;
	}
	return 0;
}

static void names_and_mode(void)
{
	struct cpd_result result;
	struct err err;
	struct cpd_writer *w;
	struct stat st = {0};
	mode_t before = umask(0777);

	w = start("data", &err);
	umask(before);
	ok(w && !exists("data") && count("^data\\.partial\\.") == 1,
		"until it is published it has another name");
	note(w, "one");
	ok(!cpd_writer_publish(w) && exists("data") && count("partial") == 0,
		"then it has its own");
	ok(!stat("data", &st) && (st.st_mode & 07777) == 0600,
		"mode 0600 whatever the umask");
	note(w, "two");
	ok(notes("data", &result) == 1 && !result.complete && !result.truncated,
		"a published file is readable, and not complete");
	cpd_writer_flush(w);
	ok(notes("data", &result) == 2 && !result.complete,
		"a flush makes the rest readable");
	ok(!cpd_writer_close(w, &the_end, &err) &&
			notes("data", &result) == 2 && result.complete,
		"closed it is complete");

	umask(0);
	w = start("open", &err);
	umask(before);
	ok(!cpd_writer_close(w, &the_end, &err) && !stat("open", &st) &&
			(st.st_mode & 07777) == 0600,
		"closing publishes; mode 0600 at umask 0");
}

static void old_file_is_kept(void)
{
	struct err err;
	struct cpd_writer *w;

	put("kept", "older");
	put("kept.old", "oldest");
	w = start("kept", &err);
	ok(holds("kept", "older"), "before publishing the old file stands");
	cpd_writer_abandon(w);
	ok(holds("kept", "older") && holds("kept.old", "oldest") &&
			count("partial") == 0,
		"abandoned: nothing is left, nothing was touched");
	w = start("kept", &err);
	cpd_writer_publish(w);
	ok(holds("kept.old", "older") && !holds("kept", "older"),
		"published: the old one is kept as .old");
	cpd_writer_abandon(w);
	ok(exists("kept"), "a published file stays when abandoned");
}

static void links(void)
{
	struct err err;
	struct cpd_writer *w;
	struct stat st;

	put("target", "older");
	if (symlink("target", "link")) {
		skip(2, "no symbolic links here");
		return;
	}
	w = start("link", &err);
	cpd_writer_close(w, &the_end, &err);
	ok(!lstat("link", &st) && S_ISLNK(st.st_mode) &&
			holds("target.old", "older"),
		"a link stays a link to the new file");
	unlink("target");
	w = start("link", &err);
	cpd_writer_close(w, &the_end, &err);
	ok(!lstat("link", &st) && S_ISLNK(st.st_mode) && exists("target"),
		"... and to a file that was not there");
}

/* As a user, in a folder with root's and USER's links. */
static void links_of_others(void)
{
	const uid_t user = 65534;
	struct err err;
	struct cpd_writer *w;
	struct stat st;

	if (geteuid() != 0) {
		skip(4, "only root makes links of other users");
		return;
	}
	put("precious", "precious");
	if (mkdir("shared", 0700) || chmod("shared", 01777) ||
		symlink("../precious", "shared/data") ||
		lchown("shared/data", user, user) ||
		symlink("shared/data", "mine")) {
		skip(4, "no symbolic links here");
		return;
	}
	w = start("mine", &err);
	cpd_writer_close(w, &the_end, &err);
	ok(holds("precious", "precious"),
		"another user's link behind an own one is not followed");
	unlink("mine.old");
	w = start("shared/data", &err);
	if (w)
		cpd_writer_close(w, &the_end, &err);
	ok(holds("precious", "precious") && !exists("precious.old"),
		"another user's link in a shared folder is not followed");
	ok(w && !lstat("shared/data", &st) && S_ISREG(st.st_mode),
		"the new file takes its name");
	if (mkfifo("shared/pipe", 0666) || chown("shared/pipe", user, user))
		diag("no pipe");
	w = start("shared/pipe", &err);
	ok(!w && *err.hint, "another user's pipe there is refused");
	if (w)
		cpd_writer_abandon(w);
}

/* A file limit of LIMIT bytes for a child that writes; its verdict. */
static void file_limit(void)
{
	struct rlimit limit = {200000, 200000};
	struct cpd_result result;
	int status;
	pid_t pid;

	put("big", "older");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct err err = {0};
		struct cpd_writer *w = start("big", &err);
		bool fine;

		cpd_writer_publish(w);
		fine = holds("big.old", "older");
		setrlimit(RLIMIT_FSIZE, &limit);
		fine = fine && write_much(w, 20000) == -1 &&
		       note(w, "more") == -1 && cpd_writer_error(w) &&
		       cpd_writer_close(w, &the_end, &err) == -1 &&
		       !strcmp(err.reason, strerror(EFBIG)) &&
		       strstr(err.hint, "ulimit -f") &&
		       strstr(err.hint, "big.partial");
		_exit(fine ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	ok(status == 0,
		"beyond the limit on file sizes: an error, no signal "
		"(status %x)",
		status);
	ok(holds("big", "older") && !exists("big.old"),
		"the older file got its name back");
	ok(notes("big.partial", &result) > 1000 && !result.complete &&
			!result.truncated,
		"what was written is in .partial, whole chunks alone");
}

/* Folders have come where the file and its part are to be. */
static void no_name(void)
{
	struct err err = {0};
	struct cpd_result result;
	struct cpd_writer *w = start("taken", &err);
	char name[64];

	snprintf(name, sizeof name, "taken.partial.%d", (int)getpid());
	ok(w && exists(name), "a file that has no name yet can be seen");
	mkdir("taken", 0700);
	mkdir("taken.partial", 0700);
	ok(w && note(w, "something") == 0 &&
			cpd_writer_close(w, &the_end, &err) == -1 &&
			strstr(err.hint, name),
		"every name is refused: the file is named");
	ok(notes(name, &result) == 1, "... and is there");
}

static void full_device(void)
{
	struct err err = {0};
	struct cpd_writer *w;

	if (!exists("/dev/full")) {
		skip(1, "no /dev/full here");
		return;
	}
	w = cpd_writer_open("/dev/full", &err);
	ok(!w && !strcmp(err.reason, strerror(ENOSPC)) &&
			strstr(err.hint, "disk is full") &&
			!strcmp(err.object, "/dev/full"),
		"a full disk: %s", err.reason);
}

static void devices(void)
{
	struct err err = {0};
	struct cpd_writer *w = start("/dev/null", &err);
	struct stat st;

	ok(w && !cpd_writer_publish(w) &&
			!cpd_writer_close(w, &the_end, &err) &&
			!stat("/dev/null", &st) && S_ISCHR(st.st_mode),
		"/dev/null is written as it is");
	ok(!cpd_writer_open(".", &err) && *err.hint, "a folder: %s",
		err.reason);
	ok(!cpd_writer_open("none/such", &err) && *err.hint,
		"no such folder: %s", err.reason);
	ok(!cpd_writer_open("", &err), "no name: %s", err.reason);
}

static void pipes(void)
{
	struct cpd_result result = {0};
	char header[12];
	int status, n;
	struct err err = {0};
	pid_t pid;

	if (!ok(!mkfifo("fifo", 0600), "a fifo"))
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct cpd_writer *w = start("fifo", &err);

		_exit(!w || write_much(w, 20000) ||
			cpd_writer_close(w, &the_end, &err));
	}
	n = notes("fifo", &result);
	waitpid(pid, &status, 0);
	ok(n == 20000 && result.complete && !status,
		"through a pipe all %d notes arrive", n);

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct cpd_writer *w;
		sigset_t pending;
		bool fine;

		signal(SIGPIPE, SIG_DFL);
		w = start("fifo", &err);
		fine = w && write_much(w, 200000) == -1 &&
		       cpd_writer_close(w, &the_end, &err) == -1 &&
		       !strcmp(err.reason, strerror(EPIPE)) && *err.hint;
		sigpending(&pending);
		_exit(!fine || sigismember(&pending, SIGPIPE));
	}
	n = open("fifo", O_RDONLY);
	if (n >= 0) {
		if (read(n, header, sizeof header) < 0)
			diag("fifo: %s", strerror(errno));
		close(n);
	}
	waitpid(pid, &status, 0);
	ok(!status, "nobody reads the pipe: an error, no signal");
}

static void bad_order(void)
{
	struct err err = {0};
	struct cpd_writer *w = start("order", &err);

	ok(cpd_write_sample(w, &(struct cpd_sample){.thread = 1}) == -1 &&
			cpd_writer_error(w) && !cpd_node(w, 0, 0, 1, 0),
		"a record no reader would take is an error, which sticks");
	ok(cpd_writer_close(w, &the_end, &err) == -1 &&
			strstr(err.reason, "not announced") &&
			!exists("order") && count("order.*partial") == 0,
		"closing reports it: %s", err.reason);
}

static void remembered(void)
{
	struct err err = {0};
	struct cpd_writer *w = start("remembered", &err);
	struct cpd_module m = {.path = "/bin/a", .build_id_len = 2};
	struct cpd_node node;
	uint32_t a, b, id;

	ok(cpd_writer_nodes(w) == 0, "no nodes");
	cpd_write_module(w, &m);
	m.path = "/bin/b";
	cpd_write_module(w, &m);
	a = cpd_node(w, 0, 2, 0x20, 0);
	b = cpd_node(w, a, 1, 0x31, 0);
	id = cpd_node(w, a, 1, 0x30, CPD_NODE_EXACT);
	ok(cpd_node(w, a, 1, 0x31, 0) == b && id != b, "a node is found again");
	node = cpd_writer_node(w, id);
	ok(cpd_writer_nodes(w) == 3 && node.id == id && node.parent == a &&
			node.module == 1 && node.addr == 0x30 &&
			node.flags == CPD_NODE_EXACT &&
			cpd_writer_node(w, a).addr == 0x20,
		"nodes are told again by their numbers");
	for (uint64_t at = 0x100; at < 0x20000; at++)
		cpd_node(w, a, 2, at, 0);
	ok(cpd_writer_node(w, 3).addr == 0x30 &&
			cpd_writer_node(w, 1003).addr == 0x100 + 999 &&
			cpd_writer_node(w, cpd_writer_nodes(w)).addr == 0x1ffff,
		"however many there are");
	ok(cpd_writer_modules(w) == 2 &&
			!strcmp(cpd_writer_module(w, 2)->path, "/bin/b") &&
			!cpd_writer_module(w, 3) && !cpd_writer_module(w, 0),
		"modules are remembered");
	cpd_writer_abandon(w);
}

static void processes(void)
{
	struct err err = {0};
	struct cpd_writer *w = start("processes", &err);
	struct cpd_process p = {.pid = 77, .name = "p", .exe = "/p"};
	struct cpd_module code = {.kind = CPD_MODULE_ANON, .path = "//anon"};
	uint32_t jit = cpd_write_process(w, &p), shell, fork, late, from;

	code.process = jit;
	cpd_write_module(w, &code);
	p.parent = jit;
	p.pid = 78;
	shell = cpd_write_process(w, &p);
	p.parent = shell;
	p.pid = 79;
	fork = cpd_write_process(w, &p);
	ok(cpd_writer_pid(w, fork, &from) == 79 && from == jit &&
			cpd_writer_pid(w, jit, &from) == 77 && from == 0,
		"a fork begins with the code of the one that made it");
	p.flags = CPD_PROCESS_EXEC;
	p.pid = 80;
	late = cpd_write_process(w, &p);
	ok(cpd_writer_pid(w, late, &from) == 80 && from == 0,
		"another program does not");
	code.process = fork;
	cpd_write_module(w, &code);
	cpd_writer_end_process(w, jit);
	cpd_writer_end_process(w, shell);
	cpd_writer_end_process(w, fork);
	cpd_writer_end_process(w, late);
	ok(cpd_writer_pid(w, fork, &from) == 79 && from == jit &&
			cpd_writer_pid(w, jit, &from) == 77 &&
			cpd_writer_pid(w, shell, &from) == 0 &&
			cpd_writer_pid(w, late, &from) == 0 &&
			cpd_writer_pid(w, 0, &from) == 0,
		"those that made code are remembered");
	cpd_writer_abandon(w);
}

/* The heap in use has nothing of processes that have ended, a name each. */
static void little_memory(void)
{
	enum { PROCESSES = 100000 };
	struct err err = {0};
	struct cpd_writer *w = start("many", &err);
	char name[20];
	struct cpd_process p = {.name = name, .exe = "/bin/sh"};
	struct cpd_rename r = {.name = name};
	size_t before = mallinfo2().uordblks, bytes;

	for (p.pid = 1; p.pid <= PROCESSES; p.pid++) {
		snprintf(name, sizeof name, "sh-%d", p.pid);
		r.process = cpd_write_process(w, &p);
		snprintf(name, sizeof name, "renamed-%d", p.pid);
		cpd_write_rename(w, &r);
		if (p.parent)
			cpd_writer_end_process(w, p.parent);
		p.parent = r.process;
	}
	bytes = (mallinfo2().uordblks - before) / PROCESSES;
	ok(bytes < 1, "%zu bytes are kept of a process that has ended", bytes);
	cpd_writer_abandon(w);
}

int main(void)
{
	char folder[] = "/tmp/cpprof-files.XXXXXX", command[64];

	if (!mkdtemp(folder) || chdir(folder)) {
		printf("1..0 # SKIP no scratch folder\n");
		return 0;
	}
	names_and_mode();
	old_file_is_kept();
	links();
	links_of_others();
	file_limit();
	no_name();
	full_device();
	devices();
	pipes();
	bad_order();
	remembered();
	processes();
	little_memory();
	snprintf(command, sizeof command, "rm -rf %s", folder);
	if (chdir("/") || system(command))
		diag("%s is left", folder);
	return done_testing();
}
