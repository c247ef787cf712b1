# samples/: small target programs, each telling its own truth (sample.h).
# They are what users profile: optimized, with symbols, never sanitized.
sample_cflags = -std=gnu11 $(WARN_CFLAGS) -pthread -O2 -g \
	-fno-optimize-sibling-calls
sample_ldflags = -pthread -Wl,-z,now

noinst_LIBRARIES += samples/libsample.a
samples_libsample_a_SOURCES = samples/sample.c samples/sample.h
samples_libsample_a_CFLAGS = $(sample_cflags)

noinst_PROGRAMS += \
	samples/alloc \
	samples/blocker \
	samples/burn \
	samples/calls \
	samples/coroutine \
	samples/deep \
	samples/dl \
	samples/faults \
	samples/fig1 \
	samples/forms \
	samples/handler \
	samples/io \
	samples/jit \
	samples/libdl_a.so \
	samples/libdl_b.so \
	samples/periodic \
	samples/pqr \
	samples/process_db \
	samples/queens \
	samples/shortlived \
	samples/solver \
	samples/subset \
	samples/sysmix

samples_alloc_SOURCES = samples/alloc.c
samples_alloc_CFLAGS = $(sample_cflags) -fno-builtin
samples_alloc_LDFLAGS = $(sample_ldflags)
samples_alloc_LDADD = samples/libsample.a

samples_blocker_SOURCES = samples/blocker.c
samples_blocker_CFLAGS = $(sample_cflags)
samples_blocker_LDFLAGS = $(sample_ldflags)
samples_blocker_LDADD = samples/libsample.a

samples_burn_SOURCES = samples/burn.c
samples_burn_CFLAGS = $(sample_cflags)
samples_burn_LDFLAGS = $(sample_ldflags)
samples_burn_LDADD = samples/libsample.a

samples_calls_SOURCES = samples/calls.c
samples_calls_CFLAGS = $(sample_cflags)
samples_calls_LDFLAGS = $(sample_ldflags)
samples_calls_LDADD = samples/libsample.a

samples_coroutine_SOURCES = samples/coroutine.c
samples_coroutine_CFLAGS = $(sample_cflags)
samples_coroutine_LDFLAGS = $(sample_ldflags)
samples_coroutine_LDADD = samples/libsample.a

samples_deep_SOURCES = samples/deep.c
samples_deep_CFLAGS = $(sample_cflags)
samples_deep_LDFLAGS = $(sample_ldflags)
samples_deep_LDADD = samples/libsample.a

samples_dl_SOURCES = samples/dl.c samples/dl_lib.h
samples_dl_CFLAGS = $(sample_cflags)
samples_dl_LDFLAGS = $(sample_ldflags)
samples_dl_LDADD = samples/libsample.a -ldl

samples_faults_SOURCES = samples/faults.c
samples_faults_CFLAGS = $(sample_cflags)
samples_faults_LDFLAGS = $(sample_ldflags)
samples_faults_LDADD = samples/libsample.a

samples_fig1_SOURCES = samples/fig1.c
samples_fig1_CFLAGS = $(sample_cflags)
samples_fig1_LDFLAGS = $(sample_ldflags)
samples_fig1_LDADD = samples/libsample.a

samples_forms_SOURCES = samples/forms.c
samples_forms_CFLAGS = $(sample_cflags)
samples_forms_LDFLAGS = $(sample_ldflags)
samples_forms_LDADD = samples/libsample.a

samples_handler_SOURCES = samples/handler.c
samples_handler_CFLAGS = $(sample_cflags)
samples_handler_LDFLAGS = $(sample_ldflags)
samples_handler_LDADD = samples/libsample.a

samples_io_SOURCES = samples/io.c
samples_io_CFLAGS = $(sample_cflags)
samples_io_LDFLAGS = $(sample_ldflags)
samples_io_LDADD = samples/libsample.a

samples_jit_SOURCES = samples/jit.c
samples_jit_CFLAGS = $(sample_cflags)
samples_jit_LDFLAGS = $(sample_ldflags)
samples_jit_LDADD = samples/libsample.a

samples_periodic_SOURCES = samples/periodic.c
samples_periodic_CFLAGS = $(sample_cflags)
samples_periodic_LDFLAGS = $(sample_ldflags)
samples_periodic_LDADD = samples/libsample.a

samples_pqr_SOURCES = samples/pqr.c
samples_pqr_CFLAGS = $(sample_cflags)
samples_pqr_LDFLAGS = $(sample_ldflags)
samples_pqr_LDADD = samples/libsample.a

samples_process_db_SOURCES = samples/process_db.c
samples_process_db_CFLAGS = $(sample_cflags)
samples_process_db_LDFLAGS = $(sample_ldflags)
samples_process_db_LDADD = samples/libsample.a

samples_queens_SOURCES = samples/queens.c
samples_queens_CFLAGS = $(sample_cflags)
samples_queens_LDFLAGS = $(sample_ldflags)
samples_queens_LDADD = samples/libsample.a

samples_shortlived_SOURCES = samples/shortlived.c
samples_shortlived_CFLAGS = $(sample_cflags)
samples_shortlived_LDFLAGS = $(sample_ldflags)
samples_shortlived_LDADD = samples/libsample.a

samples_solver_SOURCES = samples/solver.c
samples_solver_CFLAGS = $(sample_cflags)
samples_solver_LDFLAGS = $(sample_ldflags)
samples_solver_LDADD = samples/libsample.a

samples_subset_SOURCES = samples/subset.c
samples_subset_CFLAGS = $(sample_cflags) -foptimize-sibling-calls
samples_subset_LDFLAGS = $(sample_ldflags)
samples_subset_LDADD = samples/libsample.a

samples_sysmix_SOURCES = samples/sysmix.c
samples_sysmix_CFLAGS = $(sample_cflags)
samples_sysmix_LDFLAGS = $(sample_ldflags)
samples_sysmix_LDADD = samples/libsample.a

# The libraries of dl: the same code under other names.
samples_libdl_a_so_SOURCES = samples/dl_lib.c samples/dl_lib.h \
	samples/sample.h
samples_libdl_a_so_CPPFLAGS = $(AM_CPPFLAGS) -DDL_LETTER=a
samples_libdl_a_so_CFLAGS = $(sample_cflags) -fPIC
samples_libdl_a_so_LDFLAGS = -shared -Wl,--build-id
samples_libdl_b_so_SOURCES = samples/dl_lib.c samples/dl_lib.h \
	samples/sample.h
samples_libdl_b_so_CPPFLAGS = $(AM_CPPFLAGS) -DDL_LETTER=b
samples_libdl_b_so_CFLAGS = $(sample_cflags) -fPIC
samples_libdl_b_so_LDFLAGS = -shared -Wl,--build-id
