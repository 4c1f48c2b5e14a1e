// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the READMEs and their companions promise is there: links, settings, commands, and Java that tests run. */
class DocumentsTest {

    private static final Path PROJECT = Path.of("../..").toAbsolutePath().normalize();
    private static final int MIN_README_BYTES = 6000;
    private static final int MAX_README_BYTES = 10 * 1024;
    private static final int MAX_COLUMNS = 120;
    private static final int MAX_CELL = 350;

    /** A member of a type, or of its builder. */
    private static final Pattern MEMBER = Pattern.compile("([A-Z]\\w+)(?:\\.Builder)?\\.([a-z]\\w+)(?:\\(.*)?");

    private static final Pattern PROFILE = Pattern.compile("-P(\\S+)");
    private static final Pattern MODULE = Pattern.compile("-pl (\\S+)");
    private static final Pattern PROPERTY = Pattern.compile("-D([\\w.]+)");
    private static final Pattern OPTION = Pattern.compile("RDMA_(?!LAB_)[A-Z_]+");

    @TempDir
    Path directory;

    /** What is written by hand for readers. */
    private static List<Document> documents() throws IOException {
        try (Stream<Path> files =
                Files.find(PROJECT, 3, (path, attributes) -> path.toString().endsWith(".md"))) {
            List<Document> documents = new ArrayList<>();
            for (Path path : files.sorted().toList()) {
                if (!Set.of("CHANGELOG.md", "BENCHMARKS.md")
                                .contains(path.getFileName().toString())
                        && !PROJECT.relativize(path).toString().contains("target")) {
                    documents.add(Document.read(path));
                }
            }
            return documents;
        }
    }

    private interface Check {
        /** What is wrong with a document. */
        List<String> defects(Document document) throws IOException;
    }

    private static void assertNone(Check check) throws IOException {
        List<String> defects = new ArrayList<>();
        for (Document document : documents()) {
            check.defects(document).forEach(defect -> defects.add(PROJECT.relativize(document.path()) + ": " + defect));
        }
        assertThat(defects).isEmpty();
    }

    private Document planted(String text) throws IOException {
        Path path = directory.resolve("PLANTED.md");
        Files.writeString(path, text);
        return Document.read(path);
    }

    @Test
    void allDocumentsAreLookedAt() throws IOException {
        assertThat(documents().stream()
                        .map(document -> PROJECT.relativize(document.path()).toString()))
                .contains(
                        "README.md",
                        "CONTRIBUTING.md",
                        "SECURITY.md",
                        "docs/compatibility.md",
                        "docs/devices.md",
                        "docs/faults.md",
                        "netty-transport-rdma/README.md",
                        "rpcrdma-codec/README.md",
                        "examples/README.md",
                        "integration-tests/README.md",
                        "integration-tests/lab/README.md");
    }

    @Test
    void readmesAreReadInThreeMinutes() throws IOException {
        for (String directory : new String[] {"", "netty-transport-rdma", "rpcrdma-codec"}) {
            assertThat(Files.size(PROJECT.resolve(directory).resolve("README.md")))
                    .as(directory)
                    .isBetween((long) MIN_README_BYTES, (long) MAX_README_BYTES);
        }
    }

    // Java

    /** The texts of all tests of snippets, without what a formatter may change. */
    private static String testedSnippets() throws IOException {
        try (Stream<Path> files =
                Files.find(PROJECT, 12, (path, attributes) -> path.endsWith("ReadmeSnippetsTest.java"))) {
            StringBuilder text = new StringBuilder();
            for (Path file : files.toList()) {
                text.append(withoutSpaces(Files.readString(file)));
            }
            return text.toString();
        }
    }

    private static String withoutSpaces(String text) {
        return text.replaceAll("\\s", "");
    }

    private static List<String> untestedSnippets(Document document) throws IOException {
        String tested = testedSnippets();
        return document.snippets().stream()
                .filter(snippet -> !tested.contains(withoutSpaces(snippet)))
                .toList();
    }

    @Test
    void everySnippetIsPartOfATestThatRunsIt() throws IOException {
        assertThat(documents().stream()
                        .mapToInt(document -> document.snippets().size())
                        .sum())
                .isGreaterThanOrEqualTo(6);
        assertNone(DocumentsTest::untestedSnippets);
    }

    @Test
    void snippetThatNoTestRunsIsFound() throws IOException {
        assertThat(untestedSnippets(planted("```java\nnew Untested();\n```\n"))).containsExactly("new Untested();\n");
    }

    // Links

    private static List<String> brokenLinks(Document document) throws IOException {
        List<String> broken = new ArrayList<>();
        for (String link : document.links()) {
            String[] parts = link.split("#", 2);
            Path target = parts[0].isEmpty()
                    ? document.path()
                    : document.path().resolveSibling(parts[0]).normalize();
            if (!Files.exists(target)
                    || parts.length > 1 && !Document.read(target).anchors().contains(parts[1])) {
                broken.add(link);
            }
        }
        return broken;
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        assertNone(DocumentsTest::brokenLinks);
    }

    @Test
    void linksThatLeadNowhereAreFound() throws IOException {
        assertThat(brokenLinks(planted("# A b-c\n[a](none.md) [b](#a-b-c) [c](PLANTED.md#b) [d](PLANTED.md)")))
                .containsExactly("none.md", "PLANTED.md#b");
    }

    // Lines

    private static List<String> longLines(Document document) {
        return document.text()
                .lines()
                .filter(line -> line.length() > MAX_COLUMNS && !line.startsWith("|"))
                .toList();
    }

    @Test
    void linesHaveATerminalsWidthButForTables() throws IOException {
        assertNone(DocumentsTest::longLines);
    }

    @Test
    void longLineIsFound() throws IOException {
        String line = "x".repeat(MAX_COLUMNS);
        assertThat(longLines(planted(line + "\n" + line + "y\n| " + line))).containsExactly(line + "y");
    }

    /** The beginnings of cells of tables that a reader would have to scroll through, and a list would not. */
    private static List<String> longCells(Document document) {
        return document.text()
                .lines()
                .filter(line -> line.startsWith("|"))
                .flatMap(line -> Stream.of(line.split("\\|")))
                .filter(cell -> cell.length() > MAX_CELL)
                .map(cell -> cell.strip().substring(0, 20))
                .toList();
    }

    @Test
    void cellsOfTablesAreShorterThanParagraphs() throws IOException {
        assertNone(DocumentsTest::longCells);
    }

    @Test
    void longCellIsFound() throws IOException {
        String cell = "x".repeat(MAX_CELL);
        assertThat(longCells(planted("|" + cell + "|y" + cell + "|\n"))).containsExactly("y" + "x".repeat(19));
    }

    // Names

    /** The texts of all classes, tests among them, by their simple names. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files =
                Files.find(PROJECT, 14, (path, attributes) -> path.toString().endsWith(".java"))) {
            for (Path file : files.toList()) {
                sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }
        return sources;
    }

    private static boolean isMember(String type, String name, Map<String, String> sources) {
        String text = sources.get(type);
        if (text != null) {
            return Pattern.compile("\\b" + name + "\\s*[(,;)=]").matcher(text).find();
        }
        try {
            return Arrays.stream(Class.forName("com.ibm.disni.verbs." + type).getMethods())
                    .anyMatch(method -> method.getName().equals(name));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static List<String> unknownNames(Document document, Map<String, String> sources) {
        List<String> unknown = new ArrayList<>();
        for (String code : document.codes()) {
            Matcher member = MEMBER.matcher(code);
            boolean isMember = member.matches()
                    && !Set.of("README", "CONTRIBUTING", "SECURITY").contains(member.group(1));
            if (isMember && !isMember(member.group(1), member.group(2), sources)
                    || OPTION.matcher(code).matches()
                            && !isMember("RdmaChannelOption", code, sources)
                            && !isMember("RdmaSocketChannelOption", code, sources)) {
                unknown.add(code);
            }
        }
        return unknown;
    }

    @Test
    void everyNameOfASettingIsThere() throws IOException {
        Map<String, String> sources = sources();
        assertNone(document -> unknownNames(document, sources));
        Document planted =
                planted("`RpcRdmaConfig.Builder.bindings` `RpcRdmaConfig.Builder.noSuchSetting` `Rdma.provider()`"
                        + " `None.none(1)` `RDMA_RECEIVE_SIZE` `RDMA_NONE` `README.md`");
        assertThat(unknownNames(planted, sources))
                .containsExactly("RpcRdmaConfig.Builder.noSuchSetting", "None.none(1)", "RDMA_NONE");
    }

    // Commands. Those of examples/run are run by a test of the examples.

    private static List<String> impossibleCommands(Document document) throws IOException {
        String pom = Files.readString(PROJECT.resolve("pom.xml"));
        List<String> impossible = new ArrayList<>();
        for (String command : document.commands("mvn")) {
            Matcher profile = PROFILE.matcher(command);
            Matcher module = MODULE.matcher(command);
            if (profile.find() && !pom.contains("<id>" + profile.group(1) + "</id>")
                    || module.find()
                            && !Stream.of(module.group(1).split(","))
                                    .allMatch(name -> pom.contains("<module>" + name + "</module>"))) {
                impossible.add(command);
            }
        }
        for (Path script : scripts(document)) {
            if (!Files.isExecutable(script)) {
                impossible.add(PROJECT.relativize(script).toString());
            }
        }
        return impossible;
    }

    private static List<Path> scripts(Document document) {
        return Stream.concat(
                        document.commands(".ci/run", "examples/run").stream(),
                        Stream.concat(document.codes().stream(), document.text().lines())
                                .filter(line -> line.startsWith("integration-tests/")))
                .map(line -> PROJECT.resolve(line.split(" ")[0]))
                .toList();
    }

    @Test
    void commandsNameProfilesModulesAndScriptsThatAreThere() throws IOException {
        assertNone(DocumentsTest::impossibleCommands);
    }

    @Test
    void impossibleCommandsAreFound() throws IOException {
        assertThat(
                        impossibleCommands(
                                planted(
                                        """
                `mvn verify -Pnone` and `mvn verify -Plab -pl nothing -am` and `mvn verify -Plab`
                ```
                integration-tests/none 10   # a comment
                integration-tests/check nfs
                ```
                """)))
                .containsExactly("mvn verify -Pnone", "mvn verify -Plab -pl nothing -am", "integration-tests/none");
    }

    /** Read by plugins of Maven's. */
    private static final Set<String> OF_MAVEN = Set.of("altDeploymentRepository", "gpg.skip");

    /** Properties are read somewhere: by the build, by a script or by a test. */
    private static List<String> unreadProperties(Document document, String readers) {
        return document.codes().stream()
                .flatMap(code -> PROPERTY.matcher(code).results())
                .map(property -> property.group(1))
                .filter(property -> !property.startsWith("org.") && !OF_MAVEN.contains(property))
                .filter(property -> !readers.contains(property))
                .toList();
    }

    private static String readers() throws IOException {
        Map<String, String> sources = sources();
        sources.remove(DocumentsTest.class.getSimpleName());
        return Files.readString(PROJECT.resolve("pom.xml")) + String.join("", sources.values());
    }

    @Test
    void everyPropertyIsReadBySomebody() throws IOException {
        String readers = readers();
        assertNone(document -> unreadProperties(document, readers));
        assertThat(unreadProperties(planted("`-Dnetty.rdma.none=1` `mvn verify -Dleak.records=16`"), readers))
                .containsExactly("netty.rdma.none");
    }

    @Test
    void everyPackageIsOnTheMap() throws IOException {
        String map = String.join(
                "", Document.read(PROJECT.resolve("CONTRIBUTING.md")).blocks(""));
        Set<String> packages = new TreeSet<>();
        for (String library : new String[] {"netty-transport-rdma", "rpcrdma-codec"}) {
            try (Stream<Path> files = Files.find(
                    PROJECT.resolve(library).resolve("src/main"),
                    12,
                    (path, attributes) -> path.endsWith("package-info.java"))) {
                files.forEach(
                        file -> packages.add(file.getParent().getFileName().toString()));
            }
        }
        assertThat(packages).hasSizeGreaterThan(10).allSatisfy(name -> assertThat(map)
                .containsPattern("[ .]" + Pattern.quote(name) + "\\s"));
    }

    // Versions

    private static Matcher found(String file, String pattern) throws IOException {
        Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(PROJECT.resolve(file)));
        assertThat(matcher.find()).as("%s has %s", file, pattern).isTrue();
        return matcher;
    }

    @Test
    void versionsThatWereTriedAreThoseOfTheBuildAndItsLanes() throws IOException {
        String jdk = found("integration-tests/check", "\noldest=(\\d+)").group(1);
        Matcher older = found("integration-tests/check", "for minor in (\\d+) [\\d ]* (\\d+);");
        String netty = found("pom.xml", "<netty.version>(.*)\\.Final<").group(1);
        String oldest = found("pom.xml", "<older.netty>(.*)\\.Final<").group(1);
        String disni = found("pom.xml", "<artifactId>disni</artifactId>\\s*<version>(.*)<")
                .group(1);
        Matcher kernels = found("integration-tests/lab/README.md", "boots Linux (\\S+) instead of (\\S+),");
        assertThat(found("pom.xml", "<maven.compiler.release>(.*)<").group(1)).isEqualTo(jdk);
        assertThat(oldest).isEqualTo("4.2." + older.group(1));
        assertThat(Files.readString(PROJECT.resolve("docs/compatibility.md")))
                .contains(
                        "| JDK | " + jdk + " (",
                        "| Netty | " + netty + " | " + oldest + ", the oldest, to 4.2." + older.group(2) + ":",
                        "| DiSNI | " + disni + " |",
                        "| Linux " + kernels.group(2) + ", in QEMU | Linux " + kernels.group(1) + ":");
    }
}
