/* binary.c - opens a module's file and holds it to its build id. */
#include "analyzer/source/binary.h"

#include <string.h>
#include <sys/stat.h>

#include "analyzer/symbol/file.h"
#include "lib/elf/elf_image.h"

static void refuse_changed(const struct cpd_module *module,
	const struct elf_image *image, struct err *err)
{
	char ran[BUILD_ID_TEXT], is[BUILD_ID_TEXT];

	build_id_text(module->build_id, module->build_id_len, ran);
	build_id_text(image->build_id, image->build_id_len, is);
	err_set(err, module->path, "build id",
		"not the file that ran: that was %.16s, this is %.16s",
		*ran ? ran : "without one", *is ? is : "without one");
	err_hint(err, "it was built again after the run; profile it again, or "
		      "put the "
		      "file that ran back");
}

static bool is_same(const struct cpd_module *module,
	const struct elf_image *image, bool known)
{
	if (!module->build_id_len)
		return known;
	return image->build_id_len >= module->build_id_len &&
	       !memcmp(image->build_id, module->build_id, module->build_id_len);
}

void binary_open(struct binary *binary, const struct cpd_module *module,
	struct debug_search *search, struct err *err)
{
	struct stat st;
	bool known;
	int fd;

	*binary = (struct binary){.state = BINARY_NONE};
	if (module->kind == CPD_MODULE_ANON) {
		err_say(err, module->path, NULL,
			"generated code: there is no file of it",
			"'callgraph' and 'up' show who calls it");
		return;
	}
	if (module->kind == CPD_MODULE_NO_CODE) {
		err_say(err, module->path, NULL,
			"an interpreter executes it: it has no instructions",
			"'list' shows its lines");
		return;
	}
	binary->state = BINARY_MISSING;
	fd = sym_file_descriptor(module, NULL, search, &known);
	if (fd < 0) {
		err_sys(err, module->path, "open");
		err_hint(err,
			"it is read at the path that it had in the run, or "
			"below the folder of --sysroot");
		return;
	}
	if (fstat(fd, &st) == 0)
		binary->modified = st.st_mtim.tv_sec;
	binary->image = elf_image_open(fd);
	if (!binary->image) {
		err_say(err, module->path, "read",
			"no ELF file of this machine's processor",
			"it is read at the path that it had in the run, or "
			"below the folder of --sysroot");
		return;
	}
	binary->state = BINARY_SAME;
	if (is_same(module, binary->image, known))
		return;
	binary->state = BINARY_CHANGED;
	refuse_changed(module, binary->image, err);
}

void binary_close(struct binary *binary)
{
	if (binary->image)
		elf_image_free(binary->image);
	*binary = (struct binary){0};
}

size_t binary_read(
	const struct binary *binary, uint64_t addr, void *buf, size_t n)
{
	return elf_image_read_some(binary->image, addr, buf, n);
}
