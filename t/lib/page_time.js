/*
 * Appended to a page by t/cli/page.t: what each resource has over the time of the
 * run, added up, and what is said of it; of levels, which follow each other; and
 * what lives at the end.
 */
asUser(async ({say, resource, rows}) => {
	for (const [i, {name, parts, level}] of page.facts.resources.entries()) {
		await resource(i);
		say(name, byId("time").hidden, parts && !level &&
			parts.reduce((a, b) => a + b), parts && parts.length);
		say(`${name} parts`, parts && parts.filter(n => n > 0).length);
		say(`${name} says`, byId("time").querySelector("figcaption")
			.textContent.replace(/,.*/, ""));
		say(`${name} functions`, ...rows("functions"));
		say(`${name} leaks`, byId("lives").hidden, ...rows("leaks"));
		if (level) {
			say(`${name} most`, Math.max(...level));
			say(`${name} levels`, parts.filter(
				(n, i) => i === 0 || n !== parts[i - 1])
				.join(" "));
		}
	}
});
