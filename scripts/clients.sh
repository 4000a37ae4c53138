#!/bin/sh
# Other people's S3 clients on a gateway: rclone, s3cmd, aws and boto3 copy in, list, read ranges, upload in parts, copy,
# synchronise and delete, and what comes back is compared. Installs them if it may; a client that is missing is said.
#
#   scripts/clients.sh [FILES]     (default: 300 files; with more than 1,000 also 10,000 objects and 200 MiB in parts)
#
# VOLSH names the program, DIR a directory for temporary files.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/.."
volsh=${VOLSH:-$PWD/volsh}
files=${1:-300}
work=$(mktemp -d "${DIR:-/tmp}/clients.XXXXXX")
export VOLSH_HOME="$work/home" LC_ALL=C.UTF-8
unset AWS_CA_BUNDLE || true         # rclone refuses plain HTTP when it is set
passed=0 failed=0
server=

finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
    rm -rf "$work"
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
}
trap 'finish || exit 1' EXIT

# client PROGRAM PACKAGE PYTHON-MODULE: whether it is there, installed if that is possible.
client() {
    if { [ -n "${3:-}" ] && python3 -c "import $3" 2>/dev/null; } || { [ -z "${3:-}" ] && command -v "$1" >/dev/null; }
    then return 0; fi
    if [ "$(id -u)" = 0 ] && { apt-get install -y -q "$2" >"$work/apt.log" 2>&1 || { apt-get update -q \
        >"$work/apt.log" 2>&1 && apt-get install -y -q "$2" >"$work/apt.log" 2>&1; }; }; then return 0; fi
    echo "skipped $1: apt-get install $2"
    return 1
}

# try WHAT COMMAND...: one check.
try() {
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what"
        tail -n 20 "$work/log"
    fi
}

mkdir -p "$work/in/sub/deep dir"
python3 - "$work/in" "$files" <<'PYTHON'
import os, random, sys
random.seed(1)
for i in range(int(sys.argv[2])):
    open(f'{sys.argv[1]}/sub/f{i:05}', 'wb').write(os.urandom(random.randrange(20_000)))
for name, size in (('big', 12 << 20), ('empty', 0), ('sub/deep dir/a+b &é.bin', 5000), ('sub.txt', 3)):
    open(f'{sys.argv[1]}/{name}', 'wb').write(os.urandom(size))
PYTHON
"$volsh" -q volume create data >/dev/null
key=$("$volsh" -q gateway key create -o csv --columns key,secret --no-headers)
id=${key%,*}
secret=${key#*,}
"$volsh" gateway s3 data >"$work/server" 2>&1 &
server=$!
for _ in $(seq 100); do
    url=$(grep -m 1 -o 'http://127[^ ]*' "$work/server" || true)
    if [ -n "$url" ]; then break; fi
    sleep 0.1
done

if client rclone rclone; then
    cat >"$work/rclone.conf" <<END
[v]
type = s3
provider = Other
access_key_id = $id
secret_access_key = $secret
endpoint = $url
END
    rclone() { command rclone --config "$work/rclone.conf" --retries 1 "$@"; }
    try 'rclone copies in' rclone copy "$work/in" v:data/rclone
    try 'rclone finds all of it' rclone check "$work/in" v:data/rclone
    try 'rclone uploads in parts' rclone copyto --s3-upload-cutoff 5M --s3-chunk-size 5M "$work/in/big" v:data/parts
    try 'rclone copies on the server' rclone copyto v:data/parts v:data/copied
    try 'rclone copies out' rclone copy v:data/rclone "$work/out"
    try 'what came back is the same' diff -r "$work/in" "$work/out"
    rclone cat v:data/parts --offset 6000000 --count 1000 >"$work/range" || true
    try 'a range is the same' sh -c "tail -c +6000001 '$work/in/big' | head -c 1000 | cmp - '$work/range'"
    try 'the copy is the same' sh -c "command rclone --config '$work/rclone.conf' cat v:data/copied | cmp - '$work/in/big'"
    rm "$work/in/empty"
    try 'rclone synchronises' rclone sync "$work/in" v:data/rclone
    try 'and deletes what is gone' sh -c "! command rclone --config '$work/rclone.conf' ls v:data/rclone | grep -q empty"
    try 'rclone deletes' rclone purge v:data/rclone
fi
if client s3cmd s3cmd; then
    cat >"$work/s3cfg" <<END
[default]
access_key = $id
secret_key = $secret
host_base = ${url#http://}
host_bucket = ${url#http://}
use_https = False
END
    s3cmd() { command s3cmd -q -c "$work/s3cfg" "$@"; }
    try 's3cmd uploads in parts' s3cmd put --multipart-chunk-size-mb=5 "$work/in/big" s3://data/s3cmd/big
    try 's3cmd gets it' s3cmd get s3://data/s3cmd/big "$work/back"
    try 'it is the same' cmp "$work/back" "$work/in/big"
    try 's3cmd synchronises' s3cmd sync "$work/in/" s3://data/s3cmd/tree/
    mkdir "$work/tree"
    try 's3cmd synchronises back' s3cmd sync s3://data/s3cmd/tree/ "$work/tree/"
    try 'the tree is the same' diff -r "$work/in" "$work/tree"
    try 's3cmd copies' s3cmd cp s3://data/s3cmd/big s3://data/s3cmd/other
    try 's3cmd deletes' s3cmd del -r -f s3://data/s3cmd/
fi
if client aws awscli; then
    export AWS_ACCESS_KEY_ID="$id" AWS_SECRET_ACCESS_KEY="$secret" AWS_DEFAULT_REGION=us-east-1 AWS_CONFIG_FILE=/dev/null \
        AWS_SHARED_CREDENTIALS_FILE=/dev/null AWS_EC2_METADATA_DISABLED=true
    aws() { command aws --endpoint-url "$url" s3 "$@"; }
    size=20
    if [ "$files" -gt 1000 ]; then size=200; fi
    head -c "${size}M" /dev/urandom >"$work/parts"
    try "aws uploads $size MiB in parts" aws cp --only-show-errors "$work/parts" s3://data/aws/parts
    try 'aws copies on the server' aws cp --only-show-errors s3://data/aws/parts s3://data/aws/copied
    try 'aws gets it' aws cp --only-show-errors s3://data/aws/copied "$work/parts.back"
    try 'it is the same' cmp "$work/parts" "$work/parts.back"
    rm -f "$work/parts" "$work/parts.back"
    try 'aws synchronises' aws sync --only-show-errors "$work/in" s3://data/aws/tree
    try 'aws synchronises back' aws sync --only-show-errors s3://data/aws/tree "$work/aws"
    try 'the tree is the same' diff -r "$work/in" "$work/aws"
    echo more >"$work/in/more"
    try 'aws uploads what is new' aws sync --only-show-errors "$work/in" s3://data/aws/tree
    rm "$work/in/more"
    try 'aws deletes what is gone' aws sync --only-show-errors --delete "$work/in" s3://data/aws/tree
    aws ls --recursive s3://data/aws/tree >"$work/listed" || true
    count=$(find "$work/in" -type f | wc -l)
    try 'aws lists all of it by pages' [ "$(wc -l <"$work/listed")" -eq "$count" ]
    try 'aws deletes' aws rm --only-show-errors --recursive s3://data/aws/
    unset -f aws
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE
fi
if client boto3 python3-boto3 boto3; then
    cat >"$work/boto.py" <<'PYTHON'
import os, sys, urllib.request
import boto3
from botocore.config import Config
url, key, secret, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
s3 = boto3.client('s3', endpoint_url=url, aws_access_key_id=key, aws_secret_access_key=secret, region_name='eu-west-1',
                  config=Config(signature_version='s3v4', s3={'addressing_style': 'path'}))
for i in range(count):
    s3.put_object(Bucket='data', Key=f'boto/{i:05}', Body=b'%d' % i, Metadata={'n': str(i)})
pages = s3.get_paginator('list_objects_v2').paginate(Bucket='data', Prefix='boto/')
keys = [each['Key'] for page in pages for each in page.get('Contents', [])]
assert keys == [f'boto/{i:05}' for i in range(count)], len(keys)
assert s3.head_object(Bucket='data', Key='boto/00007')['Metadata'] == {'n': '7'}
signed = s3.generate_presigned_url('get_object', Params={'Bucket': 'data', 'Key': 'boto/00012'}, ExpiresIn=60)
assert urllib.request.urlopen(signed).read() == b'12'
for i in range(0, count, 1000):
    gone = s3.delete_objects(Bucket='data', Delete={'Objects': [{'Key': key} for key in keys[i:i + 1000]]})
    assert 'Errors' not in gone
assert 'Contents' not in s3.list_objects_v2(Bucket='data', Prefix='boto/')
PYTHON
    count=$files
    if [ "$files" -gt 1000 ]; then count=10000; fi
    try 'boto3 puts, lists by pages, signs URLs, deletes many' python3 "$work/boto.py" "$url" "$id" "$secret" "$count"
fi
try 'nothing is left of uploads in parts' sh -c "! '$volsh' -q ls data:/.volsh-uploads | grep -q ."
try 'the volume is whole' "$volsh" volume check data
