#!/bin/sh
# The one library that numpy's build looks for: what it calls of BLAS is linked with it.
case "$*" in
    --version) echo 1.0 ;;
    *rankine*) case "$*" in *--modversion*) echo 1.0 ;; *) echo ;; esac ;;
    *) exit 1 ;;
esac
