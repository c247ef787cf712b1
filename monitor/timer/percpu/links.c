/* The BPF programs by name, what they are attached to, libbpf's messages. */
#include "monitor/timer/percpu/percpu_private.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The program that libbpf's first warning is about. */
static char refused[64];

/* Each such warning begins so: "libbpf: prog 'NAME': ". */
__attribute__((format(printf, 2, 0))) static int find_program(
	enum libbpf_print_level level, const char *format, va_list args)
{
	char line[256];

	if (level != LIBBPF_WARN || refused[0])
		return 0;
	vsnprintf(line, sizeof line, format, args);
	if (sscanf(line, "libbpf: prog '%63[^']'", refused) != 1)
		refused[0] = '\0';
	return 0;
}

void percpu_begin_complaint(void)
{
	refused[0] = '\0';
	libbpf_set_print(find_program);
}

const char *percpu_refused_program(void)
{
	return refused;
}

int percpu_error(const char *operation, struct err *err)
{
	err_sys(err, "bpf", operation);
	return err_hint(err, "%s", PERCPU_OTHERS);
}

static int find(const struct percpu_loaded *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].fd;
	return -1;
}

int percpu_program(const struct percpu *percpu, const char *name)
{
	return find(percpu->loaded, percpu->nloaded, name);
}

int percpu_map(const struct percpu *percpu, const char *name)
{
	return find(percpu->maps, percpu->nmaps, name);
}

int percpu_keep(struct percpu *percpu, int fd)
{
	if (fd >= 0 && vec_add(&percpu->fds, fd))
		return 0;
	if (fd >= 0)
		close(fd);
	return -1;
}

int percpu_attach_event(struct percpu *percpu, const char *program,
	struct perf_event_attr *attr, int cpu, uint64_t cookie, struct err *err)
{
	LIBBPF_OPTS(
		bpf_link_create_opts, options, .perf_event.bpf_cookie = cookie);
	int fd = perf_events_machine(attr, cpu);

	if (percpu_keep(percpu, fd))
		return percpu_error("perf_event_open", err);
	if (percpu_keep(percpu, bpf_link_create(percpu_program(percpu, program),
					fd, BPF_PERF_EVENT, &options)) ||
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return percpu_error("attachment to an event", err);
	return fd;
}
