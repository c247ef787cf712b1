/* monitor_target.h - the parts of monitor_target, for each other. */
#ifndef MONITOR_TARGET_H
#define MONITOR_TARGET_H

#include <sys/types.h>

extern char *self;              /* argv[0] */
extern const char *arg1, *arg2; /* "0" and "1" where they are not given */

/* Ends with status 99 and WHAT if BAD. */
void must(int bad, const char *what);

/* Uses a processor for that long. */
void burn_us(long us);

/* Waits for a child, which must end well. */
void wait_for(pid_t child);

/* target_setting.c */
int do_exit(void);
int do_signal(void);
int do_crash(void);
int do_fds(void);
int do_attributes(void);
int do_parent(void);
int do_close_all(void);
int do_daemon(void);
int do_stop_self(void);
int do_signals(void);

/* target_tasks.c */
int do_mayflies(void);
int do_known(void);
int do_processes(void);
int do_leader_first(void);
int do_exec_thread(void);
int do_exec_chain(void);
int do_spawns(void);
int do_kernel_thread(void);

/* target_tracers.c */
int do_tracers(void);

/* target_work.c */
int do_nested(void);
int do_burn(void);
int do_flood(void);
int do_major(void);
int do_count(void);
int do_naps(void);
int do_occupy(void);
int do_protect(void);
int do_steps(void);
int do_contended(void);
int do_mappings(void);
int do_generators(void);
int do_probed(void);
int do_faults(void);
int do_asks(void);

#endif
