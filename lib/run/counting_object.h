/*
 * counting_object.h - the object that counts requests for memory in the target.
 *
 * Its malloc stands before libc's: to people it is the program's malloc.
 */
#ifndef CPPROF_COUNTING_OBJECT_H
#define CPPROF_COUNTING_OBJECT_H

#define COUNTING_OBJECT "libcpprof-count.so"

#endif
