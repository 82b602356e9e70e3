# servers.sh: throw-away servers on free ports of 127.0.0.1, for the scripts beside it; to be sourced.
# The caller sets `place`, an existing directory; `stop_all` ends what was started, by process id.

readonly unpacked=$PWD/.build/servers
started=()

stop_all() {
    local pid
    for pid in "${started[@]}"; do
        kill -- "-$pid" 2>/dev/null || true
    done
    for pid in "${started[@]}"; do
        wait "$pid" 2>/dev/null || true
    done
    started=()
}

answers() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Below the kernel's range for outgoing connections, so that no client takes the port in between.
free_port() {
    local port
    while :; do
        port=$((15000 + RANDOM % 17000))
        answers "$port" || break
    done
    echo "$port"
}

# start NAME PORT COMMAND...: starts a server and waits until its port answers. Each has a process group of its own,
# since PHP does not end its workers.
start() {
    local name=$1 port=$2
    shift 2
    setsid "$@" </dev/null >"$place/$name.out" 2>&1 &
    local pid=$!
    started+=("$pid")
    for _ in {1..200}; do
        answers "$port" && return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    echo "$name did not start:" >&2
    cat "$place/$name.out" >&2
    return 1
}

# Anonymous users may do everything below $place/ftp; $ftp is the address. More lines for vsftpd.conf as arguments.
start_vsftpd() {
    local port
    port=$(free_port)
    mkdir -p "$place/ftp" "$place/empty"
    cat >"$place/vsftpd.conf" <<END
listen=YES
listen_address=127.0.0.1
listen_port=$port
background=NO
seccomp_sandbox=NO
isolate=NO
isolate_network=NO
run_as_launching_user=YES
anonymous_enable=YES
no_anon_password=YES
ftp_username=nobody
nopriv_user=nobody
anon_root=$place/ftp
secure_chroot_dir=$place/empty
write_enable=YES
anon_upload_enable=YES
anon_mkdir_write_enable=YES
anon_other_write_enable=YES
anon_world_readable_only=NO
anon_umask=022
END
    printf '%s\n' "$@" >>"$place/vsftpd.conf"
    start vsftpd "$port" "$unpacked/usr/sbin/vsftpd" "$place/vsftpd.conf"
    ftp=ftp://127.0.0.1:$port
}

# Serves the files below $place/web; $web is the address. More directives for the server as arguments.
start_nginx() {
    local port user=
    port=$(free_port)
    [ "$EUID" -ne 0 ] || user='user root;'
    mkdir -p "$place/web" "$place/nginx"
    cat >"$place/nginx.conf" <<END
daemon off;
pid $place/nginx/pid;
$user
events { }
http {
    access_log off;
    client_body_temp_path $place/nginx/body;
    proxy_temp_path $place/nginx/proxy;
    fastcgi_temp_path $place/nginx/fastcgi;
    uwsgi_temp_path $place/nginx/uwsgi;
    scgi_temp_path $place/nginx/scgi;
    sendfile on;
    server {
        listen 127.0.0.1:$port;
        root $place/web;
        $*
    }
}
END
    start nginx "$port" "$unpacked/usr/sbin/nginx" -p "$place/nginx" -e "$place/nginx/error.log" -c "$place/nginx.conf"
    web=http://127.0.0.1:$port
}

# Writes what PHP sees of each form as a JSON line to $place/received; $form is the address.
start_php() {
    local port
    port=$(free_port)
    mkdir -p "$place/php"
    PHP_CLI_SERVER_WORKERS=4 RECEIVED=$place/received start php "$port" php -n -d post_max_size=0 \
        -d upload_max_filesize=100G -d max_execution_time=0 -d memory_limit=-1 -d upload_tmp_dir="$place/php" \
        -S "127.0.0.1:$port" -t "$place/php" .ci/receive.php
    form=http://127.0.0.1:$port/in
}

# start_daemon PROGRAM ARGUMENT...: starts transferd; its process id is $daemon. It is up when `status` answers.
start_daemon() {
    setsid "$@" </dev/null >>"$place/transferd.log" 2>&1 &
    daemon=$!
    started+=("$daemon")
    for _ in {1..200}; do
        if [ -e "$place/state/jobs.db" ] && "${ctl[@]}" status >/dev/null 2>&1; then return 0; fi
        kill -0 "$daemon" 2>/dev/null || break
        sleep 0.05
    done
    echo "transferd did not start:" >&2
    cat "$place/transferd.log" >&2
    return 1
}
