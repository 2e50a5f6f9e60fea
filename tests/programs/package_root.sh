# The .deb in a clean root of this system: unpacked base packages of Debian's archive and nothing of this machine. dpkg of that root installs it,
# the command runs a program and says in one line what to install to compile one, and dpkg removes all of it again. As root, or where users may
# have namespaces of their own.
# full: it fetches base packages
# packages: base-files diffutils libc6 libc-bin libgcc-s1 dash coreutils libselinux1 libacl1 libattr1 libpcre2-8-0 libgmp10 dpkg tar libbz2-1.0 liblzma5 libmd0 libzstd1 zlib1g
command -v dpkg-deb > dpkg.log || exit 0
"$ROOT"/x package --binary "$(command -v rankine)" --out "$PWD/made" > package.log 2>&1 || { cat package.log; exit 1; }
rankine cc -O1 "$ROOT"/examples/01-hello/hello.c -o hello.wasm

mkdir root
read -ra packages < <(sed -n 's/^# packages: //p' "$ROOT"/tests/programs/package_root.sh)
for package in "${packages[@]}"; do
    dpkg-deb -x "$CACHE/packages/$package"/*.deb root
done
mkdir -p root/{tmp,proc} root/var/lib/dpkg/{info,updates,triggers}
touch root/var/lib/dpkg/{status,available}
cp made/*.deb hello.wasm root/tmp

in_root() {
    local enter=(chroot)
    [ "$(id -u)" = 0 ] || enter=(unshare --map-root-user chroot)
    "${enter[@]}" root /usr/bin/env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
# The base was unpacked and not installed, so its dpkg knows of no C library.
in_root sh -c 'dpkg --force-not-root --force-depends -i /tmp/rankine*.deb' > dpkg.log 2>&1 || { cat dpkg.log; exit 1; }
in_root rankine --version | grep -q '^rankine [0-9]'
[ "$(in_root rankine run -n 3 /tmp/hello.wasm | wc -l)" = 3 ]
if in_root rankine cc x.c 2> cc.log; then exit 1; fi
[ "$(wc -l < cc.log)" = 1 ]
grep -q 'no clang found; install clang-' cc.log
in_root dpkg --force-not-root --force-depends -r rankine > dpkg.log 2>&1 || { cat dpkg.log; exit 1; }
[ ! -e root/usr/bin/rankine ] && [ ! -e root/usr/share/man/man1/rankine.1.gz ]

# What the binary asks of a C library is what the package says, and no newer than this root's.
asked=$(dpkg-deb -f made/*.deb Depends | grep -oE 'libc6 \(>= [0-9.]+' | grep -oE '[0-9.]+$')
dpkg --compare-versions "$asked" le "$(dpkg-deb -f "$CACHE"/packages/libc6/*.deb Version)"
