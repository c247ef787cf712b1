#include "config.h"

#include "monitor/timer/percpu/features.h"

#ifdef HAVE_BPF

#include <bpf/btf.h>
#include <stdbool.h>
#include <stddef.h>

/* The type without typedefs, const and the like. */
static const struct btf_type *plain(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(btf, type->type);
	return type;
}

static bool is_pointer(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = plain(btf, id);

	return type && btf_is_ptr(type);
}

/* The function type of tracepoint NAME: void *, then its arguments. */
static const struct btf_type *tracepoint(
	const struct btf *btf, const char *name)
{
	__s32 id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? plain(btf, (__u32)id) : NULL;

	if (!type || !btf_is_ptr(type))
		return NULL;
	type = plain(btf, type->type);
	return type && btf_is_func_proto(type) ? type : NULL;
}

enum percpu_switch percpu_switch_of(const struct btf *btf)
{
	const struct btf_type *type = tracepoint(btf, "btf_trace_sched_switch");
	const struct btf_param *params;

	if (!type || btf_vlen(type) < 4)
		return PERCPU_SWITCH_UNKNOWN;
	params = btf_params(type);
	/* kernels between releases had the state in between */
	if (is_pointer(btf, params[1].type) ||
		!is_pointer(btf, params[2].type) ||
		!is_pointer(btf, params[3].type))
		return PERCPU_SWITCH_UNKNOWN;
	return btf_vlen(type) > 4 && !is_pointer(btf, params[4].type)
		       ? PERCPU_SWITCH_STATE
		       : PERCPU_SWITCH_STATELESS;
}

#endif
