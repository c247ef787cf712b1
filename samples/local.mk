# samples/: small target programs, each telling its own truth (sample.h).
# They are what users profile: optimized, with symbols, never sanitized.
sample_cflags = -std=gnu11 $(WARN_CFLAGS) -pthread -O2 -g \
	-fno-optimize-sibling-calls
sample_ldflags = -pthread -Wl,-z,now

noinst_LIBRARIES += samples/libsample.a
samples_libsample_a_SOURCES = samples/sample.c samples/sample.h
samples_libsample_a_CFLAGS = $(sample_cflags)

noinst_PROGRAMS += \
	samples/burn \
	samples/faults \
	samples/fig1 \
	samples/forms \
	samples/pqr \
	samples/process_db \
	samples/queens

samples_burn_SOURCES = samples/burn.c
samples_burn_CFLAGS = $(sample_cflags)
samples_burn_LDFLAGS = $(sample_ldflags)
samples_burn_LDADD = samples/libsample.a

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
