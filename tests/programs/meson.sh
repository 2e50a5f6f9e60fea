# A Meson project: MPI as a dependency, a size, a program that is run while configuring, and a test.
cp -r "$ROOT"/tests/programs/project/. .
meson setup --cross-file "$(rankine sdk meson-cross-file)" build > meson.log 2>&1 || { cat meson.log build/meson-logs/meson-log.txt; exit 1; }
meson test -C build > test.log 2>&1 || { cat test.log; exit 1; }
diff - <(rankine run -n 4 build/primes) <<< "4 ranks, 1229 primes, long has 4 bytes, pages have 65536"
