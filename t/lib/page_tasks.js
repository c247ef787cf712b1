/*
 * Appended to a page by t/cli/page.t: with keys and the lists alone, finds the
 * hottest path, the caller of its last function, and what that function costs
 * under the other resource.
 */
asUser(async ({rest, text, rows, say, click, key, press, resource}) => {
	await resource(0);
	await click(byId("all"));
	byId("graph").focus();
	press("ArrowDown");
	say("hottest", byId("label").querySelector("bdi").title);
	say("path", byId("label").querySelector("bdi").textContent);
	say("figure", byId("label").querySelector("b").textContent);
	key("Enter");
	await rest();
	say("function", byId("root").value);
	say("caller", rows("callers")[0]);
	await resource(1);
	say("cost", text("label"));
});
