/* handlers.h - what a reader of a cpprofdata file calls for each record. */
#ifndef CPPROF_CPPROFDATA_HANDLERS_H
#define CPPROF_CPPROFDATA_HANDLERS_H

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/err.h"

#define CPD_STRING_MAX 65536

/*
 * Handlers may be NULL.  One that returns other than 0 ends the reading;
 * cpd_read() then returns -1 and leaves ERR as the handler set it.  Strings are
 * lent until cpd_read() returns; arrays until the handler does.
 */
struct cpd_handlers {
	int (*head)(void *arg, const struct cpd_head *, struct err *);
	int (*resource)(void *arg, const struct cpd_resource *, struct err *);
	int (*process)(void *arg, const struct cpd_process *, struct err *);
	int (*thread)(void *arg, const struct cpd_thread *, struct err *);
	int (*rename)(void *arg, const struct cpd_rename *, struct err *);
	int (*exit)(void *arg, const struct cpd_exit *, struct err *);
	int (*module)(void *arg, const struct cpd_module *, struct err *);
	int (*map)(void *arg, const struct cpd_map *, struct err *);
	int (*node)(void *arg, const struct cpd_node *, struct err *);
	int (*sample)(void *arg, const struct cpd_sample *, struct err *);
	int (*total)(void *arg, const struct cpd_total *, struct err *);
	int (*loss)(void *arg, const struct cpd_loss *, struct err *);
	int (*function)(void *arg, const struct cpd_function *, struct err *);
	int (*addr)(void *arg, const struct cpd_addr *, struct err *);
	int (*note)(void *arg, const struct cpd_note *, struct err *);
	int (*end)(void *arg, const struct cpd_end *, struct err *);
	int (*usage)(void *arg, const struct cpd_usage *, struct err *);
	/* Instead of all but node and sample: KIND is one of format.h, and
	   RECORD may be changed. */
	int (*any)(void *arg, int kind, void *record, struct err *);
};

#endif
