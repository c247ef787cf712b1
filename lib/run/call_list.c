/* Takes the functions that calls= names apart. */
#include "lib/run/call_list.h"

#include <string.h>

/* The colon after a library; a C++ name has others. */
static char *library_colon(char *function)
{
	for (char *c = function; *c && *c != '(' && *c != '<'; c++) {
		if (*c != ':')
			continue;
		if (c[1] != ':')
			return c;
		c++;
	}
	return NULL;
}

char *call_list_next(char **list, char **library)
{
	char *start = *list, *at = start, *colon;

	*library = NULL;
	if (!start)
		return NULL;
	while ((at = strchr(at, '+'))) {
		size_t n = (size_t)(at - start);

		/* "operator+" is part of a name */
		if (n < 8 || memcmp(at - 8, "operator", 8) != 0)
			break;
		at += strspn(at, "+");
	}
	if (at)
		*at++ = '\0';
	*list = at;
	colon = library_colon(start);
	if (!colon)
		return start;
	*colon = '\0';
	*library = start;
	return colon + 1;
}
