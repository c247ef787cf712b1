# lib/: the file format and the small tools everybody uses; knows nobody.
noinst_LIBRARIES += lib/libbase.a
lib_libbase_a_SOURCES = \
	lib/arena.c lib/arena.h \
	lib/bytes.c lib/bytes.h \
	lib/clock.h \
	lib/err.c lib/err.h \
	lib/hash.c lib/hash.h \
	lib/id_map.c lib/id_map.h \
	lib/impl.h \
	lib/leb128.h \
	lib/lists.c lib/lists.h \
	lib/lower_bound.h \
	lib/order.h \
	lib/nearest.c \
	lib/pprof_fields.h \
	lib/progress.c lib/progress.h \
	lib/protobuf.c lib/protobuf.h \
	lib/sys/random.c lib/sys/random.h \
	lib/set.c lib/set.h \
	lib/sum.h \
	lib/text.c lib/text.h \
	lib/vec.c lib/vec.h \
	lib/run/call_list.c lib/run/call_list.h \
	lib/run/counting_object.h \
	lib/run/command.c lib/run/command.h \
	lib/run/rerun.c lib/run/rerun.h \
	lib/run/run_files.h \
	lib/arch/arch.h \
	lib/arch/control_flow.h lib/arch/decoder.h \
	lib/arch/disassembly.h \
	lib/arch/x86_64/code.c \
	lib/arch/x86_64/constants.h \
	lib/arch/x86_64/control_flow.c \
	lib/arch/x86_64/disassembly.c \
	lib/arch/x86_64/operand.h \
	lib/cpprofdata/cpprofdata.h \
	lib/cpprofdata/decode.c lib/cpprofdata/decode.h \
	lib/cpprofdata/file.c lib/cpprofdata/file.h \
	lib/cpprofdata/format.c lib/cpprofdata/format.h \
	lib/cpprofdata/handlers.h \
	lib/cpprofdata/merge.c lib/cpprofdata/merge.h \
	lib/cpprofdata/merge_join.c \
	lib/cpprofdata/merge_name.c \
	lib/cpprofdata/merge_private.h \
	lib/cpprofdata/merge_tables.c lib/cpprofdata/merge_tables.h \
	lib/cpprofdata/nodes.c lib/cpprofdata/nodes.h \
	lib/cpprofdata/reader.c lib/cpprofdata/reader.h \
	lib/cpprofdata/relay.c lib/cpprofdata/relay.h \
	lib/cpprofdata/records.c lib/cpprofdata/records.h \
	lib/cpprofdata/writer.c lib/cpprofdata/writer.h \
	lib/cpprofdata/writer_private.h \
	lib/cpprofdata/writer_samples.c \
	lib/elf/build_id.c lib/elf/build_id.h \
	lib/elf/debug_file.c lib/elf/debug_file.h \
	lib/elf/debuginfod.c lib/elf/debuginfod.h \
	lib/elf/debug_module.c lib/elf/debug_module.h \
	lib/elf/demangle.c lib/elf/demangle.h \
	lib/elf/demangle_clone.c \
	lib/elf/elf_image.c lib/elf/elf_image.h \
	lib/elf/elf_relocation.c \
	lib/elf/frame.c lib/elf/frame.h \
	lib/elf/frame_entry.c \
	lib/elf/frame_index.c \
	lib/elf/frame_private.h \
	lib/elf/frame_program.c \
	lib/elf/go_table.c lib/elf/go_table.h \
	lib/sys/descriptors.c lib/sys/descriptors.h \
	lib/sys/own_link.c lib/sys/own_link.h \
	lib/sys/process_memory.c lib/sys/process_memory.h \
	lib/sys/processors.c lib/sys/processors.h \
	lib/sys/procmap.c lib/sys/procmap.h \
	lib/sys/regular.c lib/sys/regular.h \
	lib/sys/scratch.c lib/sys/scratch.h \
	lib/sys/search_path.c lib/sys/search_path.h
lib_libbase_a_CFLAGS = $(AM_CFLAGS) $(CAPSTONE_CFLAGS) $(DW_CFLAGS) $(ZLIB_CFLAGS)
