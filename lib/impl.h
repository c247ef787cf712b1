/*
 * impl.h - a struct and its private part in one piece of memory.
 *
 *     struct foo { int n; struct foo_private *impl; };
 *     struct foo *foo = new_with_impl(struct foo);   (zeroed; NULL: no memory)
 *     free(foo);                                     (both)
 */
#ifndef CPPROF_IMPL_H
#define CPPROF_IMPL_H

#include <stdlib.h>

#define new_with_impl(type)                                                    \
	({                                                                     \
		struct {                                                       \
			type own;                                              \
			__typeof__(*((type *)0)->impl) impl;                   \
		} *both_ = calloc(1, sizeof *both_);                           \
		if (both_)                                                     \
			both_->own.impl = &both_->impl;                        \
		both_ ? &both_->own : NULL;                                    \
	})

#endif
