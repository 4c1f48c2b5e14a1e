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
package io.nettyrdma.examples.cli;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what {@link RdmaVersionOption} takes. */
final class VersionsConverter implements ITypeConverter<RdmaVersionOption.Versions> {

    @Override
    public RdmaVersionOption.Versions convert(String text) {
        return Arrays.stream(RdmaVersionOption.Versions.values())
                .filter(versions -> versions.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of 1, 2 and 1-2"));
    }
}
