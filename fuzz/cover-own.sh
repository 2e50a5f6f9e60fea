#!/bin/sh
# A compiler for cargo's RUSTC_WRAPPER that leaves the counters of coverage out of other people's crates: the fuzzer is to be guided
# by our code, not by the branches of a compiler beneath it, and builds in a third of the time.
case "$CARGO_MANIFEST_DIR" in
*/registry/src/*)
    count=$#
    while [ "$count" -gt 0 ]; do
        argument=$1
        shift
        count=$((count - 1))
        case "$argument" in
        -Cpasses=sancov-module | -Cllvm-args=-sanitizer-coverage-*) ;;
        *) set -- "$@" "$argument" ;;
        esac
    done
    ;;
esac
exec "$@"
