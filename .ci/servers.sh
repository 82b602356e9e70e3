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

# own PATH...: makes them, and gives them to the user that the servers below serve as when root starts them.
own() {
    mkdir -p "$@"
    [ "$EUID" -ne 0 ] || chown nobody "$@"
}

# A certificate authority, $place/tls/ca.pem, and a certificate by it for 127.0.0.1, server.pem and server.key.
make_certificates() {
    [ ! -e "$place/tls/server.pem" ] || return 0
    mkdir -p "$place/tls"
    (
        cd "$place/tls"
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "/CN=test authority" \
            -keyout ca.key -out ca.pem
        openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -CA ca.pem -CAkey ca.key \
            -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE \
            -keyout server.key -out server.pem
    ) 2>/dev/null
}

# As start_vsftpd, with TLS demanded for commands and data, and one session for both.
start_vsftpd_tls() {
    make_certificates
    start_vsftpd ssl_enable=YES allow_anon_ssl=YES force_anon_logins_ssl=YES force_anon_data_ssl=YES \
        require_ssl_reuse=YES ssl_ciphers=HIGH rsa_cert_file="$place/tls/server.pem" \
        rsa_private_key_file="$place/tls/server.key"
}

# The user `transfer` with the password `secret` may do everything below $place/proftpd; TLS is demanded for commands
# and data, and one session for both. $ftp is the address; $place/netrc lets transferd in.
start_proftpd_tls() {
    local port user group served=
    port=$(free_port)
    make_certificates
    own "$place/proftpd"
    user=$(stat -c %u "$place/proftpd") group=$(stat -c %g "$place/proftpd")
    [ "$EUID" -ne 0 ] || served="User nobody"$'\n'"Group nogroup"$'\n'"DefaultRoot ~"
    echo "transfer:$(openssl passwd -5 secret):$user:$group::$place/proftpd:/bin/sh" >"$place/proftpd.users"
    chmod 600 "$place/proftpd.users"
    cat >"$place/proftpd.conf" <<END
ServerType standalone
DefaultAddress 127.0.0.1
Port $port
SocketBindTight on
UseIPv6 off
UseReverseDNS off
ModulePath $unpacked/usr/lib/proftpd
PidFile $place/proftpd.pid
ScoreboardFile none
SystemLog $place/proftpd.log
TransferLog none
WtmpLog off
<IfModule mod_ctrls.c>
ControlsEngine off
</IfModule>
<IfModule mod_delay.c>
DelayEngine off
</IfModule>
AuthOrder mod_auth_file.c
AuthUserFile $place/proftpd.users
RequireValidShell off
UseFtpUsers off
AllowOverwrite on
AllowStoreRestart on
MaxInstances 200
LoadModule mod_tls.c
TLSEngine on
TLSRequired on
TLSProtocol TLSv1.2 TLSv1.3
TLSRSACertificateFile $place/tls/server.pem
TLSRSACertificateKeyFile $place/tls/server.key
TLSVerifyClient off
$served
END
    start proftpd "$port" "$unpacked/usr/sbin/proftpd" -n -q -c "$place/proftpd.conf"
    echo "machine 127.0.0.1:$port login transfer password secret" >"$place/netrc"
    ftp=ftp://transfer@127.0.0.1:$port
}

# The key $place/ssh/client lets $ssh_user in, for SFTP alone; $place/ssh/known_hosts has the server's key, and $sftp
# is the address of $place/sftp. It never runs as root, since sshd then wants a user and a directory of the system.
start_sshd() {
    local port name person=()
    port=$(free_port)
    ssh_user=$(id -un)
    [ "$EUID" -ne 0 ] || {
        ssh_user=nobody
        person=(setpriv --reuid=nobody --regid=nogroup --clear-groups --)
    }
    own "$place/sftp" "$place/ssh"
    for name in host client; do
        ssh-keygen -q -t ed25519 -N '' -C $name -f "$place/ssh/$name"
    done
    [ "$EUID" -ne 0 ] || chown nobody "$place/ssh/host"
    echo "[127.0.0.1]:$port $(cat "$place/ssh/host.pub")" >"$place/ssh/known_hosts"
    cat >"$place/ssh/config" <<END
Port $port
ListenAddress 127.0.0.1
HostKey $place/ssh/host
PidFile none
UsePAM yes
AuthorizedKeysFile $place/ssh/client.pub
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
UseDNS no
MaxStartups 200
Subsystem sftp internal-sftp -d $place/sftp
ForceCommand internal-sftp -d $place/sftp
END
    start sshd "$port" "${person[@]}" "$unpacked/usr/sbin/sshd" -D -e -f "$place/ssh/config"
    sftp_port=$port
    sftp=sftp://$ssh_user@127.0.0.1:$port$place/sftp
}

# start_nginx [LINE...]: serves the files below $place/web, with more lines for the server; $web is the address, of
# $nginx_address where that is set. With NGINX_TLS set it speaks TLS, by make_certificates.
start_nginx() {
    local port user= tls= scheme=http
    port=$(free_port)
    [ "$EUID" -ne 0 ] || user='user root;'
    if [ -n "${NGINX_TLS:-}" ]; then
        make_certificates
        scheme=https
        tls=" ssl; ssl_certificate $place/tls/server.pem; ssl_certificate_key $place/tls/server.key"
    fi
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
        listen ${nginx_address:-127.0.0.1}:$port$tls;
        root $place/web;
        $*
    }
}
END
    start nginx "$port" "$unpacked/usr/sbin/nginx" -p "$place/nginx" -e "$place/nginx/error.log" -c "$place/nginx.conf"
    web=$scheme://127.0.0.1:$port
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

# Ends transferd alone.
stop_daemon() {
    kill -- "-$daemon"
    wait "$daemon" || true
    started=("${started[@]/#$daemon/}")
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
