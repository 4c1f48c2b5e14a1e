// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.examples.cli.Examples;
import io.nettyrdma.examples.echo.EchoServer;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.util.Arrays;

/** The classes of this project without its tests, from wherever the build has put them. */
final class ProjectClasses {

    /** Both libraries. */
    static final JavaClasses LIBRARIES = ofModulesWith(RdmaChannel.class, RpcRdmaConfig.class);

    /** The libraries, the examples, and what reads tags of requirements. */
    static final JavaClasses ALL = ofModulesWith(
            RdmaChannel.class,
            RpcRdmaConfig.class,
            EchoServer.class,
            PeerText.class,
            Examples.class,
            Requirement.class);

    private ProjectClasses() {}

    private static JavaClasses ofModulesWith(Class<?>... types) {
        return new ClassFileImporter()
                .importLocations(Arrays.stream(types)
                        .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                        .map(Location::of)
                        .toList());
    }
}
