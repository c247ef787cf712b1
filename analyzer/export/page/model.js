"use strict";
/*
 * model.js - the sample trees of the page and the call path profiles of them.
 *
 * This is a second implementation of analyzer/profile: Hall and Goldberg's
 * downward walk with locked records ("Call Path Profiling of Monotonic Program
 * Resources in UNIX", USENIX Summer 1993, appendix).  t/cli/page.t compares
 * the two.  Nothing here touches the document.
 *
 * A tree lies in columns, parents before children; the descendants of node i
 * are i + 1 to i + size[i] - 1.  Function 0 is [all], the root's.
 */

const ALL = 0, NONE = 0xffffffff;

/* Pairs of unsigned numbers and what number they have: open addressing. */
class PairTable {
	constructor() {
		this.n = 0;
		this.room(1 << 12);
	}

	room(slots) {
		this.mask = slots - 1;
		this.slots = new Uint32Array(slots).fill(NONE);
		this.first = grown(this.first, slots);
		this.second = grown(this.second, slots);
		for (let i = 0; i < this.n; i++)
			this.slots[this.probe(this.first[i], this.second[i])] =
				i;
	}

	probe(a, b) {
		let h = Math.imul(a ^ (b << 16 | b >>> 16), 0x9e3779b1);

		h = Math.imul(h ^ h >>> 15, 0x85ebca6b) ^ b;
		for (let at = (h ^ h >>> 13) & this.mask;;
			at = at + 1 & this.mask) {
			const i = this.slots[at];

			if (i === NONE ||
				(this.first[i] === a && this.second[i] === b))
				return at;
		}
	}

	/* The number of the pair, or NONE. */
	find(a, b) {
		return this.slots[this.probe(a, b)];
	}

	/* The number of the pair; a new one is the next number. */
	number(a, b) {
		const at = this.probe(a, b);

		if (this.slots[at] !== NONE)
			return this.slots[at];
		this.first[this.n] = a;
		this.second[this.n] = b;
		this.slots[at] = this.n++;
		if (2 * this.n > this.mask)
			this.room(2 * (this.mask + 1));
		return this.n - 1;
	}
}

function grown(old, n, type = Uint32Array) {
	const array = new type(n);

	if (old)
		array.set(old.subarray(0, Math.min(n, old.length)));
	return array;
}

/*
 * A tree of paths: node i is the path of parent[i] and then frame[i], with a
 * weight and a number of samples.  A parent has a lower number than its
 * children.  The number of a frame tells function and call site: see Tree.
 */
class Trie {
	constructor() {
		this.known = new PairTable();
		this.weight = new Float64Array(1 << 10);
		this.samples = new Float64Array(1 << 10);
	}

	get n() { return this.known.n; }
	get parent() { return this.known.first; }
	get frame() { return this.known.second; }

	child(parent, frame) {
		const i = this.known.number(parent, frame);

		if (i === this.weight.length) {
			this.weight = grown(this.weight, 2 * i, Float64Array);
			this.samples = grown(this.samples, 2 * i, Float64Array);
		}
		return i;
	}

	/* The node of a path, or NONE. */
	find(path) {
		return path.reduce((at, frame, i) => i && at === NONE ? NONE
			: this.known.find(at, frame), NONE);
	}

	/* Adds each node to its parent, from the leaves on. */
	accumulate() {
		for (let i = this.n - 1; i >= 0; i--) {
			const up = this.parent[i];

			if (up !== NONE) {
				this.weight[up] += this.weight[i];
				this.samples[up] += this.samples[i];
			}
		}
	}

	/* Lists children by parent: sets first[] and list[]. */
	index() {
		this.first = new Uint32Array(this.n + 2);
		this.list = new Uint32Array(this.n);
		this.tops = [];
		for (let i = 0; i < this.n; i++)
			if (this.parent[i] === NONE)
				this.tops.push(i);
			else
				this.first[this.parent[i] + 2]++;
		for (let i = 2; i < this.n + 2; i++)
			this.first[i] += this.first[i - 1];
		for (let i = 0; i < this.n; i++)
			if (this.parent[i] !== NONE)
				this.list[this.first[this.parent[i] + 1]++] = i;
	}

	children(i) {
		return this.list.subarray(this.first[i], this.first[i + 1]);
	}

	/* The frames from the outermost to node i. */
	path(i) {
		const path = [];

		for (; i !== NONE; i = this.parent[i])
			path.push(this.frame[i]);
		return path.reverse();
	}
}

/* Unsigned LEB128 numbers, one after the other. */
class Numbers {
	constructor(bytes, at) {
		this.bytes = bytes;
		this.at = at;
	}

	next() {
		const byte = this.bytes[this.at++];

		return byte < 128 ? byte : this.longer(byte & 127);
	}

	longer(value) {
		for (let scale = 128;; scale *= 128) {
			const byte = this.bytes[this.at++];

			value += (byte & 127) * scale;
			if (byte < 128)
				return value;
		}
	}
}

/*
 * The sample tree of one resource.  What nodes have of their own lies in sums
 * over all nodes before them: a subtree is a range of nodes, so its weight is
 * the difference of two.  Fresh memory is what decoding costs most, so columns
 * are as narrow as they can be, and what first looks do not need comes later.
 */
class Tree {
	/*
	 * NUMBERS: at the tree, as analyzer/export/html.c describes it.
	 * functionOf maps a frame (function and call site) to its function;
	 * null: they are the same numbers.  whole: what fractions are of.
	 */
	constructor(numbers, {functionOf, functions, frames, whole}) {
		const n = this.n = numbers.next();
		const Frames = frames <= 1 << 16 ? Uint16Array : Uint32Array;
		const Sums = whole < 2 ** 32 ? Uint32Array : Float64Array;

		Object.assign(this, {functionOf, functions, whole, depth: 0,
			sum: new Sums(n + 1), count: new Sums(n + 1),
			frame: new Frames(n)});
		this.place(numbers, this.sum);
		for (let i = 0; i < n; i++)
			this.frame[i] = numbers.next();
		this.fn = functionOf ? this.frame.map(x => functionOf[x])
				     : this.frame;
		this.add(numbers, this.sum, this.count);
		this.kept = this.weight(0);
	}

	/*
	 * Finds each node's size, and the depth of the tree; sum[i + 1] becomes
	 * whether node i has weight of its own.
	 */
	place(numbers, sum) {
		const {n} = this, size = this.size = new Uint32Array(n);
		let open = new Uint32Array(1 << 10), depth = 0;

		for (let i = 0; i < n; i++) {
			const head = numbers.next();

			sum[i + 1] = head % 2;
			for (let up = head - head % 2; up > 0; up -= 2) {
				depth--;
				size[open[depth]] = i - open[depth];
			}
			if (depth === open.length)
				open = grown(open, 2 * depth);
			open[depth++] = i;
			this.depth = Math.max(this.depth, depth);
		}
		while (depth-- > 0)
			size[open[depth]] = n - open[depth];
	}

	/* Only nodes with weight have samples, at most as many. */
	add(numbers, sum, count) {
		for (let i = 0; i < this.n; i++)
			sum[i + 1] = sum[i] + (sum[i + 1] ? numbers.next() : 0);
		for (let i = 0; i < this.n; i++)
			count[i + 1] = count[i] + (sum[i + 1] > sum[i]
				? numbers.next() : 0);
	}

	/* By node; the root's is itself. */
	get parent() {
		if (this.parents)
			return this.parents;
		const {n, size} = this, parents = new Uint32Array(n);

		for (let i = 1, up = 0; i < n; i++) {
			while (i >= up + size[up])
				up = parents[up];
			parents[i] = up;
			up = i;
		}
		return this.parents = parents;
	}

	/* What node i has of its own, and with all below it. */
	self(i) { return this.sum[i + 1] - this.sum[i]; }
	ownSamples(i) { return this.count[i + 1] - this.count[i]; }
	weight(i) { return this.sum[i + this.size[i]] - this.sum[i]; }
	samples(i) { return this.count[i + this.size[i]] - this.count[i]; }

	functionOfFrame(frame) {
		return this.functionOf ? this.functionOf[frame] : frame;
	}

	/* Calls f(i) with each outermost occurrence of the function. */
	outermost(root, f) {
		for (let i = 0; i < this.n;)
			if (this.fn[i] === root) {
				f(i);
				i += this.size[i];
			} else {
				i++;
			}
	}

	/*
	 * By function: what its outermost occurrences weigh with all below
	 * (total), and what it has of its own (self).
	 */
	functionSums() {
		if (this.sums)
			return this.sums;
		const make = () => new Float64Array(this.functions);
		const end = new Uint32Array(this.functions);
		const sums = this.sums = {total: make(), samples: make(),
			self: make(), selfSamples: make()};

		for (let i = 0; i < this.n; i++) {
			const f = this.fn[i];

			if (this.sum[i + 1] > this.sum[i]) {
				sums.self[f] += this.self(i);
				sums.selfSamples[f] += this.ownSamples(i);
			}
			if (i < end[f])
				continue;
			end[f] = i + this.size[i];
			sums.total[f] += this.weight(i);
			sums.samples[f] += this.samples(i);
		}
		return sums;
	}

	/*
	 * The downward walk from ROOT: records, a Trie of the paper's records.
	 * Functions with a total below CUTOFF are light: no path has one.
	 * With FOLD also folded, the same stacks with recursion cut back: a
	 * partition, with rest[], what a place has below light functions, and
	 * record[], the record of its path.  at[i], if given, becomes the place
	 * of tree node i.
	 */
	down(root, {cutoff = 0, fold = false, at = null} = {}) {
		const walk = new Walk(this, root, cutoff, fold, at);

		this.outermost(root, i => walk.from(i));
		if (fold)
			walk.finish();
		return walk;
	}

	cutoff(threshold) {
		return threshold * this.kept * (1 - 1e-12);
	}

	/*
	 * The callers c of ROOT with the figure of the path (c ROOT), and its
	 * callees c with that of (ROOT c): an arc that is nested in the same
	 * arc is counted once.
	 */
	neighbours(root) {
		const callers = new Map(), callees = new Map();
		const note = (map, f, i) => {
			let arc = map.get(f);

			if (!arc)
				map.set(f, arc = {f, weight: 0, end: 0});
			if (i < arc.end)
				return;
			arc.end = i + this.size[i];
			arc.weight += this.weight(i);
		};

		const {fn, size} = this, open = new Uint32Array(this.depth);
		for (let i = 1, depth = 0; i < this.n; open[++depth] = i++) {
			while (i >= open[depth] + size[open[depth]])
				depth--;
			const f = fn[i], up = fn[open[depth]];

			if (f === root && up !== ALL)
				note(callers, up, i);
			if (up === root)
				note(callees, f, i);
		}
		const sorted = map => [...map.values()].sort((a, b) =>
			b.weight - a.weight);
		return {callers: sorted(callers), callees: sorted(callees)};
	}

	/*
	 * What part of ROOT's weight has a function on its stacks for which
	 * match[f]: below ROOT, or (UP) among its callers.
	 */
	matching(root, match, up) {
		const above = up && new Uint8Array(this.n);
		let sum = 0, end = 0, inside = 0;

		for (let i = 0; i < this.n; i++) {
			const f = this.fn[i];

			if (up) {
				above[i] = match[f] || (i &&
					above[this.parent[i]]);
				if (f === root && i >= end) {
					end = i + this.size[i];
					sum += above[i] ? this.weight(i) : 0;
				}
				continue;
			}
			if (i >= end && f === root)
				end = i + this.size[i];
			if (i >= end || i < inside || !match[f])
				continue;
			inside = i + this.size[i];
			sum += this.weight(i);
		}
		return sum;
	}
}

/* One downward walk, by the rule of the paper's appendix. */
class Walk {
	constructor(tree, root, cutoff, fold, at) {
		const levels = tree.depth + 2;
		const {total} = tree.functionSums();

		Object.assign(this, {tree, fold, at, cutoff});
		this.light = Uint8Array.from(total, sum => sum < cutoff ? 1 : 0);
		this.light[ALL] = this.light[root] = 0;
		this.records = new Trie();
		this.locked = new Uint8Array(1 << 10);
		this.folded = new Trie();
		this.rest = new Float64Array(1 << 10);
		this.record = new Uint32Array(1 << 10);
		this.path = new Uint32Array(levels);  /* steps of records */
		this.place = new Uint32Array(levels); /* likewise of folded */
		this.position = new Uint32Array(tree.functions);
		/* by level of the tree: what to put back */
		this.undo = {end: new Uint32Array(levels),
			length: new Uint32Array(levels),
			locked: new Uint32Array(levels),
			pushed: new Uint32Array(levels),
			step: new Uint32Array(levels),
			place: new Uint32Array(levels),
			position: new Uint32Array(levels),
			dark: new Uint32Array(levels)};
		this.length = 0;
		this.dark = 0; /* where the light subtree around us ends */
	}

	from(root) {
		const {tree, undo} = this, end = root + tree.size[root];
		let open = 0;

		this.length = this.dark = 0;
		for (let i = root; i < end; i++) {
			while (open && undo.end[open - 1] <= i)
				this.leave(--open);
			const f = tree.fn[i], back = this.standsAt(f);

			/* below a light function only those above it matter */
			if (i >= this.dark && this.light[f])
				this.dark = i + tree.size[i];
			if (i < this.dark && back < 0) {
				if (this.fold)
					this.pass(i);
				continue;
			}
			undo.end[open] = i + tree.size[i];
			this.enter(i, open++, back);
		}
		while (open)
			this.leave(--open);
	}

	/* Where the path has the function, or -1. */
	standsAt(f) {
		const at = this.position[f];

		return at < this.length && this.tree.functionOfFrame(
			this.records.frame[this.path[at]]) === f ? at : -1;
	}

	enter(i, open, back) {
		const {undo, tree} = this, dark = this.dark > i;

		undo.length[open] = this.length;
		undo.locked[open] = undo.pushed[open] = NONE;
		undo.dark[open] = this.dark;
		if (!dark) {
			/* the first frame of a path has no call site */
			const frame = this.length ? tree.frame[i] : tree.fn[i];
			const step = this.count(i, frame, open);

			if (back < 0)
				this.push(i, frame, step, open);
		}
		this.dark = 0;
		if (back >= 0)
			this.length = back + 1;
		if (this.fold)
			this.stay(i);
	}

	/* Adds node i to its record, unless that is locked. */
	count(i, frame, open) {
		const {records, tree} = this, up = this.length
			? this.path[this.length - 1] : NONE;
		const step = records.child(up, frame);

		if (step >= this.locked.length)
			this.locked = grown(this.locked, 2 * step, Uint8Array);
		if (!this.locked[step]) {
			records.weight[step] += tree.weight(i);
			records.samples[step] += tree.samples(i);
			this.locked[step] = 1;
			this.undo.locked[open] = step;
		}
		return step;
	}

	push(i, frame, step, open) {
		const {undo, length} = this, f = this.tree.fn[i];

		undo.pushed[open] = f;
		undo.position[open] = this.position[f];
		undo.step[open] = this.path[length];
		undo.place[open] = this.place[length];
		this.path[length] = step;
		this.position[f] = length;
		if (this.fold) {
			const place = this.folded.child(length
				? this.place[length - 1] : NONE, frame);

			this.place[length] = place;
			if (place >= this.record.length) {
				this.record = grown(this.record, 2 * place);
				this.rest = grown(this.rest, 2 * place,
					Float64Array);
			}
			this.record[place] = step;
		}
		this.length++;
	}

	leave(open) {
		const {undo} = this, length = undo.length[open];

		if (undo.locked[open] !== NONE)
			this.locked[undo.locked[open]] = 0;
		if (undo.pushed[open] !== NONE) {
			this.path[length] = undo.step[open];
			this.place[length] = undo.place[open];
			this.position[undo.pushed[open]] = undo.position[open];
		}
		this.length = length;
		this.dark = undo.dark[open];
	}

	/* Node i's own weight is that of the place where the path stands. */
	stay(i) {
		const place = this.place[this.length - 1];

		this.folded.weight[place] += this.tree.self(i);
		this.folded.samples[place] += this.tree.ownSamples(i);
		if (this.at)
			this.at[i] = place;
	}

	/* Node i is light or below a light one. */
	pass(i) {
		const place = this.place[this.length - 1];

		this.rest[place] += this.tree.self(i);
		this.folded.samples[place] += this.tree.ownSamples(i);
	}

	finish() {
		for (let i = 0; i < this.folded.n; i++)
			this.folded.weight[i] += this.rest[i];
		this.folded.accumulate();
		this.folded.index();
	}

	/* What the record of a path has, or -1: a function of it is light. */
	figure(path) {
		const step = this.records.find(path);

		return step === NONE ? -1 : this.records.weight[step];
	}
}

/*
 * What the graph draws.  A view's node has frame, weight (of its part of the
 * graph), samples, path(), the call path that its label speaks of, and figure(),
 * that path's weight in the profile.  parts(least) has its children that weigh
 * as much, the heaviest first, and rest: what the others weigh together, with
 * those that were not told apart, since they are narrower than a pixel.
 */

const heaviest = list => list.sort((a, b) => b.weight - a.weight);

/* The nodes of the groups, {weight ...}, that weigh enough. */
function parts(groups, least, node, rest = 0) {
	const heavy = [];

	for (const group of groups)
		if (group.weight >= least && group.weight > 0)
			heavy.push(group);
		else
			rest += group.weight;
	return {children: heaviest(heavy).map(node), rest};
}

/* Stacks below the outermost occurrences of a root, as they are. */
class DownView {
	constructor(tree, root) {
		this.tree = tree;
		this.root = root;
		this.walk = null;
	}

	top() {
		const from = [];
		let weight = 0;

		this.tree.outermost(this.root, i => {
			from.push(i);
			weight += this.tree.weight(i);
		});
		return from.length ? this.node({frame: this.root, from, weight},
			null) : null;
	}

	/* FROM: the nodes of the tree that it stands for. */
	node({frame, from, weight}, above) {
		const node = {frame, above, from, weight};

		Object.defineProperty(node, "samples", {get: () =>
			from.reduce((n, i) => n + this.tree.samples(i), 0)});
		node.parts = least => this.callees(node, least);
		node.path = () => this.path(node);
		node.figure = () => node.known ??= this.figure(node);
		return node;
	}

	callees(node, least) {
		const {size, frame, sum} = this.tree, groups = new Map();

		for (const i of node.from) {
			const end = i + size[i];

			for (let c = i + 1; c < end; c += size[c]) {
				const weight = sum[c + size[c]] - sum[c];
				const g = groups.get(frame[c]);

				if (g) {
					g.weight += weight;
					g.from.push(c);
				} else {
					groups.set(frame[c], {frame: frame[c],
						weight, from: [c]});
				}
			}
		}
		return parts(groups.values(), least, g => this.node(g, node));
	}

	path(node) {
		const frames = [];

		for (; node; node = node.above)
			frames.push(node.frame);
		return cutBack(this.tree, frames.reverse());
	}

	/* One walk has the figures of all nodes that are as heavy. */
	figure(node) {
		if (!this.walk || node.weight < this.walk.cutoff)
			this.walk = this.tree.down(this.root,
				{cutoff: node.weight / 2 * (1 - 1e-9)});
		return this.walk.figure(node.path());
	}
}

/*
 * The path of the record that the last of the frames adds to: a frame whose
 * function the path has already cuts it back to there for the next one.
 */
function cutBack(tree, frames) {
	const path = [], fn = frame => tree.functionOfFrame(frame);
	let cut = 0;

	for (const frame of frames) {
		path.length = cut || path.length;
		const at = path.findIndex(f => fn(f) === fn(frame));

		cut = at >= 0 ? at + 1 : 0;
		path.push(frame);
	}
	return path;
}

/* The same with recursion cut back. */
class FoldedView {
	constructor(tree, root) {
		let total = 0;

		tree.outermost(root, i => total += tree.weight(i));
		/* no screen is as wide */
		this.walk = tree.down(root, {cutoff: total / 8192, fold: true});
	}

	top() {
		return this.walk.folded.tops.length
			? this.node(this.walk.folded.tops[0]) : null;
	}

	node(id) {
		const {folded, records, record, rest} = this.walk;

		return {frame: folded.frame[id], weight: folded.weight[id],
			samples: folded.samples[id],
			parts: least => parts(Array.from(folded.children(id),
				id => ({id, weight: folded.weight[id]})),
				least, child => this.node(child.id), rest[id]),
			path: () => records.path(record[id]),
			figure: () => records.weight[record[id]]};
	}
}

/*
 * The callers of a root's outermost occurrences; of [all], the stacks from
 * their innermost function outward.  Nodes are made when they are asked for.
 */
class UpView {
	constructor(tree, root, fold) {
		this.tree = tree;
		this.root = root;
		this.at = null;
		if (fold) {
			const at = new Uint32Array(tree.n);
			const {folded} = tree.down(ALL, {fold: true, at});

			this.at = at;
			this.parents = folded.parent;
			this.frames = folded.frame;
		} else {
			this.parents = tree.parent;
			this.frames = tree.frame;
		}
	}

	top() {
		const {tree} = this, from = [], weights = [], samples = [];
		const add = (i, weight, count) => {
			from.push(this.at ? this.at[i] : i);
			weights.push(weight);
			samples.push(count);
		};

		if (this.root !== ALL)
			tree.outermost(this.root, i =>
				add(i, tree.weight(i), tree.samples(i)));
		else
			for (let i = 0; i < tree.n; i++)
				if (tree.self(i) > 0)
					add(i, tree.self(i), tree.ownSamples(i));
		if (!from.length)
			return null;
		return this.node(this.root, from, weights, samples, null, 0,
			this.root === ALL);
	}

	/*
	 * FROM: the nodes of the stacks that the node stands for, with their
	 * weights.  LINK: the frame it calls; ALL: it is the start of all.
	 */
	node(frame, from, weights, samples, below, link, all) {
		const sum = list => list.reduce((a, b) => a + b, 0);
		const node = {frame, below, link, weight: sum(weights),
			samples: sum(samples)};

		node.parts = least => this.callers(node, from, weights, samples,
			all, least);
		node.path = () => all ? [ALL] : this.path(node);
		node.figure = () => node.known ??= all ? node.weight
			: this.figure(node.path(), node.weight);
		return node;
	}

	callers(node, from, weights, samples, all, least) {
		const {tree} = this, groups = new Map();

		from.forEach((at, k) => {
			const next = all ? at : this.parents[at];

			/* node 0 is [all], which calls nobody */
			if (next === 0 || next === NONE)
				return;
			const f = tree.functionOfFrame(this.frames[next]);
			const link = all ? 0 : this.frames[at];
			const key = link * tree.functions + f;
			let g = groups.get(key);

			if (!g)
				groups.set(key, g = {f, link, from: [],
					weights: [], samples: [], weight: 0});
			g.weight += weights[k];
			g.from.push(next);
			g.weights.push(weights[k]);
			g.samples.push(samples[k]);
		});
		return parts(groups.values(), least, g => this.node(g.f, g.from,
			g.weights, g.samples, all ? null : node, g.link, false));
	}

	/* No function of the path has less than the node. */
	figure(path, weight) {
		return this.tree.down(path[0],
			{cutoff: weight / 2 * (1 - 1e-9)}).figure(path);
	}

	/* From this caller down to the root. */
	path(node) {
		const frames = [node.frame];

		for (; node.below; node = node.below)
			frames.push(node.link);
		return cutBack(this.tree, frames);
	}
}

/* What the file holds: facts and a Tree of each resource. */
class Profile {
	/* BYTES: as analyzer/export/html.c describes them. */
	constructor(bytes) {
		const numbers = this.numbers = new Numbers(bytes, 0);
		const length = numbers.next();
		const text = bytes.subarray(numbers.at, numbers.at += length);

		this.facts = JSON.parse(new TextDecoder().decode(text));
		const {functions, frames} = this.facts;
		this.shape = {functions: functions.length,
			frames: (frames || functions).length,
			functionOf: frames && Uint32Array.from(frames, f => f[0])};
		this.trees = [];
	}

	/* Made when it is asked for, after those that lie before it. */
	tree(resource) {
		const {trees, facts} = this;

		while (trees.length <= resource)
			trees.push(new Tree(this.numbers, {...this.shape,
				whole: facts.resources[trees.length].whole}));
		return trees[resource];
	}
}

