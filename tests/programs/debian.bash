# Sourced by scripts that build a program from Debian's archive.

# debian_source NAME: unpacks the original source of a Debian source package into the working folder. The archive is the one that
# this machine's apt is set up with; lists and downloads stay in $CACHE, so neither root rights nor a change of the set-up are
# needed.
debian_source() {
    local lists="$CACHE/apt" tarball
    # Scripts run at the same time, apt does not.
    exec 9> "$CACHE/apt.lock"
    flock 9
    tarball=$(find "$CACHE" -maxdepth 1 -name "$1_*.orig.tar.*" -print -quit)
    if [ -z "$tarball" ]; then
        mkdir -p "$lists"/{parts,lists/partial,cache/archives/partial}
        : > "$lists/sources.list"
        local file
        for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
            [ ! -f "$file" ] || sed -E 's/^deb[[:space:]]/deb-src /; s/^Types:.*/Types: deb-src/' "$file" > "$lists/parts/${file##*/}"
        done
        local options=(-o "Dir::Etc::sourcelist=$lists/sources.list" -o "Dir::Etc::sourceparts=$lists/parts"
            -o "Dir::State::lists=$lists/lists" -o "Dir::Cache=$lists/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none)
        apt-get "${options[@]}" update -qq || true # a list that is missing shows in what follows
        (cd "$CACHE" && apt-get "${options[@]}" source -qq --download-only --tar-only "$1" > /dev/null)
        tarball=$(find "$CACHE" -maxdepth 1 -name "$1_*.orig.tar.*" -print -quit)
    fi
    exec 9>&-
    tar -xf "$tarball" --strip-components=1
}
