/*
 * build_id.h - the build id of an ELF file: read, compared, written, looked up.
 *
 * The id stands in a note: in a PT_NOTE segment, where the kernel reads it, or
 * in a section, where separate debug files have it at least.  Nothing of the
 * file is trusted.
 */
#ifndef CPPROF_ELF_BUILD_ID_H
#define CPPROF_ELF_BUILD_ID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 64
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)
#define BUILD_ID_PATH (BUILD_ID_TEXT + 40)

/* Copies ELF's id and returns its length; 0: it has none. */
size_t build_id_read(Elf *elf, uint8_t id[BUILD_ID_MAX]);

/* Whether ELF has the id ID[N].  False where N is 0. */
bool build_id_matches(Elf *elf, const uint8_t *id, size_t n);

/* The same of the file FD. */
bool build_id_of_file(int fd, const uint8_t *id, size_t n);

/* In hexadecimal; "" where there is none. */
const char *build_id_text(
	const uint8_t *id, size_t n, char text[BUILD_ID_TEXT]);

/* Where the separate debug file of that id is installed; "" for an id too short
   or too long to have one. */
const char *build_id_path(
	const uint8_t *id, size_t n, char path[BUILD_ID_PATH]);

/*
 * Opens that file, if it is a regular one with that id; -1.
 * lib/elf/debug_file.h knows the other places.
 */
int build_id_open(const uint8_t *id, size_t n);

#endif
