/*
 * The counting object: what instrumented functions call.
 *
 * The hooks run in all threads at once, in signal handlers, in forked children
 * and before libc is ready, and those of -pg must leave the registers alone in
 * which arguments are: no memory, lock or function of libc.
 */
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "monitor/arch/preload.h"
#include "monitor/inprocess/automaton.h"
#include "monitor/inprocess/next.h"
#include "monitor/inprocess/object.h"

#define EXACT_MOST 65536 /* contexts of a thread that fold_find() is for */
#define NEAR (1u << 20)

/* Where mcount goes on where nothing counts. */
HIDDEN extern void *contexts_next_mcount;
void *contexts_next_mcount;
static void (*next_enter)(void *, void *), (*next_exit)(void *, void *);

/* --- transitions --- */

static inline __attribute__((always_inline)) uint32_t hash(
	uint32_t from, uint64_t callee, uint64_t site)
{
	return (uint32_t)((callee << 20 ^ site) * 0x9e3779b97f4a7c15u >> 32) +
	       5 * from;
}

static struct contexts_call *call_of(uint32_t number)
{
	return (struct contexts_call *)self->base + number;
}

static void enter_table(uint32_t *table, uint32_t mask, uint32_t number)
{
	const struct contexts_call *call = call_of(number);
	uint32_t i = hash(call->from, call->callee, call->site);

	while (table[i & mask])
		i++;
	table[i & mask] = number;
}

static bool grow_table(void)
{
	uint32_t size = self->mask + 1, *table;

	table = contexts_map(4 * size * sizeof *table);
	if (!table)
		return false;
	for (uint32_t i = 0; i < size; i++)
		if (self->table[i])
			enter_table(table, 4 * size - 1, self->table[i]);
	contexts_unmap(self->table, size * sizeof *table);
	self->table = table;
	self->mask = 4 * size - 1;
	return true;
}

static bool grow_entries(void)
{
	size_t size = self->room * sizeof *self->entries;
	long at = preload_syscall(SYS_mremap, (long)self->entries, (long)size,
		(long)(2 * size), MREMAP_MAYMOVE, 0, 0);

	if (at < 0 && at > -4096)
		return false;
	self->top = (struct entry *)at + (self->top - self->entries);
	self->entries = (struct entry *)at;
	self->room *= 2;
	return true;
}

static bool is_call(
	const struct contexts_call *call, uint64_t callee, uint64_t site)
{
	return call->callee == callee && call->site == site;
}

static bool is_around(uint32_t state, uint64_t callee)
{
	while (state && call_of(state)->callee != callee)
		state = call_of(state)->from;
	return state;
}

/* The context that a call from FROM leads back to; 0: to none. */
static uint32_t lead_back(uint32_t from, uint64_t callee, uint64_t site)
{
	struct fold *fold = &self->fold;
	uint32_t same = 0, state;
	unsigned n = 0, i;

	for (state = from; state; state = call_of(state)->from, n++)
		if (!same && is_call(call_of(state), callee, site))
			same = state;
	if (!same)
		return 0;
	if (n <= FOLD_DEPTH && self->n < EXACT_MOST) {
		fold->calls[n] = (struct fold_call){callee, site};
		for (state = from, i = n; state; state = call_of(state)->from)
			fold->calls[--i] = (struct fold_call){
				call_of(state)->callee, call_of(state)->site};
		i = fold_find(fold, n);
		if (i == n)
			return 0;
		for (state = from; ++i < n;)
			state = call_of(state)->from;
		return state;
	}
	for (state = from; state != same; state = call_of(state)->from)
		if (!is_around(same, call_of(state)->callee))
			return 0;
	return same;
}

/* The transition; NULL: there is none. */
static inline __attribute__((always_inline)) struct contexts_call *
find(const struct automaton *a, uint32_t from, uint64_t callee, uint64_t site)
{
	for (uint32_t i = hash(from, callee, site);; i++) {
		uint32_t number = a->table[i & a->mask];
		struct contexts_call *call =
			(struct contexts_call *)a->base + number;

		if (UNLIKELY(!number))
			return NULL;
		if (call->from == from && is_call(call, callee, site))
			return call;
		BARRIER(); /* fewer registers to save */
	}
}

/* Makes a transition; NULL: there is no room. */
static struct contexts_call *make(uint32_t from, uint64_t callee, uint64_t site)
{
	struct contexts_page *page;
	struct contexts_call *call;
	uint32_t number;

	if (from == LOST ||
		(self->n >= (self->mask + 1) / 2 && !grow_table()) ||
		(self->page->n == CONTEXTS_CALLS_MOST && !contexts_new_page()))
		return NULL;
	contexts_tell_map(callee & CONTEXTS_ADDRESS);
	contexts_tell_map(site);
	page = self->page;
	call = &page->calls[page->n];
	number = page->number * (CONTEXTS_PAGE / CONTEXTS_CALL) +
		 CONTEXTS_HEAD / CONTEXTS_CALL + page->n;
	call->callee = callee;
	call->site = site;
	call->from = from;
	call->to = lead_back(from, callee, site);
	if (!call->to)
		call->to = number;
	__atomic_store_n(&page->n, page->n + 1, __ATOMIC_RELEASE);
	self->n++;
	enter_table(self->table, self->mask, number);
	return call;
}

/* --- the stack --- */

/* Whether A is on the same stack as B above it, as far as that shows. */
static bool is_below(uintptr_t a, uintptr_t b)
{
	uintptr_t end = (uintptr_t)__builtin_thread_pointer();

	return a < b && !(a < end && end < b);
}

/* Drops what ended without a hook, AT being where the stack is. */
static void drop(uintptr_t at)
{
	while (is_below(self->top->at, at))
		self->top--;
}

/* Whether it ended without a hook.  What is inlined in it has its stack, and
   returns where it does. */
static inline bool is_left(const struct entry *e, uintptr_t at, uint64_t site)
{
	return e->at <= at && (e->at < at || e->site != site);
}

/*
 * -pg tells of no ends.  The caller is the one whose frame pointer FRAME is.
 * Where code without it is between, functions are left out whose return address
 * is no longer in its place.
 */
static void drop_returned(uintptr_t at, uintptr_t frame)
{
	struct entry *e;

	drop(at + 1);
	for (e = self->top; e->at < frame + 16;)
		e--;
	if (e->at == frame + 16)
		self->top = e;
	else
		while (self->top->untold && self->top->at - at < NEAR &&
			((const uint64_t *)self->top->at)[-1] !=
				self->top->site)
			self->top--;
}

static inline __attribute__((always_inline)) void push(struct automaton *a,
	struct entry *e, struct contexts_call *call, uint64_t callee,
	uint64_t site, uintptr_t at, bool untold)
{
	e->untold = untold;
	e->at = at;
	e->callee = callee;
	e->site = site;
	e->state = call->to;
	call->calls += ((const struct contexts_shared *)a->base)->on;
	BARRIER();
	a->top = e;
	BARRIER();
	busy = 0;
}

/* Any call; FRAME is 0 where its end is told. */
static PRELOAD_ALIGN_STACK __attribute__((noinline)) void enter_any(
	uint64_t callee, uint64_t site, uintptr_t at, uintptr_t frame)
{
	static struct contexts_call unknown = {.to = LOST};
	struct contexts_call *call;

	if ((busy || !*self->gate) && !contexts_enter(at))
		return;
	busy = at;
	BARRIER();
	if (frame)
		drop_returned(at, frame);
	else
		drop(is_left(self->top, at, site) ? at + 1 : at);
	if (self->top + 1 == self->entries + self->room && !grow_entries()) {
		contexts_lose();
		busy = 0;
		return;
	}
	callee |= contexts_epoch;
	call = find(self, self->top->state, callee, site);
	if (!call)
		call = make(self->top->state, callee, site);
	if (!call)
		contexts_lose();
	push(self, self->top + 1, call ? call : &unknown, callee, site, at,
		frame);
}

/* The same, quickly: the call was made before from where the stack is now. */
static inline __attribute__((always_inline)) void enter(
	uint64_t callee, uint64_t site, uintptr_t at, uintptr_t frame)
{
	struct automaton *a = self;
	struct contexts_call *call;
	struct entry *e;

	if (UNLIKELY(busy || !*a->gate))
		goto any;
	busy = at;
	BARRIER();
	e = a->top;
	while (frame && e->at <= at && at - e->at < NEAR)
		e--;
	call = (frame ? e->at != frame + 16 : is_left(e, at, site)) ||
			       e + 1 == a->entries + a->room
		       ? NULL
		       : find(a, e->state, callee | contexts_epoch, site);
	if (!UNLIKELY(!call)) {
		push(a, e + 1, call, callee | contexts_epoch, site, at, frame);
		return;
	}
	busy = 0;
any:
	enter_any(callee, site, at, frame);
}

/* The program's own hook comes first. */
static __attribute__((noinline)) void enter_both(
	uint64_t callee, uint64_t site, uintptr_t at)
{
	next_enter((void *)callee, (void *)site);
	enter_any(callee, site, at, 0);
}

void __cyg_profile_func_enter(void *callee, void *site);
void __cyg_profile_func_exit(void *callee, void *site);

EXPORT void __cyg_profile_func_enter(void *callee, void *site)
{
	uintptr_t at = (uintptr_t)__builtin_dwarf_cfa();

	if (UNLIKELY(next_enter != NULL))
		enter_both((uintptr_t)callee, (uintptr_t)site, at);
	else
		enter((uintptr_t)callee, (uintptr_t)site, at, 0);
}

static bool is_of(const struct entry *e, uint64_t callee)
{
	return (e->callee & CONTEXTS_ADDRESS) == callee;
}

/*
 * The hook may be called by a jump: then the stack is where it was when the
 * function was called, and not lower.
 */
static __attribute__((noinline)) void leave_any(
	uint64_t callee, uint64_t site, uintptr_t at)
{
	struct entry *e;

	if (next_exit)
		next_exit((void *)callee, (void *)site);
	if (busy)
		return;
	for (e = self->top; e->at <= at; e--)
		if (is_of(e, callee)) {
			self->top = e - 1;
			return;
		}
	/* it has taken memory from the stack since */
	if (is_of(self->top, callee))
		self->top--;
}

EXPORT void __cyg_profile_func_exit(void *callee, void *site)
{
	uintptr_t at = (uintptr_t)__builtin_dwarf_cfa();
	struct automaton *a = self;
	struct entry *e = a->top;

	if (UNLIKELY(busy || e->at > at || !is_of(e, (uintptr_t)callee) ||
		     next_exit))
		leave_any((uintptr_t)callee, (uintptr_t)site, at);
	else
		a->top = e - 1;
}

void contexts_mcount(uint64_t callee, uint64_t site, uintptr_t at,
	uintptr_t frame) __attribute__((visibility("hidden")));

void contexts_mcount(
	uint64_t callee, uint64_t site, uintptr_t at, uintptr_t frame)
{
	enter(callee, site, at, frame ? frame : 1);
}

MCOUNT_FUNCTION("contexts_mcount", "contexts_count", "contexts_next_mcount");

/* --- jumps --- */

/* The functions below SP are left, also a hook. */
static void jump(uintptr_t sp)
{
	if (busy && busy < sp)
		contexts_leave();
	if (!busy)
		drop(sp);
}

#define JUMP(name)                                                             \
	NEXT(void, name, (struct __jmp_buf_tag *, int))                        \
	EXPORT _Noreturn void name(struct __jmp_buf_tag to[1], int value)      \
	{                                                                      \
		jump(preload_jump_sp(to->__jmpbuf));                           \
		NEXT_OF(name)(to, value);                                      \
		__builtin_unreachable();                                       \
	}
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
_Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);
JUMP(__longjmp_chk)

NEXT(int, dlclose, (void *))

/* Its address may be another library's from now on. */
EXPORT int dlclose(void *library)
{
	int failed = NEXT_OF(dlclose)(library);

	contexts_unmapped();
	return failed;
}

/* Another object's function of that NAME, or NULL; libc's does nothing. */
static void *find_hook(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name), *libc = dlsym(RTLD_NEXT, "puts");
	Dl_info its, libcs;

	return found && dladdr(found, &its) && dladdr(libc, &libcs) &&
			       its.dli_fbase != libcs.dli_fbase
		       ? found
		       : NULL;
}

void contexts_find(void)
{
	next_enter = (void (*)(void *, void *))(uintptr_t)find_hook(
		"__cyg_profile_func_enter");
	next_exit = (void (*)(void *, void *))(uintptr_t)find_hook(
		"__cyg_profile_func_exit");
	contexts_next_mcount = dlsym(RTLD_NEXT, "mcount");
	NEXT_OF(longjmp);
	NEXT_OF(_longjmp);
	NEXT_OF(siglongjmp);
	NEXT_OF(__longjmp_chk);
	NEXT_OF(dlclose);
}
