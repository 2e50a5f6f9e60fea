# The packages as others get them, linked for an old C library: what they ask of the system is what they say, and the .deb works in clean
# roots, made of unpacked base packages of Debian's archive and nothing of this machine: that of this system, and that of an older one.
# dpkg of that root installs it, the command runs programs and says in one line what to install to compile one, and dpkg removes all of it
# again. As root, or where users may have namespaces of their own.
# full: it compiles the host once more, and fetches base packages
# seconds: 5400
# packages: base-files diffutils libc6 libc-bin dash coreutils libselinux1 libacl1 libattr1 libpcre2-8-0 libgmp10 dpkg tar
# packages: libbz2-1.0 liblzma5 libmd0 libzstd1 zlib1g
# packages: bullseye/base-files bullseye/diffutils bullseye/libc6 bullseye/libc-bin bullseye/dash bullseye/coreutils bullseye/libselinux1
# packages: bullseye/libacl1 bullseye/libattr1 bullseye/libpcre2-8-0 bullseye/libgmp10 bullseye/dpkg bullseye/tar bullseye/libbz2-1.0
# packages: bullseye/liblzma5 bullseye/zlib1g
command -v dpkg-deb > dpkg.log || exit 0
"$ROOT"/x package --out "$PWD/made" > package.log 2>&1 || { cat package.log; exit 1; }
rankine cc -O1 "$ROOT"/examples/01-hello/hello.c -o hello.wasm
cat > trap.c <<'C'
static void fall(void) { __builtin_trap(); }
int main(void) { fall(); return 0; }
C
rankine cc -g trap.c -o trap.wasm

# What the file asks for: no newer C library than all three packages say, and no library that a system without compilers may lack.
mkdir tar
tar -xf made/*.tar.gz -C tar
portable=$(echo "$PWD"/tar/rankine-*/bin/rankine)
asked=$(readelf -WV "$portable" | grep -oE 'Name: GLIBC_[0-9.]+' | sed 's/.*_//' | sort -uV | tail -n 1)
dpkg --compare-versions "$asked" le 2.28
ls made/rankine-*-py3-none-manylinux_"${asked/./_}_$(uname -m)".whl
[ "$(dpkg-deb -f made/*.deb Depends)" = "libc6 (>= $asked)" ]
readelf -Wd "$portable" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' > needed.log
if grep -vE '^(lib(c|m|dl|rt|pthread|util)\.so\.[0-9]|ld-linux.*)$' needed.log; then exit 1; fi

# It still finds the MPI library of a machine.
[ "$("$MPI_BIN"/mpiexec -n 2 "$portable" run hello.wasm | wc -l)" = 2 ]

in_root() {
    local root=$1 enter=(chroot)
    shift
    [ "$(id -u)" = 0 ] || enter=(unshare --map-root-user chroot)
    "${enter[@]}" "$root" /usr/bin/env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# try_in ROOT: the package, in base packages that lie there.
try_in() {
    local root=$1 status=0
    mkdir -p "$root"/{tmp,proc} "$root"/var/lib/dpkg/{info,updates,triggers}
    touch "$root"/var/lib/dpkg/{status,available}
    cp made/*.deb hello.wasm trap.wasm "$root/tmp"
    # The base was unpacked and not installed, so its dpkg knows of no C library.
    in_root "$root" sh -c 'dpkg --force-not-root --force-depends -i /tmp/rankine*.deb' > dpkg.log 2>&1 || { cat dpkg.log; exit 1; }
    in_root "$root" rankine --version | grep -q '^rankine [0-9]'
    [ "$(in_root "$root" rankine run -n 3 /tmp/hello.wasm | wc -l)" = 3 ]
    [ "$(in_root "$root" rankine run -n 3 --fibers /tmp/hello.wasm | wc -l)" = 3 ]
    in_root "$root" rankine run -n 2 /tmp/trap.wasm 2> trap.log || status=$?
    [ "$status" = 134 ]
    grep -q 'at main (.*trap.c:2:' trap.log
    if in_root "$root" rankine cc x.c 2> cc.log; then exit 1; fi
    [ "$(wc -l < cc.log)" = 1 ]
    grep -q 'no clang found; install clang-' cc.log
    in_root "$root" dpkg --force-not-root --force-depends -r rankine > dpkg.log 2>&1 || { cat dpkg.log; exit 1; }
    [ ! -e "$root/usr/bin/rankine" ] && [ ! -e "$root/usr/share/man/man1/rankine.1.gz" ]
}

mkdir this older
mapfile -t packages < <(sed -n 's/^# packages: //p' "$ROOT"/tests/programs/package_root.sh | tr ' ' '\n')
for package in "${packages[@]}"; do
    root=this
    [ "${package%/*}" = "$package" ] || root=older
    dpkg-deb -x "$CACHE/packages/$package"/*.deb "$root"
done
try_in this
try_in older

# The older root's C library is in truth older than this machine's.
dpkg --compare-versions "$(dpkg-deb -f "$CACHE"/packages/bullseye/libc6/*.deb Version)" lt 2.32
