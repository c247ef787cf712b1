/*
 * newer_syscalls.h - system calls that the kernel's headers at build time may
 * lack.
 *
 * From 424 on a call has the same number on every processor, so one list is
 * enough.  Headers that have a call define it the same.
 */
#ifndef CPPROF_RESOURCE_NEWER_SYSCALLS_H
#define CPPROF_RESOURCE_NEWER_SYSCALLS_H

#define __NR_cachestat 451
#define __NR_fchmodat2 452
#define __NR_map_shadow_stack 453
#define __NR_futex_wake 454
#define __NR_futex_wait 455
#define __NR_futex_requeue 456
#define __NR_statmount 457
#define __NR_listmount 458
#define __NR_lsm_get_self_attr 459
#define __NR_lsm_set_self_attr 460
#define __NR_lsm_list_modules 461
#define __NR_mseal 462
#define __NR_setxattrat 463
#define __NR_getxattrat 464
#define __NR_listxattrat 465
#define __NR_removexattrat 466
#define __NR_open_tree_attr 467
#define __NR_file_getattr 468
#define __NR_file_setattr 469

#endif
