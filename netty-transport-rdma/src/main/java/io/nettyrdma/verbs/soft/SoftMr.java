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
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvMr;
import io.nettyrdma.verbs.soft.rdmap.Region;
import java.io.IOException;

/**
 * Registered memory as DiSNI sees it, at the address the device made up. What may be done with it is the business of
 * its {@link Region}, which the setters of the base class do not reach.
 *
 * <p>Threading: any thread. Ownership: keeps its region registered until it is deregistered.
 */
final class SoftMr extends IbvMr {

    private final SoftPd pd;
    private final Region region;

    SoftMr(SoftPd pd, Region region) throws IOException {
        super(
                pd.getContext(),
                region.address(),
                region.lengthBytes(),
                region.rights(),
                region.key(),
                region.key(),
                region.key());
        this.pd = pd;
        this.region = region;
    }

    Region region() {
        return region;
    }

    /** Invalidates for good and gives the key back. Idempotent. */
    void deregister() {
        if (pd.device().regions.deregister(region)) {
            close();
        }
    }
}
