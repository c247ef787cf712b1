/*
 * Appended to a page by t/cli/page.t, before a script that says what a person
 * does with it: asUser(async user => ...).  What the person says is written when
 * that is done.
 */
function asUser(tasks) {
	const lines = [], rest = () => new Promise(done => setTimeout(done, 50));
	/* A key that is pressed in the graph. */
	const key = name => byId("graph").dispatchEvent(
		new KeyboardEvent("keydown", {key: name, bubbles: true}));
	const user = {
		rest, key,
		text: id => byId(id).textContent,
		rows: id => [...document.querySelectorAll(`#${id} tbody tr`)]
			.map(tr => [...tr.cells].map(td => td.textContent)
				.join(" ")),
		say: (what, ...list) =>
			lines.push(`${what}: ${list.join("; ")}`),
		set: async (id, value) => {
			const input = byId(id);

			input.value = value;
			input.dispatchEvent(new Event("input", {bubbles: true}));
			input.dispatchEvent(new Event("change", {bubbles: true}));
			await rest();
		},
		click: async target => {
			target.dispatchEvent(
				new MouseEvent("click", {bubbles: true}));
			await rest();
		},
		/* As often as it leads to another box. */
		press: name => {
			let before;

			do {
				before = page.chosen;
				key(name);
			} while (page.chosen !== before);
		},
		/* By its place in the list of resources. */
		resource: async i => {
			const select = byId("resource");

			select.selectedIndex = i;
			select.dispatchEvent(new Event("change", {bubbles: true}));
			await rest();
		},
	};

	addEventListener("load", async () => {
		const out = document.createElement("pre");

		while (!page.ready)
			await rest();
		await tasks(user).then(() => lines.push("end"),
			error => lines.push(`bad: ${error.stack}`));
		out.id = "result";
		out.textContent = lines.map(line => `@@${line}\n`).join("");
		document.body.append(out);
	});
}
