// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Names and symbolic links are octets to NFS and to Linux, but characters to Java, which loses what its locale has no
 * character for. URIs of files keep every octet, so names that are not ASCII take that way.
 */
final class FileNames {

    static final int MAX_NAME_BYTES = 255;
    static final int MAX_PATH_BYTES = 4095;
    private static final Path SLASH = Path.of("/");
    private static final HexFormat ESCAPED = HexFormat.of().withPrefix("%");

    private FileNames() {}

    /** Reads one component of a path; "." and ".." are for the procedure to judge. */
    static Path readName(ByteBuf in) throws NfsException {
        byte[] octets = readOctets(in, MAX_NAME_BYTES);
        if (new String(octets, StandardCharsets.ISO_8859_1).contains("/")) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        return path(octets);
    }

    static byte[] readOctets(ByteBuf in, int maxBytes) throws NfsException {
        ByteBuf octets = XdrOpaque.read(in, Integer.MAX_VALUE);
        if (octets.readableBytes() > maxBytes) {
            throw new NfsException(Nfs3Status.NAMETOOLONG);
        }
        return ByteBufUtil.getBytes(octets);
    }

    /** A path from its octets, INVAL if they cannot be one. Java drops doubled and trailing slashes. */
    static Path path(byte[] octets) throws NfsException {
        String text = new String(octets, StandardCharsets.ISO_8859_1);
        if (text.isEmpty() || text.indexOf(0) >= 0) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        if (isAscii(text)) {
            return Path.of(text);
        }
        int start = text.startsWith("/") ? 1 : 0;
        String escaped = ESCAPED.formatHex(octets, start, octets.length).replace("%2f", "/");
        Path path = Path.of(URI.create("file:///" + escaped));
        return start == 1 ? path : SLASH.relativize(path);
    }

    static byte[] octets(Path path) {
        String text = path.toString();
        if (isAscii(text)) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
        String raw = SLASH.resolve(path).toUri().getRawPath().replace("+", "%2B");
        byte[] octets = URLDecoder.decode(raw, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1);
        int end = octets.length - (raw.endsWith("/") ? 1 : 0); // Java adds a slash to what is a directory by chance
        return Arrays.copyOfRange(octets, path.isAbsolute() ? 0 : 1, end);
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(character -> character < 0x80);
    }
}
