/* Whether the kernel takes the BPF programs from this user. */
#include "monitor/timer/percpu/percpu_private.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <unistd.h>

#include "monitor/resource/tracepoint.h"

/*
 * Loads a minimal program and opens an event of the machine; returns an errno
 * when the kernel refuses.
 */
static int probe(void)
{
	/* calls the newest helper that the programs need: from 5.15 */
	static const struct bpf_insn code[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
	};
	int fd;

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return access("/sys/kernel", F_OK) ? ENOENT : ENOTSUP;
	percpu_begin_complaint();
	fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "cpprof_probe", "GPL",
		code, sizeof code / sizeof *code, NULL);
	if (fd < 0)
		return errno == EINVAL ? ENOTSUP : errno;
	close(fd);
	fd = perf_events_machine(&attr, 0);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int explain(int error, const char *what, struct err *err)
{
	errno = error;
	if (error == ENOTSUP)
		return err_say(err, what, "bpf",
			"this kernel lacks features that the programs need",
			"Linux 5.15 or later has them, built "
			"with CONFIG_BPF_SYSCALL and "
			"CONFIG_DEBUG_INFO_BTF");
	if (error == ENOENT)
		return err_say(err, what, "bpf", "/sys is not mounted",
			"'mount -t sysfs sysfs /sys' as root "
			"provides the kernel's types (BTF)");
	err_sys(err, what, "bpf");
	if (error == EPERM || error == EACCES)
		return err_hint(err,
			"run cpprof as root, or give it the capabilities: "
			"'setcap cap_bpf,cap_perfmon+ep' on the binary");
	if (error == ENOSYS)
		return err_hint(err,
			"this kernel was built without CONFIG_BPF_SYSCALL");
	return -1;
}

int percpu_refuse(
	const struct percpu *percpu, uint32_t counters, const struct err *why)
{
	if (counters == PERCPU_EACH)
		timer_refuse_all(percpu->machine, why);
	for (uint32_t i = 0; i < percpu->config.ncounters; i++)
		if (counters >> i & 1)
			percpu->machine->refused[percpu->counters[i].programs] =
				*why;
	return -1;
}

int percpu_can(const struct resource_request *request,
	struct timer_machine *machine, struct err *err)
{
	const struct err *refusal =
		&machine->refused[percpu_programs(request->resource)];

	if ((request->resource->counts & COUNTS_RECORDS) &&
		tracepoint_can(request->name, err))
		return -1;
	if (refusal->reason[0]) {
		*err = *refusal;
		snprintf(err->object, sizeof err->object, "%s", request->name);
		return -1;
	}
	if (!machine->asked) {
		machine->refusal = probe();
		machine->asked = true;
	}
	return machine->refusal ? explain(machine->refusal, request->name, err)
				: 0;
}
