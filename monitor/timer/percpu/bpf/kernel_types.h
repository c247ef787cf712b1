/*
 * kernel_types.h - the kernel structures that the BPF programs read.
 *
 * Only the fields used; when the programs are loaded their offsets are adjusted
 * to the running kernel (CO-RE).
 */
#ifndef CPPROF_PERCPU_KERNEL_TYPES_H
#define CPPROF_PERCPU_KERNEL_TYPES_H

#include <stdbool.h>
#include <linux/types.h>

#include "monitor/arch/arch.bpf.h"

#pragma clang attribute push(                                                  \
	__attribute__((preserve_access_index)), apply_to = record)

struct file {
	unsigned int f_mode;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
};

struct mm_struct {
	unsigned long start_stack;
	unsigned long brk;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct uprobe;

struct uprobe_task {
	struct uprobe *active_uprobe;
};

struct upid {
	int nr;
	void *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct task_struct {
	struct mm_struct *mm;
	struct thread_struct thread;
	struct sched_entity se;
	unsigned long sas_ss_sp;
	unsigned long sas_ss_size;
	struct thread_info thread_info;
	unsigned int on_cpu; /* 7.2 has an u8: only unsigned ones adjust */
	unsigned int __state;
	int exit_state;
	int pid, tgid;
	__u64 start_time;
	struct task_struct *group_leader;
	struct files_struct *files;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct uprobe_task *utask;
};

#pragma clang attribute pop

#define TASK_DEAD 0x80 /* the state a task leaves its last processor in */
#define FMODE_WRITE 2

/* The argument of a task iterator; not adjusted. */
struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#endif
