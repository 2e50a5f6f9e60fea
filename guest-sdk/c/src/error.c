/* err.h and error.h: name of the program where it is known, the caller's message, the text of errno. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <rankine/weak.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(const char *format, va_list arguments, int number) {
	if (program_invocation_short_name)
		fprintf(stderr, "%s: ", program_invocation_short_name);
	if (format)
		vfprintf(stderr, format, arguments);
	if (number)
		fprintf(stderr, "%s%s", format ? ": " : "", strerror(number));
	fputc('\n', stderr);
}

WEAK void vwarn(const char *format, va_list arguments) { print(format, arguments, errno); }
WEAK void vwarnx(const char *format, va_list arguments) { print(format, arguments, 0); }
WEAK _Noreturn void verr(int status, const char *format, va_list arguments) {
	vwarn(format, arguments);
	exit(status);
}
WEAK _Noreturn void verrx(int status, const char *format, va_list arguments) {
	vwarnx(format, arguments);
	exit(status);
}
WEAK void warn(const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	vwarn(format, arguments);
	va_end(arguments);
}
WEAK void warnx(const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	vwarnx(format, arguments);
	va_end(arguments);
}
WEAK _Noreturn void err(int status, const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	verr(status, format, arguments);
}
WEAK _Noreturn void errx(int status, const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	verrx(status, format, arguments);
}
WEAK void error(int status, int number, const char *format, ...) {
	va_list arguments;
	fflush(stdout);
	va_start(arguments, format);
	print(format, arguments, number);
	va_end(arguments);
	if (status)
		exit(status);
}
WEAK void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
	va_list arguments;
	fflush(stdout);
	va_start(arguments, format);
	fprintf(stderr, "%s:%u: ", file, line);
	print(format, arguments, number);
	va_end(arguments);
	if (status)
		exit(status);
}
