/* Puts the terms of an event together from the kernel's files on its source. */
#include "monitor/resource/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/proc.h"

struct pmu {
	const char *root, *text; /* TEXT: as the user gave it */
	char name[64];
	struct perf_source *source;
	struct err *err;
};

/* The text of ROOT/NAME/FOLDER/FILE without its newline; false: there is none.
 */
static bool read_of(const struct pmu *pmu, const char *folder, const char *file,
	char *text, size_t size)
{
	char path[512];

	if (snprintf(path, sizeof path, "%s/%s%s%s/%s", pmu->root, pmu->name,
		    *folder ? "/" : "", folder, file) >= (int)sizeof path ||
		proc_read(path, text, size) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return true;
}

/* Appends the names in a folder, without those of units and scales. */
static void list(const char *path, char *text, size_t size)
{
	DIR *dir = opendir(path);
	size_t n = strlen(text);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && n < size)
		if (!strchr(entry->d_name, '.'))
			n += (size_t)snprintf(text + n, size - n, "%s%s",
				n ? ", " : "", entry->d_name);
	if (dir)
		closedir(dir);
}

static int no_such_source(const struct pmu *pmu)
{
	char known[512] = "";

	list(pmu->root, known, sizeof known);
	return err_say(pmu->err, pmu->text, pmu->name,
		"no such source of events", "this machine has %s",
		*known ? known : "none that it tells of");
}

static int no_such_term(const struct pmu *pmu, const char *term)
{
	char known[600] = "", path[512];

	snprintf(path, sizeof path, "%s/%s/format", pmu->root, pmu->name);
	list(path, known, sizeof known);
	snprintf(path, sizeof path, "%s/%s/events", pmu->root, pmu->name);
	list(path, known, sizeof known);
	err_set(pmu->err, pmu->text, term, "%s has no such term", pmu->name);
	return err_hint(pmu->err, "it has config, config1, config2%s%s",
		*known ? ", " : "", known);
}

static int no_number(const struct pmu *pmu, const char *term)
{
	return err_say(pmu->err, pmu->text, term, "not a number",
		"a term is NAME=NUMBER, in decimal or 0x..., or the name of an "
		"event");
}

/*
 * Puts VALUE's bits, from the lowest on, where FORMAT says ("config1:0-7,21").
 * False: FORMAT is unknown, or VALUE has more bits.
 */
static bool put(struct perf_source *source, const char *format, uint64_t value)
{
	uint64_t *to = strncmp(format, "config:", 7) == 0    ? &source->config
		       : strncmp(format, "config1:", 8) == 0 ? &source->config1
		       : strncmp(format, "config2:", 8) == 0 ? &source->config2
							     : NULL;
	const char *at = strchr(format, ':');

	while (to && *at) {
		char *end;
		unsigned long first = strtoul(at + 1, &end, 10), last = first;

		if (end == at + 1)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last > 63 || (*end && *end != ','))
			return false;
		for (unsigned long bit = first; bit <= last; bit++) {
			*to &= ~(1ull << bit);
			*to |= (value & 1) << bit;
			value >>= 1;
		}
		at = end;
	}
	return to && !value;
}

/* Reads the format of KEY in `format'; every PMU has the configs themselves. */
static bool format_of(
	const struct pmu *pmu, const char *key, char *format, size_t size)
{
	if (strcmp(key, "config") == 0 || strcmp(key, "config1") == 0 ||
		strcmp(key, "config2") == 0)
		return snprintf(format, size, "%s:0-63", key) > 0;
	return read_of(pmu, "format", key, format, size);
}

static bool is_name(const char *key)
{
	size_t n = 0;

	while (isalnum((unsigned char)key[n]) || key[n] == '_' || key[n] == '-')
		n++;
	return n && !key[n];
}

static int take_terms(const struct pmu *pmu, char *terms, bool named);

static int take_term(const struct pmu *pmu, char *term, bool named)
{
	char *number = strchr(term, '='), *end;
	char format[128], meaning[512];
	uint64_t value = 1;

	if (number)
		*number++ = '\0';
	if (!is_name(term))
		return no_such_term(pmu, term);
	if (number) {
		errno = 0;
		value = strtoull(number, &end, 0);
		if (!isdigit((unsigned char)*number) || *end || errno)
			return no_number(pmu, term);
	}
	if (format_of(pmu, term, format, sizeof format)) {
		if (put(pmu->source, format, value))
			return 0;
		return err_say(pmu->err, pmu->text, term,
			"the number does not fit", "%s has the bits %s", term,
			format);
	}
	/* an event's name; its terms are no names */
	if (number || named ||
		!read_of(pmu, "events", term, meaning, sizeof meaning))
		return no_such_term(pmu, term);
	return take_terms(pmu, meaning, true);
}

static int take_terms(const struct pmu *pmu, char *terms, bool named)
{
	char *term;

	while ((term = strsep(&terms, ",")))
		if (take_term(pmu, term, named))
			return -1;
	return 0;
}

int pmu_event(const char *root, const char *text, struct perf_source *source,
	struct err *err)
{
	struct pmu pmu = {
		.root = root, .text = text, .source = source, .err = err};
	size_t name = strcspn(text, "/"), all = strlen(text);
	char number[32], terms[512];

	*source = (struct perf_source){.scale = 1};
	if (name < sizeof pmu.name)
		memcpy(pmu.name, text, name);
	if (!is_name(pmu.name) ||
		!read_of(&pmu, "", "type", number, sizeof number))
		return no_such_source(&pmu);
	source->type = (uint32_t)strtoul(number, NULL, 10);
	if (all < name + 2 || text[all - 1] != '/' || all - name > sizeof terms)
		return err_say(err, text, NULL, "not of the form PMU/TERM,.../",
			"such as cpu/event=0x3c,umask=1/");
	snprintf(terms, sizeof terms, "%.*s", (int)(all - name - 2),
		text + name + 1);
	return *terms ? take_terms(&pmu, terms, false) : 0;
}
