# bench-cases.sh: what each tool does for .ci/bench, which sources it, and how its result is checked.
#
# WHAT_TOOL does it, WHAT_TOOL_before makes ready for it outside of the time, WHAT_check compares.

readonly patience="set net:timeout 30; set net:max-retries 2; set net:reconnect-interval-base 1"

# serve URL DIRECTORY: what all tools send to from now on, and where that lies on the disk.
serve() {
    target=$1
    landing=$2
}

# The directories that files go to, empty. Small files of the last run are put aside: where many files have just been
# deleted, ext4 makes new ones at a third of its pace, and that would be measured.
fresh() {
    local directory
    for directory in "$landing/in" "$place/state/downloads" "$place/got" "$place/durable"; do
        [ ! -e "$directory/file-0000" ] || mv "$directory" "$(mktemp -d "$place/aside.XXXXXX")/"
    done
    rm -rf "$landing/in" "$place/state/downloads" "$place/got"
    own "$landing/in"
    mkdir -p "$place/got" "$place/state/downloads"
}

# Many small files.
many_check() { diff -r "$place/small" "$landing/in"; }

many_transferd() { timeout 900 "${ctl[@]}" enqueue upload --wait "$place/small/"* "$target/in/"; }

# A list for curl: each file and its address.
list_small() {
    local file
    for file in "$place/small/"*; do
        printf 'upload-file = "%s"\nurl = "%s"\n' "$file" "$target/in/${file##*/}"
    done >"$place/curl.list"
}
many_curl_before() { list_small; }
many_curl() { curl -sS --max-time 600 --parallel --parallel-max 8 -K "$place/curl.list"; }

mirror="mirror -R --parallel=8"
many_lftp() { lftp -c "$patience; open $target; $mirror $place/small in"; }
many_lftp_temporary() {
    lftp -c "$patience; set xfer:use-temp-file yes; open $target; $mirror $place/small in"
}

# With TLS 1.3 lftp's uploads, too, arrive cut: both sides speak 1.2.
lftp_secure() {
    echo "set ftp:ssl-allow-anonymous yes; set ftp:ssl-force yes; set ftp:ssl-protect-data yes; set ssl:ca-file $place/tls/ca.pem;" \
        "set ssl:verify-certificate yes; set ssl:priority NORMAL:-VERS-TLS1.3"
}
many_lftp_tls() {
    local user=
    case $target in *transfer@*) user="-u transfer,secret" ;; esac
    lftp -c "$patience; $(lftp_secure); open $user $target; $mirror $place/small in"
}

# SFTP: each tool with the key and the known_hosts file.
readonly ssh_options="-F none -o UserKnownHostsFile=$place/ssh/known_hosts -o GlobalKnownHostsFile=none
    -o StrictHostKeyChecking=yes -o BatchMode=yes -o IdentitiesOnly=yes -i $place/ssh/client"
lftp_key() {
    echo "set sftp:connect-program \"ssh -a -x $(echo $ssh_options)\"; open -u $ssh_user,none sftp://127.0.0.1:$sftp_port"
}
rclone_key() {
    echo --config "$place/rclone.conf" --sftp-host 127.0.0.1 --sftp-port "$sftp_port" --sftp-user "$ssh_user" \
        --sftp-key-file "$place/ssh/client" --sftp-known-hosts-file "$place/ssh/known_hosts" \
        --sftp-shell-type none --sftp-disable-hashcheck
}
many_lftp_sftp() { lftp -c "$patience; $(lftp_key); cd $landing; $mirror $place/small in"; }
many_rclone_before() { touch "$place/rclone.conf"; }
many_rclone() { rclone copy --transfers 8 --checkers 8 $(rclone_key) "$place/small" ":sftp:$landing/in"; }
# The curl program looks for known_hosts in the home directory alone.
many_curl_sftp_before() {
    list_small
    mkdir -p "$place/home/.ssh"
    cp "$place/ssh/known_hosts" "$place/home/.ssh/"
}
many_curl_sftp() {
    HOME=$place/home curl -sS --max-time 600 --parallel --parallel-max 8 --key "$place/ssh/client" \
        --pubkey "$place/ssh/client.pub" -K "$place/curl.list"
}

# The small files, dropped into a route by one command.
drop_check() { many_check; }
drop_transferd_before() {
    mkdir -p "$place/dropping"
    cp "$place/small/"* "$place/dropping/"
}
drop_transferd() {
    mv "$place/dropping/"* "$place/state/spool/dropped/"
    timeout 900 bash -c 'while [ -n "$(find "$0" -type f -print -quit)" ]; do sleep 0.02; done' \
        "$place/state/spool/dropped"
}
drop_lftp_temporary() { many_lftp_temporary; }

# One large file.
up_check() { cmp "$place/web/large" "$landing/in/large"; }
up_transferd() { timeout 900 "${ctl[@]}" enqueue upload --wait "$place/web/large" "$target/in/"; }
up_curl() { curl -sS --max-time 600 -T "$place/web/large" "$target/in/"; }
up_lftp() { lftp -c "$patience; open $target; put -O in $place/web/large"; }
up_lftp_sftp() { lftp -c "$patience; $(lftp_key); put -O $landing/in $place/web/large"; }
up_rclone_before() { touch "$place/rclone.conf"; }
up_rclone() { rclone copyto $(rclone_key) "$place/web/large" ":sftp:$landing/in/large"; }
up_openssh_before() { echo "put $place/web/large $landing/in/large" >"$place/batch"; }
up_openssh() { sftp -q -b "$place/batch" $ssh_options -P "$sftp_port" "$ssh_user@127.0.0.1"; }

down_check() {
    local found=$place/got/large
    [ -e "$found" ] || found=$place/state/downloads/large
    cmp "$place/web/large" "$found"
}
down_transferd() { timeout 900 "${ctl[@]}" enqueue download --wait "$web/large"; }
down_curl() { curl -sS --max-time 600 "${trust[@]}" -o "$place/got/large" "$web/large"; }
down_lftp() { lftp -c "$patience; get -O $place/got $web/large"; }
down_aria2() { by_aria2 1; }
down_aria2_8() { by_aria2 8; }
by_aria2() {
    aria2c -q --no-conf --file-allocation=none ${ca:+--ca-certificate="$ca"} -x "$1" -s "$1" -d "$place/got" \
        -o large "$web/large"
}
down_wget() { wget -q --no-config ${ca:+--ca-certificate="$ca"} -O "$place/got/large" "$web/large"; }
down_rclone() {
    rclone copyurl --config "$place/rclone.conf" ${ca:+--ca-cert "$ca"} "$web/large" "$place/got/large"
}
down_rclone_before() { touch "$place/rclone.conf"; }
# The certificates that all tools trust, where the server has one.
ca=
trust=()
trusting() {
    ca=$1
    trust=(--cacert "$1")
}

# Forms: many small ones, each with one file, and one large one. nginx keeps the bodies in $landing/body.
posts_transferd_before() {
    bodies_before
    last=$(sqlite3 -readonly "$place/state/jobs.db" "SELECT ifnull(max(id), 0) FROM jobs")
    local file
    for file in "$place/small/"*; do
        printf '{"kind": "form", "url": "%s/in", "fields": [["@file", "%s"]]}\n' "$web" "$file"
    done >"$place/posts.json"
}
posts_transferd() { timeout 900 "${ctl[@]}" enqueue --from "$place/posts.json" --wait; }
posts_transferd_time() {
    sqlite3 -readonly "$place/state/jobs.db" "SELECT printf('%.3f', (max(finished_at) - min(started_at)) / 1000.0)
        FROM jobs WHERE id > ${last:-0}"
}
posts_curl_before() {
    bodies_before
    local file
    for file in "$place/small/"*; do
        printf 'url = "%s/in"\nform = "file=@%s"\noutput = /dev/null\nnext\n' "$web" "$file"
    done | sed '$d' >"$place/curl.list"
}
posts_curl() { curl -sS --max-time 600 --parallel --parallel-max 8 -K "$place/curl.list"; }
posts_check() { .ci/compare-forms "$landing/body" "$place/small/"*; }

post_transferd_before() { bodies_before; }
post_transferd() { timeout 900 "${ctl[@]}" enqueue form "$web/in" -F "file=@$place/web/large" --wait; }
post_curl_before() { bodies_before; }
post_curl() { curl -sS --max-time 600 -F "file=@$place/web/large" "$web/in"; }
post_check() { .ci/compare-forms "$landing/body" "$place/web/large"; }

# The bodies of the last run are gone: small ones put aside, as above, since nginx goes on counting its files.
bodies_before() {
    local aside
    if [ -e "$place/web/large" ]; then
        find "$landing/body" -type f -delete
    else
        aside=$(mktemp -d "$place/aside.XXXXXX")
        find "$landing/body" -type f -exec mv -t "$aside" {} +
    fi
}

# Many small files by HTTP.
fetches_transferd_before() {
    last=$(sqlite3 -readonly "$place/state/jobs.db" "SELECT ifnull(max(id), 0) FROM jobs")
    local file
    for file in "$place/web/small/"*; do
        printf '{"kind": "download", "url": "%s/small/%s"}\n' "$web" "${file##*/}"
    done >"$place/fetches.json"
}
fetches_transferd() { timeout 900 "${ctl[@]}" enqueue --from "$place/fetches.json" --wait; }
fetches_transferd_time() { posts_transferd_time; }
fetches_curl_before() {
    local file
    for file in "$place/web/small/"*; do
        printf 'url = "%s/small/%s"\noutput = "%s"\n' "$web" "${file##*/}" "$place/got/${file##*/}"
    done >"$place/curl.list"
}
fetches_curl() { curl -sS --max-time 600 --parallel --parallel-max 16 -K "$place/curl.list"; }
fetches_curl_durable_before() {
    fetches_curl_before
    mkdir -p "$place/durable"
}
fetches_curl_durable() { fetches_curl && .ci/durable "$place/durable" "$files" 4096; }
fetches_check() {
    local found=$place/got
    [ -n "$(ls "$found")" ] || found=$place/state/downloads
    diff -r "$place/web/small" "$found"
}

# The highest resident memory of the daemon since it started, and what it has before its first job, in KiB.
peak() { awk '/^VmHWM/ { print $2 }' "/proc/$daemon/status"; }
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$daemon/status"; }

# make_path [MEGABITS]: 50 ms of round trip in this name space, and no more than that in a second; $far_address is this
# machine seen over it.
make_path() {
    ip link set lo up
    if [ "$BENCH_PATH" = netem ]; then
        tc qdisc add dev lo root netem delay 25ms ${1:+rate "$1"mbit} limit 100000
        far_address=127.0.0.1
    else
        setsid .ci/longpath 25 "$@" >"$place/longpath.out" 2>&1 &
        started+=("$!")
        for _ in {1..100}; do
            ! grep -q there "$place/longpath.out" || break
            sleep 0.05
        done
        far_address=10.99.0.2
    fi
}
