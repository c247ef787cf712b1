/* Appended to a page by t/cli/page.t: the names in the table of functions. */
asUser(async ({say}) => {
	say("names", ...[...document.querySelectorAll("#functions tbody tr")]
		.map(tr => tr.cells[2].textContent));
	say("images", document.images.length);
});
