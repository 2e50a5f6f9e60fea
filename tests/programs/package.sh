# The packages, each in an empty root with nothing beside them but the C library: the command says who it is, runs a
# program, and names what to install for compiling. As root, or where users may have namespaces of their own.
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
diff - <(cd prefix && find . -type f ! -name 'rankine-*.1' ! -name 'mpi*' | sort) <<'LIST'
./bin/rankine
./share/bash-completion/completions/rankine
./share/fish/vendor_completions.d/rankine.fish
./share/man/man1/rankine.1
./share/zsh/site-functions/_rankine
LIST
[ -s prefix/share/man/man1/rankine-run.1 ]
installed() { env -i HOME="$PWD/home" PATH="$PWD/prefix/bin:/usr/bin:/bin" "$@"; }
installed rankine --version | grep -q '^rankine [0-9]'
[ "$(installed rankine run -n 3 hello.wasm | wc -l)" = 3 ]
if installed rankine cc x.c 2> cc.log; then exit 1; fi
grep -q "no WASI sysroot in $PWD/home/.local/share/rankine/sysroot; run .rankine sdk install. once" cc.log

try_in tar
if command -v dpkg-deb > dpkg.log; then
    dpkg-deb -x made/*.deb deb
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
