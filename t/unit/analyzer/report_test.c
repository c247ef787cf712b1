/*
 * Reports of the run in report_data.h, in each format.
 */
#include "analyzer/export/export.h"
#include "t/unit/analyzer/report_data.h"

static void test_paper_paths(const struct dataset *data)
{
	/* Of 2000: 1850, 1250 with and without h, 1000, 600. */
	check(data, "paper", PROFILE_DOWN, "main", 0,
		"Downward Call Path Profile for resource: Page Faults\n" FACTS
		"root: main; threshold: 0\n"
		"format: usage_fraction (call_path) [#hits]\n" RULE
		"0.92500 (main) [185]\n"
		"0.62500 (main f) [125]\n"
		"0.62500 (main f h) [125]\n"
		"0.50000 (main f h g<x;y>) [100]\n"
		"0.30000 (main g<x;y>) [60]\n"
		"note: entries on fewer than 20 samples: 5 of 5; their "
		"fractions are rough\n",
		"downward, as text");
	/* (g) 1000 + 600 + 100; ties by name. */
	check(data, "paper", PROFILE_UP, "_Zg", 0,
		"Upward Call Path Profile for resource: Page Faults\n" FACTS
		"root: _Zg; threshold: 0\n"
		"format: usage_fraction (call_path) [#hits]\n" RULE
		"0.85000 (g<x;y>) [170]\n"
		"0.50000 (h g<x;y>) [100]\n"
		"0.50000 (f h g<x;y>) [100]\n"
		"0.50000 (main f h g<x;y>) [100]\n"
		"0.30000 (main g<x;y>) [60]\n"
		"0.05000 (libx.so+0x40 g<x;y>) [10]\n"
		"0.05000 ([truncated] libx.so+0x40 g<x;y>) [10]\n"
		"note: entries on fewer than 20 samples: 7 of 7; their "
		"fractions "
		"are rough\n",
		"upward, by linkage name");
}

static void test_paper_functions(const struct dataset *data)
{
	check(data, "paper", PROFILE_FUNCTION, NULL, 0.01,
		"Body+Descendants Function Profile for resource: Page "
		"Faults\n" FACTS "threshold: 0.01\n"
		"format: usage_fraction function [#hits]\n" RULE
		"0.92500 main [185]\n"
		"0.85000 g<x;y> [170]\n"
		"0.62500 f [125]\n"
		"0.62500 h [125]\n"
		"0.05000 [truncated] [10]\n"
		"0.05000 libx.so+0x40 [10]\n"
		"0.01500 [lost] [0]\n"
		"note: entries on fewer than 20 samples: 6 of 7; their "
		"fractions "
		"are rough\n",
		"function profile");
	check(data, "paper", PROFILE_BODY, NULL, 0.1,
		"Body Function Profile for resource: Page Faults\n" FACTS
		"threshold: 0.1\n"
		"format: usage_fraction function [#hits]\n" RULE
		"0.85000 g<x;y> [170]\n"
		"0.12500 h [25]\n"
		"note: entries on fewer than 20 samples: 2 of 2; their "
		"fractions are rough\n",
		"body profile");
}

static void test_paper_tree(const struct dataset *data)
{
	check(data, "paper", PROFILE_TREE, NULL, 0.05,
		"Sample Tree Profile for resource: Page Faults\n" FACTS
		"threshold: 0.05\n"
		"format: function (usage_fraction) [#hits]\n" RULE
		"main (0.92500) [185]\n"
		"  f (0.62500) [125]\n"
		"    h (0.62500) [125]\n"
		"      g<x;y> (0.50000) [100]\n"
		"  g<x;y> (0.30000) [60]\n"
		"[truncated] (0.05000) [10]\n"
		"  libx.so+0x40 (0.05000) [10]\n"
		"    g<x;y> (0.05000) [10]\n"
		"note: entries on fewer than 20 samples: 8 of 8; their "
		"fractions "
		"are rough\n",
		"tree");
}

static void test_views(const struct dataset *data)
{
	ends_with(report(data, "paper", PROFILE_DOWN, "main", 0,
			  (struct tree_view){.no_inlines = true}, false),
		"0.92500 (main) [185]\n"
		"0.62500 (main f) [125]\n"
		"0.50000 (main f g<x;y>) [100]\n"
		"0.30000 (main g<x;y>) [60]\n"
		"note: entries on fewer than 20 samples: 4 of 4; their "
		"fractions are rough\n",
		"inlined calls folded back");
	/* main calls f and g in line 5; f has h inlined at line 7. */
	ends_with(report(data, "paper", PROFILE_DOWN, "main", 0.3,
			  (struct tree_view){.sites = true}, false),
		"0.92500 (main) [185]\n"
		"0.62500 (main:prog.c:5 f) [125]\n"
		"0.62500 (main:prog.c:5 f:prog.c:7 h) [125]\n"
		"0.50000 (main:prog.c:5 f:prog.c:7 h:h.c:12 g<x;y>) [100]\n"
		"0.30000 (main:prog.c:5 g<x;y>) [60]\n"
		"note: entries on fewer than 20 samples: 5 of 5; their "
		"fractions are rough\n",
		"call sites told apart");
	/* Wilson for 0.94388 of 1960^2 / squares samples; times 1960 / 2000. */
	ends_with(report(data, "paper", PROFILE_DOWN, "main", 0.65,
			  (struct tree_view){0}, true),
		"0.92500 (main) [185] 0.48334..0.97664\n"
		"note: entries on fewer than 20 samples: 1 of 1; their "
		"fractions are rough\n",
		"with the 95 % interval");
	ends_with(report(data, "paper", PROFILE_DOWN, "[all]", 0.93,
			  (struct tree_view){0}, true),
		"1.00000 ([all]) [196] 1.00000..1.00000\n"
		"note: entries on fewer than 20 samples: 1 of 1; their "
		"fractions are rough\n",
		"all is all, with the losses");
	ends_with(report(data, "paper", PROFILE_BODY, NULL, 0.99,
			  (struct tree_view){0}, false),
		"note: nothing reaches the threshold of 0.99\n",
		"nothing over the threshold");
}

static void test_data(const struct dataset *data)
{
	check(data, "json", PROFILE_DOWN, "main", 0.9,
		"{\"schema\":\"cpprof-profile\",\"version\":1,"
		"\"profile\":\"down\",\"root\":\"main\","
		"\"resource\":\"pagefaults\",\"unit\":\"fault\","
		"\"interval\":10,\"gticks\":2003,\"hits\":196,\"samples\":7,"
		"\"lost\":30,\"truncated\":1,\"unsampled\":10,\"entries\":["
		"{\"path\":[\"main\"],\"frames\":[{\"function\":\"main\","
		"\"module\":\"prog\",\"file\":null,\"line\":null,"
		"\"site\":null,\"address\":4096}],\"hits\":185,"
		"\"fraction\":0.925,"
		"\"weight\":1850,\"samples\":5,"
		"\"interval95\":[0.48334,0.97664],"
		"\"kept_fraction\":0.925}],"
		"\"title\":\"Page Faults\",\"threshold\":0.9,\"weight\":2000,"
		"\"kernel\":0,\"uncounted\":0,\"probes\":0,\"before\":0,\"lost_"
		"samples\":3,"
		"\"clock\":false,\"estimate\":false,\"user_only\":false,"
		"\"random\":false,\"own_count\":false,\"processes\":1,"
		"\"threads\":1,"
		"\"complete\":true,\"filters\":[],"
		"\"kept\":{\"weight\":2000,\"hits\":196,\"samples\":7},"
		"\"undecided\":{\"weight\":0,\"hits\":0,\"samples\":0},"
		"\"elided\":[],\"group\":\"function\",\"below\":false}\n",
		"downward, as JSON");
	check(data, "csv", PROFILE_DOWN, "main", 0.3,
		"profile,resource,path,fraction,hits,weight,samples,depth,"
		"kept_fraction,modules,files,sites\n"
		"down,\"pagefaults\",\"main\",0.92500,185,1850,5,,0.92500,"
		"\"prog\",\"\",\"\"\n"
		"down,\"pagefaults\",\"main;f\",0.62500,125,1250,4,,0.62500,"
		"\"prog;prog\",\";\",\";\"\n"
		"down,\"pagefaults\",\"main;f;h\",0.62500,125,1250,4,,0.62500,"
		"\"prog;prog;prog\",\";;\",\";;\"\n"
		"down,\"pagefaults\",\"main;f;h;g<x\\x3by>\","
		"0.50000,100,1000,3,,0.50000,"
		"\"prog;prog;prog;prog\",\";;;\",\";;;\"\n"
		"down,\"pagefaults\",\"main;g<x\\x3by>\",0.30000,60,600,1,,0."
		"30000,\"prog;prog\",\";\",\";\"\n",
		"downward, as CSV");
	check(data, "csv", PROFILE_TREE, NULL, 0.6,
		"profile,resource,path,fraction,hits,weight,samples,depth,"
		"kept_fraction,modules,files,sites\n"
		"tree,\"pagefaults\",\"main\",0.92500,185,1850,5,1,0.92500,"
		"\"prog\",\"\",\"\"\n"
		"tree,\"pagefaults\",\"f\",0.62500,125,1250,4,2,0.62500,"
		"\"prog\",\"\",\"\"\n"
		"tree,\"pagefaults\",\"h\",0.62500,125,1250,4,3,0.62500,"
		"\"prog\",\"\",\"\"\n",
		"tree, as CSV");
}

static void test_folded(const struct dataset *data)
{
	const struct export x = {.data = data, .view.resource = 1};
	struct err err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ok(!export_folded(out, &x, &err), "folded");
	fclose(out);
	/* Losses in hits: 30 / 10 and 10 / 10. */
	is(text,
		"main;f;h;g<x\\x3by> 100\n"
		"main;g<x\\x3by> 60\n"
		"main;f;h 25\n"
		"[truncated];libx.so+0x40;g<x\\x3by> 10\n"
		"[lost] 3\n"
		"[no user stack] 1\n"
		"[unsampled] 1\n",
		"folded lines, heaviest first");
	free(text);
}

int main(void)
{
	struct dataset *data;

	path = temp_file();
	data = whole_run();
	test_paper_paths(data);
	test_paper_functions(data);
	test_paper_tree(data);
	test_views(data);
	test_data(data);
	test_folded(data);
	dataset_free(data);
	temp_file_remove(path);
	return done_testing();
}
