/* fde.c - functions by their entries of call frame information. */

#include "analyzer/symbol/table/fde.h"

static int add(void *arg, const struct frame_range *range)
{
	struct fdes *fdes = arg;
	struct frame_range *fde = vec_push(&fdes->all);

	if (!fde)
		return -1;
	*fde = *range;
	return spans_push(&fdes->spans, range->lo, range->hi,
		(uint32_t)(fdes->all.n - 1));
}

int fdes_init(struct fdes *fdes, struct elf_image *image, Elf *debug)
{
	struct frames *frames;
	int rc = -1;

	*fdes = (struct fdes){0};
	if (!image->native)
		return 0;
	frames = frames_open(image->elf, debug);
	if (frames && frames_each(frames, add, fdes) == 0 &&
		spans_flatten(&fdes->spans) == 0)
		rc = 0;
	frames_close(frames);
	if (rc < 0)
		fdes_fini(fdes);
	return rc;
}

void fdes_fini(struct fdes *fdes)
{
	vec_free(&fdes->all);
	vec_free(&fdes->spans);
}

const struct frame_range *fdes_find(const struct fdes *fdes, uint64_t addr)
{
	const struct span *span = spans_find(&fdes->spans, addr);

	return span ? &fdes->all.v[span->id] : NULL;
}
