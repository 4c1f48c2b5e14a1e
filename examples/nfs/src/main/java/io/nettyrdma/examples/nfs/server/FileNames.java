// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Names and symbolic links are octets to NFS and to Linux, but characters to Java, which loses what its locale has no
 * character for. URIs of files keep every octet, so names that are not ASCII take that way.
 */
final class FileNames {

    private static final Path SLASH = Path.of("/");
    private static final String HEX = "0123456789ABCDEF";

    private FileNames() {}

    /**
     * A path from its octets. Java drops doubled and trailing slashes, so a symbolic link may read a little different
     * from what was written, and leads to the same place.
     *
     * @throws NfsException INVAL if it cannot be a path on this host
     */
    static Path path(byte[] octets) throws NfsException {
        if (octets.length == 0) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        try {
            if (isAscii(octets)) {
                return Path.of(new String(octets, StandardCharsets.US_ASCII));
            }
            boolean absolute = octets[0] == '/';
            StringBuilder uri = new StringBuilder("file:///");
            for (byte octet : octets) {
                if (octet == '/') {
                    uri.append('/');
                } else if (octet == 0) {
                    throw new NfsException(Nfs3Status.INVAL);
                } else {
                    uri.append('%').append(HEX.charAt(octet >> 4 & 15)).append(HEX.charAt(octet & 15));
                }
            }
            Path path = Path.of(URI.create(absolute ? uri.deleteCharAt(7).toString() : uri.toString()));
            return absolute ? path : SLASH.relativize(path);
        } catch (InvalidPathException e) {
            throw new NfsException(Nfs3Status.INVAL);
        } catch (IllegalArgumentException e) {
            throw new NfsException(Nfs3Status.INVAL);
        }
    }

    /** The octets of a path. */
    static byte[] octets(Path path) {
        String text = path.toString();
        byte[] plain = text.getBytes(StandardCharsets.UTF_8);
        if (plain.length == text.length() && isAscii(plain)) {
            return plain;
        }
        String raw = SLASH.resolve(path).toUri().getRawPath();
        ByteArrayOutputStream octets = new ByteArrayOutputStream(raw.length());
        // Java adds a slash to what is a directory by chance.
        int end = raw.endsWith("/") ? raw.length() - 1 : raw.length();
        for (int i = path.isAbsolute() ? 0 : 1; i < end; i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                octets.write(Integer.parseInt(raw, i + 1, i + 3, 16));
                i += 2;
            } else {
                octets.write(c);
            }
        }
        return octets.toByteArray();
    }

    private static boolean isAscii(byte[] octets) {
        for (byte octet : octets) {
            if (octet < 0) {
                return false;
            }
        }
        return true;
    }
}
