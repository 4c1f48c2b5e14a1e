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
package io.nettyrdma.contracts;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What contracts are tested over. */
public enum Lane {
    /** The software provider. */
    SOFT,
    /** The strict device, which is as unhelpful as a device may be. */
    STRICT,
    /** The software provider's thread behind DiSNI's API. */
    DISNI,
    /** The provider {@code native} over the kernel's siw. */
    SIW,
    /** The provider {@code native} over the kernel's rxe. */
    RXE;

    private static final Set<Lane> DEVICES = EnumSet.of(SIW, RXE);

    /** Lanes that builds of their own have: the profiles {@code providers} and {@code lab}. */
    static final Set<Lane> OF_OTHER_BUILDS = EnumSet.of(DISNI, SIW, RXE);

    /** The lanes of a class of tests, by its name. */
    static Set<Lane> of(Class<?> test) {
        String name = test.getSimpleName();
        if (name.endsWith("OverNativeTest")) {
            return DEVICES;
        }
        if (name.endsWith("OverStrictTest")) {
            return EnumSet.of(STRICT);
        }
        return EnumSet.of(name.endsWith("OverDisniTest") ? DISNI : SOFT);
    }

    boolean isDevice() {
        return DEVICES.contains(this);
    }

    String lowerCase() {
        return name().toLowerCase(Locale.ROOT);
    }
}
