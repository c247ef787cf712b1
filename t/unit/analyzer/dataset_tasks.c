/*
 * dataset_tasks - when processes and threads end, and which program a process
 * runs, where no record says so.
 */
#include <string.h>

#include "t/lib/made_file.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

/* An exit record, an exec, the end of the file; and a fork's program. */
static void test_ends(void)
{
	const char *path = temp_file();
	struct cpd_writer *w = made_begin(path, NULL);
	struct cpd_process p = {.pid = 7, .time = 10, .name = "a", .exe = "/a"};
	struct dataset *data;

	cpd_write_process(w, &p);
	cpd_write_process(w, &(struct cpd_process){.parent = 1,
				     .pid = 8,
				     .time = 20,
				     .name = "a",
				     .exe = ""});
	cpd_write_process(w, &(struct cpd_process){.parent = 2,
				     .pid = 8,
				     .time = 30,
				     .name = "b",
				     .exe = "",
				     .flags = CPD_PROCESS_EXEC});
	for (uint32_t i = 1; i <= 4; i++)
		cpd_write_thread(
			w, &(struct cpd_thread){.process = i < 4 ? i : 3,
				   .tid = (int)i,
				   .time = 30,
				   .name = ""});
	cpd_write_exit(w, &(struct cpd_exit){2, 0, 30}); /* the exec */
	cpd_write_exit(w, &(struct cpd_exit){3, 4, 44});
	data = made_open(w, path, 500);
	ok(data->thread_end[4] == 44, "a thread ends when it is told");
	ok(data->thread_end[1] == 500 && data->process_end[1] == 500 &&
			data->process_end[3] == 500,
		"what did not end lasts to the end of the run");
	ok(data->thread_end[2] == 30 && data->process_end[2] == 30,
		"what called exec lasts to there");
	ok(!strcmp(data->processes[2].exe, "/a") && !*data->processes[3].exe,
		"a fork runs its parent's program, an exec does not");
	dataset_free(data);
	temp_file_remove(path);
}

int main(void)
{
	test_ends();
	return done_testing();
}
