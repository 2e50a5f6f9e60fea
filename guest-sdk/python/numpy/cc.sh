#!/bin/sh
# A compiler for Meson, by which shared libraries are files with nothing in them: what they would hold is linked with the interpreter.
case " $* " in
    *' -shared '*)
        for word; do
            if [ "$before" = -o ]; then : > "$word"; fi
            before=$word
        done
        exit 0
        ;;
esac
# The guest's configuration comes before the host's, and there are no floating-point exceptions that would have to come in order.
exec '@COMPILER@' '-I@WORK@/guest' "$@" -fno-trapping-math
