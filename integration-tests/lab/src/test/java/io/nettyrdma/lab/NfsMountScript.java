// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

/**
 * Scripts for the guest that work on a mount over RDMA, with NFS version 3, of a server on this machine.
 *
 * @param port of NFS over RDMA
 * @param mountPort of MOUNT over TCP
 */
record NfsMountScript(int port, int mountPort) {
    /**
     * Commands between mount and unmount, in the root of the export. Of them, {@code again} mounts anew, so that
     * nothing is in a cache, and {@code again BYTES} with another transfer size; {@code write_and_compare BYTES} writes
     * so many to a file for each of three transfer sizes, and reads them back.
     *
     * @param transferBytes {@code rsize} and {@code wsize}
     */
    String of(int transferBytes, String bash) {
        return of(LabGuest.HOST_ADDRESS, transferBytes, bash);
    }

    /** The same of a server at another address than the host's. */
    String of(String address, int transferBytes, String bash) {
        // nosharecache: another mount of this export would keep the cache that "again" is to empty.
        String options = "vers=3,proto=rdma,port=" + port + ",mountproto=tcp,mountport=" + mountPort
                + ",nolock,noacl,nosharecache";
        return """
                set -e
                modprobe -a nfs nfsv3 rpcrdma
                mounted=$(mktemp -d)
                trap 'cd /; umount -f -l "$mounted"; rmdir "$mounted"' EXIT
                again() {
                  cd /
                  ! mountpoint -q "$mounted" || umount "$mounted"
                  transfer=${1:-$transfer}
                  mount -t nfs -o %s,rsize=$transfer,wsize=$transfer %s:/ "$mounted"
                  grep -q " $mounted nfs .*rsize=$transfer,wsize=$transfer,.*proto=rdma" /proc/mounts
                  cd "$mounted"
                }
                write_and_compare() {
                  head -c $1 /dev/urandom > /tmp/data
                  for transfer in 4096 65536 1048576; do
                    again $transfer
                    dd if=/tmp/data of=data-$transfer bs=100003 conv=fsync status=none
                    again
                    cmp /tmp/data data-$transfer
                  done
                  rm /tmp/data
                }
                again %d
                """
                        .formatted(options, address, transferBytes)
                + bash;
    }
}
