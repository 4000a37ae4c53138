#!/bin/sh
# Other people's file system tests on a mount: fio with verification, the file stressors of stress-ng, CPython's own tests. Each
# runs on a directory of the disk, too; what fails there is the machine's or the test's fault, and is told as such.
#
#   scripts/suites.sh [fio|stress|python]...      VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)
#                                                 SECONDS_EACH=5 (stress-ng, per stressor)     MOUNT='options of volsh mount'
#
# Needs root. Prints a line for each test and ends with "N passed, M failed"; what the tests said is in the directory named last.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
# shellcheck source=gradle/build.sh
. gradle/build.sh
volsh=${VOLSH:-$PWD/volsh}
seconds=${SECONDS_EACH:-5}
python=/usr/bin/python3             # Debian's, to which the package with its tests belongs
work=$(mktemp -d "${DIR:-/tmp}/volsh-suites.XXXXXX")
logs=$(mktemp -d "${TMPDIR:-/tmp}/volsh-suites-logs.XXXXXX")
VOLSH_HOME=$work/home
export VOLSH_HOME
passed=0
failed=0

clean() {
    cd /
    "$volsh" umount "$work/mnt" --lazy >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

# on PLACE LOG COMMAND...: runs it in a new directory there; what it leaves is removed.
on() {
    place=$(mktemp -d "$1/suite.XXXXXX")
    log=$2
    shift 2
    status=0
    (cd "$place" && TMPDIR=$place PLACE=$place timeout --kill-after=10 600 "$@") >"$log" 2>&1 </dev/null || status=$?
    rm -rf "$place"
    return $status
}

# try NAME COMMAND...: one test, on the mount and, if it fails there, on the disk.
try() {
    name=$1
    shift
    if on "$work/mnt" "$logs/$name" "$@"; then
        passed=$((passed + 1))
        echo "ok      $name"
    elif on "$work/disk" "$logs/$name.disk" "$@"; then
        failed=$((failed + 1))
        echo "FAILED  $name ($logs/$name)"
    else
        echo "skipped $name: it fails on the disk as well"
    fi
}

fio_suite() {
    need fio fio
    for engine in psync mmap libaio io_uring; do
        for shape in write randwrite; do
            direct='0 1'
            if [ $engine = mmap ]; then direct=0; fi
            for direct in $direct; do
                try "fio-$engine-$shape-direct$direct" fio --name=t --directory=. --ioengine=$engine --rw=$shape "--direct=$direct" \
                    --size=32m --bsrange=4k-128k --bs_unaligned=0 --iodepth=16 --numjobs=2 --verify=crc32c --verify_fatal=1 \
                    --do_verify=1 --verify_backlog=512 --fallocate=none --end_fsync=1 --group_reporting
            done
        done
    done
    try fio-unaligned fio --name=t --directory=. --ioengine=psync --rw=write --size=16m --bsrange=600-70000 --bs_unaligned=1 \
        --verify=md5 --verify_fatal=1 --numjobs=2 --fsync=64
}

# Stressors that use files, in whatever class; those that need another kind of file system or a whole machine are not here.
stressors='access aiol aio chattr chdir chmod chown copy-file dentry dir dirdeep dirmany dnotify dup fallocate fcntl fiemap
    file-ioctl filename flock fpunch fsize fstat getdent handle hdd inode-flags inotify io iomix io-uring lease link locka lockf
    lockofd mknod mmap mmapaddr mmapfork msync open readahead rename revio seal seek sendfile splice symlink sync-file touch
    utime xattr'

stress_suite() {
    need stress-ng stress-ng
    for stressor in $stressors; do
        try "stress-$stressor" stress-ng "--$stressor" 2 --timeout "${seconds}s" --verify --temp-path . --metrics-brief
    done
}

python_suite() {
    [ -e /usr/lib/python3.11/test/test_os.py ] || need no-such-command libpython3.11-testsuite
    for module in test_os test_posix test_shutil test_pathlib test_mmap test_zipfile test_fcntl test_tempfile test_io test_fileio \
        test_file test_largefile test_glob test_tarfile test_shelve test_dbm test_mailbox test_filecmp test_stat; do
        # shellcheck disable=SC2016  # the inner shell knows the place
        try "python-$module" sh -c 'exec "$0" -m test --tempdir "$PLACE" -w -u largefile "$1"' $python $module
    done
}

mkdir "$work/mnt" "$work/disk"
chmod 755 "$work" "$work/mnt" "$work/disk"
"$volsh" volume create suites --quiet >/dev/null
# shellcheck disable=SC2086  # a list of options
"$volsh" mount suites "$work/mnt" ${MOUNT:-} >/dev/null
for suite in "${@:-all}"; do
    case $suite in
        fio) fio_suite ;;
        stress) stress_suite ;;
        python) python_suite ;;
        all) fio_suite; stress_suite; python_suite ;;
        *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
"$volsh" umount "$work/mnt" >/dev/null
echo "what they said is in $logs"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
