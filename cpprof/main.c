/* cpprof: the first word of the command line decides. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cpprof/message.h"
#include "cpprof/subcommand.h"

/*
 * Opens descriptors 0 to 2 where they are closed, else files of ours would get
 * these numbers.  Their use fails as that of a closed one does, and they are
 * closed again for the program that is run.
 */
static void fill_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null",
				(fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

static int unknown(const char *word)
{
	struct err err;

	err_set(&err, word, NULL, "neither a subcommand nor a file");
	subcommand_near(&err, word, "cpprof --help lists the subcommands");
	message_error(&err);
	return EXIT_WRONG;
}

static bool is_option(const char *word, const char *name, char letter)
{
	return (word[0] == '-' && word[1] == letter && !word[2]) ||
	       (strncmp(word, "--", 2) == 0 && strcmp(word + 2, name) == 0);
}

int main(int argc, char **argv)
{
	const struct subcommand *s;

	fill_descriptors();
	if (argc < 2)
		return cmd_shell(subcommand_find("shell"), 0, argv);
	for (const struct opt *o = main_opts; o->name; o++) {
		if (!is_option(argv[1], o->name, (char)o->letter))
			continue;
		(o->id == OPT_VERSION ? version_print : main_help)(stdout);
		return message_flush();
	}
	if (strcmp(argv[1], "--complete") == 0)
		return cmd_complete(argc - 2, argv + 2);
	s = subcommand_find(argv[1]);
	if (s)
		return s->run(s, argc - 2, argv + 2);
	if (argv[1][0] != '-' && access(argv[1], F_OK) != 0)
		return unknown(argv[1]);
	return cmd_shell(subcommand_find("shell"), argc - 1, argv + 1);
}
