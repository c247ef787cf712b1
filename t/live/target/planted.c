/*
 * planted CAUSE - a program that is slow for one known reason.
 *
 * Each cause has a context that is to be changed, and other callers of the same
 * functions that are not.  The names in the table below are those that a
 * profile must lead to.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__ /* which does not know noclone */
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noinline, noclone))
#endif
/* after a call that would else be a jump */
#define STAY() __asm__ volatile("" ::: "memory")

static volatile uint64_t sink;

static FRAME void spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink * 31 + i;
	STAY();
}

/* churn: format_row allocates and frees its buffer for each cell. */
static FRAME void take_and_give(size_t n)
{
	char *volatile p = malloc(n);

	p[0] = 1;
	free(p);
	STAY();
}

static FRAME void format_row(void)
{
	for (int i = 0; i < 20; i++)
		take_and_give(2000);
	STAY();
}

static FRAME void open_table(void)
{
	take_and_give(2000);
	spin(100);
}

static void churn(void)
{
	for (int i = 0; i < 300000; i++) {
		open_table();
		format_row();
	}
}

/* bytewise: read_header reads byte by byte, read_body in blocks. */
static FRAME size_t get(int fd, void *to, size_t n)
{
	ssize_t got = read(fd, to, n);

	STAY();
	return got < 0 ? 0 : (size_t)got;
}

static FRAME void read_header(int fd)
{
	char c;

	for (int i = 0; i < 2000; i++)
		sink += get(fd, &c, 1);
	STAY();
}

static FRAME void read_body(int fd)
{
	static char block[65536];

	for (int i = 0; i < 100; i++)
		sink += get(fd, block, sizeof block);
	STAY();
}

static void bytewise(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 4; i++) {
		read_header(fd);
		read_body(fd);
	}
	close(fd);
}

/* quadratic: upper_case asks for the length at each character. */
static FRAME size_t length(const char *s)
{
	size_t n = 0;

	while (s[n]) {
		n++;
		STAY();
	}
	return n;
}

static FRAME void upper_case(char *s)
{
	for (size_t i = 0; i < length(s); i++)
		if (s[i] >= 'a' && s[i] <= 'z')
			s[i] = (char)(s[i] - 'a' + 'A');
}

static FRAME void trim(char *s)
{
	size_t n = length(s);

	while (n && s[n - 1] == ' ')
		s[--n] = 0;
}

static void quadratic(void)
{
	static char text[20001];

	for (int i = 0; i < 3; i++) {
		memset(text, 'a', sizeof text - 1);
		for (int j = 0; j < 100; j++)
			trim(text);
		upper_case(text);
	}
}

/* held: refresh sleeps while it has the lock for which look_up waits. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile bool over;

static FRAME void pause_ms(long ms)
{
	struct timespec t = {.tv_nsec = ms * 1000000};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
	STAY();
}

static FRAME void refresh(void)
{
	pthread_mutex_lock(&lock);
	pause_ms(30);
	pthread_mutex_unlock(&lock);
}

static FRAME void look_up(void)
{
	pthread_mutex_lock(&lock);
	spin(1000);
	pthread_mutex_unlock(&lock);
}

static void *serve(void *unused)
{
	(void)unused;
	while (!over) {
		look_up();
		spin(1000000);
	}
	return NULL;
}

static void held(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, serve, NULL))
			exit(1);
	for (int i = 0; i < 30; i++) {
		refresh();
		spin(1000);
		pause_ms(1);
	}
	over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* reopen: get_setting opens and reads its file anew each time. */
static char path[4096];

static FRAME size_t load(const char *name, char *to, size_t n)
{
	int fd = open(name, O_RDONLY);
	ssize_t got = fd < 0 ? -1 : read(fd, to, n);

	if (fd >= 0)
		close(fd);
	return got < 0 ? 0 : (size_t)got;
}

static FRAME void get_setting(void)
{
	char text[64];

	sink += load(path, text, sizeof text);
	STAY();
}

static FRAME void load_page(void)
{
	char text[4096];

	sink += load("/proc/self/cmdline", text, sizeof text);
	STAY();
}

static void reopen(void)
{
	for (int i = 0; i < 100; i++) {
		if (i % 20 == 0)
			load_page();
		for (int j = 0; j < 20; j++)
			get_setting();
	}
}

/* fresh: decode maps a new buffer for each picture, encode keeps its own. */
static FRAME void fill(char *to, size_t n)
{
	for (size_t i = 0; i < n; i += 4096)
		to[i] = 1;
	STAY();
}

static FRAME void decode(size_t n)
{
	char *buffer = mmap(NULL, n, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buffer == MAP_FAILED)
		exit(1);
	fill(buffer, n);
	munmap(buffer, n);
}

static FRAME void encode(size_t n)
{
	static char buffer[1 << 20];

	fill(buffer, n);
	spin(100000);
}

static void fresh(void)
{
	for (int i = 0; i < 200; i++) {
		decode(1 << 20);
		encode(1 << 20);
	}
}

/* copy: score takes its large argument by value. */
struct board {
	char squares[60000];
};

static FRAME int count(const struct board *board)
{
	int n = 0;

	for (size_t i = 0; i < sizeof board->squares; i += 512)
		n += board->squares[i];
	return n;
}

static FRAME int score(struct board board)
{
	board.squares[0]++;
	return count(&board);
}

static FRAME void search(struct board *board)
{
	for (int i = 0; i < 200; i++)
		sink += (uint64_t)score(*board);
	STAY();
}

static FRAME void set_up(struct board *board)
{
	struct board old = *board;

	sink += (uint64_t)count(&old);
	STAY();
}

static void copy(void)
{
	static struct board board;

	for (int i = 0; i < 2000; i++) {
		set_up(&board);
		search(&board);
	}
}

/* recompute: ways computes the same again and again. */
static FRAME uint64_t ways(int x, int y)
{
	uint64_t n;

	if (!x || !y)
		return 1;
	n = ways(x - 1, y) + ways(x, y - 1);
	STAY();
	return n;
}

static FRAME void draw(void)
{
	spin(20000000);
}

static void recompute(void)
{
	sink += ways(14, 14);
	draw();
}

/* flush: log_request flushes the log at each line. */
static FRAME void put_line(FILE *f, const char *text, bool now)
{
	fputs(text, f);
	if (now)
		fflush(f);
	STAY();
}

static FRAME void log_request(FILE *f)
{
	put_line(f, "GET /\n", true);
	STAY();
}

static FRAME void write_page(FILE *f)
{
	for (int i = 0; i < 100; i++)
		put_line(f, "<p>a line of the page</p>\n", false);
	put_line(f, "\n", true);
	STAY();
}

static void flush(void)
{
	FILE *log = fopen("/dev/null", "w"), *page = fopen("/dev/null", "w");

	if (!log || !page)
		exit(1);
	for (int i = 0; i < 1000; i++) {
		for (int j = 0; j < 7; j++)
			log_request(log);
		write_page(page);
	}
}

/* hash: all keys of index_words fall into one bucket. */
#define BUCKETS 1024
struct entry {
	struct entry *next;
	uint64_t key;
};
static struct entry *buckets[BUCKETS];

static FRAME struct entry *find(uint64_t key)
{
	struct entry *e = buckets[key % BUCKETS];

	while (e && e->key != key)
		e = e->next;
	return e;
}

static FRAME void insert(uint64_t key)
{
	struct entry *e = find(key);

	if (e)
		return;
	e = malloc(sizeof *e);
	if (!e)
		exit(1);
	*e = (struct entry){buckets[key % BUCKETS], key};
	buckets[key % BUCKETS] = e;
}

static FRAME void index_words(void)
{
	for (uint64_t i = 0; i < 8000; i++)
		insert(i * BUCKETS);
	STAY();
}

static FRAME void index_pages(void)
{
	for (uint64_t i = 0; i < 30000; i++)
		insert(i * 2 + 1);
	STAY();
}

static void hash(void)
{
	for (int i = 0; i < 3; i++) {
		index_words();
		index_pages();
		STAY();
	}
}

/* spawn: make_thumbnail starts a program for each picture. */
static FRAME void make_thumbnail(void)
{
	FILE *f = popen("exit 0", "r");

	if (!f)
		exit(1);
	pclose(f);
	STAY();
}

static FRAME void draw_album(void)
{
	spin(20000);
	make_thumbnail();
	STAY();
}

static void spawn(void)
{
	for (int i = 0; i < 120; i++)
		draw_album();
}

static const struct cause {
	const char *name;
	void (*run)(void);
} causes[] = {
	{"churn", churn},
	{"bytewise", bytewise},
	{"quadratic", quadratic},
	{"held", held},
	{"reopen", reopen},
	{"fresh", fresh},
	{"copy", copy},
	{"recompute", recompute},
	{"flush", flush},
	{"hash", hash},
	{"spawn", spawn},
};

int main(int argc, char **argv)
{
	snprintf(path, sizeof path, "%s", argv[0]);
	for (size_t i = 0; argc > 1 && i < sizeof causes / sizeof *causes; i++)
		if (!strcmp(argv[1], causes[i].name)) {
			causes[i].run();
			return 0;
		}
	fprintf(stderr, "planted: CAUSE is missing or unknown\n");
	return 1;
}
