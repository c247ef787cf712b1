/* next.h - the functions that the counting object stands before. */
#ifndef CPPROF_INPROCESS_NEXT_H
#define CPPROF_INPROCESS_NEXT_H

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

/* NEXT_OF(name) is the next function of that name, searched for once. */
#define NEXT(type, name, parameters)                                           \
	typedef type(*name##_type) parameters;                                 \
	static name##_type next_##name(void)                                   \
	{                                                                      \
		static name##_type found;                                      \
                                                                               \
		if (!found)                                                    \
			found = (name##_type)dlsym(RTLD_NEXT, #name);          \
		return found;                                                  \
	}
#define NEXT_OF(name) next_##name()

#endif
