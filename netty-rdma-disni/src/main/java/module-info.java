// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/** DiSNI 2.1, open and exported as the automatic module is that its own jar makes. */
open module disni {
    requires jdk.unsupported;
    requires static org.slf4j; // its own provider logs with it; its API does not

    exports com.ibm.disni;
    exports com.ibm.disni.util;
    exports com.ibm.disni.verbs;
    exports com.ibm.disni.verbs.impl;
}
