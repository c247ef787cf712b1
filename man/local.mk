# man/
EXTRA_DIST += man/page.png
dist_man_MANS += \
	man/cpprof.1 \
	man/cpprof-advise.1 \
	man/cpprof-attach.1 \
	man/cpprof-callgraph.1 \
	man/cpprof-diff.1 \
	man/cpprof-export.1 \
	man/cpprof-import.1 \
	man/cpprof-info.1 \
	man/cpprof-list.1 \
	man/cpprof-merge.1 \
	man/cpprof-report.1 \
	man/cpprof-resources.1 \
	man/cpprof-run.1 \
	man/cpprof-shell.1 \
	man/cpprof-symbolize.1
dist_man_MANS += man/cpprof-tutorial.7 man/cpprofdata.5

# what --format=json writes
dist_pkgdata_DATA = man/cpprof-profile.schema.json
