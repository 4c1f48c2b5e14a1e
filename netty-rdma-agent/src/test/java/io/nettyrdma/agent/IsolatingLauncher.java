// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Runs a program by a class loader that does not ask the one of the class path. */
final class IsolatingLauncher {

    private IsolatingLauncher() {}

    /** Arguments: the program's class path, its class, and its arguments. */
    public static void main(String[] args) throws Exception {
        URL[] urls = Stream.of(args[0].split(":")).map(IsolatingLauncher::url).toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader("isolated", urls, ClassLoader.getPlatformClassLoader())) {
            var main = loader.loadClass(args[1]).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) Arrays.copyOfRange(args, 2, args.length));
        }
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
