# shellcheck shell=sh
# Sourced by ./volsh and ./check, in the project directory: finds the JDKs, installs what is missing, runs Gradle under
# a lock.

say() {
    printf 'volsh: %s\n' "$*" >&2
}

die() {
    say "$@"
    exit 1
}

# True if a file the image is made of, or a directory of them, changed since the image was made.
image_is_stale() {
    [ ! -e build/image.stamp ] || [ ! -x build/image/bin/volsh ] ||
        [ -n "$(find build.gradle settings.gradle gradle jlink completions scripts/examples \
        storage-core/build.gradle commands/build.gradle shell/build.gradle \
        storage-core/src/main commands/src/main shell/src/main -newer build/image.stamp -print -quit)" ]
}

# java_version HOME: the feature version of the JDK there, or nothing.
java_version() {
    [ -x "$1/bin/javac" ] && [ -r "$1/release" ] && sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' \
        "$1/release"
}

# Sets VOLSH_JDK to the JDK 25 that compiles and ships.
find_jdk() {
    for home in "${VOLSH_JDK:-}" "${JAVA_HOME:-}" /usr/lib/jvm/*; do
        if [ -n "$home" ] && [ "$(java_version "$home")" = 25 ]; then
            VOLSH_JDK=$home
            export VOLSH_JDK
            return
        fi
        [ -z "${VOLSH_JDK:-}" ] || die "VOLSH_JDK=$VOLSH_JDK is not a JDK 25"
    done
    die "building needs a JDK 25 and there is none below /usr/lib/jvm. Install one (Debian packages: temurin-25-jdk" \
        "from Adoptium, or openjdk-25-jdk-headless), or unpack one anywhere and say VOLSH_JDK=/path/to/it"
}

# Sets JAVA_HOME to a Java that Debian's Gradle 4.4.1 runs on; what it compiles with is VOLSH_JDK.
find_gradle_java() {
    for version in 17 11 21 8; do
        for home in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
            if [ -x "$home/bin/java" ] && [ -r "$home/release" ] && grep -Eq "^JAVA_VERSION=\"(1\.)?$version[.\"_]" \
                "$home/release"; then
                JAVA_HOME=$home
                export JAVA_HOME
                return
            fi
        done
    done
    die "Gradle 4.4.1 needs Java 17 to run on: apt-get install openjdk-17-jre-headless"
}

# need COMMAND PACKAGE...: installs the packages if the command is not there and we may; otherwise says how.
need() {
    command=$1
    shift
    if command -v "$command" >/dev/null; then
        return
    fi
    if ! may_install; then
        die "$command is missing. Install it with: sudo apt-get install --no-install-recommends $*"
    fi
    install_packages "$command" "$@"
}

# need_python MODULE PACKAGE...: the same for a module of Python.
need_python() {
    module=$1
    shift
    if python3 -c "import $module" 2>/dev/null || /usr/bin/python3 -c "import $module" 2>/dev/null; then
        return
    fi
    if ! may_install; then
        die "the Python module $module is missing. Install it with: sudo apt-get install --no-install-recommends $*"
    fi
    install_packages "$module" "$@"
}

# want_library NAME PACKAGE...: the same for a library without which only a part of the program does not work.
want_library() {
    library=$1
    shift
    if ldconfig -p 2>/dev/null | grep -q -F "$library" || command -p ls /usr/lib/*/"$library" >/dev/null 2>&1; then
        return
    fi
    if may_install; then
        install_packages "$library" "$@"
    else
        say "$library is missing: 'mount --transport jnr' will not work." \
            "Install it with: sudo apt-get install --no-install-recommends $*"
    fi
}

# want NAMES PACKAGE...: the same for programs, any one of which will do, without which only some tests are skipped.
want() {
    for program in $1; do
        if command -v "$program" >/dev/null; then return; fi
    done
    shift
    if ! may_install; then
        say "$* is missing: some tests are skipped. Install it with: sudo apt-get install --no-install-recommends $*"
        return
    fi
    if ! (install_packages 'a browser' "$@"); then say "going on without $*: some tests are skipped"; fi
}

may_install() {
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null
}

# install_packages WHAT PACKAGE...: what is missing, and what brings it.
install_packages() {
    missing=$1
    shift
    say "installing $* ($missing is missing)"
    { DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" ||
        { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; }; } \
            >build/install.log 2>&1 </dev/null ||
        { tail -n 20 build/install.log >&2; die "could not install $*: see build/install.log"; }
}

# Waits until no other ./volsh or ./check is building here. The lock ends with this process and with the Gradle it
# started.
lock() {
    mkdir -p build
    exec 9>build/lock
    if ! flock -n 9; then
        say "waiting for another build in this directory"
        flock 9
    fi
}

unlock() {
    exec 9>&-
}

# build TASK...: runs Gradle quietly; its output is kept in build/build.log and shown if it fails. Shows progress on a
# terminal, unless progress=false.
build() {
    need gradle gradle
    want_library libfuse.so.2 libfuse2
    find_jdk
    find_gradle_java
    : >build/image.started
    say "building with $VOLSH_JDK (log: build/build.log)"
    # it works for a minute: one compiler and one collector's thread (docs/decisions/0063)
    GRADLE_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${GRADLE_OPTS:-}" gradle --no-daemon --console=plain \
        "$@" >build/build.log 2>&1 </dev/null &
    gradle=$!
    trap 'kill $gradle; exit 130' INT TERM HUP
    seconds=0
    while ${progress:-true} && [ -t 2 ] && kill -0 $gradle 2>/dev/null; do
        printf '\rvolsh: %3d s  %-60.60s' $seconds "$(tail -n 1 build/build.log | tr -cd ' -~')" >&2
        sleep 1
        seconds=$((seconds + 1))
    done
    [ $seconds -eq 0 ] || printf '\r%-80s\r' '' >&2
    finished=0
    wait $gradle || finished=$?
    trap - INT TERM HUP
    return $finished
}

# The image, up to date; other tasks may be named too. Only one process builds, the others wait and use what it made.
build_image() {
    if build image "$@"; then
        mv build/image.started build/image.stamp
    else
        show_build_failure
        return 1
    fi
}

show_build_failure() {
    grep -v -E '^(:[a-zA-Z0-9:-]+( UP-TO-DATE| NO-SOURCE)?|Download .*|(openjdk|OpenJDK) .*)$' build/build.log \
        | tail -n 60 >&2
    say "the build failed: see $PWD/build/build.log"
}
