/* Reads the notes of segments and sections. */
#include "lib/elf/build_id.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/sys/regular.h"

#define NOTES_MAX (1 << 20) /* bytes of a segment or section of notes */
#define SECTIONS_MAX 65536
#define SEGMENTS_MAX 65536
#define PATH_MIN 3 /* bytes of an id that has a path */

static size_t in_notes(Elf_Data *data, uint8_t id[BUILD_ID_MAX])
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	while (data && (next = gelf_getnote(data, at, &note, &name, &desc))) {
		const char *bytes = data->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			!memcmp(bytes + name, "GNU", 4) && note.n_descsz &&
			note.n_descsz <= BUILD_ID_MAX) {
			memcpy(id, bytes + desc, note.n_descsz);
			return note.n_descsz;
		}
		at = next;
	}
	return 0;
}

static size_t in_segments(Elf *elf, uint8_t id[BUILD_ID_MAX])
{
	size_t n = 0, length = 0;

	if (elf_getphdrnum(elf, &n) < 0)
		return 0;
	for (size_t i = 0; !length && i < n && i < SEGMENTS_MAX; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			break;
		if (ph.p_type == PT_NOTE && ph.p_filesz < NOTES_MAX)
			length = in_notes(
				elf_getdata_rawchunk(elf, (int64_t)ph.p_offset,
					ph.p_filesz,
					ph.p_align == 8 ? ELF_T_NHDR8
							: ELF_T_NHDR),
				id);
	}
	return length;
}

static size_t in_sections(Elf *elf, uint8_t id[BUILD_ID_MAX])
{
	unsigned left = SECTIONS_MAX;
	Elf_Scn *scn = NULL;
	size_t length = 0;

	while (!length && left-- && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
			!(sh.sh_flags & SHF_COMPRESSED) &&
			sh.sh_size < NOTES_MAX)
			length = in_notes(elf_getdata(scn, NULL), id);
	}
	return length;
}

size_t build_id_read(Elf *elf, uint8_t id[BUILD_ID_MAX])
{
	size_t n;

	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return 0;
	n = in_segments(elf, id);
	return n ? n : in_sections(elf, id);
}

bool build_id_matches(Elf *elf, const uint8_t *id, size_t n)
{
	uint8_t own[BUILD_ID_MAX];

	return n && build_id_read(elf, own) == n && !memcmp(own, id, n);
}

const char *build_id_text(const uint8_t *id, size_t n, char text[BUILD_ID_TEXT])
{
	*text = '\0';
	for (size_t i = 0; i < n && i < BUILD_ID_MAX; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
	return text;
}

bool build_id_of_file(int fd, const uint8_t *id, size_t n)
{
	Elf *elf;
	bool same;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	same = build_id_matches(elf, id, n);
	elf_end(elf);
	return same;
}

const char *build_id_path(const uint8_t *id, size_t n, char path[BUILD_ID_PATH])
{
	char text[BUILD_ID_TEXT];

	*path = '\0';
	if (n < PATH_MIN || n > BUILD_ID_MAX)
		return path;
	build_id_text(id, n, text);
	sprintf(path, "/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2);
	return path;
}

int build_id_open(const uint8_t *id, size_t n)
{
	char path[BUILD_ID_PATH];
	int fd = -1;

	if (*build_id_path(id, n, path))
		fd = regular_open(AT_FDCWD, path, 0, NULL, NULL);
	if (fd < 0 || build_id_of_file(fd, id, n))
		return fd;
	close(fd);
	return -1;
}
