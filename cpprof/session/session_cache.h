/*
 * session_cache.h - the trees and profiles that a session has made.
 *
 * Trees stay when a filter is added, so that `undo` has what it goes back to: a
 * tree is used again where as many filters and elisions are in force as when it
 * was made.  These are stacks, so those below the last one are the same.
 * Profiles are of the tree that was asked for last.
 */
#ifndef CPPROF_SESSION_CACHE_H
#define CPPROF_SESSION_CACHE_H

#include "analyzer/profile/profile.h"

/* NULL when out of memory. */
struct session_cache *session_cache_new(void);
void session_cache_free(struct session_cache *cache);

/* Whether A and B show the same where the same filters are in force. */
bool session_same_view(const struct tree_view *a, const struct tree_view *b);

/* To be called when the view or the filters change. */
void session_forget_profiles(struct session_cache *cache);

/* Likewise when filters or elisions of VIEW were taken away: forgets what was
   made with them. */
void session_forget_undone(
	struct session_cache *cache, const struct tree_view *view);

/* The tree of VIEW, which is made if there is none.  The USED ones that were
   found before it stay, too.  NULL and the error. */
const struct tree *session_find_tree(struct session_cache *cache,
	const struct dataset *data, const struct tree_view *view, size_t used,
	struct err *err);

/* The function profile of VIEW if it was kept and has all functions. */
const struct profile *session_find_functions(
	const struct session_cache *cache, const struct tree_view *view);

/* The profile of TREE if it was kept, else NULL. */
struct profile *session_find_profile(const struct session_cache *cache,
	const struct tree *tree, enum profile_kind kind, const char *root,
	double threshold);

/* Takes PROFILE and ROOT, both in memory of their own. */
void session_keep_profile(
	struct session_cache *cache, struct profile *profile, char *root);

#endif
