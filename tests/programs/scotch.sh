# PT-Scotch, from Debian's source package, unchanged: its own tests, serial ones and those on three and four ranks, over tables of
# methods that are called by pointers without parameters. They meet in a folder for what is temporary, and look above their own.
# full: it compiles some 300 files
# seconds: 1800
# sources: scotch
for tool in flex bison; do command -v $tool > there || { echo "$tool is missing: install it, Scotch's grammars need it"; exit 1; }; done
tar -xf "$CACHE"/scotch_*.orig.tar.* --strip-components=1
mkdir scratch
top=$PWD
PATH="$(rankine sdk bin):$PATH"
cd src
# Its settings for Linux with other compilers, and without gzip and what binds threads to cores.
sed -e 's/= gcc$/= mpicc/' -e 's/-fPIC -DCOMMON_FILE_COMPRESS_GZ -DCOMMON_PTHREAD -DCOMMON_PTHREAD_AFFINITY_LINUX/-pthread -DCOMMON_PTHREAD/' \
    -e 's/-lz -lm -lrt -pthread/-lm -pthread/' Make.inc/Makefile.inc.x86-64_pc_linux2 > Makefile.inc
make -j2 scotch ptscotch esmumps > ../make.log 2>&1 || { tail -n 40 ../make.log; exit 1; }
export RANKINE_RUN_OPTIONS="--dir . --dir ../.. --dir $top/scratch"
for what in check ptcheck; do
    make $what FC=mpifort TMPDIR="$top/scratch" > ../$what.log 2>&1 || { tail -n 40 ../$what.log; exit 1; }
done
