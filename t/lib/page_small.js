/*
 * Appended to a page by t/cli/page.t: of a row of functions most of which are
 * less than a pixel, what the boxes add up to, and what the last of them says.
 */
asUser(async ({text, rows, say, click, key, press}) => {
	await click(byId("all"));
	const row = page.boxes.filter(box => box.y === 2);
	const sum = row.reduce((n, box) => n + box.width, 0);

	say("boxes", row.filter(box => box.node).length,
		row.filter(box => !box.node).length);
	say("filled", Math.abs(page.boxes[0].width - sum) < 1);
	press("ArrowDown");
	press("ArrowRight");
	say("others", text("label"));
	say("accounting", ...rows("books"));
});
