# The packages, each in an empty root with nothing beside them but the C library: the command says who it is, runs a
# program, and names what to install for compiling. As root, or where users may have namespaces of their own.
# seconds: 900
"$ROOT"/x package --binary "$(command -v rankine)" --out "$PWD/made" > package.log 2>&1 || { cat package.log; exit 1; }
grep -q 'to compile programs too, on Debian: apt install clang-' package.log
(cd made && sha256sum --quiet -c SHA256SUMS)
rankine cc -O1 "$ROOT"/examples/01-hello/hello.c -o hello.wasm

# in_root ROOT COMMAND…: alone with the package.
in_root() {
    local root=$1 enter=(chroot)
    shift
    [ "$(id -u)" = 0 ] || enter=(unshare --map-root-user chroot)
    "${enter[@]}" "$root" /usr/bin/env -i HOME=/tmp PATH=/usr/bin "$@"
}

# try_in ROOT: what is unpacked there works.
try_in() {
    local root=$1 library
    mkdir -p "$root"/{tmp,proc,lib64}
    for library in $(ldd "$(command -v rankine)" /usr/bin/env | grep -oE '/[^ ]+\.so[^ ]*' | sort -u); do
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    done
    cp /usr/bin/env "$root/usr/bin/env"
    cp hello.wasm "$root/tmp/hello.wasm"
    in_root "$root" rankine --version | grep -q '^rankine [0-9]'
    in_root "$root" rankine run -n 3 /tmp/hello.wasm > hello.log
    [ "$(wc -l < hello.log)" = 3 ]
    if in_root "$root" rankine cc x.c 2> cc.log; then exit 1; fi
    grep -q 'no clang found; install clang-' cc.log
    [ -s "$root/usr/share/man/man1/rankine-run.1.gz" ] && [ -s "$root/usr/share/bash-completion/completions/rankine" ]
}

# What the packages say of the C library that they need is true of the binary, which is linked for this machine here.
mkdir -p tar deb
tar -xf made/*.tar.gz -C tar
mv tar/rankine-* tar/usr
asked=$(readelf -WV tar/usr/bin/rankine | grep -oE 'Name: GLIBC_[0-9.]+' | sed 's/.*_//' | sort -uV | tail -n 1)
ls made/rankine-*-py3-none-manylinux_"${asked/./_}_$(uname -m)".whl

# The wheel, in an environment with nothing else.
python3 -m venv venv
venv/bin/pip install -q --no-index --no-cache-dir --disable-pip-version-check made/rankine-*.whl
venv/bin/rankine --version | grep -q '^rankine [0-9]'
[ "$(venv/bin/rankine run -n 3 hello.wasm | wc -l)" = 3 ]
[ -s venv/share/man/man1/rankine-run.1.gz ] && [ -s venv/share/bash-completion/completions/rankine ]
venv/bin/pip uninstall -q -y rankine
[ ! -e venv/bin/rankine ]

# ./x install, of a binary that is there already; with a home of its own it has a data folder of its own.
"$ROOT"/x install --prefix "$PWD/prefix" --binary "$(command -v rankine)" > install.log 2>&1 || { cat install.log; exit 1; }
grep -q 'to compile programs: rankine sdk install, once' install.log
grep -q "$PWD/prefix/bin is not on your PATH" install.log
diff - <(cd prefix && find . -type f ! -name 'rankine-*.1' ! -name 'mpi*' ! -path './share/doc/rankine/book/*' | sort) <<'LIST'
./bin/rankine
./share/bash-completion/completions/rankine
./share/fish/vendor_completions.d/rankine.fish
./share/man/man1/rankine.1
./share/zsh/site-functions/_rankine
LIST
[ -s prefix/share/man/man1/rankine-run.1 ]
grep -q '^# Check' prefix/share/doc/rankine/book/check.md && grep -q '^# Security' prefix/share/doc/rankine/book/security.md
if grep -rqF '{{#include' prefix/share/doc/rankine/book; then exit 1; fi
installed() { env -i HOME="$PWD/home" PATH="$PWD/prefix/bin:/usr/bin:/bin" "$@"; }
installed rankine --version | grep -q '^rankine [0-9]'
[ "$(installed rankine run -n 3 hello.wasm | wc -l)" = 3 ]
if installed rankine cc x.c 2> cc.log; then exit 1; fi
grep -q "no WASI sysroot in $PWD/home/.local/share/rankine/sysroot; run .rankine sdk install. once" cc.log

# What was installed is listed, then removed; what others have put beside it stays.
mkdir -p home/.local/share/rankine/sysroot home/.local/share/rankine/theirs
touch prefix/share/man/man1/other.1
installed rankine uninstall > list
{ grep -qF "$PWD/prefix/bin/rankine (" list && grep -q 'nothing is removed yet' list && [ -x prefix/bin/rankine ]; } || { cat list; exit 1; }
installed rankine uninstall --yes > list
diff - <(find prefix home -type f | sort) <<< prefix/share/man/man1/other.1 || { cat list; exit 1; }
[ ! -e home/.local/share/rankine/sysroot ] && [ -d home/.local/share/rankine/theirs ]

# A full disk, a folder that is a file, no binary: what could not be done, and where. What was there before stays.
export RANKINE_CLONE=$ROOT
packager=$ROOT/target/release/rankine-package
refused() {
    local text=$1
    shift
    if "$packager" "$@" 2> refused.log; then exit 1; fi
    grep -qF -- "$text" refused.log || { cat refused.log; exit 1; }
}
refused "cannot make the folder $PWD/hello.wasm/bin: Not a directory" install --prefix hello.wasm --binary "$(command -v rankine)"
refused 'choose another place: ./x install --prefix DIR' install --prefix hello.wasm --binary "$(command -v rankine)"
refused "cannot read $PWD/none: No such file" package --binary "$PWD/none" --out other
refused 'hello.wasm is not a binary of rankine for Linux' package --binary hello.wasm --out other
refused 'invalid value' package --kind vax
enter=(unshare -m)
[ "$(id -u)" = 0 ] || enter=(unshare -m --map-root-user)
mkdir -p small
# shellcheck disable=SC2016
"${enter[@]}" bash -euo pipefail -c '
    mount -t tmpfs -o size=1m small small
    mkdir small/bin
    echo before > small/bin/rankine
    if "$1" install --prefix small --binary "$2" 2> refused.log; then exit 1; fi
    [ "$(find small -type f -exec cat {} +)" = before ]' - "$packager" "$(command -v rankine)"
grep -qF "cannot write $PWD/small/bin/rankine: No space left on device" refused.log || { cat refused.log; exit 1; }

try_in tar
if command -v dpkg-deb > dpkg.log; then
    dpkg-deb -x made/*.deb deb
    [ -s deb/usr/share/gdb/auto-load/usr/bin/rankine-gdb.py ]
    dpkg-deb -f made/*.deb Depends | grep -qF "libc6 (>= $asked)"
    try_in deb
    # dpkg takes it, and gives all of it back.
    mkdir -p root/var/lib/dpkg/{info,updates,triggers}
    touch root/var/lib/dpkg/{status,available}
    manage() { dpkg --root="$PWD/root" --force-not-root --force-depends --force-bad-path "$@" > dpkg.log 2>&1 || { cat dpkg.log; exit 1; }; }
    manage -i made/*.deb
    try_in root
    dpkg-query --admindir=root/var/lib/dpkg -W -f '${Status}' rankine | grep -q '^install ok installed$'
    manage -r rankine
    [ ! -e root/usr/bin/rankine ] && [ ! -e root/usr/share/man/man1/rankine.1.gz ]
fi
