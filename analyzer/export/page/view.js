"use strict";
/*
 * view.js - the page: controls, graph, tables.  State is what the address
 * behind # holds, so that Back undoes and a link says what is shown.
 */

const ROW = 18; /* pixels of a row of boxes */
const byId = id => document.getElementById(id);

const page = {
	profile: null, /* Profile */
	state: null,   /* resource, root, threshold, up, fold */
	tree: null,
	view: null,    /* DownView or UpView */
	top: null,     /* its first node, or the one that is zoomed to */
	boxes: [],     /* as drawn: x, y, width, node or rest, parent */
	chosen: -1,    /* of the boxes */
	match: null,   /* by function, or null */
	sort: "total", ascending: false,
	shown: 40,     /* rows of the table */
	ready: false,
};

/* Figures and names. */

function percent(weight, digits = 1) {
	const {whole} = page.tree;

	return `${(whole ? 100 * weight / whole : 0).toFixed(digits)} %`;
}

/* "15 268", in one line */
const count = n => n.toLocaleString("en").replaceAll(",", "\u00a0");

/* Three figures. */
const round = x => x >= 99.95 ? x.toFixed(0) : x.toPrecision(3);

function microseconds(us) {
	return us >= 999500 ? `${round(us / 1e6)} s`
		: us >= 999.5 ? `${round(us / 1e3)} ms`
			: `${us} us`;
}

/* A number with the unit of the resource, as reports write it. */
function amount(weight) {
	const {unit, units} = page.facts.resources[page.state.resource];

	if (unit === "us")
		return microseconds(weight);
	if (unit === "bytes" || unit === "byte")
		for (const [scale, name] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"],
			[2 ** 10, "KiB"]])
			if (weight >= 0.9995 * scale)
				return `${round(weight / scale)} ${name}`;
	return `${count(weight)} ${weight === 1 ? unit : units}`;
}

/* Names come from binaries: control characters and marks of direction show. */
function clean(name) {
	return name.replace(
		/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		c => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function nameOf(f) {
	return page.names[f] ??= clean(page.facts.functions[f]);
}

function frameName(frame) {
	const {frames} = page.facts;

	if (!frames)
		return nameOf(frame);
	const [f, site] = frames[frame];
	return site ? `${nameOf(f)} (from ${clean(site)})` : nameOf(f);
}

const functionOf = frame => page.tree.functionOfFrame(frame);
const moduleOf = f => page.facts.modules[page.facts.module[f]];

/* State and address. */

function readState() {
	const words = new URLSearchParams(location.hash.slice(1));
	const {resources, functions} = page.facts;
	const resource = resources.findIndex(r => r.name === words.get("resource"));
	const root = functions.indexOf(words.get("root") ?? page.facts.root);
	const threshold = Number(words.get("threshold") ?? page.facts.threshold);

	return {resource: Math.max(resource, 0), root: Math.max(root, 0),
		threshold: threshold >= 0 && threshold <= 1 ? threshold : 0.01,
		up: words.get("show") === "up", fold: words.get("fold") === "1"};
}

function go(change) {
	const s = {...page.state, ...change};
	const words = new URLSearchParams({
		resource: page.facts.resources[s.resource].name,
		root: page.facts.functions[s.root], threshold: s.threshold});

	if (s.up)
		words.set("show", "up");
	if (s.fold)
		words.set("fold", "1");
	const hash = `#${words}`;
	if (hash === location.hash)
		return;
	history.pushState(null, "", hash);
	update();
}

/* All that depends on the state. */
function update() {
	const old = page.state, s = page.state = readState();

	page.tree = page.profile.tree(s.resource);
	if (!old || old.resource !== s.resource || old.root !== s.root ||
		old.up !== s.up || old.fold !== s.fold) {
		page.view = s.up ? new UpView(page.tree, s.root, s.fold)
			: new (s.fold ? FoldedView : DownView)(page.tree,
				s.root);
		page.whole = page.top = page.view.top();
		page.chosen = page.lit = -1;
		search();
	}
	byId("resource").selectedIndex = s.resource;
	byId("root").value = nameOf(s.root);
	byId("threshold").value = `${+(100 * s.threshold).toPrecision(4)} %`;
	byId(s.up ? "up" : "down").checked = true;
	byId("fold").checked = s.fold;
	byId("consumed").textContent = page.facts.resources[s.resource].consumed;
	draw();
	fillFunctions();
	fillLeaks();
	fillBooks();
	fillTime();
	tell();
	setTimeout(fillNear); /* when the graph is to be seen */
}

/* The graph. */

/*
 * Lays out what is wide enough: a box is at least a pixel, and neighbours that
 * are less are one box with their sum.  No recursion: stacks are deep.
 */
function layout(width) {
	const boxes = [];

	if (page.top)
		boxes.push({x: 0, y: 0, width, node: page.top, parent: -1});
	for (let i = 0; i < boxes.length; i++) {
		const {x, y, node} = boxes[i];

		if (!node)
			continue;
		const pixel = node.weight / boxes[i].width;
		const {children, rest} = node.parts(pixel);
		let at = x;
		for (const child of children) {
			const w = child.weight / pixel;

			boxes.push({x: at, y: y + 1, width: w, node: child,
				parent: i});
			at += w;
		}
		const w = rest / pixel;
		if (w >= 1)
			boxes.push({x: at, y: y + 1, width: w, rest, parent: i});
	}
	return boxes;
}

function colours() {
	const style = getComputedStyle(document.documentElement);
	const get = name => style.getPropertyValue(`--${name}`).trim();
	const tints = [...Array(8).keys()].map(i => get(`c${i}`));

	return {tints, text: get("text"), hit: get("hit"), rest: get("rest"),
		chosen: get("chosen"), back: get("back")};
}

/* How much of the tint a function's boxes have, so that neighbours differ. */
function strength(frame) {
	return 1 - (Math.imul(functionOf(frame), 0x9e3779b1) >>> 30) * 0.13;
}

/* One tint a module, the heaviest first; what is no code has the last. */
function tint(frame) {
	const f = functionOf(frame), {facts, tree} = page;

	if (!tree.tints) {
		const self = new Float64Array(facts.modules.length);

		tree.functionSums().self.forEach((weight, f) =>
			self[facts.module[f]] += weight);
		tree.tints = new Uint8Array(self.length);
		[...self.keys()].sort((a, b) => self[b] - self[a])
			.forEach((m, rank) => tree.tints[m] = rank % 7);
	}
	return f < facts.pseudo ? 7 : tree.tints[facts.module[f]];
}

function draw() {
	const canvas = byId("graph"), scale = window.devicePixelRatio || 1;
	const width = canvas.parentNode.clientWidth;

	page.boxes = layout(width);
	const rows = page.boxes.reduce((n, b) => Math.max(n, b.y + 1), 1);
	/* browsers draw nothing on a canvas that is higher */
	const height = Math.min(rows * ROW, Math.floor(32000 / scale));
	canvas.width = width * scale;
	canvas.height = height * scale;
	canvas.style.height = `${height}px`;
	paint();
	figures();
}

function paint() {
	const canvas = byId("graph"), scale = window.devicePixelRatio || 1;
	const g = canvas.getContext("2d"), c = colours();

	g.setTransform(scale, 0, 0, scale, 0, 0);
	g.fillStyle = c.back;
	g.fillRect(0, 0, canvas.width, canvas.height);
	g.font = "12px system-ui, sans-serif";
	g.textBaseline = "middle";
	page.boxes.forEach((box, i) => paintBox(g, c, box, i));
}

function paintBox(g, c, box, i) {
	const x = box.x, y = box.y * ROW, w = Math.max(box.width - 0.5, 0.5);

	g.fillStyle = box.node ? c.tints[tint(box.node.frame)] : c.rest;
	g.globalAlpha = box.node ? strength(box.node.frame) : 1;
	g.fillRect(x, y, w, ROW - 1);
	g.globalAlpha = 1;
	if (box.node && page.match && page.match[functionOf(box.node.frame)]) {
		g.fillStyle = c.hit;
		g.fillRect(x, y + ROW - 5, w, 4);
	}
	if (i === page.chosen || (box.node && page.lit === functionOf(
			box.node.frame))) {
		g.strokeStyle = c.chosen;
		g.lineWidth = 2;
		g.strokeRect(x + 1, y + 1, Math.max(w - 2, 1), ROW - 3);
	}
	if (w < 24)
		return;
	g.fillStyle = c.text;
	g.fillText(boxText(g, box, w - 6), x + 3, y + ROW / 2);
}

/* The name and figure of a box; the name is cut, or there is no figure. */
function boxText(g, box, width) {
	if (!box.node)
		return fitted(g, "others", width);
	const name = frameName(box.node.frame);
	const figure = box.figure === undefined ? ""
						: `  ${percent(box.figure)}`;
	const cut = fitted(g, name, width - g.measureText(figure).width);

	return cut === name || cut.length > 6 ? cut + figure
					      : fitted(g, name, width);
}

/* As much of the text as the width has room for. */
function fitted(g, text, width) {
	if (g.measureText(text).width <= width)
		return text;
	let lo = 0, hi = text.length;

	while (lo < hi) {
		const mid = (lo + hi + 1) >> 1;

		if (g.measureText(text.slice(0, mid) + "\u2026").width <= width)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo > 1 ? text.slice(0, lo) + "\u2026" : "";
}

/* Fills in the figures of wide boxes without holding up the page. */
function figures() {
	const boxes = page.boxes;
	let i = 0;
	const some = () => {
		const until = performance.now() + 15;

		if (boxes !== page.boxes)
			return;
		for (; i < boxes.length && performance.now() < until; i++)
			if (boxes[i].node && boxes[i].width >= 60)
				boxes[i].figure = boxes[i].node.figure();
		paint();
		if (i < boxes.length)
			setTimeout(some);
	};

	setTimeout(some);
}

function boxAt(event) {
	const area = byId("graph").getBoundingClientRect();
	const x = event.clientX - area.left;
	const y = Math.floor((event.clientY - area.top) / ROW);

	return page.boxes.findIndex(b => b.y === y && x >= b.x &&
		x < b.x + b.width);
}

/* The name of what has the frame, of which a fold has several. */
function labelOf(frame) {
	const f = functionOf(frame), kind = page.facts.kinds[f];
	const module = clean(moduleOf(f)), so = module.indexOf(".so");

	return kind === "s" ? "start" : so >= 0 ? module.slice(0, so)
		: kind === "l" ? "std" : module;
}

/*
 * A path by the rule of analyzer/report/path_text.h: the program's own functions
 * stay, and the library's function that each of them entered, and the last, and
 * what is asked of the last library; what is inside of libraries folds to their
 * names.  ROOTED: the first step is the root that was asked for.
 */
function shownPath(path, rooted) {
	const kind = i => page.facts.kinds[functionOf(path[i])];
	const last = path.length - 1;
	const generated = path.some((frame, i) => kind(i) === "g");
	const own = i => kind(i) === "g" || kind(i) === "o" ||
		(kind(i) === "i" && !generated);
	const others = (i, k) => labelOf(path[i]) !== labelOf(path[k]);
	let inner = last, i = 0;

	while (inner && frameName(path[inner]).startsWith("["))
		inner--;
	let entry = inner;
	while (entry && !own(entry) && !others(entry, entry - 1))
		entry--;
	const stays = i => i === last || own(i) || (i === 0
		? rooted || kind(0) !== "s"
		: own(i - 1) || (i === entry && entry < inner));
	const names = [];

	while (!rooted && i < last && kind(i) === "s")
		i++;
	for (let end; i <= last; i = end) {
		for (end = i + 1; !stays(i) && end <= last && !stays(end);)
			end++;
		const labels = new Set(path.slice(i, end).map(labelOf));

		names.push(end === i + 1 ? frameName(path[i])
			: `[${[...labels].slice(0, 3).join(", ")}: ${end - i}]`);
	}
	return names.join(" > ");
}

/* What the chosen box is, in words. */
function tell() {
	const label = byId("label"), box = page.boxes[page.chosen];
	const part = node => `${percent(node.weight)} of the stacks, ` +
		`${amount(node.weight)}, ${count(node.samples)} ` +
		`sample${node.samples === 1 ? "" : "s"}`;

	label.replaceChildren();
	if (!box) {
		label.textContent = page.top
			? `${nameOf(page.state.root)}: ${part(page.whole)}`
			: `No stack of this resource has ${nameOf(page.state.root)}.`;
		return;
	}
	if (!box.node) {
		label.textContent = "functions of less than a pixel each: " +
			`${percent(box.rest)}, ${amount(box.rest)}`;
		return;
	}
	const path = box.node.path(), figure = box.node.figure();
	const strong = document.createElement("b");
	const names = document.createElement("bdi");

	strong.textContent = `${percent(figure)}  ${amount(figure)}  `;
	names.textContent = shownPath(path,
		!page.state.up && page.state.root !== ALL);
	names.title = path.map(frameName).join(" > ");
	label.append(strong, names, document.createElement("br"),
		`this box: ${part(box.node)}`);
}

function choose(i) {
	page.chosen = i;
	light(page.boxes[i]?.node ? functionOf(page.boxes[i].node.frame) : -1);
	paint();
	tell();
}

/* Scrolls as little as shows the box. */
function reveal(box) {
	const area = byId("scroll"), y = box ? box.y * ROW : 0;

	area.scrollTop = Math.max(y + ROW - area.clientHeight,
		Math.min(y, area.scrollTop));
}

function makeRoot(f) {
	go({root: f});
}

function zoom(box) {
	if (!box || !box.node)
		return;
	page.top = box.node;
	page.chosen = 0;
	draw();
	tell();
}

function unzoom() {
	page.top = page.whole;
	page.chosen = -1;
	draw();
	tell();
}

/* The box to go to from the chosen one. */
function neighbour(key) {
	const {boxes, chosen} = page, box = boxes[chosen];

	if (!box)
		return boxes.length ? 0 : -1;
	if (key === "ArrowUp")
		return box.parent < 0 ? chosen : box.parent;
	if (key === "ArrowDown") {
		const child = boxes.findIndex(b => b.parent === chosen);

		return child < 0 ? chosen : child;
	}
	const step = key === "ArrowRight" ? 1 : -1;
	const other = boxes[chosen + step];
	return other && other.y === box.y ? chosen + step : chosen;
}

/* Tables. */

function rowOf(figures, f, name, module) {
	const tr = document.createElement("tr");

	for (const figure of figures) {
		const td = tr.insertCell();

		td.className = "figure";
		td.textContent = percent(figure);
		td.title = amount(figure);
	}
	const td = tr.insertCell(), text = document.createElement("bdi");
	text.textContent = name;
	td.append(text);
	if (module !== undefined)
		tr.insertCell().textContent = clean(module);
	tr.dataset.f = f;
	tr.tabIndex = 0;
	return tr;
}

function sortedFunctions() {
	const sums = page.tree.functionSums();
	const cutoff = page.tree.cutoff(page.state.threshold);
	const order = {total: (a, b) => sums.total[b] - sums.total[a],
		self: (a, b) => sums.self[b] - sums.self[a],
		name: (a, b) => nameOf(a) < nameOf(b) ? -1 : 1,
		module: (a, b) => moduleOf(a) < moduleOf(b) ? -1
			: moduleOf(a) > moduleOf(b) ? 1
			: sums.total[b] - sums.total[a]};
	const list = [];

	for (let f = 1; f < page.tree.functions; f++)
		if (sums.total[f] > 0 && sums.total[f] >= cutoff &&
			(!page.match || page.match[f]))
			list.push(f);
	list.sort(order[page.sort]);
	return page.ascending ? list.reverse() : list;
}

function fillFunctions() {
	const body = byId("functions").tBodies[0], list = sortedFunctions();
	const sums = page.tree.functionSums(), {root} = page.state;

	body.replaceChildren(...list.slice(0, page.shown).map(f => {
		const tr = rowOf([sums.total[f], sums.self[f]], f, nameOf(f),
			moduleOf(f));

		tr.classList.toggle("root", f === root);
		return tr;
	}));
	for (const th of byId("functions").tHead.rows[0].cells) {
		if (th.firstChild.dataset.sort !== page.sort)
			th.removeAttribute("aria-sort");
		else
			th.setAttribute("aria-sort", page.ascending
				!== (page.sort === "name" || page.sort === "module")
				? "ascending" : "descending");
	}
	more(list.length);
}

function more(n) {
	const p = byId("more");

	p.textContent = `${count(n)} function${n === 1 ? "" : "s"} of at least ` +
		`${byId("threshold").value}`;
	if (n <= page.shown)
		return;
	const button = document.createElement("button");
	button.textContent = `show the other ${count(n - page.shown)}`;
	button.addEventListener("click", () => {
		page.shown = Infinity;
		fillFunctions();
	});
	p.append("  ", button);
}

function fillNear() {
	const {tree, state} = page, near = tree.neighbours(state.root);
	const cutoff = tree.cutoff(state.threshold);

	byId("near").textContent = nameOf(state.root);
	for (const side of ["callers", "callees"])
		byId(side).tBodies[0].replaceChildren(...near[side]
			.filter(arc => arc.weight > 0 && arc.weight >= cutoff)
			.map(arc => rowOf([arc.weight], arc.f, nameOf(arc.f))));
}

const seconds = s => microseconds(Math.round(1e6 * s));

/* What lives, by path, with its ages. */
function fillLeaks() {
	const {facts: {resources}, state, tree} = page;
	const {leaks} = resources[state.resource];
	const cutoff = tree.cutoff(state.threshold);

	byId("lives").hidden = !leaks.length;
	byId("leaks").tBodies[0].replaceChildren(...leaks
		.filter(([, weight]) => weight >= cutoff)
		.map(([path, weight, oldest, median]) => {
			const tr = rowOf([weight], path.at(-1), path
				.map(nameOf).join(" > "));

			for (const text of [amount(weight), seconds(oldest),
				seconds(median)]) {
				const td = tr.insertCell();

				td.className = "figure";
				td.textContent = text;
			}
			return tr;
		}));
}

function fillBooks() {
	const {facts, state} = page;

	byId("books").tBodies[0].replaceChildren(
		...facts.resources[state.resource].books.map(line => {
			const tr = document.createElement("tr");

			for (const text of line)
				tr.insertCell().textContent = text;
			return tr;
		}));
	byId("notes").textContent = facts.notes.map(clean).join("  ");
}

/* What the run consumed, or what lived, over its time: behind what lived at the
   end of each part, the most that lived in it. */
function fillTime() {
	const {facts: {resources, seconds: all}, state} = page;
	const {parts, level} = resources[state.resource], figure = byId("time");
	const highs = level ?? parts, most = Math.max(0, ...highs ?? []);

	figure.hidden = !most;
	if (!most)
		return;
	const at = highs.indexOf(most);
	const part = all / parts.length;

	for (const [i, amounts] of [highs, parts].entries())
		figure.querySelectorAll("path")[i].setAttribute("d",
			`M0 100${amounts.map((n, k) =>
				`V${+(100 - 100 * n / most).toFixed(2)}H${k + 1}`)
				.join("")}V100Z`);
	figure.querySelector("figcaption").textContent =
		`at most ${amount(most)}${level ? " at once," : " sampled"} in ` +
		`${seconds(part)}, after ${seconds((at + 1) * part)} of ${seconds(all)}`;
}

/* Marks a function wherever it stands. */
function light(f) {
	page.lit = f;
	for (const tr of document.querySelectorAll("tr[data-f]"))
		tr.classList.toggle("lit", Number(tr.dataset.f) === f);
}

/* Search: a part of a name, or /a regular expression/. */
function search() {
	const word = byId("search").value, out = byId("found");

	page.match = null;
	out.textContent = "";
	byId("search").setCustomValidity("");
	if (!word || !page.tree)
		return;
	let test = name => name.toLowerCase().includes(word.toLowerCase());
	const pattern = /^\/(.*)\/$/.exec(word);
	if (pattern)
		try {
			const re = new RegExp(pattern[1]);

			test = name => re.test(name);
		} catch (error) {
			byId("search").setCustomValidity(error.message);
			out.textContent = "not a regular expression";
			return;
		}
	page.match = page.facts.functions.map((_, f) => test(nameOf(f)));
	const {tree, state} = page;
	out.textContent = `${percent(tree.matching(state.root, page.match,
		state.up))} match`;
}

/* A root is typed whole, or as a part of one name alone; what it may be. */
function typedRoots(word) {
	const {functions} = page.facts;
	const f = functions.indexOf(word);

	return f >= 0 ? [f] : functions.map((name, i) => i)
		.filter(i => nameOf(i).includes(word));
}

function typedThreshold(word) {
	const match = /^\s*([0-9.]+)\s*(%?)\s*$/.exec(word);
	const value = match ? Number(match[1]) / (match[2] ? 100 : 1) : NaN;

	return value >= 0 && value <= 1 ? value : NaN;
}

function listen() {
	const on = (id, event, f) => byId(id).addEventListener(event, f);
	const graph = byId("graph");

	on("controls", "submit", event => event.preventDefault());
	on("resource", "change", e => go({resource: e.target.selectedIndex}));
	/* What is wrong with what was typed, or "". */
	const refuse = (input, why) => {
		input.setCustomValidity(why);
		if (why)
			byId("label").textContent = why;
	};
	on("root", "change", e => {
		const word = e.target.value, roots = typedRoots(word);

		refuse(e.target, roots.length === 1 ? ""
			: `${roots.length ? `${count(roots.length)} functions have`
				: "No function has"} \u2018${clean(word)}\u2019 in ` +
				(roots.length ? "their names." : "its name."));
		if (roots.length === 1)
			go({root: roots[0]});
	});
	on("threshold", "change", e => {
		const threshold = typedThreshold(e.target.value);

		refuse(e.target, threshold >= 0 ? ""
			: "A threshold is 0 to 100 %.");
		if (threshold >= 0)
			go({threshold});
	});
	on("down", "change", () => go({up: false}));
	on("up", "change", () => go({up: true}));
	on("fold", "change", e => go({fold: e.target.checked}));
	on("search", "input", () => {
		search();
		fillFunctions();
		paint();
	});
	on("all", "click", () => go({root: ALL}));
	on("unzoom", "click", unzoom);
	on("theme", "click", () => {
		document.documentElement.classList.toggle("dark");
		paint();
	});
	graph.addEventListener("mousemove", e => {
		const i = boxAt(e);

		if (i !== page.chosen)
			choose(i);
	});
	graph.addEventListener("click", e => {
		const box = page.boxes[boxAt(e)];

		if (box && e.shiftKey)
			zoom(box);
		else if (box && box.node)
			makeRoot(functionOf(box.node.frame));
	});
	graph.addEventListener("keydown", graphKey);
	listenTables();
	document.addEventListener("keydown", e => {
		if (e.key === "/" && !/INPUT|SELECT/.test(e.target.tagName)) {
			e.preventDefault();
			byId("search").focus();
		}
	});
	window.addEventListener("popstate", update);
	window.addEventListener("hashchange", update);
	window.addEventListener("resize", draw);
}

function graphKey(e) {
	const box = page.boxes[page.chosen];

	if (e.key.startsWith("Arrow")) {
		choose(neighbour(e.key));
		reveal(page.boxes[page.chosen]);
	} else if (e.key === "Enter" && box && box.node)
		makeRoot(functionOf(box.node.frame));
	else if (e.key === "z" || e.key === "Z")
		zoom(box);
	else if (e.key === "Escape")
		unzoom();
	else
		return;
	e.preventDefault();
}

function listenTables() {
	const row = e => e.target.closest("tr[data-f]");

	for (const id of ["functions", "callers", "callees", "leaks"]) {
		const table = byId(id);

		table.addEventListener("click", e => {
			if (row(e))
				makeRoot(Number(row(e).dataset.f));
		});
		table.addEventListener("keydown", e => {
			if (e.key !== "Enter" || !row(e))
				return;
			makeRoot(Number(row(e).dataset.f));
			/* the rows are new ones */
			(byId("functions").querySelector("tr.root") ??
				byId("graph")).focus();
		});
		table.addEventListener("mouseover", e => {
			if (!row(e))
				return;
			light(Number(row(e).dataset.f));
			paint();
		});
		table.addEventListener("mouseleave", () => {
			light(-1);
			paint();
		});
	}
	byId("functions").tHead.addEventListener("click", e => {
		const key = e.target.dataset.sort;

		if (!key)
			return;
		page.ascending = page.sort === key && !page.ascending;
		page.sort = key;
		fillFunctions();
	});
}

async function unpack() {
	const text = atob(byId("data").textContent.trim());
	const bytes = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	const {readable, writable} = new DecompressionStream("gzip");
	const writer = writable.getWriter();

	writer.write(bytes);
	writer.close();
	return new Uint8Array(await new Response(readable).arrayBuffer());
}

async function begin() {
	if (typeof DecompressionStream === "undefined") {
		byId("label").textContent =
			"This page needs a browser of 2023 or later.";
		return;
	}
	page.profile = new Profile(await unpack());
	byId("data").remove();
	const facts = page.facts = page.profile.facts;
	page.names = new Array(facts.functions.length);
	document.title = `${clean(facts.program)} - cpprof`;
	byId("program").textContent = clean(facts.program);
	for (const resource of facts.resources)
		byId("resource").add(new Option(resource.title));
	if (matchMedia("(prefers-color-scheme: dark)").matches)
		document.documentElement.classList.add("dark");
	page.state = null;
	listen();
	update();
	/* the names that are worth completing */
	const {total} = page.tree.functionSums();
	const names = [...total.keys()].sort((a, b) => total[b] - total[a]);
	byId("names").append(...names.slice(0, 1000)
		.map(f => new Option(nameOf(f))));
	page.ready = true;
}

begin().catch(error => {
	byId("label").textContent = `The page cannot be shown: ${error.message}`;
});
