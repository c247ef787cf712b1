/*
 * Appended to a page by t/cli/page.t: how different the tints of modules are at
 * least (CIE 1976), and how well text is to be read on them (WCAG 2), in each
 * theme, for people who see all colours and for those who lack one kind of cone
 * (Machado, Oliveira and Fernandes 2009, severity 1).
 */
const cones = {
	all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	protan: [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099],
		[-0.004, -0.048, 1.052]],
	deutan: [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047],
		[-0.012, 0.043, 0.969]],
	tritan: [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148],
		[0.005, 0.691, 0.304]],
};

/* "#f2cf8b": its linear red, green and blue */
function linear(colour) {
	return [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255)
		.map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
}

const times = (matrix, v) => matrix.map(row =>
	Math.max(0, row.reduce((sum, x, i) => sum + x * v[i], 0)));
const luminance = rgb => times([[0.2126, 0.7152, 0.0722]], rgb)[0];

function lab(rgb) {
	const [x, y, z] = times([[0.4339, 0.3763, 0.1896],
		[0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8729]], rgb)
		.map(t => t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);

	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function least(list, f) {
	return Math.min(...list.flatMap((a, i) =>
		list.slice(i + 1).map(b => f(a, b))));
}

asUser(async ({say, click}) => {
	for (const theme of ["light", "dark"]) {
		const {tints, text} = colours();
		const [fore, ...backs] = [text, ...tints]
			.map(colour => luminance(linear(colour)));

		say(`${theme} text`, backs.every(back =>
			(Math.max(fore, back) + 0.05) /
			(Math.min(fore, back) + 0.05) >= 4.5));
		for (const [kind, matrix] of Object.entries(cones))
			say(`${theme} ${kind}`, least(tints.map(tint =>
				lab(times(matrix, linear(tint)))), (a, b) =>
				Math.hypot(...a.map((x, i) => x - b[i]))) >= 7.5);
		await click(byId("theme"));
	}
});
