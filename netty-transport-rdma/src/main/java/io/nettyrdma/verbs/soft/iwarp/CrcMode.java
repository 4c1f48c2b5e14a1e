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
package io.nettyrdma.verbs.soft.iwarp;

/**
 * When the CRC of FPDUs is used. It is used for both directions if either side asks for it (RFC 5044, section 7.1.1).
 */
public enum CrcMode {
    /** Initiators ask for it, responders use it if asked. */
    PREFER,
    /** Both roles ask for it. */
    REQUIRE,
    /** Neither role asks for it, and a peer that does is refused. */
    NEVER
}
