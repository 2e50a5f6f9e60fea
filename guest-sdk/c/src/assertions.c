/* What a failed assertion says, without printf: the C library's start has assertions too, and would bring all of printf into
 * programs that print nothing. */
#include <rankine/weak.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void __assert_fail(const char *, const char *, int, const char *);

static void say(const char *text) {
	ssize_t written = write(2, text, strlen(text));
	(void)written;
}

WEAK _Noreturn void __assert_fail(const char *expression, const char *file, int line, const char *function) {
	char digits[12], *first = digits + sizeof digits - 1;
	*first = 0;
	do
		*--first = (char)('0' + line % 10);
	while (line /= 10);
	const char *const pieces[] = {"Assertion failed: ", expression, " (", file, ": ", function, ": ", first, ")\n"};
	for (size_t each = 0; each < sizeof pieces / sizeof *pieces; each++)
		say(pieces[each]);
	abort();
}
