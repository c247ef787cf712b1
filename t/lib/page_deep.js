/*
 * Appended to a page by t/cli/page.t: with the down arrow to the end of a stack
 * that is higher than its window; how deep that is, and whether it is seen.
 */
asUser(async ({say, press}) => {
	const area = byId("scroll");

	press("ArrowDown");
	const {y} = page.boxes[page.chosen];
	say("deepest", y, y * ROW >= area.scrollTop &&
		(y + 1) * ROW <= area.scrollTop + area.clientHeight);
});
