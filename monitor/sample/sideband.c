/* Tells the task table what each record beside the samples says. */
#include "monitor/sample/sideband.h"

#include <string.h>

/* The end of any record that is no sample (sample_id_all). */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time, id;
};

/* Whether TEXT ends before the next field of the record. */
static bool is_text(const struct perf_event_header *header, const char *text)
{
	size_t at = (size_t)(text - (const char *)header);
	size_t end = header->size - sizeof(struct sample_id);

	return at < end && memchr(text, '\0', end - at);
}

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
	char filename[];
};

static int on_mmap2(struct sampler *sampler, const struct mmap2_record *record,
	uint64_t time)
{
	bool data = record->header.misc & PERF_RECORD_MISC_MMAP_DATA;
	struct map_record map = {
		.start = record->addr,
		.len = record->len,
		.identity =
			{
				.path = record->filename,
				.pid = (pid_t)record->pid,
				.start = record->addr,
				.end = record->addr + record->len,
				.offset = record->pgoff,
			},
	};

	if (!is_text(&record->header, record->filename))
		return 0;
	if (record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		map.identity.build_id = record->build_id;
		map.identity.build_id_len = record->build_id_size;
		if (record->build_id_size > sizeof record->build_id)
			map.identity.build_id_len = 0;
	} else {
		map.identity.major = record->major;
		map.identity.minor = record->minor;
		map.identity.inode = record->inode;
		map.identity.generation = record->generation;
	}
	return task_table_object(&sampler->tasks, &map, !data, false) ||
			       (!data &&
				       task_table_map(&sampler->tasks,
					       (pid_t)record->tid, &map, time))
		       ? -1
		       : 0;
}

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct task_record { /* fork and exit */
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

static enum task_table_switch switch_of(uint16_t misc)
{
	if (!(misc & PERF_RECORD_MISC_SWITCH_OUT))
		return TASKS_SWITCH_IN;
	return misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? TASKS_SWITCH_PUSHED
							  : TASKS_SWITCH_OUT;
}

static void on_lost(struct sampler *sampler, const struct lost_record *record)
{
	const struct perf_fd *event =
		perf_events_find(sampler->events, record->id);

	if (event && event->tag < sampler->ntimers)
		sampler->tally[event->tag].lost_records += record->lost;
	else
		sampler->lost_sideband += record->lost;
}

/*
 * A BPF program still samples a thread after its exit record, on its last way
 * out of the kernel.
 */
#define LATE_NS 20000000

/*
 * Ends the threads whose exit was before TIME, and those with the number ID,
 * the thread's or its process's, whenever it was.
 */
static void end_threads(struct sampler *sampler, uint64_t time, pid_t id)
{
	size_t left = 0;

	for (size_t i = 0; i < sampler->exits.n; i++) {
		struct sampler_exit e = sampler->exits.v[i];

		if (e.time >= time && e.tid != id && e.pid != id)
			sampler->exits.v[left++] = e;
		else
			task_table_end(&sampler->tasks, e.tid, e.time);
	}
	sampler->exits.n = left;
}

void sideband_finish(struct sampler *sampler)
{
	end_threads(sampler, UINT64_MAX, 0);
}

/*
 * The process with that number has ended before TIME, even if no record told
 * so.
 */
static void forget(struct sampler *sampler, pid_t pid, uint64_t time)
{
	end_threads(sampler, time - LATE_NS, pid);
	task_table_forget(&sampler->tasks, pid, time);
}

static int on_exit_record(
	struct sampler *sampler, const struct task_record *r, uint64_t time)
{
	const struct sampler_exit e = {(pid_t)r->pid, (pid_t)r->tid, time};

	/* the events of the processors go on */
	if (sampler->late && task_table_gains(&sampler->tasks, e.tid))
		return 0;
	if (task_table_exit(&sampler->tasks, e.pid, e.tid, time))
		return -1;
	if (!sampler->late) {
		task_table_end(&sampler->tasks, e.tid, time);
		return 0;
	}
	return vec_add(&sampler->exits, e)
		       ? 0
		       : task_table_starved(&sampler->tasks);
}

static int on_task(struct sampler *sampler, const struct task_record *r,
	bool fork, uint64_t id, uint64_t time)
{
	const struct fork_record record = {(pid_t)r->pid, (pid_t)r->tid,
		(pid_t)r->ppid, (pid_t)r->ptid,
		perf_events_giver(sampler->events, id, (pid_t)r->ptid)};

	if (!fork)
		return on_exit_record(sampler, r, time);
	end_threads(sampler, time - LATE_NS, record.tid);
	return task_table_fork(&sampler->tasks, &record, time);
}

static int on_comm(
	struct sampler *sampler, const struct comm_record *comm, uint64_t time)
{
	bool exec = comm->header.misc & PERF_RECORD_MISC_COMM_EXEC;

	if (!is_text(&comm->header, comm->comm))
		return 0;
	/* an exec gives its thread the number of the leader, which ended */
	if (exec)
		end_threads(sampler, time - LATE_NS, (pid_t)comm->pid);
	return task_table_comm(&sampler->tasks, (pid_t)comm->pid,
		(pid_t)comm->tid, comm->comm, exec, time);
}

/* The start of all side records: whose it is, for a fork also by whom. */
struct side_record {
	struct perf_event_header header;
	uint32_t pid, ppid;
};

/*
 * Whether a record of the whole machine is the target's: 1, another's: 0.  The
 * target is a process from its exec on, and all its descendants.
 */
static int is_ours(struct sampler *sampler, const struct side_record *record,
	uint64_t time)
{
	bool known = task_table_knows(&sampler->tasks, (pid_t)record->pid);

	switch (record->header.type) {
	case PERF_RECORD_COMM:
		if ((pid_t)record->pid != sampler->root ||
			!(record->header.misc & PERF_RECORD_MISC_COMM_EXEC))
			return known;
		sampler->root = 0;
		return 1;
	case PERF_RECORD_FORK:
		if (task_table_knows(&sampler->tasks, (pid_t)record->ppid))
			return 1;
		/* another process has the number of one that has ended */
		if (known)
			forget(sampler, (pid_t)record->pid, time);
		return 0;
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_EXIT:
		return known;
	default:
		return 1;
	}
}

int sideband_take(struct sampler *sampler,
	const struct perf_event_header *header, uint64_t time)
{
	struct sample_id id; /* at any byte, as the record's size is */

	memcpy(&id, (const uint8_t *)header + header->size - sizeof id,
		sizeof id);
	if (sampler->events->machine) {
		int ours = is_ours(sampler, (const void *)header, time);

		if (ours <= 0)
			return ours;
	}
	sampler->last_time = time;
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return on_mmap2(sampler, (const void *)header, time);
	case PERF_RECORD_COMM:
		return on_comm(sampler, (const void *)header, time);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return on_task(sampler, (const void *)header,
			header->type == PERF_RECORD_FORK, id.id, time);
	case PERF_RECORD_SWITCH:
		if (perf_events_is_mark(sampler->events, id.id)) {
			task_table_whole(&sampler->tasks, (pid_t)id.tid,
				perf_events_giver(sampler->events, id.id, 0));
			return 0;
		}
		return task_table_switch(&sampler->tasks, (pid_t)id.pid,
			(pid_t)id.tid, switch_of(header->misc), time);
	case PERF_RECORD_LOST:
		on_lost(sampler, (const void *)header);
		return 0;
	case PERF_RECORD_THROTTLE: /* per-CPU: may be others', too */
		sampler->throttled +=
			task_table_knows(&sampler->tasks, (pid_t)id.pid);
		return 0;
	default:
		return 0;
	}
}
