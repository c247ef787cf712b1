/*
 * call_list.h - the functions of calls=[LIB:]F[+...].
 *
 * The collector finds them to count their calls, the analyzer to divide by
 * them.  Nothing here keeps state.
 */
#ifndef CPPROF_CALL_LIST_H
#define CPPROF_CALL_LIST_H

/*
 * Cuts the first function off *LIST, which is written to; *LIBRARY is what
 * stands before it, or NULL.  Either may be empty.  NULL: there are no more.
 */
char *call_list_next(char **list, char **library);

#endif
