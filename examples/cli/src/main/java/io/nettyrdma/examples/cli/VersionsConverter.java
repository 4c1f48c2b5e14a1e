// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
