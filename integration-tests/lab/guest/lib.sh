# Functions for scripts that run in the guest; `init` and every command of the host's harness source this file.
# Every wait here has a limit and says what it waited for. Marker lines ("LAB: ...") are for machines to read.

lab=/run/lab            # shared with the host, writable
guest_address=10.0.2.15 # what QEMU's user network gives the guest
host_address=10.0.2.2   # its connections to here arrive at the host's 127.0.0.1

lab_ok() { echo "LAB: ok $*"; }
lab_fail() { echo "LAB: fail $*"; }

# lab_await SECONDS WHAT COMMAND...: until COMMAND succeeds.
lab_await() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" > /dev/null 2>&1; do
    if ((SECONDS >= end)); then
      lab_fail "waited in vain for $what"
      return 1
    fi
    lab_pause 0.1
  done
}

# Pauses between two looks without starting a program, which costs 20 ms under emulation.
lab_pause() {
  [[ -n ${lab_pause_fd:-} ]] || exec {lab_pause_fd}<> <(:)
  read -r -t "$1" -u "$lab_pause_fd" || true
}

# TCP, or RDMA over any device; siw's listeners are also TCP sockets, rxe's are not.
lab_is_listening() {
  [[ -n $(ss -Htln "sport = :$1") ]] || rdma resource show cm_id | grep -q "state LISTEN .*src-addr [^ ]*:$1 "
}

lab_await_listening() { lab_await "$2" "a listener on port $1" lab_is_listening "$1"; }

# The processors that the kernel was told to leave alone while it boots, see LabGuest.
lab_processors() {
  local file
  for file in /sys/devices/system/cpu/cpu*/online; do
    [[ ! -e $file || $(< "$file") == 1 ]] || echo 1 > "$file" || return 1
  done
}

# One processor takes what comes by lo, or packets of a sender that moves to another overtake each other while the first
# is held up: TCP copes, but a capture of it is out of order.
lab_network() {
  ip link set lo up
  echo 1 > /sys/class/net/lo/queues/rx-0/rps_cpus
  ip address add "$guest_address/24" dev eth0
  ip link set eth0 up
  ip route add default via "$host_address"
}

# siw on eth0. Use the address 10.0.2.15 with it, also for loopback; 127.0.0.1 does not work with siw.
lab_siw() {
  # The connection manager after the verbs: then it is told first that a device is removed, and tells programs, while
  # the verbs wait for them.
  modprobe -a siw ib_uverbs rdma_ucm
  rdma link add siw0 type siw netdev eth0
  lab_await 20 "device siw0 to be active" eval 'rdma link show siw0/1 | grep -q "state ACTIVE"'
  lab_await 20 "/dev/infiniband/rdma_cm" test -e /dev/infiniband/rdma_cm
}

# rxe in the place of siw.
lab_rxe() {
  rdma link delete siw0 && modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0
}

# lab_nfsd DIR: an NFS server over TCP and RDMA (port 20049) with one export, DIR on a tmpfs. MOUNT is on TCP port 20048.
# Once per boot; a second call finds it running.
lab_nfsd() {
  local dir=$1 port
  lab_is_listening 20049 && return
  modprobe -a nfsd nfs rpcrdma nfsv3 nfsv4
  mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
  mount -t tmpfs tmpfs /var/lib/nfs
  mkdir -p /var/lib/nfs/{v4recovery,sm,rpc_pipefs}
  touch /var/lib/nfs/{etab,rmtab}
  mkdir -p "$dir"
  mount -t tmpfs tmpfs "$dir"
  rpcbind -w
  lab_await_listening 111 20
  exportfs -o rw,no_root_squash,insecure,fsid=0 "*:$dir"
  echo 1048576 > /proc/fs/nfsd/max_block_size # the guest's memory would be worth 262144
  rpc.nfsd 2
  echo rdma 20049 > /proc/fs/nfsd/portlist
  rpc.mountd --port 20048
  for port in 20048 20049; do lab_await_listening "$port" 20 || return 1; done
}

# Ends the time after its start in which it grants only what clients had before. That of the lock manager counts as well:
# delegations are given when both are over.
lab_nfsd_end_grace() {
  local file
  for file in /proc/fs/nfsd/v4_end_grace /proc/fs/lockd/nlm_end_grace; do
    [[ $(< "$file") == Y ]] || echo Y > "$file" || return 1
  done
}

# Forgets clients of NFS 4.1 whose names begin so, with what they hold: a delegation that nobody gives back would keep rm
# from its work.
lab_nfsd_expire_clients() { # PREFIX
  local info
  for info in $(grep -l "name: \"$1" /proc/fs/nfsd/clients/*/info); do
    echo expire > "${info%info}ctl"
  done
}

# Restarts it: clients are disconnected, and what they have written but not committed may be lost.
lab_nfsd_restart() {
  rpc.nfsd 0
  rpc.nfsd 2
  echo rdma 20049 > /proc/fs/nfsd/portlist
  lab_await_listening 20049 20
}

# lab_mount VERSION FROM DIR: mounts over RDMA, port 20049.
lab_mount() {
  mkdir -p "$3"
  local options=vers=$1,proto=rdma,port=20049
  [[ $1 == 4* ]] || options+=,nolock # version 4 has no lock manager to leave out
  mount -t nfs -o "$options" "$2" "$3"
}

# rping's exit status is 0 also when the connection broke, so the rounds it reports are counted instead. A client reports a
# round after it has verified it; a server verifies nothing, so the host gets a digest of the data to compare with its own.
# A server must be given the size as well: its buffer has 64 octets otherwise, and a longer ping ends in a Terminate.

# lab_rping_client ADDRESS PORT COUNT SIZE
lab_rping_client() { lab_rping rping-client "ping data" "$3" -c -a "$1" -p "$2" -C "$3" -S "$4" -V; }

# lab_rping_server PORT COUNT SIZE: serves one client.
lab_rping_server() { lab_rping rping-server "server ping data" "$2" -s -a "$guest_address" -p "$1" -C "$2" -S "$3"; }

lab_rping() {
  local name=$1 report=$2 count=$3 out err status rounds digest
  shift 3
  # Two files: in one, a message would stand in the middle of a round, which is written in blocks.
  out=$(mktemp) err=$(mktemp)
  rping "$@" -v > "$out" 2> "$err"
  status=$?
  rounds=$(grep -c "^$report: " "$out")
  if ((rounds == count && status == 0)); then
    digest=$(sed -n "s/^$report: //p" "$out" | sha256sum)
    lab_ok "$name: $rounds rounds, sha256 ${digest%% *}"
  else
    lab_fail "$name: $rounds of $count rounds, exit status $status"
    cat "$err"
    return 1
  fi
}

# One custom run of rstream, as librdmacm 44 cannot make the second connection of a default run over siw. Its exit status
# and its report both count. In the foreground the limits are in the process group of the shell, so a program ends with the
# test that gives it up; else its queue pair is there until the limit.

# lab_rstream_client NAME OPTION...
lab_rstream_client() {
  local name=$1 out status=0
  shift
  out=$(timeout --foreground 30 rstream "$@" 2>&1) || status=$?
  lab_rstream_report "$name" "$status" "$out"
}

# lab_rstream_server NAME PORT OPTION...: serves one client; says when it listens.
lab_rstream_server() {
  local name=$1 port=$2 out pid status=0
  shift 2
  out=$(mktemp)
  timeout --foreground 60 rstream -b "$guest_address" -p "$port" "$@" > "$out" 2>&1 &
  pid=$!
  lab_await_listening "$port" 20 || return 1
  echo "LAB: rstream $name listens"
  wait "$pid" || status=$?
  lab_rstream_report "$name" "$status" "$(< "$out")"
}

lab_rstream_report() {
  if [[ $2 == 0 && $3 == *$'\n'custom* && $3 != *failed* ]]; then
    lab_ok "rstream $1:" "${3##*$'\n'}"
  else
    lab_fail "rstream $1: exit status $2"
    echo "$3"
    return 1
  fi
}

# lab_rcopy SERVER_PORT HOST PORT BYTES...: copies a file of each length to an rcopy that it starts on SERVER_PORT, by way
# of HOST:PORT.
lab_rcopy() {
  local server_port=$1 host=$2 port=$3 server status=0
  shift 3
  timeout --foreground 120 rcopy -p "$server_port" &
  server=$!
  lab_await_listening "$server_port" 20 && lab_rcopy_files "$host" "$port" "$@" || status=1
  kill "$server"
  wait "$server" 2> /dev/null
  return "$status"
}

lab_rcopy_files() {
  local host=$1 port=$2 bytes files status
  shift 2
  files=$(mktemp -d)
  for bytes; do
    head -c "$bytes" /dev/urandom > "$files/from"
    status=0
    timeout 25 rcopy "$files/from" "$host:$files/to$bytes" -p "$port" > "$files/out" 2>&1 || status=$?
    if [[ $status == 0 ]] && cmp "$files/from" "$files/to$bytes"; then
      lab_ok "rcopy: $bytes bytes"
    else
      lab_fail "rcopy: $bytes bytes, exit status $status"
      cat "$files/out"
      return 1
    fi
  done
  rm -rf "$files"
}

# lab_rcopy_of_nothing PORT: rcopy without anything in between has to fail to copy an empty file.
lab_rcopy_of_nothing() {
  local server files status=0
  files=$(mktemp -d)
  : > "$files/from"
  timeout 60 rcopy -p "$1" &
  server=$!
  lab_await_listening "$1" 20 &&
    { timeout 25 rcopy "$files/from" "$guest_address:$files/to" -p "$1" > "$files/out" 2>&1 || status=$?; }
  kill "$server"
  wait "$server" 2> /dev/null
  if [[ $status != 0 && $status != 124 ]]; then
    lab_ok "rcopy of an empty file fails: $(< "$files/out")"
  else
    lab_fail "rcopy of an empty file: exit status $status"
    cat "$files/out"
    return 1
  fi
}

# lab_riostream HOST PORT: it has to end by itself, for want of memory at the server.
lab_riostream() {
  local out status=0
  out=$(timeout 20 riostream -s "$1" -p "$2" -S 5 -C 2 -I 2 2>&1) || status=$?
  if [[ $status != 124 && $out == *"Cannot allocate memory"* ]]; then
    lab_ok "riostream: no memory"
  else
    lab_fail "riostream: exit status $status"
    echo "$out"
    return 1
  fi
}

# Defaults of rsockets in the guest, for programs that start later; lab_rsockets_defaults_end takes them back.
lab_rsockets_queues() { # ENTRIES
  mkdir -p /etc/rdma/rsocket
  echo "$1" > /etc/rdma/rsocket/rqsize_default
  echo "$1" > /etc/rdma/rsocket/sqsize_default
}
lab_rsockets_defaults_end() { rm -rf /etc/rdma/rsocket; }

# lab_over_rsockets SECONDS PROGRAM ARGUMENT...: a program for TCP, over rsockets: librspreload of librdmacm takes the
# place of the C library's calls for sockets.
lab_over_rsockets() {
  local seconds=$1
  shift
  timeout "$seconds" env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so "$@"
}

# lab_redis PROGRAM PORT: redis-server on the loopback address, and the gateway PROGRAM that leads to it from rsockets.
lab_redis() {
  redis-server --bind 127.0.0.1 --port 6379 --save '' --dir /tmp > /tmp/redis.log 2>&1 &
  lab_await_listening 6379 20 || { cat /tmp/redis.log; return 1; }
  exec "$1" "$guest_address" "$2" 127.0.0.1 6379
}

# redis-cli over rsockets, one call and one connection.
lab_redis_cli() { # PORT ARGUMENT...
  local port=$1
  shift
  lab_over_rsockets 30 redis-cli -h "$host_address" -p "$port" "$@"
}

# lab_redis_calls PORT SIZE...: PING, then SET and GET of a value of each size. The host gets a digest of each value that
# came back, to compare with its own.
lab_redis_calls() {
  local port=$1 size value back answer
  shift
  value=$(mktemp) back=$(mktemp)
  answer=$(lab_redis_cli "$port" ping 2>&1)
  [[ $answer == PONG ]] || { lab_fail "redis-cli ping: $answer"; return 1; }
  for size; do
    perl -e 'srand 1; print chr int rand 256 for 1 .. shift' "$size" > "$value"
    answer=$(lab_redis_cli "$port" -x set "value-$size" < "$value" 2>&1)
    [[ $answer == OK ]] || { lab_fail "redis-cli set, $size bytes: $answer"; return 1; }
    lab_redis_cli "$port" get "value-$size" > "$back" || { lab_fail "redis-cli get, $size bytes"; return 1; }
    echo >> "$value" # as redis-cli ends what it prints
    cmp "$value" "$back" || { lab_fail "redis-cli get, $size bytes: another value"; return 1; }
    lab_ok "redis-cli value-$size: sha256" "$(head -c "$size" "$back" | sha256sum | cut -d' ' -f1)"
  done
}
