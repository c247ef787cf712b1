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
		const roots = tree.profile("function", ALL, 0.02)
			.map(entry => entry.path[0]);
		const put = (kind, root, threshold) => {
			for (const e of tree.profile(kind, root, threshold))
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
			const figure = tree.record(node.path()).weight;

			if (sum > node.weight || !(node.weight <= figure) ||
				figure !== node.figure())
				lines.push(`bad: ${kind} ${shown(root)}: ${
					node.path().map(shown)}: ${sum} ${
					node.weight} ${figure} ${node.figure()}`);
			all.push(...children);
		}
	}
}
