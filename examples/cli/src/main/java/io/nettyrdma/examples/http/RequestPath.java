// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The names in the target of a request, decoded (RFC 3986, section 2.1). No name leads out of a directory: none is a
 * dot or two, and none has a slash or a NUL. The list is empty for the root; its last name is empty if the path ends
 * with a slash.
 *
 * @param names from the root on
 */
record RequestPath(List<String> names) {

    private static final String INDEX = "index.html";
    private static final int ESCAPE_CHARS = 3;
    private static final int HEXADECIMAL = 16;

    /** The target is not one that this server understands. */
    static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;

        MalformedException(String message) {
            super(message);
        }
    }

    /**
     * Parses the target of a request: a path, or a URI with a host, as proxies are sent it (RFC 9112, section 3.2).
     *
     * @throws MalformedException if it is something else, or has an invalid name
     */
    static RequestPath parse(String target) throws MalformedException {
        String path = withoutQuery(withoutHost(target));
        if (!path.startsWith("/")) {
            throw new MalformedException("the target does not begin with a slash");
        }
        List<String> names = new ArrayList<>();
        if (path.length() > 1) {
            for (String part : path.substring(1).split("/", -1)) {
                names.add(name(part));
            }
        }
        return new RequestPath(names.isEmpty() ? List.of(INDEX) : names);
    }

    private static String withoutHost(String target) {
        String lowerCase = target.toLowerCase(Locale.ROOT);
        for (String scheme : List.of("http://", "https://")) {
            if (lowerCase.startsWith(scheme)) {
                String rest = target.substring(scheme.length());
                int slash = rest.indexOf('/');
                return slash < 0 ? "/" : rest.substring(slash);
            }
        }
        return target;
    }

    private static String withoutQuery(String path) {
        int query = path.indexOf('?');
        return query < 0 ? path : path.substring(0, query);
    }

    private static String name(String part) throws MalformedException {
        String name = decode(part);
        if (name.equals(".") || name.equals("..") || name.indexOf('/') >= 0 || name.indexOf('\0') >= 0) {
            throw new MalformedException("the path has an invalid name");
        }
        return name;
    }

    private static String decode(String part) throws MalformedException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(part.length());
        for (int i = 0; i < part.length(); ) {
            char character = part.charAt(i);
            if (character == '%') {
                bytes.write(escaped(part, i));
                i += ESCAPE_CHARS;
            } else if (character > ' ' && character < 0x7f && character != '\\' && character != '#') {
                bytes.write(character);
                i++;
            } else {
                throw new MalformedException("the path has an invalid character");
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedException("the path is not UTF-8");
        }
    }

    private static int escaped(String part, int start) throws MalformedException {
        if (part.length() - start < ESCAPE_CHARS) {
            throw new MalformedException("the path has an unfinished escape");
        }
        int high = Character.digit(part.charAt(start + 1), HEXADECIMAL);
        int low = Character.digit(part.charAt(start + 2), HEXADECIMAL);
        if (high < 0 || low < 0) {
            throw new MalformedException("the path has an invalid escape");
        }
        return high * HEXADECIMAL + low;
    }

    /** The name of the file. */
    String last() {
        return names.get(names.size() - 1);
    }
}
