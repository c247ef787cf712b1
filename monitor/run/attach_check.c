/* Whether a process may be attached to, and if not, why. */
#include "monitor/perf/events.h"
#include "monitor/run/attach.h"
#include "monitor/run/monitor.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/text.h"

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

bool monitor_is_called(pid_t pid, const char *name)
{
	char comm[16], exe[PATH_MAX];

	if (proc_comm(pid, comm) && !strcmp(comm, name))
		return true;
	proc_exe(pid, exe);
	return *exe && !strcmp(text_base_name(exe), name);
}

static int no_process(const char *object, struct err *err)
{
	return err_say(err, object, "attach", "no such process",
		"'ps -e' lists what runs");
}

static int traced_by(const char *object, pid_t tracer, struct err *err)
{
	char name[16] = "?";

	proc_comm(tracer, name);
	err_set(err, object, "attach", "already traced by process %d (%s)",
		(int)tracer, name);
	return err_hint(err,
		"a thread has one tracer: end that one, or use kernel timers: "
		"--timer=kernel");
}

/* Yama's setting; 0 where there is no Yama. */
static char yama_scope(void)
{
	char scope[16];

	return proc_read(YAMA, scope, sizeof scope) > 0 ? scope[0] : '0';
}

static int yama_forbids(const char *object, char scope, struct err *err)
{
	static const char *const means[] = {
		['1'] = "only descendants may be traced",
		['2'] = "only a tracer with CAP_SYS_PTRACE may trace",
		['3'] = "nobody may trace until the next boot",
	};

	err_set(err, object, "attach", "kernel.yama.ptrace_scope is %c: %s",
		scope, scope <= '3' ? means[(int)scope] : "no tracing");
	if (scope == '3')
		return err_hint(err, "use kernel timers: "
				     "--timer=kernel");
	return err_hint(err, "run 'sysctl kernel.yama.ptrace_scope=0' as root, "
			     "or cpprof as root; or let cpprof start the "
			     "program: cpprof run");
}

int attach_check(pid_t pid, bool trace, struct err *err)
{
	struct proc_status status;
	char object[32];

	snprintf(object, sizeof object, "%d", (int)pid);
	if (pid <= 0 || !proc_status(pid, &status))
		return no_process(object, err);
	if (status.tgid != pid) {
		err_set(err, object, "attach", "it is a thread of process %d",
			(int)status.tgid);
		return err_hint(err, "attach to the process: cpprof attach %d",
			(int)status.tgid);
	}
	if (proc_has_ended(pid))
		return err_say(err, object, "attach", "it has ended already",
			"it is a zombie until its parent, process %d, takes "
			"notice",
			(int)status.parent);
	if (pid == getpid())
		return err_say(err, object, "attach", "that is cpprof itself",
			"to profile cpprof: cpprof run -- cpprof "
			"...");
	if (proc_is_kernel(pid))
		return err_say(err, object, "attach",
			"it is a thread of the kernel",
			"it has no program and no call paths of "
			"one; 'perf record -g' shows the kernel's");
	if (trace && status.tracer)
		return traced_by(object, status.tracer, err);
	if (trace && yama_scope() == '3')
		return yama_forbids(object, '3', err);
	return 0;
}

static int not_ours(const char *object, uid_t uid, struct err *err)
{
	const struct passwd *user = getpwuid(uid);

	err_set(err, object, "attach", "it is another user's (%s, uid %u)",
		user ? user->pw_name : "without a name", (unsigned)uid);
	if (geteuid() == 0)
		return err_hint(err,
			"root needs CAP_SYS_PTRACE and CAP_PERFMON "
			"for that");
	return err_hint(err, "run cpprof as that user or as root");
}

/* The /proc files of a process that may not be read belong to root. */
static bool is_hidden(pid_t pid, uid_t uid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	return uid != 0 && stat(path, &st) == 0 && st.st_uid != uid;
}

int attach_explain(pid_t pid, pid_t tid, int error, bool trace, struct err *err)
{
	struct proc_status status;
	char object[32], scope = yama_scope();

	snprintf(object, sizeof object, "%d", (int)pid);
	errno = error;
	if (error == EMFILE || error == ENFILE) {
		err_sys(err, object, "attach");
		return err_hint(err,
			"each thread takes descriptors: raise the limit of "
			"open files (ulimit -n), or as root use "
			"--timer=per-cpu");
	}
	if (error == ENOSPC)
		return perf_events_no_breakpoint(object, err);
	if (error != EPERM && error != EACCES)
		return err_sys(err, object, "attach");
	if (!proc_status(tid ? tid : pid, &status))
		return no_process(object, err);
	if (trace && status.tracer)
		return traced_by(object, status.tracer, err);
	if (!status.one_uid || status.uid != geteuid())
		return not_ours(object, status.uid, err);
	if (geteuid() != 0 && is_hidden(pid, status.uid))
		return err_say(err, object, "attach",
			"its memory is closed to other processes",
			"it gained privilege by its file, or asked "
			"for it (PR_SET_DUMPABLE): run cpprof as "
			"root");
	if (trace && scope > '0')
		return yama_forbids(object, scope, err);
	errno = error;
	err_sys(err, object, "attach");
	return err_hint(err, "a container's profile or a security module may "
			     "forbid it; try as root, outside of it");
}
