/* Finds by a word what can be profiled. */
#include "monitor/run/monitor.h"

#include <stdio.h>
#include <string.h>

#include "lib/text.h"
#include "lib/vec.h"
#include "monitor/probe/files.h"
#include "monitor/probe/usdt.h"
#include "monitor/resource/resource.h"
#include "monitor/resource/tracepoint.h"

#define ARGUMENTS_MAX 12 /* a probe has no more */

struct search {
	const char *word;
	void (*offer)(void *arg, const char *name, const char *about);
	void *arg;
	size_t found;
	const char *file;  /* whose probes are seen */
	usdt_names probes; /* each once: libraries have several names */
};

/* What the kernel's events are about has other words than people have. */
static const struct {
	const char *word, *systems;
} meanings[] = {
	{"disk", " block ext4 xfs btrfs f2fs nvme scsi ata jbd2 iomap md "},
	{"file", " filemap filelock writeback readahead ext4 xfs btrfs "},
	{"network", " net tcp udp sock skb napi qdisc icmp fib neigh "},
	{"memory", " kmem vmscan pagemap compaction oom mmap thp vmalloc "},
	{"process", " sched task signal "},
	{"lock", " lock filelock mmap_lock "},
};

static bool means(const char *word, const char *system)
{
	char whole[80];

	snprintf(whole, sizeof whole, " %.60s ", system);
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (strcasecmp(meanings[i].word, word) == 0 &&
			strstr(meanings[i].systems, whole))
			return true;
	return false;
}

static void tell(struct search *s, const char *name, const char *about)
{
	s->offer(s->arg, name, about);
	s->found++;
}

static void see_tracepoint(
	void *arg, const char *system, const char *name, const char *fields)
{
	struct search *s = arg;
	char whole[256], about[640];

	snprintf(whole, sizeof whole, "tracepoint:%s:%s", system, name);
	snprintf(about, sizeof about, "%s%s", *fields ? "." : "", fields);
	if (strcasestr(whole, s->word) || means(s->word, system))
		tell(s, whole, about);
}

static int see_probe(void *arg, const struct usdt_note *note)
{
	struct search *s = arg;
	char whole[128], about[256] = "", word[8], *name;

	snprintf(whole, sizeof whole, "usdt:%s:%s", note->provider, note->name);
	if (!strcasestr(whole, s->word))
		return 0;
	for (size_t i = 0; i < s->probes.n; i++)
		if (strcmp(s->probes.v[i], whole) == 0)
			return 0;
	name = strdup(whole);
	if (!name || !vec_add(&s->probes, name))
		return -1;
	for (unsigned n = 1; n <= ARGUMENTS_MAX; n++) {
		snprintf(word, sizeof word, ".arg%u", n);
		if (usdt_amount(note, n))
			text_list(about, sizeof about, word);
	}
	snprintf(about + strlen(about), sizeof about - strlen(about), "%s%s",
		*about ? "; " : "", text_base_name(s->file));
	tell(s, whole, about);
	return 0;
}

static int see_probes(struct search *s, const char *file)
{
	s->file = file;
	return usdt_each(file, see_probe, s);
}

static int see_files(
	struct search *s, char *const *files, int nfiles, struct err *err)
{
	probe_libraries known = {0};
	int bad = probe_libraries_known(&known);

	for (int i = 0; i < nfiles && !bad; i++)
		bad = see_probes(s, files[i]);
	for (size_t i = 0; i < known.n && !bad; i++)
		bad = see_probes(s, known.v[i].path);
	probe_libraries_free(&known);
	usdt_names_free(&s->probes);
	return bad ? err_memory(err, "resources", "search") : 0;
}

int monitor_search(const char *word, char *const *files, int nfiles,
	void (*offer)(void *arg, const char *name, const char *about),
	void *arg, struct err *err)
{
	struct search s = {.word = word, .offer = offer, .arg = arg};

	for (const struct resource *r = resources; r->name; r++)
		if (strcasestr(r->name, word) || strcasestr(r->title, word) ||
			strcasestr(r->help, word))
			tell(&s, r->name, r->help);
	tracepoint_each(see_tracepoint, &s);
	if (see_files(&s, files, nfiles, err) ||
		tracepoint_can("events of the kernel", err))
		return -1;
	if (s.found)
		return 0;
	return err_say(err, word, "--search", "nothing is about it",
		"disk, file, network, memory, process and lock "
		"are words that find much");
}
