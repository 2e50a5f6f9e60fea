/* on_exit is atexit with an argument. */
#include <rankine/weak.h>
#include <stdlib.h>

enum { MOST_EXIT_HANDLERS = 32 };
static struct { void (*handler)(int, void *); void *argument; } exit_handlers[MOST_EXIT_HANDLERS];
static int exit_handler_count;

static void run_exit_handlers(void) {
	while (exit_handler_count > 0) {
		exit_handler_count--;
		exit_handlers[exit_handler_count].handler(0, exit_handlers[exit_handler_count].argument);
	}
}

WEAK int on_exit(void (*handler)(int, void *), void *argument) {
	if (exit_handler_count == MOST_EXIT_HANDLERS || (exit_handler_count == 0 && atexit(run_exit_handlers) != 0))
		return -1;
	exit_handlers[exit_handler_count].handler = handler;
	exit_handlers[exit_handler_count++].argument = argument;
	return 0;
}
