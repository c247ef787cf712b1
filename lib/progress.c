/* Asks whether work goes on. */
#include "lib/progress.h"

#include <string.h>

int work_ask(const struct work *work, const char *what, uint64_t done,
	uint64_t all, struct err *err)
{
	if (!work || work->go_on(work->arg, what, done, all))
		return 0;
	return err_set(err, NULL, NULL, WORK_STOPPED);
}

bool work_stopped(const struct err *err)
{
	return strcmp(err->reason, WORK_STOPPED) == 0;
}
