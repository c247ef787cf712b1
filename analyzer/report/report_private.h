/*
 * report_private.h - shared by the formats.
 */
#ifndef CPPROF_REPORT_PRIVATE_H
#define CPPROF_REPORT_PRIVATE_H

#include "analyzer/report/report.h"

/* "down", "function": as in commands and in data formats. */
const char *report_kind(enum profile_kind kind);

bool report_has_filters(const struct tree *tree);

/* What an entry of a table is in TREE's groups: "function", "module". */
const char *report_entry(const struct tree *tree);

/* Writes lines about the tree's filters, what they keep, what is elided and
   what is grouped; none where there is nothing of this.  Shares in PERCENT, or
   as the paper's fractions. */
int report_filters(FILE *out, const struct tree *tree, bool percent);

/* Whether the tree elides or groups. */
bool report_has_view(const struct tree *tree);

/* Says what a function profile after `then` lists; nothing for other
   profiles. */
void report_below_line(FILE *out, const struct profile *profile);

/*
 * Writes NAME, of any length, escaped as text_escape() does.  -1 when out of
 * memory.
 */
int report_name(FILE *out, const char *name);

/*
 * The same into new memory, the caller's to free; NULL when out of memory.
 */
char *report_escape(const char *name, const char *special);

/*
 * An amount of a resource with its unit, for people and exactly: "12 faults",
 * "1.5 ms", "4 KiB".  Returns BUF.
 */
char *report_amount(const struct cpd_resource *resource, uint64_t gticks,
	char *buf, size_t size);

/* "381 samples, one every 1 ms", of BOOKS.  Returns BUF. */
char *report_samples(const struct cpd_resource *resource,
	const struct books *books, char *buf, size_t size);

/* What FUNCTION is called in a text for people. */
const char *report_shown(
	const struct function *function, const struct report_options *options);

/* The function that is step I of an entry's path. */
const struct function *report_step(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i);

/*
 * Forms for programs print each path whole, and a chain of N functions has N
 * paths: of a path of LENGTH steps, longer than real programs have, the middle
 * is one step.  True where it begins, with its function in GAP, good until the
 * next call; *I then is its last step.
 */
struct report_gap {
	struct function function;
	char name[32];
};
bool report_gap_at(struct report_gap *gap, uint32_t length, uint32_t *i);

/* A note of what is missing from RESOURCE, a difference of two others; of other
   resources none. */
void report_unfollowed(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options);

/*
 * The call site in step I from which step I + 1 was called, "" where none is
 * known or they are not told apart.  For a tree's entry (I = 0), the site in
 * its caller.
 */
const char *report_site(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i);

/* What collects RESOURCES, of a process that was attached to of that; BUF. */
char *report_again(const struct dataset *data, const char *resources, char *buf,
	size_t size);

/* How to go on with DATA: IN_SHELL there, else "cpprof COMMAND FILE"; BUF. */
char *report_command(const struct dataset *data,
	const struct report_options *options, const char *command,
	const char *in_shell, char *buf, size_t size);

/* How many of the N bytes WORD are its directories, if it is a path from the
   root. */
size_t report_directories(const char *word, size_t n);

/* The arguments of PROCESS that another with its program lacks, in new memory;
   "": none.  If OWN, of them the first, but no option, and those that the
   fewest others have, whatever their directories, with "..." between them.
   NULL: no memory. */
char *report_arguments(const struct dataset *data, uint32_t process, bool own);

/*
 * The place in its caller from which step I was called, in every kind of
 * profile; "" where it is not known, or call sites are not told apart.
 */
const char *report_called_from(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i);

/* A process or thread, and what it consumed of the tree's resource. */
struct task {
	uint32_t id; /* in the file; 0: of no one thread */
	uint32_t n;  /* that are one here, of NAME; ID is the heaviest */
	const char *name;
	uint64_t weight, hits;
};

struct task_list {
	struct task_choice of;
	struct task none;
	struct task *v; /* ROWS of them, heaviest first; borrowed */
	uint32_t n;     /* processes or threads in all */
	uint32_t rows;
	uint32_t shown; /* how many reach the threshold */
	uint32_t *runs; /* by thread, as report_thread_runs(); or NULL */
};

struct task_facts {
	uint32_t above;      /* id of its process, or of the process's parent */
	int32_t number;      /* tid or pid */
	uint64_t start, end; /* ns; end 0: not known */
	const char *name, *exe;      /* exe "": not known */
	const struct function *runs; /* of a thread; NULL: not known */
};

/* The function that each thread runs, as RESOURCE tells, 0 where none is known,
   by its number; new memory, or NULL. */
uint32_t *report_thread_runs(const struct dataset *data, uint32_t resource);

struct task_facts report_task_facts(
	const struct task_list *list, const struct task *task);

/* The parts of the whole run and of what the filters keep. */
double report_task_fraction(const struct task_list *list, uint64_t weight);
double report_task_kept(const struct task_list *list, uint64_t weight);

/* For people: a table of functions, or paths as a tree or a list. */
int report_text(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err);
int report_function_table(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err);
int report_path_tree(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err);

/* The form after the paper. */
int report_paper(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err);

/* What was consumed, and what stands behind it: a line of a summary. */
void report_resource_line(FILE *out, const struct dataset *data,
	uint32_t resource, const struct report_options *options);

/*
 * Writes and frees facts of a run that are no profile: an object of values, of
 * lists of texts, of objects and of lists of objects.  -1 when out of memory,
 * as where FACTS is NULL.  CSV has a header line, then for each value
 *     profile,list,item,key,value,unit
 * LIST is the member that the value lies in, "" for the object's own.  ITEM is
 * the name of a resource, the number in any other list of objects, else "".
 * Lists of texts are joined with ";".  What is not known is "".
 */
int facts_json(FILE *out, struct json_t *facts);
int facts_csv(FILE *out, struct json_t *facts);

/* Writes HEAD with the entries as its last member but the tail, see rows.h;
   frees HEAD.  -1 when out of memory, as where it is NULL. */
int rows_json(FILE *out, struct json_t *head, const struct rows *rows);
int rows_csv(FILE *out, struct json_t *head, const struct rows *rows);

/* For people and for programs.  -1: no memory. */
int report_tasks_text(FILE *out, const struct task_list *list,
	const struct report_options *options);
int report_tasks_data(FILE *out, const struct report_format *format,
	const struct task_list *list);

#endif
