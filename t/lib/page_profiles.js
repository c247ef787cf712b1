/*
 * Appended to a page by t/cli/page.t: writes every call path profile that the
 * page computes, in the lines of t/lib/profiles.c, then what is wrong with the
 * nodes that it would draw.
 */
addEventListener("load", async () => {
	while (!page.ready)
		await new Promise(done => setTimeout(done, 5));
	const lines = [], out = document.createElement("pre");
	const {facts, profile} = page;

	facts.resources.forEach(({name}, r) => {
		const tree = profile.tree(r);
		const shown = frame =>
			facts.functions[tree.functionOfFrame(frame)];
		const roots = profileOf(tree, "function", ALL, 0.02)
			.map(entry => entry.path[0]);
		const put = (kind, root, threshold) => {
			for (const e of profileOf(tree, kind, root,
				threshold))
				lines.push([name, kind, root === ALL ? ""
					: shown(root), threshold, e.weight,
				e.samples, ...e.path.map(shown)].join("\t"));
		};

		for (const threshold of thresholds) {
			put("function", ALL, threshold);
			put("body", ALL, threshold);
			for (const root of roots) {
				put("down", root, threshold);
				put("up", root, threshold);
			}
		}
		for (const root of [ALL, ...roots])
			checkViews(tree, root, shown, lines);
	});
	lines.push("end");
	out.id = "result";
	out.textContent = lines.map(line => `@@${line}\n`).join("");
	document.body.append(out);
});

/* The boxes of a row are a partition, and each tells its path's record. */
function checkViews(tree, root, shown, lines) {
	for (const [kind, view] of [["down", new DownView(tree, root)],
		["folded", new FoldedView(tree, root)],
		["up", new UpView(tree, root, false)],
		["up folded", new UpView(tree, root, true)]]) {
		const top = view.top(), all = top ? [top] : [];

		if (top && top.weight !== tree.functionSums().total[root])
			lines.push(`bad: ${kind} ${shown(root)}: top`);
		for (let i = 0; i < all.length && i < 2000; i++) {
			const node = all[i], {children, rest} = node.parts(0);
			const sum = children.reduce((n, c) => n + c.weight, rest);
			const figure = recordOf(tree, node.path());

			if (sum > node.weight || !(node.weight <= figure) ||
				figure !== node.figure())
				lines.push(`bad: ${kind} ${shown(root)}: ${
					node.path().map(shown)}: ${sum} ${
					node.weight} ${figure} ${node.figure()}`);
			all.push(...children);
		}
	}
}

/* The paper's profiles: [{path, weight, samples}]. */
function profileOf(tree, kind, root, threshold) {
	const cutoff = tree.cutoff(threshold);
	const entries = kind === "down" ? downEntries(tree, root, cutoff)
		: kind === "up"         ? upEntries(tree, root, cutoff)
					: sumEntries(tree, kind);

	return entries.filter(e => e.weight > 0 && e.weight >= cutoff);
}

function entriesOf(records, wanted) {
	const entries = [];

	for (let i = 0; i < records.n; i++)
		if (wanted(records.frame[i]))
			entries.push({path: records.path(i),
				weight: records.weight[i],
				samples: records.samples[i]});
	return entries;
}

function downEntries(tree, root, cutoff) {
	return entriesOf(tree.down(root, {cutoff}).records, () => true);
}

/* For each path p to ROOT what the walk from p's first function has. */
function upEntries(tree, root, cutoff) {
	const {total} = tree.functionSums(), entries = [];
	const seen = new Uint8Array(tree.functions);

	for (let i = 0; i < tree.n; i++)
		if (tree.fn[i] === root)
			for (let a = i; ; a = tree.parent[a]) {
				seen[tree.fn[a]] = 1;
				if (!a)
					break;
			}
	for (let f = 0; f < tree.functions; f++) {
		if (!seen[f] || total[f] < cutoff || (f === ALL && f !== root))
			continue;
		entries.push(...entriesOf(tree.down(f, {cutoff}).records,
			frame => tree.functionOfFrame(frame) === root));
	}
	return entries;
}

function sumEntries(tree, kind) {
	const sums = tree.functionSums(), entries = [];
	const weight = kind === "body" ? sums.self : sums.total;
	const samples = kind === "body" ? sums.selfSamples : sums.samples;

	for (let f = 1; f < tree.functions; f++)
		entries.push({path: [f], weight: weight[f],
			samples: samples[f]});
	return entries;
}

/* The weight of one path (frames, the first a function) in the downward profile
   of its first function, without a trie of all. */
function recordOf(tree, want) {
	const path = new Uint32Array(tree.depth + 2);
	const same = new Uint32Array(tree.depth + 3);
	let weight = 0;

	tree.outermost(want[0], i =>
		weight += seek(tree, i, want, path, same));
	return weight;
}

/* same[n]: how many of the path's first n frames are those wanted. */
function seek(tree, from, want, path, same) {
	const end = from + tree.size[from], undo = [];
	let length = 0, lock = 0, weight = 0;

	for (let i = from; i < end; i++) {
		while (undo.length && undo[undo.length - 1].end <= i) {
			const u = undo.pop();

			length = u.length;
			path[length] = u.frame;
			same[length + 1] = u.same;
		}
		const f = tree.fn[i], frame = length ? tree.frame[i] : f;
		const u = {end: i + tree.size[i], length,
			frame: path[length], same: same[length + 1]};
		const on = same[length] === length && want[length] === frame;

		if (on && length + 1 === want.length && i >= lock) {
			weight += tree.weight(i);
			lock = u.end;
		}
		let at = 0;
		while (at < length && tree.functionOfFrame(path[at]) !== f)
			at++;
		undo.push(u);
		if (at === length) {
			path[length] = frame;
			same[length + 1] = same[length] + (on ? 1 : 0);
		}
		length = at + 1;
	}
	return weight;
}
