/*
 * io - bytes and calls of every kind of transfer, counted to the byte.
 *
 * Each of the functions below main does one kind: whole and partial transfers,
 * calls that are interrupted, that fail, that meet the end of the file, and
 * calls that move bytes from one descriptor to another.  What the profiles of
 * syscalls, bytes-read, bytes-written and bytes must show: exactly what --truth
 * says for each.  A byte counts when a call returned it; a call that moves
 * bytes between descriptors counts them as read and as written, and once in
 * bytes.  The functions do no other system call than the ones counted (one
 * more: the return from the signal handler in read_interrupted).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "samples/sample.h"

#define FILE_SIZE 100000
#define CHUNK 4096
#define TIMES 20

static int file, other, nowhere; /* files of FILE_SIZE; /dev/null */
static int in, out;              /* a pipe */
static int near_end, far_end;    /* a pair of stream sockets */
static char buffer[FILE_SIZE];
static char *unreadable;

static uint64_t calls, bytes_read, bytes_written, bytes_moved;

static volatile sig_atomic_t interrupting, interruptions;

/* Counts the call, and returns its RESULT. */
static inline ssize_t got(ssize_t result)
{
	calls++;
	if (result > 0)
		bytes_read += (uint64_t)result;
	return result;
}

static inline ssize_t put(ssize_t result)
{
	calls++;
	if (result > 0)
		bytes_written += (uint64_t)result;
	return result;
}

static inline ssize_t moved(ssize_t result)
{
	calls++;
	if (result > 0)
		bytes_moved += (uint64_t)result;
	return result;
}

static inline ssize_t neither(ssize_t result)
{
	calls++;
	return result;
}

#define MUST(condition)                                                        \
	do {                                                                   \
		if (!(condition))                                              \
			sample_fail("%s: %s: %s", __func__, #condition,        \
				strerror(errno));                              \
	} while (0)

static FRAME void read_to_end(void)
{
	ssize_t n;

	MUST(neither(lseek(file, 0, SEEK_SET)) == 0);
	while ((n = got(read(file, buffer, CHUNK))) > 0)
		continue;
	MUST(n == 0);
}

static FRAME void read_one_byte_each(void)
{
	for (int i = 0; i < 5000; i++)
		MUST(got(pread(file, buffer, 1, i)) == 1);
}

static FRAME void read_partial(void)
{
	for (int i = 0; i < TIMES; i++) {
		MUST(put(write(out, buffer, 100)) == 100);
		MUST(got(read(in, buffer, CHUNK)) == 100);
	}
}

static FRAME void write_partial(void)
{
	ssize_t fits;

	/* nobody reads: first less than requested goes in, then nothing */
	MUST(neither(fcntl(out, F_SETFL, O_NONBLOCK)) == 0);
	while ((fits = put(write(out, buffer, FILE_SIZE))) > 0)
		continue;
	MUST(fits == -1 && errno == EAGAIN);
	MUST(neither(fcntl(in, F_SETFL, O_NONBLOCK)) == 0);
	while (got(read(in, buffer, FILE_SIZE)) > 0)
		continue;
	MUST(neither(fcntl(out, F_SETFL, 0)) == 0);
	MUST(neither(fcntl(in, F_SETFL, 0)) == 0);
}

/* An empty pipe and a signal: the call fails and moves nothing. */
static FRAME void read_interrupted(void)
{
	MUST(got(read(in, buffer, CHUNK)) == -1 && errno == EINTR);
}

static FRAME void fail(void)
{
	for (int i = 0; i < TIMES; i++) {
		MUST(got(read(-1, buffer, CHUNK)) == -1);
		MUST(put(write(-1, buffer, CHUNK)) == -1);
		MUST(got(pread(in, buffer, CHUNK, 0)) == -1);
		MUST(put(write(out, unreadable, CHUNK)) == -1);
	}
}

static FRAME void write_nowhere(void)
{
	for (int i = 0; i < TIMES; i++)
		MUST(put(write(nowhere, buffer, 12345)) == 12345);
}

static FRAME void use_vectors(void)
{
	struct iovec parts[3] = {
		{buffer, 10}, {buffer + 10, 200}, {buffer + 300, 3000}};

	for (int i = 0; i < TIMES; i++) {
		MUST(put(pwritev(other, parts, 3, 0)) == 3210);
		MUST(put(pwritev2(other, parts, 2, 0, 0)) == 210);
		MUST(put(pwrite(other, buffer, 77, 5)) == 77);
		MUST(got(preadv(other, parts, 3, 10)) == 3210);
		/* only 50 bytes are left there */
		MUST(got(preadv2(other, parts, 2, FILE_SIZE - 50, 0)) == 50);
		MUST(put(writev(out, parts, 2)) == 210);
		MUST(got(readv(in, parts, 3)) == 210);
	}
}

static FRAME void use_sockets(void)
{
	struct iovec part = {buffer, 1000};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	for (int i = 0; i < TIMES; i++) {
		MUST(put(send(near_end, buffer, 500, 0)) == 500);
		MUST(got(recv(far_end, buffer, CHUNK, 0)) == 500);
		MUST(put(sendmsg(near_end, &message, 0)) == 1000);
		MUST(got(recvmsg(far_end, &message, 0)) == 1000);
		MUST(put(sendto(near_end, buffer, 30, 0, NULL, 0)) == 30);
		MUST(got(recvfrom(far_end, buffer, 7, 0, NULL, NULL)) == 7);
		MUST(got(read(far_end, buffer, CHUNK)) == 23);
	}
}

/* Calls that return the bytes of each message in its own field. */
static FRAME void use_many_messages(void)
{
	struct iovec parts[2] = {{buffer, 300}, {buffer + 300, 40}};
	struct mmsghdr messages[2] = {
		{.msg_hdr = {.msg_iov = &parts[0], .msg_iovlen = 1}},
		{.msg_hdr = {.msg_iov = &parts[1], .msg_iovlen = 1}}};

	for (int i = 0; i < TIMES; i++) {
		MUST(neither(sendmmsg(near_end, messages, 2, 0)) == 2);
		bytes_written += messages[0].msg_len + messages[1].msg_len;
		MUST(neither(recvmmsg(far_end, messages, 2, 0, NULL)) == 2);
		bytes_read += messages[0].msg_len + messages[1].msg_len;
	}
}

static FRAME void move_with_sendfile(void)
{
	for (int i = 0; i < TIMES; i++) {
		off_t at = 100;

		MUST(moved(sendfile(out, file, &at, 8000)) == 8000);
		MUST(got(read(in, buffer, FILE_SIZE)) == 8000);
		at = FILE_SIZE; /* the end of the file: moves nothing */
		MUST(moved(sendfile(out, file, &at, 8000)) == 0);
	}
}

static FRAME void move_with_splice(void)
{
	for (int i = 0; i < TIMES; i++) {
		off_t at = 0;

		MUST(moved(splice(file, &at, out, NULL, 6000, 0)) == 6000);
		at = 0;
		MUST(moved(splice(in, NULL, other, &at, 9000, 0)) == 6000);
	}
}

static FRAME void move_with_copy_range(void)
{
	off_t from = FILE_SIZE - 2000, to = 0;

	MUST(moved(copy_file_range(file, &from, other, &to, 5000, 0)) == 2000);
	MUST(moved(copy_file_range(file, &from, other, &to, 5000, 0)) == 0);
}

/* Pages of the program into a pipe, and from one pipe into another. */
static FRAME void give_pages(int second_out, int second_in)
{
	struct iovec part = {buffer, 4000};

	for (int i = 0; i < TIMES; i++) {
		MUST(put(vmsplice(out, &part, 1, 0)) == 4000);
		MUST(moved(tee(in, second_out, 9000, 0)) == 4000);
		MUST(got(read(second_in, buffer, CHUNK)) == 4000);
		MUST(got(read(in, buffer, CHUNK)) == 4000);
	}
}

static void tell(const char *function)
{
	sample_truth("syscalls", function, calls);
	sample_truth("bytes-read", function, bytes_read + bytes_moved);
	sample_truth("bytes-written", function, bytes_written + bytes_moved);
	sample_truth(
		"bytes", function, bytes_read + bytes_written + bytes_moved);
	calls = bytes_read = bytes_written = bytes_moved = 0;
}

#define COUNTED(function, ...)                                                 \
	do {                                                                   \
		function(__VA_ARGS__);                                         \
		tell(#function);                                               \
	} while (0)

static void on_alarm(int signal)
{
	(void)signal;
	if (interrupting)
		interruptions++;
}

static void set_alarm(suseconds_t every)
{
	struct itimerval timer = {
		.it_interval.tv_usec = every, .it_value.tv_usec = every};

	MUST(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

/* Repeats the signal, in case it came before its call. */
static void be_interrupted(void)
{
	struct sigaction action = {.sa_handler = on_alarm};

	MUST(sigaction(SIGALRM, &action, NULL) == 0);
	set_alarm(20000);
	interrupting = 1;
	read_interrupted();
	interrupting = 0;
	set_alarm(0);
	calls += (uint64_t)interruptions; /* of rt_sigreturn */
	tell("read_interrupted");
}

static int make_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	MUST(fd >= 0);
	MUST(write(fd, buffer, FILE_SIZE) == FILE_SIZE);
	return fd;
}

static void open_all(int second[2])
{
	int ends[2];

	unreadable = mmap(
		NULL, CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	MUST(unreadable != MAP_FAILED);
	file = make_file("io");
	other = make_file("other");
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	MUST(nowhere >= 0);
	MUST(pipe2(ends, O_CLOEXEC) == 0);
	in = ends[0];
	out = ends[1];
	MUST(pipe2(second, O_CLOEXEC) == 0);
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
	near_end = ends[0];
	far_end = ends[1];
}

int main(int argc, char **argv)
{
	int second[2];

	sample_start(argc, argv, NULL);
	memset(buffer, 'x', sizeof(buffer));
	open_all(second);
	COUNTED(read_to_end);
	COUNTED(read_one_byte_each);
	COUNTED(read_partial);
	COUNTED(write_partial);
	be_interrupted();
	COUNTED(fail);
	COUNTED(write_nowhere);
	COUNTED(use_vectors);
	COUNTED(use_sockets);
	COUNTED(use_many_messages);
	COUNTED(move_with_sendfile);
	COUNTED(move_with_splice);
	COUNTED(move_with_copy_range);
	COUNTED(give_pages, second[1], second[0]);
	printf("all transfers done\n");
	return sample_end();
}
