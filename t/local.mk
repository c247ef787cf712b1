# t/: TAP tests.  Shell tests end in .t; the others are programs built here.
TEST_EXTENSIONS = .t
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(T_LOG_DRIVER)
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	MANDOC='$(MANDOC)' SANITIZERS='$(SANITIZE_FLAGS)'; \
	export top_srcdir top_builddir MANDOC SANITIZERS;

TESTS += t/samples_bare.t
EXTRA_DIST += t/samples_bare.t

# lib/
check_PROGRAMS += t/cpd_roundtrip
TESTS += t/cpd_roundtrip
t_cpd_roundtrip_SOURCES = t/cpd_roundtrip.c t/cpd_random.h t/cpd_log.h t/tap.h
t_cpd_roundtrip_LDADD = lib/libbase.a $(ZLIB_LIBS)

EXTRA_DIST += t/lib.sh t/lsan.supp

# the tree and the manual
TESTS += t/manual.t t/structure.t
EXTRA_DIST += t/manual.t t/structure.t
