/* Reads tracefs: which events there are, and where they have their fields. */
#include "monitor/resource/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/order.h"
#include "lib/text.h"
#include "lib/vec.h"
#include "monitor/arch/amount.h"
#include "monitor/base/proc.h"

#define FORMAT_MAX 16384
#define NAME_LETTERS                                                           \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define COMMON_BYTES 8 /* of each record: other things for a BPF program */

typedef VEC(char *) name_list;

/* The folder of events; where it is not mounted, the place where it belongs. */
static const char *root(void)
{
	static const char *const places[] = {"/sys/kernel/tracing/events",
		"/sys/kernel/debug/tracing/events"};
	size_t i = 0;

	while (i < 2 && access(places[i], R_OK) && errno == ENOENT)
		i++;
	return places[i % 2];
}

/* The text of a file of an event, or of a folder of events (FILE ""). */
static void path_of(
	char path[512], const char *system, const char *name, const char *file)
{
	snprintf(path, 512, "%s/%.100s/%.100s%s%s", root(), system, name,
		*file ? "/" : "", file);
}

/* Appends the names of folders in PATH, in order. */
static void list_folders(const char *path, name_list *list)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *name = entry->d_type == DT_DIR && *entry->d_name != '.'
				     ? strdup(entry->d_name)
				     : NULL;

		if (name && !vec_add(list, name))
			free(name);
	}
	if (dir)
		closedir(dir);
	if (list->n)
		qsort(list->v, list->n, sizeof *list->v, order_text);
}

static void free_names(name_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i]);
	vec_free(list);
}

struct field {
	char name[64];
	unsigned offset, size, is_signed;
};

/*
 * Reads a line of a format: "field:unsigned int bytes; offset:28; size:4;
 * signed:0;".  False: it is none, or no number.
 */
static bool read_field(const char *line, struct field *f)
{
	char type[256], *name;

	if (sscanf(line, " field:%255[^;]; offset:%u; size:%u; signed:%u;",
		    type, &f->offset, &f->size, &f->is_signed) != 4)
		return false;
	name = strrchr(type, ' ');
	if (!name || strchr(type, '[') || strstr(type, "_loc ") ||
		f->offset < COMMON_BYTES)
		return false;
	snprintf(f->name, sizeof f->name, "%s", name + 1);
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

/*
 * Finds the field WANTED in an event's format, and appends the names of all
 * that are numbers to LIST.
 */
static bool find_field(const char *system, const char *name, const char *wanted,
	struct field *found, char *list, size_t size)
{
	char path[512], format[FORMAT_MAX], *rest = format, *line;
	struct field f;
	bool has = false;

	*list = '\0';
	path_of(path, system, name, "format");
	if (proc_read(path, format, sizeof format) <= 0)
		return false;
	while ((line = strsep(&rest, "\n"))) {
		if (!read_field(line, &f))
			continue;
		text_list(list, size, f.name);
		if (strcmp(f.name, wanted) == 0) {
			*found = f;
			has = true;
		}
	}
	return has;
}

int tracepoint_can(const char *object, struct err *err)
{
	char path[512], id[32];

	path_of(path, "sched", "sched_process_exec", "id");
	if (proc_read(path, id, sizeof id) > 0)
		return 0;
	if (errno == ENOENT)
		return err_say(err, object, "tracefs", "it is not mounted",
			"'mount -t tracefs none /sys/kernel/tracing' as root "
			"provides the list of the kernel's events, if it was "
			"built with them");
	err_sys(err, object, "tracefs");
	return err_hint(err,
		"run cpprof as root, or let a group read the list of events: "
		"'mount -o remount,mode=750,gid=GROUP /sys/kernel/tracing', "
		"and with kernel.perf_event_paranoid=1 its users can count "
		"their programs' events");
}

/* There is no WRONG in the folder PATH, or no list of it. */
static int no_such(const char *what, const char *wrong, const char *path,
	const char *prefix, struct err *err)
{
	const char *near[5];
	char list[500] = "", shown[128];
	name_list names = {0};
	size_t n;

	list_folders(path, &names);
	n = text_nearest(wrong, (const char *const *)names.v, names.n, near, 5);
	for (size_t i = 0; i < n; i++) {
		snprintf(shown, sizeof shown, "%s%s", prefix, near[i]);
		text_list(list, sizeof list, shown);
	}
	free_names(&names);
	err_set(err, wrong, "tracepoint", "no such %s", what);
	return err_hint(err, "%s%s'cpprof resources --search=WORD' finds them",
		list, *list ? " are near; " : "");
}

static int no_field(
	const char *name, const char *field, const char *list, struct err *err)
{
	err_set(err, name, "tracepoint", "%s is no number in it", field);
	return err_hint(err, *list ? "it has %s" : "it has none", list);
}

int tracepoint_find(const char *text, struct perf_source *source,
	uint64_t *amount, struct err *err)
{
	char copy[256], path[512], id[32], prefix[128], list[600];
	char *name, *field;
	struct field f;

	snprintf(copy, sizeof copy, "%s", text);
	name = strchr(copy, ':');
	if (name)
		*name++ = '\0';
	field = name ? strchr(name, '.') : NULL;
	if (field)
		*field++ = '\0';
	if (!name || !*name || !*copy || copy[strspn(copy, NAME_LETTERS)] ||
		name[strspn(name, NAME_LETTERS)])
		return err_say(err, text, "tracepoint", "which event?",
			"write tracepoint:SYSTEM:NAME; 'cpprof "
			"resources --search=WORD' finds them");
	if (tracepoint_can(text, err))
		return -1;
	path_of(path, copy, "", "");
	if (access(path, F_OK))
		return no_such("system of events", copy, root(), "", err);
	snprintf(prefix, sizeof prefix, "%.100s:", copy);
	path_of(path, copy, name, "id");
	if (proc_read(path, id, sizeof id) <= 0) {
		path_of(path, copy, "", "");
		return no_such("event", name, path, prefix, err);
	}
	source->type = PERF_TYPE_TRACEPOINT;
	source->config = strtoull(id, NULL, 10);
	if (!field)
		return 0;
	if (!find_field(copy, name, field, &f, list, sizeof list))
		return no_field(text, field, list, err);
	*amount = amount_of_parts(
		AMOUNT_RECORD, f.size, f.is_signed, (int32_t)f.offset);
	return 0;
}

void tracepoint_any(struct perf_source *source)
{
	uint64_t amount;
	struct err ignored;

	*source = (struct perf_source){
		.type = PERF_TYPE_TRACEPOINT, .scale = 1, .kernel = true};
	tracepoint_find("sched:sched_process_exec", source, &amount, &ignored);
}

void tracepoint_each(void (*see)(void *arg, const char *system,
			     const char *name, const char *fields),
	void *arg)
{
	name_list systems = {0};

	list_folders(root(), &systems);
	for (size_t i = 0; i < systems.n; i++) {
		char path[512], fields[600];
		name_list names = {0};
		struct field f;

		path_of(path, systems.v[i], "", "");
		list_folders(path, &names);
		for (size_t k = 0; k < names.n; k++) {
			find_field(systems.v[i], names.v[k], "", &f, fields,
				sizeof fields);
			see(arg, systems.v[i], names.v[k], fields);
		}
		free_names(&names);
	}
	free_names(&systems);
}
