/* Which BPF program counts switches, by the types in other kernels than this
   one. */
#include "config.h"

#include "t/lib/tap.h"

#ifdef HAVE_BPF

#include <bpf/btf.h>

#include "monitor/timer/percpu/features.h"

/*
 * What a kernel whose tracepoint has those arguments is taken for: b a bool, p
 * a task, s a state.
 */
static enum percpu_switch taken_for(const char *arguments)
{
	struct btf *btf = btf__new_empty();
	int boolean = btf__add_int(btf, "bool", 1, BTF_INT_BOOL);
	int state = btf__add_int(btf, "unsigned int", 4, 0);
	int task = btf__add_struct(btf, "task_struct", 0);
	int pointer = btf__add_ptr(btf, task);
	int any = btf__add_ptr(btf, 0);
	int function = btf__add_func_proto(btf, 0);
	enum percpu_switch got;

	btf__add_func_param(btf, "", any);
	for (; *arguments; arguments++)
		btf__add_func_param(btf, "",
			*arguments == 'b'   ? boolean
			: *arguments == 'p' ? pointer
					    : state);
	btf__add_typedef(
		btf, "btf_trace_sched_switch", btf__add_ptr(btf, function));
	got = percpu_switch_of(btf);
	btf__free(btf);
	return got;
}

int main(void)
{
	struct btf *none = btf__new_empty();

	ok(taken_for("bpps") == PERCPU_SWITCH_STATE, "from 5.18 on");
	ok(taken_for("bpp") == PERCPU_SWITCH_STATELESS, "up to 5.17");
	ok(taken_for("bspp") == PERCPU_SWITCH_UNKNOWN, "another order");
	ok(taken_for("bp") == PERCPU_SWITCH_UNKNOWN, "too few");
	ok(taken_for("") == PERCPU_SWITCH_UNKNOWN, "none at all");
	ok(percpu_switch_of(none) == PERCPU_SWITCH_UNKNOWN,
		"no such tracepoint");
	btf__free(none);
	return done_testing();
}

#else

int main(void)
{
	puts("1..0 # SKIP built without libbpf");
	return 0;
}

#endif
