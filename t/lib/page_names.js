/* Appended to a page by t/cli/page.t: the names in the table of functions. */
addEventListener("load", async () => {
	while (!page.ready)
		await new Promise(done => setTimeout(done, 5));
	const names = [...document.querySelectorAll("#functions tbody tr")]
		.map(tr => tr.cells[2].textContent);
	const out = document.createElement("pre");

	out.id = "result";
	out.textContent = `@@names: ${names.join("; ")}\n@@images: ${
		document.images.length}\n`;
	document.body.append(out);
});
