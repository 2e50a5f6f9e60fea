# A WASI SDK that has the C++ library with exceptions is used as it is: nothing is installed or built. Its layout is made here of links
# to the parts of this machine, with the library in each of the places where releases have had it.
flags=$(rankine c++ -showme:compile)
sysroot=$(grep -o -- '--sysroot=[^ ]*' <<< "$flags" | cut -d= -f2)
headers=$(grep -o '[^ ]*/c++/v1' <<< "$flags")
archive=$(rankine c++ -showme:link | grep -o -- '-L[^ ]*' | head -n 1 | cut -c3-)/libc++.a
clang=$(rankine c++ -showme:command)
unset RANKINE_SYSROOT RANKINE_CLANG
export RANKINE_DATA_DIR=$PWD/data

# wasi_sdk NAME PART: its libraries are libc++, libc++abi and libunwind.
wasi_sdk() {
    local root=$PWD/$1/share/wasi-sysroot folder
    mkdir -p "$1/bin" "$root"/{lib,include}/wasm32-wasip1/"$2"/c++
    ln -s "$clang" "$1/bin/clang"
    for folder in lib include; do ln -s "$sysroot/$folder/wasm32-wasip1"/* "$root/$folder/wasm32-wasip1/"; done
    ln -s "$headers" "$root/include/wasm32-wasip1/$2/c++/v1"
    local lib=$root/lib/wasm32-wasip1/$2
    mkdir members
    (cd members && ar x "$archive" && ar rc "$lib/libunwind.a" Unwind* exception_tag* && rm Unwind* exception_tag* &&
        ar rc "$lib/libc++abi.a" cxa_* private_typeinfo* abort_message* fallback_malloc* stdlib_* && rm cxa_* private_typeinfo* \
        abort_message* fallback_malloc* stdlib_* && ar rc "$lib/libc++.a" ./*.o)
    rm -r members
}

for layout in plain:. exceptions:eh; do
    wasi_sdk "${layout%:*}" "${layout#*:}"
    export WASI_SDK_PATH=$PWD/${layout%:*}
    rankine doctor > doctor.log || { cat doctor.log; exit 1; }
    grep -q "clang .*(from WASI_SDK_PATH)" doctor.log
    grep -q "WASI sysroot .*(from WASI_SDK_PATH)" doctor.log
    grep -q "C++ library .*$WASI_SDK_PATH.*(the sysroot's)" doctor.log
    rankine c++ -O1 -I"$ROOT/tests/guests/cpp" "$ROOT/tests/guests/cpp/exceptions.cpp" -o exceptions.wasm
    diff - <(rankine run -n 2 exceptions.wasm) <<< OK
    rankine c++ -O1 "$ROOT/examples/03-pi/cpp/pi.cpp" -o pi.wasm
    rankine run -n 2 pi.wasm > /dev/null
done
[ -z "$(find data -name 'c++-*')" ]
