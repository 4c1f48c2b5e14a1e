/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
