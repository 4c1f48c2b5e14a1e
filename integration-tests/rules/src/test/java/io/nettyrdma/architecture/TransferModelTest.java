// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.netty.buffer.ByteBuf;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.conformance.Requirement;
import org.junit.jupiter.api.Test;

/** The Read-Write transfer model (RFC 8166, section 3.1): requesters expose memory, responders move the data. */
class TransferModelTest {

    private static final String RPC = "io.nettyrdma.rpc";
    private static final String REQUESTER = RPC + ".requester";
    private static final String RESPONDER = RPC + ".responder";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(RPC);

    @Test
    @Requirement({"V1-007", "V2-006"})
    void onlyTheResponderPullsAndPushes() {
        noClasses()
                .that()
                .resideOutsideOfPackage(RESPONDER)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(RdmaRead.class, RdmaWrite.class)
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage(REQUESTER)
                .or()
                .haveSimpleNameStartingWith("Requester")
                .or()
                .haveSimpleNameStartingWith("RpcRdmaRequester")
                .or()
                .haveSimpleNameStartingWith("RpcRdmaClient")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(RESPONDER)
                .check(CLASSES);
    }

    @Test
    @Requirement({"V1-007", "V2-006"})
    void onlyTheRequesterExposesMemory() {
        noClasses()
                .that()
                .resideOutsideOfPackage(REQUESTER)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(RdmaMemory.class)
                .orShould()
                .callMethod(RdmaChannel.class, "registerMemory", ByteBuf.class, RdmaAccess.class)
                .orShould()
                .callMethod(RdmaChannel.class, "allocateMemory", int.class, RdmaAccess.class)
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage(RESPONDER)
                .or()
                .haveSimpleNameStartingWith("Responder")
                .or()
                .haveSimpleNameStartingWith("RpcRdmaResponder")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(REQUESTER)
                .check(CLASSES);
    }
}
