// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class that has the kernel of the Linux guest as its peer: tagged {@code lab}, so it runs with {@code -Plab}
 * only, and {@code peer}, so it runs on each kernel that there is. A class that is tagged {@code rsockets}, too, has
 * programs over librdmacm as its peers. They are the same on the second kernel, so it runs on the first one only.
 * Methods may take a {@link LabGuest}. All such classes of a run share one boot, so they leave the guest as they found
 * it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("lab")
@Tag("peer")
@ExtendWith(LabExtension.class)
@interface Lab {}
