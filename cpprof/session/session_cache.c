/* Keeps trees and profiles by the view that they are of, and forgets the
   oldest. */
#include "cpprof/session/session_cache.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"

/* So many let a user switch between a few resources, roots and filters. */
#define PROFILES 8

/* The trees besides the one in use have no more; the largest that were tried,
   of a million stacks, have 375 MB. */
#define KEPT_BYTES ((size_t)512 << 20)

struct cached_tree {
	struct tree *tree;
	size_t filters, elided; /* that were in force */
};

struct cached_profile {
	struct profile *profile;
	char *root;
};

struct session_cache {
	VEC(struct cached_tree) trees; /* the latest first */
	struct cached_profile profiles[PROFILES];
	size_t next;
};

struct session_cache *session_cache_new(void)
{
	return calloc(1, sizeof(struct session_cache));
}

void session_cache_free(struct session_cache *cache)
{
	if (!cache)
		return;
	session_forget_profiles(cache);
	for (size_t i = 0; i < cache->trees.n; i++)
		tree_free(cache->trees.v[i].tree);
	vec_free(&cache->trees);
	free(cache);
}

bool session_same_view(const struct tree_view *a, const struct tree_view *b)
{
	return a->resource == b->resource && a->no_inlines == b->no_inlines &&
	       a->sites == b->sites && a->clones == b->clones &&
	       a->objects == b->objects && a->group == b->group &&
	       a->no_fold == b->no_fold && a->idle == b->idle;
}

/* Trees. */

static void forget_tree(struct session_cache *cache, size_t i)
{
	struct cached_tree *at = cache->trees.v + i;

	tree_free(at->tree);
	cache->trees.n--;
	memmove(at, at + 1, (cache->trees.n - i) * sizeof *at);
}

void session_forget_undone(
	struct session_cache *cache, const struct tree_view *view)
{
	session_forget_profiles(cache);
	for (size_t i = cache->trees.n; i-- > 0;)
		if (cache->trees.v[i].filters > view->filters->n ||
			cache->trees.v[i].elided > view->elided->n)
			forget_tree(cache, i);
}

static bool is_asked_for(
	const struct tree_view *view, const struct cached_tree *c)
{
	return c->filters == view->filters->n && c->elided == view->elided->n &&
	       session_same_view(&c->tree->view, view);
}

/* Frees trees from number FROM on that were not used for long, as far as there
   is no room for them. */
static void forget_old(struct session_cache *cache, size_t from)
{
	size_t used = 0;

	for (size_t i = from; i < cache->trees.n;) {
		used += tree_bytes(cache->trees.v[i].tree);
		if (used > KEPT_BYTES)
			forget_tree(cache, i);
		else
			i++;
	}
}

const struct tree *session_find_tree(struct session_cache *cache,
	const struct dataset *data, const struct tree_view *view, size_t used,
	struct err *err)
{
	struct cached_tree found, *new;
	size_t i = 0;

	while (i < cache->trees.n && !is_asked_for(view, &cache->trees.v[i]))
		i++;
	if (i == cache->trees.n) {
		forget_old(cache, used);
		i = cache->trees.n;
		found = (struct cached_tree){tree_new(data, view, err),
			view->filters->n, view->elided->n};
		new = found.tree ? vec_push(&cache->trees) : NULL;
		if (found.tree && !new) {
			tree_free(found.tree);
			err_memory(err, data->path, NULL);
		}
		if (!new)
			return NULL;
		*new = found;
	}
	found = cache->trees.v[i];
	memmove(cache->trees.v + 1, cache->trees.v, i * sizeof *cache->trees.v);
	cache->trees.v[0] = found;
	forget_old(cache, used + 1);
	return found.tree;
}

/* Profiles. */

void session_forget_profiles(struct session_cache *cache)
{
	for (size_t i = 0; i < PROFILES; i++) {
		profile_free(cache->profiles[i].profile);
		free(cache->profiles[i].root);
		cache->profiles[i] = (struct cached_profile){0};
	}
	cache->next = 0;
}

struct profile *session_find_profile(const struct session_cache *cache,
	const struct tree *tree, enum profile_kind kind, const char *root,
	double threshold)
{
	for (size_t i = 0; i < PROFILES; i++) {
		const struct cached_profile *c = &cache->profiles[i];

		if (c->profile && c->profile->tree == tree &&
			c->profile->kind == kind &&
			c->profile->threshold == threshold &&
			strcmp(c->root, root ? root : "") == 0)
			return c->profile;
	}
	return NULL;
}

void session_keep_profile(
	struct session_cache *cache, struct profile *profile, char *root)
{
	struct cached_profile *c = &cache->profiles[cache->next];

	cache->next = (cache->next + 1) % PROFILES;
	profile_free(c->profile);
	free(c->root);
	*c = (struct cached_profile){profile, root};
}

const struct profile *session_find_functions(
	const struct session_cache *cache, const struct tree_view *view)
{
	for (size_t i = 0; i < PROFILES; i++) {
		const struct profile *p = cache->profiles[i].profile;

		if (p && p->kind == PROFILE_FUNCTION &&
			session_same_view(&p->tree->view, view) &&
			p->tree->view.group == GROUP_FUNCTION &&
			!view->elided->n && !tree_is_below(p->tree))
			return p;
	}
	return NULL;
}
