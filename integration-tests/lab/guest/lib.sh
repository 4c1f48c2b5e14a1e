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
