// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.conformance.ConformanceException;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.ContractClasses.Contract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContractCheckTest {

    private static final String NOW = "now";
    private static final String HEADER = "contract,device,test,reason\n";

    private static final class A {
        void applies() {}

        void rare() {}
    }

    private static final class More {}

    @TempDir
    Path root;

    private Path directory;
    private final Contract contract = new Contract(A.class, new EnumMap<>(Lane.class));
    private final Map<String, Contract> contracts = new TreeMap<>(Map.of("AContract", contract));

    @BeforeEach
    void contractOfAllLanesButOne() throws IOException {
        directory = root.resolve("integration-tests");
        Files.createDirectories(directory.resolve("conformance"));
        contract.absent().put(Lane.DISNI, "it is for others");
        kept("AContract,siw,,\nAContract,siw,rare,needs a thing\nAContract,rxe,,\n");
        ran(Lane.SOFT, NOW, Map.of());
        ran(Lane.STRICT, NOW, Map.of("rare", "in part: needs a thing"));
    }

    @Test
    void reportSaysOfEachContractWhereItHolds() throws Exception {
        check().report();

        assertThat(Files.readString(directory.resolve("rules/target/CONTRACTS.md")))
                .contains("| contract | soft | strict | disni | siw | rxe |\n|---|---|---|---|---|---|\n")
                .contains("| AContract | all | all but 1 | none | all but 1 | all |\n")
                .contains("| AContract | disni | it is for others |\n")
                .contains("| AContract.rare | siw | needs a thing |\n")
                .contains("| AContract.rare | strict | in part: needs a thing |\n");
    }

    @Test
    void classThatDidNotRunConcludesNothing() throws Exception {
        ran(Lane.STRICT, "before", Map.of());

        assertThat(check().report()).isEqualTo("not checked, A did not run over strict in this build");
    }

    @Test
    void keptReasonsAreOfTestsThatExist() throws Exception {
        kept("AContract,siw,,\nAContract,siw,renamed,needs a thing\nAContract,rxe,,\nBContract,rxe,,\n");
        assertFails("AContract.renamed, which does not exist");
        assertFails("has BContract, which does not exist");
        kept("AContract,siw,,\n");
        assertFails("nothing of AContract over rxe");
    }

    @Test
    void whatIsNewIsKept() throws Exception {
        assertThat(check().part()).isEqualTo("no other provider or device was tested");
        device("siw", Map.of("rare", "needs a thing"));
        assertThat(check().part()).isEqualTo("other providers and devices show the same as before");
        device("siw", Map.of("rare", "needs this, or \"that\""));

        assertThatThrownBy(() -> check().part()).isInstanceOf(ConformanceException.class);

        assertThat(Files.readString(directory.resolve("conformance/devices.csv")))
                .isEqualTo(HEADER
                        + "AContract,siw,,\nAContract,siw,rare,\"needs this, or \"\"that\"\"\"\nAContract,rxe,,\n");
        assertThat(check().part()).isEqualTo("other providers and devices show the same as before");
    }

    @Test
    void buildRunsAllContractsOverALaneOrNone() throws Exception {
        Contract more = new Contract(More.class, new EnumMap<>(Map.of(Lane.DISNI, "it is for others")));
        contracts.put("MoreContract", more);
        String lines = "AContract,siw,,\nAContract,rxe,,\nMoreContract,siw,,\nMoreContract,rxe,,\n";
        kept(lines);
        assertThat(check().part()).isEqualTo("no other provider or device was tested");
        device("siw", Map.of("rare", "needs a thing"));

        assertThatThrownBy(() -> check().part())
                .isInstanceOf(ConformanceException.class)
                .hasMessage("MoreContract did not run over siw, other contracts did:"
                        + " add More to the tests of mvn verify -Plab");

        assertThat(Files.readString(directory.resolve("conformance/devices.csv")))
                .isEqualTo(HEADER + lines);
        new ContractResults("before", Map.of()).write(directory.resolve("lab/target/contracts/siw"), More.class);
        assertThatThrownBy(() -> check().part()).hasMessageContaining("MoreContract did not run over siw");
        new ContractResults(NOW, Map.of()).write(directory.resolve("lab/target/contracts/siw"), More.class);
        kept("AContract,siw,,\nAContract,siw,rare,needs a thing\nAContract,rxe,,\nMoreContract,siw,,\n"
                + "MoreContract,rxe,,\n");
        assertThat(check().part()).isEqualTo("other providers and devices show the same as before");
    }

    private void assertFails(String message) {
        assertThatThrownBy(() -> check().report())
                .isInstanceOf(ConformanceException.class)
                .hasMessageContaining(message);
    }

    private ContractCheck check() throws IOException {
        return new ContractCheck(directory, contracts, NOW);
    }

    private void kept(String lines) throws IOException {
        Files.writeString(directory.resolve("conformance/devices.csv"), HEADER + lines);
    }

    private void ran(Lane lane, String build, Map<String, String> reasons) throws IOException {
        new ContractResults(build, reasons)
                .write(root.resolve("netty-transport-rdma/target/contracts/" + lane.lowerCase()), A.class);
    }

    private void device(String name, Map<String, String> reasons) throws IOException {
        new ContractResults(NOW, reasons).write(directory.resolve("lab/target/contracts/" + name), A.class);
    }
}
