/* Sends records through a pipe as chunks, and writes those that come. */
#include "lib/cpprofdata/relay.h"

#include "lib/cpprofdata/writer_private.h"

void cpd_relay_send(struct cpd_writer *w, int fd)
{
	/* the parent has no numbers of strings */
	strings_free(&w->strings);
	w->numbers.n = 0;
	w->nstrings = 0;
	cpd_file_redirect(w->file, fd);
}

static int on_record(void *arg, int kind, void *record, struct err *err)
{
	struct cpd_relay *relay = arg;

	(void)err;
	relay->addrs += kind == CPD_KIND_addr;
	if (kind != CPD_KIND_function && kind != CPD_KIND_addr &&
		kind != CPD_KIND_note)
		return -1;
	return relay->take ? relay->take(relay->arg, kind, record)
			   : cpd_write_record(relay->writer, kind, record);
}

static int refuse_node(void *arg, const struct cpd_node *n, struct err *err)
{
	(void)arg, (void)n, (void)err;
	return -1;
}

static int refuse_sample(void *arg, const struct cpd_sample *s, struct err *err)
{
	(void)arg, (void)s, (void)err;
	return -1;
}

static const struct cpd_handlers handlers = {
	.any = on_record,
	.node = refuse_node,
	.sample = refuse_sample,
};

void cpd_relay_begin(struct cpd_relay *relay)
{
	cpd_decoder_fini(&relay->decoder);
	relay->decoder = (struct cpd_decoder){.on = &handlers,
		.arg = relay,
		.name = "names",
		.known = relay->writer->known};
	relay->decoder.known.intervals.v = NULL; /* the writer's */
	relay->decoder.known.intervals.n = 0;
	relay->decoder.known.intervals.cap = 0;
}

ssize_t cpd_relay_take(struct cpd_relay *relay, const uint8_t *data, size_t n)
{
	size_t done = 0, size;
	struct err err;

	while (n - done >= CPD_CHUNK_HEADER_SIZE) {
		size = cpd_chunk_size(data + done);
		if (size > n - done)
			break;
		if (!size || cpd_decode(&relay->decoder, data + done, size,
				     done, &err))
			return -1;
		done += size;
	}
	return (ssize_t)done;
}

void cpd_relay_fini(struct cpd_relay *relay)
{
	cpd_decoder_fini(&relay->decoder);
}
