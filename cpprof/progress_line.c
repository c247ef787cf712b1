/* Shows progress after a moment of patience and asks for an interrupt. */
#include "cpprof/progress_line.h"

#include <inttypes.h>
#include <unistd.h>

#include "lib/clock.h"
#include "cpprof/interrupt.h"

#define PATIENCE_NS 1000000000u
#define AGAIN_NS 100000000u /* from one line to the next */

static bool go_on(void *arg, const char *what, uint64_t done, uint64_t all)
{
	struct patience *p = arg;
	uint64_t time = clock_now();

	if (interrupt_came() || (p->out && ferror(p->out)))
		return false;
	if (!p->show || time - p->start < PATIENCE_NS ||
		time - p->told < AGAIN_NS)
		return true;
	p->told = time;
	if (!all && done < 1000000)
		fprintf(stderr, "\r\033[Kcpprof: %s: %" PRIu64, what, done);
	else if (all && done <= all)
		fprintf(stderr, "\r\033[Kcpprof: %s: %" PRIu64 " %%", what,
			(uint64_t)(100 * ((double)done / (double)all)));
	else
		fprintf(stderr, "\r\033[Kcpprof: %s: %.1f million", what,
			(double)done / 1e6);
	return true;
}

void patience_begin(struct patience *p)
{
	*p = (struct patience){.work = {go_on, p},
		.start = clock_now(),
		.show = isatty(STDERR_FILENO)};
}

void patience_end(struct patience *p)
{
	/* Also wipes the ^C that an interrupt left on the line. */
	if (p->told || (p->show && interrupt_came()))
		fputs("\r\033[K", stderr);
	p->told = 0;
	p->show = false;
}

void patience_over(struct patience *p, const struct err *err)
{
	patience_end(p);
	if (err && work_stopped(err))
		interrupt_obey();
	interrupt_end();
}
