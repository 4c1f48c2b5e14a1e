// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import io.nettyrdma.verbs.ProviderKind;

/**
 * A provider of DiSNI's API that itself offers the extensions that channels need. It therefore also works if an
 * application has put it into DiSNI before.
 */
public interface ExtendedProvider {

    /** Returns the functions that DiSNI's API lacks. */
    VerbsExtensions extensions();

    /** Returns whether a device or software does the work. */
    ProviderKind kind();
}
