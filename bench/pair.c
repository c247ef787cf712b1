/*
 * pair - runs commands in turn, several times over, and compares them.
 *
 *     pair [-b] [-n ROUNDS] [-t SECONDS] [-e EVERY] [-a NAME] -r RESULTS
 *          -s SECTION -g GROUP -d FOLDER PLAN
 *
 * PLAN has a command per line, its name before the first tab; `sh -c` runs it,
 * with BENCH_CLOCK set for bench/clock.  The first line is the base, the
 * program with no profiler; it runs before each EVERY (4) of the others and at
 * the end of each round, so that every other command stands between two runs
 * of the base, and the mean of those two is what it is compared with: a
 * machine that slows down in the meantime slows all of them.  What is appended
 * to RESULTS (results.h), for the base `wall s` and `CPU s`, for the others
 *
 *     wall x, CPU x    the target alone, by bench/clock, against the base;
 *                      the whole command where it does not run bench/clock
 *     all CPU x        target and collector together, against the base
 *     collector s      CPU time of all the rest
 *     after s          from the end of the target to the end of the command
 *     collector MB     the largest resident set of the command's own process
 *
 * With -b the base's own figures are not written: they are there already.
 * With -a NAME there is no base: `NAME s`, `NAME CPU s` and `NAME MB` of each.
 * A command that fails or takes longer than SECONDS (600) is left out from
 * then on; its row has a note that says why and no values.  What commands write
 * to stderr is in FOLDER/NAME.err, of the last run.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/results.h"

#define COMMANDS_MAX 64
#define ROUNDS_MAX 100
#define LOOK_MS 20 /* how often the collector's memory is looked at */

/* What one run took: seconds, MB. */
struct run {
	double wall, cpu;               /* all of it */
	double target_wall, target_cpu; /* the target alone */
	double after;
	double mb, target_mb;
};

enum figure { WALL, CPU, ALL_CPU, COLLECTOR, AFTER, MB, FIGURES };

static const char *const figure_names[FIGURES] = {"wall x", "CPU x",
	"all CPU x", "collector s", "after s", "collector MB"};

struct command {
	char *name, *text;
	char note[256]; /* why it was left out; "" if it was not */
	double figures[FIGURES][ROUNDS_MAX];
	size_t n;
};

static struct {
	const char *results, *section, *group, *folder, *absolute;
	int rounds, every;
	double limit;
	bool no_base;
} opt = {.rounds = 5, .every = 4, .limit = 600};

static struct command commands[COMMANDS_MAX];
static size_t ncommands;
static volatile pid_t running;

static void die(const char *what)
{
	fprintf(stderr, "pair: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void on_signal(int sig)
{
	if (running > 0)
		kill(-running, SIGKILL);
	signal(sig, SIG_DFL);
	raise(sig);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double cpu_of(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

static void file_in_folder(
	char *path, size_t size, const char *name, const char *suffix)
{
	int n = snprintf(path, size, "%s/%s%s", opt.folder, name, suffix);

	for (char *p = path + strlen(opt.folder) + 1; n > 0 && *p; p++)
		if (*p == '/' || *p == ' ')
			*p = '-';
}

static void start(const struct command *c, const char *clock)
{
	char err[4096];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), log;

	file_in_folder(err, sizeof err, c->name, ".err");
	log = open(err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (null < 0 || log < 0)
		_exit(126);
	setpgid(0, 0);
	dup2(null, 0);
	dup2(null, 1);
	dup2(log, 2);
	setenv("BENCH_CLOCK", clock, 1);
	execl("/bin/sh", "sh", "-c", c->text, (char *)NULL);
	_exit(127);
}

/* The peak of resident memory of PID so far, MB; 0 where it is gone. */
static double peak(pid_t pid)
{
	char path[64], line[256];
	long kb = 0;
	FILE *in;

	snprintf(path, sizeof path, "/proc/%d/status", pid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof line, in))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	if (in)
		fclose(in);
	return (double)kb / 1024;
}

/* Waits for PID to end, LIMIT seconds at most.  False: it was killed. */
static bool watch(pid_t pid, double *mb)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	double end = now() + opt.limit;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (fd < 0)
		die("pidfd_open");
	*mb = 0;
	while (poll(&p, 1, LOOK_MS) == 0 && now() < end) {
		double seen = peak(pid);

		if (seen > *mb)
			*mb = seen;
	}
	close(fd);
	if (p.revents & POLLIN)
		return true;
	kill(-pid, SIGKILL);
	return false;
}

/* What bench/clock said; leaves the whole command's where it did not run. */
static void read_clock(const char *path, double end, struct run *run)
{
	FILE *in = fopen(path, "re");
	int64_t from, to;
	long user, sys, kb;
	int status;

	run->target_wall = run->wall;
	run->target_cpu = run->cpu;
	run->after = 0;
	if (!in)
		return;
	if (fscanf(in, "%" SCNd64 " %" SCNd64 " %ld %ld %ld %d", &from, &to,
		    &user, &sys, &kb, &status) == 6) {
		run->target_wall = (double)(to - from) / 1e9;
		run->target_cpu = (double)(user + sys) / 1e6;
		run->after = end - (double)to / 1e9;
		run->target_mb = (double)kb / 1024;
	}
	fclose(in);
}

/* The last line of what the command wrote to stderr, for a note. */
static void last_words(const struct command *c, char *words, size_t size)
{
	char path[4096], line[190];
	FILE *in;

	file_in_folder(path, sizeof path, c->name, ".err");
	in = fopen(path, "re");
	words[0] = '\0';
	while (in && fgets(line, sizeof line, in)) {
		line[strcspn(line, "\n")] = '\0';
		for (char *p = line; *p; p++)
			if ((unsigned char)*p < ' ')
				*p = ' ';
		if (*line)
			snprintf(words, size, ": %s", line);
	}
	if (in)
		fclose(in);
}

/* Runs C once.  False: it failed, and its note says how. */
static bool run_once(struct command *c, struct run *run)
{
	char clock[4096], words[200];
	struct rusage usage;
	double begin, end;
	int status;
	pid_t pid;
	bool ended;

	file_in_folder(clock, sizeof clock, c->name, ".clock");
	unlink(clock);
	memset(run, 0, sizeof *run);
	begin = now();
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		start(c, clock);
	running = pid;
	ended = watch(pid, &run->mb);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			die("wait4");
	end = now();
	running = 0;
	if (!ended) {
		const struct command *base = &commands[0];
		int n = snprintf(c->note, sizeof c->note,
			"took more than %.0f s", opt.limit);

		if (base->n)
			snprintf(c->note + n, sizeof c->note - (size_t)n,
				", %.0f times bare",
				opt.limit / base->figures[WALL][base->n - 1]);
		return false;
	}
	if (status) {
		last_words(c, words, sizeof words);
		snprintf(c->note, sizeof c->note, "%s %d%.160s",
			WIFEXITED(status) ? "exit status" : "signal",
			WIFEXITED(status) ? WEXITSTATUS(status)
					  : WTERMSIG(status),
			words);
		return false;
	}
	run->wall = end - begin;
	run->cpu = cpu_of(&usage);
	read_clock(clock, end, run);
	/* A process too short to be looked at: the largest of its tree. */
	if (run->mb == 0)
		run->mb = (double)usage.ru_maxrss / 1024;
	return true;
}

static void compare(struct command *c, const struct run *run,
	const struct run *before, const struct run *behind)
{
	double wall = (before->target_wall + behind->target_wall) / 2;
	double cpu = (before->target_cpu + behind->target_cpu) / 2;
	size_t i = c->n++;

	c->figures[WALL][i] = run->target_wall / wall;
	c->figures[CPU][i] = run->target_cpu / cpu;
	/* A tool that leaves its target to others to reap has not its time. */
	if (run->cpu < run->target_cpu)
		c->figures[ALL_CPU][0] = c->figures[COLLECTOR][0] = NAN;
	else {
		c->figures[ALL_CPU][i] = run->cpu / cpu;
		c->figures[COLLECTOR][i] = run->cpu - run->target_cpu;
	}
	c->figures[AFTER][i] = run->after;
	c->figures[MB][i] = run->mb;
}

static void keep_base(const struct run *run)
{
	struct command *base = &commands[0];

	base->figures[WALL][base->n] = run->target_wall;
	base->figures[CPU][base->n] = run->target_cpu;
	base->n++;
}

/* The commands from FIRST on, EVERY of them, between BEFORE and a new base. */
static bool stretch(size_t first, struct run *before)
{
	struct run runs[COMMANDS_MAX], behind;
	bool good[COMMANDS_MAX] = {false};
	size_t last = first + (size_t)opt.every;

	if (last > ncommands)
		last = ncommands;
	for (size_t i = first; i < last; i++)
		if (!commands[i].note[0])
			good[i] = run_once(&commands[i], &runs[i]);
	if (!run_once(&commands[0], &behind))
		return false;
	if (commands[0].n < ROUNDS_MAX)
		keep_base(&behind);
	for (size_t i = first; i < last; i++)
		if (good[i])
			compare(&commands[i], &runs[i], before, &behind);
	*before = behind;
	return true;
}

/* Everything once, unmeasured: caches, and commands that cannot work. */
static bool against_base(void)
{
	struct run before;

	if (!run_once(&commands[0], &before) ||
		!run_once(&commands[0], &before))
		return false;
	keep_base(&before);
	for (int round = 0; round < opt.rounds; round++)
		for (size_t i = 1; i < ncommands; i += (size_t)opt.every)
			if (!stretch(i, &before))
				return false;
	return true;
}

static void absolute(void)
{
	struct run run;

	for (int round = 0; round < opt.rounds; round++)
		for (size_t i = 0; i < ncommands; i++) {
			struct command *c = &commands[i];

			if (c->note[0] || !run_once(c, &run))
				continue;
			c->figures[WALL][c->n] = run.wall;
			c->figures[CPU][c->n] = run.cpu;
			c->figures[MB][c->n] = run.mb;
			c->n++;
		}
}

static void write_figure(
	FILE *out, const struct command *c, enum figure f, const char *column)
{
	results_write(out, opt.section, opt.group, c->name, column,
		c->figures[f], c->n);
}

static void write_command(FILE *out, const struct command *c, bool base)
{
	char column[128];

	if (c->note[0]) {
		fprintf(out, "value\t%s\t%s\t%s\t%s%s\t-\t-\t-\t\t%s\n",
			opt.section, opt.group, c->name,
			opt.absolute ? opt.absolute : "wall x",
			opt.absolute ? " s" : "", c->note);
	} else if (opt.absolute) {
		snprintf(column, sizeof column, "%s s", opt.absolute);
		write_figure(out, c, WALL, column);
		snprintf(column, sizeof column, "%s CPU s", opt.absolute);
		write_figure(out, c, CPU, column);
		snprintf(column, sizeof column, "%s MB", opt.absolute);
		write_figure(out, c, MB, column);
	} else if (base) {
		write_figure(out, c, WALL, "wall s");
		write_figure(out, c, CPU, "CPU s");
	} else {
		for (enum figure f = 0; f < FIGURES; f++)
			if (!isnan(c->figures[f][0]))
				write_figure(out, c, f, figure_names[f]);
	}
}

static void read_plan(const char *path)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!in)
		die(path);
	while (getline(&line, &size, in) >= 0) {
		char *tab = strchr(line, '\t');

		if (!tab || ncommands == COMMANDS_MAX) {
			fprintf(stderr, "pair: %s: a bad line, or too many\n",
				path);
			exit(2);
		}
		line[strcspn(line, "\n")] = '\0';
		*tab = '\0';
		commands[ncommands].name = strdup(line);
		commands[ncommands].text = strdup(tab + 1);
		ncommands++;
	}
	free(line);
	fclose(in);
}

static void read_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "bn:t:e:a:r:s:g:d:")) != -1)
		switch (c) {
		case 'b':
			opt.no_base = true;
			break;
		case 'n':
			opt.rounds = atoi(optarg);
			break;
		case 't':
			opt.limit = atof(optarg);
			break;
		case 'e':
			opt.every = atoi(optarg);
			break;
		case 'a':
			opt.absolute = optarg;
			break;
		case 'r':
			opt.results = optarg;
			break;
		case 's':
			opt.section = optarg;
			break;
		case 'g':
			opt.group = optarg;
			break;
		case 'd':
			opt.folder = optarg;
			break;
		default:
			exit(2);
		}
	if (optind + 1 != argc || !opt.results || !opt.section || !opt.group ||
		!opt.folder || opt.rounds < 1 || opt.rounds > ROUNDS_MAX ||
		opt.every < 1) {
		fprintf(stderr, "pair: wrong options\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	bool worked = true;
	FILE *out;

	read_options(argc, argv);
	read_plan(argv[optind]);
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
	if (opt.absolute)
		absolute();
	else
		worked = ncommands > 0 && against_base();
	if (!worked) {
		fprintf(stderr, "pair: %s: the base: %s\n", opt.group,
			commands[0].note);
		return 1;
	}
	out = fopen(opt.results, "ae");
	if (!out)
		die(opt.results);
	for (size_t i = opt.no_base; i < ncommands; i++)
		write_command(out, &commands[i], i == 0);
	if (fclose(out) != 0)
		die(opt.results);
	return 0;
}
