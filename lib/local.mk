# lib/: the file format and the small tools everybody uses; knows nobody.
noinst_LIBRARIES += lib/libbase.a
lib_libbase_a_SOURCES = \
	lib/arena.c lib/arena.h \
	lib/big.c lib/big.h \
	lib/bytes.c lib/bytes.h \
	lib/clock.h \
	lib/cpd_decode.c lib/cpd_decode.h \
	lib/cpd_file.c lib/cpd_file.h \
	lib/cpd_format.c lib/cpd_format.h \
	lib/cpd_merge.c lib/cpd_merge.h lib/cpd_merge_private.h \
	lib/cpd_merge_join.c \
	lib/cpd_merge_tables.c lib/cpd_merge_tables.h \
	lib/cpd_nodes.c lib/cpd_nodes.h \
	lib/cpd_reader.c lib/cpd_reader.h \
	lib/cpd_writer.c lib/cpd_writer.h lib/cpd_writer_private.h \
	lib/cpd_writer_records.c lib/cpd_writer_samples.c \
	lib/cpprofdata.h \
	lib/demangle.c lib/demangle.h lib/demangle_clone.c \
	lib/err.c lib/err.h \
	lib/go_table.c lib/go_table.h \
	lib/growth.h \
	lib/nearest.c \
	lib/text.c lib/text.h \
	lib/vec.c lib/vec.h \
	lib/work.c lib/work.h
lib_libbase_a_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS)
