#!/bin/sh
# A compiler as a package's build finds it: it compiles for guests, with the headers of their Python before all others. What would
# be a shared library is an archive of objects, which are linked with the interpreter later.
shared=no
for word; do
    case $word in -shared | -bundle | -dynamiclib) shared=yes ;; esac
done

# What a linker of this machine is told, as far as it means something here.
collect() {
    count=$#
    folders='' output='' value=''
    while [ "$count" -gt 0 ]; do
        word=$1
        shift
        count=$((count - 1))
        case $value in
            output) output=$word value='' && continue ;;
            folder) folders="$folders
$word" value='' && continue ;;
            library) word=-l$word value='' ;;
            other) value='' && continue ;;
        esac
        case $word in
            -o) value=output ;;
            -L) value=folder ;;
            -l) value=library ;;
            -Xlinker | -framework | -arch | -install_name | -T | -u | -z) value=other ;;
            -L*) folders="$folders
${word#-L}" ;;
            # These are a part of the interpreter, or there is nothing for them to do.
            -lc | -lm | -lpthread | -ldl | -lrt | -lutil | -lstdc++* | -lc++* | -lgcc* | -latomic | -lsupc++ | -lgomp | -lomp | \
                -lpython* | -lz | -lbz2 | -lnpymath | -lnpyrandom) ;;
            -l* | *.o | *.obj | *.lo | *.a) set -- "$@" "$word" ;;
            -*) ;;
            *.c | *.cc | *.cpp | *.cxx | *.C)
                echo "$word: it is compiled and linked to a shared library at once, which can't be done for guests" >&2
                exit 1
                ;;
        esac
    done
    count=$#
    while [ "$count" -gt 0 ]; do
        word=$1
        shift
        count=$((count - 1))
        case $word in
            -l*)
                # Those for guests are linked once, for all modules, and noted here.
                if found=$(given "${word#-l}"); then
                    echo "$found" >> '@WANTED@'
                    continue
                fi
                word=$(library "${word#-l}") || exit 1
                ;;
        esac
        set -- "$@" "$word"
    done
    rm -f "$output"
    # Members of archives count as objects.
    exec '@ARCHIVER@' qcSL "$output" "$@"
}

# A library for guests, in one of the folders that were named.
given() {
    # shellcheck disable=SC2043 # a list, once it is filled in
    for folder in @LIBRARIES@; do
        if [ -f "$folder/lib/lib$1.a" ]; then
            echo "$folder/lib/lib$1.a"
            return
        fi
    done
    return 1
}

# A library that the package has built.
library() {
    IFS='
'
    for folder in $folders; do
        case $folder in /usr/* | /lib/* | /lib64/*) continue ;; esac
        if [ -f "$folder/lib$1.a" ]; then
            echo "$folder/lib$1.a"
            return
        fi
    done
    echo "the library $1 is wanted, which guests don't have: look for an option of the package's to do without, or compile it by rankine cc and name its folder by --libraries" >&2
    return 1
}

[ $shared = yes ] && collect "$@"

# What is said of this machine's processor or Python is left out. Warnings are wanted: casts of functions, which Python's own
# interface asks for, are noted by them, and calls through such pointers made to forgive.
compiler='@COMPILER@'
count=$#
is_value=''
while [ "$count" -gt 0 ]; do
    word=$1
    shift
    count=$((count - 1))
    case $is_value$word in
        -msimd128 | -mrelaxed-simd) ;;
        -I*/include/python[23].* | -m* | -pthread | -fopenmp* | -flto* | -ffat-lto* | -fPIC | -fpic | -g | -g[0-9]* | -ggdb*) continue ;;
        -fstack-* | -fno-semantic-interposition | -fcf-protection* | -specs=* | -Wl,* | -fno-plt | -Wp,* | -Werror* | -w) continue ;;
    esac
    # Older build systems compile C++ by the compiler of C, which knows no exceptions.
    case $word in *.cc | *.cpp | *.cxx | *.c++ | *.C) compiler='@CXX@' ;; esac
    case $word in -o | -I | -isystem | -include | -D | -U | -x | -MF | -MT) is_value=+ ;; *) is_value='' ;; esac
    set -- "$@" "$word"
done
# shellcheck disable=SC2043 # a list, once it is filled in
for folder in @LIBRARIES@; do
    set -- "$@" "-I$folder/include"
done
# There are no floating-point exceptions that would have to come in order.
exec "$compiler" '-I@INCLUDE@/python@RELEASE@' '-I@INCLUDE@/numpy' '-I@INCLUDE@/libraries' "$@" -fno-trapping-math
