/*
 * Appended to a page by t/cli/page.t: uses each of its controls, and says what
 * the page then shows.
 */
asUser(async ({rest, text, rows, say, set, click, key, resource}) => {
	const row = name => [...document.querySelectorAll("#functions tbody tr")]
		.find(tr => tr.cells[2].textContent === name);
	/* the middle of the box whose path ends so */
	const point = (type, ...path) => {
		const box = page.boxes.find(b => b.node && b.node.path()
			.map(frameName).join(" ") === path.join(" "));
		const area = byId("graph").getBoundingClientRect();

		byId("graph").dispatchEvent(new MouseEvent(type, {bubbles: true,
			clientX: area.left + box.x + box.width / 2,
			clientY: area.top + box.y * ROW + ROW / 2}));
	};

	say("title", text("program"), document.title);
	say("functions", ...rows("functions"));
	say("accounting", ...rows("books"));
	await click(row("db_get_property"));
	say("row clicked", byId("root").value, text("label"));
	say("callers", ...rows("callers"));
	row("main").dispatchEvent(new KeyboardEvent("keydown",
		{key: "Enter", bubbles: true}));
	await rest();
	say("row entered", byId("root").value,
		document.activeElement === row("main"));
	history.back();
	await rest();
	say("callees", ...rows("callees"));
	await click(byId("up"));
	say("up", text("label"), page.boxes.length);
	point("mousemove", "receipt", "db_get_property");
	say("box", text("label"));
	history.back();
	await rest();
	history.back();
	await rest();
	say("back", byId("root").value, byId("down").checked);
	point("click", "main", "invoice");
	await rest();
	say("box clicked", byId("root").value, text("label"));
	say("lit", document.querySelectorAll("tr.lit").length, page.lit);
	await click(byId("all"));
	await set("threshold", "50 %");
	say("threshold", ...rows("functions"));
	await set("search", "/^db_read/");
	say("search", text("found"), ...rows("functions"));
	await set("search", "/(/");
	say("no search", text("found"));
	await set("search", "");
	await set("root", "receip");
	say("typed", byId("root").value);
	await set("root", "nosuch");
	say("mistyped", byId("root").checkValidity(), text("label"));
	await set("root", "db_");
	say("ambiguous", byId("root").checkValidity(), text("label"));
	await set("threshold", "x");
	say("no threshold", text("label"));
	say("amounts", amount(999600), amount(99960), seconds(0.9996),
		seconds(1234));
	const label = width => boxText(byId("graph").getContext("2d"),
		page.boxes.find(b => b.figure === 30000), width);
	say("labels", label(200), label(110), label(50));
	say("columns", byId("callees").getBoundingClientRect().left <
		byId("functions").getBoundingClientRect().right);
	byId("graph").focus();
	await click(byId("all"));
	key("ArrowDown");
	key("ArrowDown");
	say("keys", text("label"));
	key("z");
	say("zoomed", page.top === page.whole, page.boxes[0].node.weight);
	key("Escape");
	say("unzoomed", page.top === page.whole);
	await resource(1);
	say("resource", text("consumed"), ...rows("functions"));
	await click(byId("theme"));
	say("dark", document.documentElement.classList.contains("dark"));
});
