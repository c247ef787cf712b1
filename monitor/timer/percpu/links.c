/* What attaches the BPF programs: maps, links, perf events, libbpf's messages.
 */
#include "monitor/timer/percpu/percpu_private.h"

#ifdef HAVE_BPF

#include <stdio.h>
#include <string.h>
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

struct bpf_map *percpu_map(const struct percpu *percpu, const char *name)
{
	return bpf_object__find_map_by_name(percpu->object, name);
}

int percpu_error(const char *operation, struct err *err)
{
	err_sys(err, "bpf", operation);
	return err_hint(err, "%s", PERCPU_OTHERS);
}

int percpu_keep_link(struct percpu *percpu, struct bpf_link *link)
{
	struct bpf_link **counter = link ? vec_push(&percpu->links) : NULL;

	if (!counter)
		return -1;
	*counter = link;
	return 0;
}

int percpu_attach_event(struct percpu *percpu, const char *program,
	struct perf_event_attr *attr, int cpu, uint64_t cookie, struct err *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = cookie);
	int fd = perf_events_machine(attr, cpu), *kept;

	if (fd < 0)
		return percpu_error("perf_event_open", err);
	kept = vec_push(&percpu->fds);
	if (!kept) {
		close(fd);
		return percpu_error("perf_event_open", err);
	}
	*kept = fd;
	percpu_begin_complaint();
	if (percpu_keep_link(percpu, bpf_program__attach_perf_event_opts(
					     bpf_object__find_program_by_name(
						     percpu->object, program),
					     fd, &options)))
		return percpu_error("attachment to an event", err);
	*kept = -1; /* the link has it */
	return fd;
}

#endif
