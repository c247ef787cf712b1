/* Words the notes: how much of a module has no names, why, and what gives it
   names. */
#include "analyzer/symbol/notes.h"

#include <stdio.h>
#include <string.h>

#include "lib/elf/build_id.h"
#include "lib/text.h"

#define REMEDY_MAX 2400

static void build_id_words(const struct cpd_module *module, char *buf)
{
	if (module->build_id_len == 0)
		strcpy(buf, "no build id");
	else
		build_id_text(module->build_id, module->build_id_len,
			stpcpy(buf, "build id "));
}

/* How to get the symbols of a file. */
static const char *remedy(const struct cpd_module *about, char buf[REMEDY_MAX])
{
	snprintf(buf, REMEDY_MAX,
		"set DEBUGINFOD_URLS (Debian: libdebuginfod1 asks the servers, "
		"libdebuginfod-common names them), or install its debug "
		"symbols (Debian: the -dbgsym of the package that dpkg -S "
		"'*/%.2000s' names), then 'cpprof symbolize'",
		text_base_name(about->path));
	return buf;
}

int sym_note_file(struct cpd_writer *w, const struct cpd_module *about,
	const struct sym_file *file, const struct sym_table *table,
	const struct sym_named *named)
{
	char id[16 + BUILD_ID_TEXT], text[5120], how[REMEDY_MAX];
	struct cpd_note note = {.key = "symbols", .text = text};

	build_id_words(about, id);
	if (file->state == SYM_FILE_MISSING)
		snprintf(text, sizeof text,
			"%.4000s (%s): the file could not be opened (%s); its "
			"functions are shown by address",
			about->path, id, file->why);
	else if (file->state == SYM_FILE_CHANGED)
		snprintf(text, sizeof text,
			"%.4000s (%s): the file is not the one that ran (%s); "
			"its functions are shown by address; put the old file "
			"back, then 'cpprof symbolize'",
			about->path, id, file->why);
	else if (file->state == SYM_FILE_BROKEN)
		snprintf(text, sizeof text,
			"%.4000s (%s): the file could not be read (%s); its "
			"functions are shown by address",
			about->path, id, file->why);
	else if (!table->has_symtab && !file->opened.dwarf &&
		 named->nameless > 0)
		snprintf(text, sizeof text,
			"%.2000s (%s): no symbol table, %zu of %zu addresses "
			"have no name; %s",
			about->path, id, named->nameless, named->addresses,
			remedy(about, how));
	else
		return 0;
	return cpd_write_note(w, &note);
}

int sym_note_left(struct cpd_writer *w, const struct cpd_module *about,
	const struct sym_file *file)
{
	char id[16 + BUILD_ID_TEXT], text[5120];

	build_id_words(about, id);
	snprintf(text, sizeof text, "%.4000s (%s): %s", about->path, id,
		file->why);
	return cpd_write_note(w, &(struct cpd_note){SYM_NOTE_LEFT, text});
}

int sym_note_jit(struct cpd_writer *w, const struct cpd_module *about,
	const struct sym_jit *jit, const struct sym_named *named)
{
	uint32_t from;
	int pid = cpd_writer_pid(w, about->process, &from);
	char text[1024];
	struct cpd_note note = {.key = "symbols", .text = text};

	if (jit->reused > 0) {
		snprintf(text, sizeof text,
			"process %d: of %zu addresses of generated code %zu "
			"held several functions in turn; the name is that of "
			"the %s",
			pid, named->addresses, jit->reused,
			jit->has_dump || jit->timed
				? "one that was there when the address "
				  "was first sampled"
				: "last one");
		if (cpd_write_note(w, &note) < 0)
			return -1;
	}
	if (named->nameless == 0)
		return 0;
	snprintf(text, sizeof text,
		"process %d: %zu of %zu addresses of generated code have no "
		"name%s%s; a JIT compiler can write them to %s (node "
		"--perf-basic-prof --interpreted-frames-native-stack, python "
		"-X perf, java "
		"-XX:+UnlockDiagnosticVMOptions "
		"-XX:+DumpPerfMapAtExit)",
		pid, named->nameless, named->addresses, *jit->why ? ": " : "",
		jit->why, *jit->map ? jit->map : "/tmp/perf-PID.map");
	return cpd_write_note(w, &note);
}
