// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One dialect in all sources, held by rules rather than by habit. */
class TidyTest {

    private static final Path PROJECT = Path.of("../..").toAbsolutePath().normalize();

    private static final Set<TidyRule> OF_TESTS_TOO = Set.of(TidyRule.LINE_LENGTH, TidyRule.QUALIFIED_NAME);

    /** Parsed once for all rules. */
    private static List<SourceFile> files;

    @BeforeAll
    static void parse() throws IOException {
        files = SourceFile.in(PROJECT);
        assertThat(files).filteredOn(SourceFile::isOfTests).hasSizeGreaterThan(300);
        assertThat(files).filteredOn(file -> !file.isOfTests()).hasSizeGreaterThan(300);
    }

    @AfterAll
    static void forget() {
        files = List.of();
    }

    @ParameterizedTest
    @EnumSource(TidyRule.class)
    void sourcesKeepTheRule(TidyRule rule) {
        List<String> offences = files.stream()
                .filter(file -> OF_TESTS_TOO.contains(rule) || !file.isOfTests())
                .flatMap(file -> rule.offences(file).stream())
                .toList();
        if (!offences.isEmpty()) {
            fail(offences.size() + " offences against " + rule + ":\n" + String.join("\n", offences));
        }
    }

    /** The offences in a text, beside which there is a class Neighbour. */
    private static List<String> offences(TidyRule rule, String text) {
        return rule.offences(SourceFile.of("Planted.java", text, Set.of("Planted", "Neighbour")));
    }

    @Test
    void longLineIsFound() {
        String line = "x".repeat(118);
        assertThat(offences(TidyRule.LINE_LENGTH, "//" + line + "\n///" + line + "\n"))
                .containsExactly("Planted.java:2: 121 columns (expected: at most 120)");
    }

    @Test
    void qualifiedNameIsFoundWhereAnImportWouldDo() {
        assertThat(
                        offences(
                                TidyRule.QUALIFIED_NAME,
                                """
                package planted;
                import java.util.List;
                import java.util.Date;
                class Planted {
                    java.util.Set<String> offence;
                    java.util.List<String> imported;
                    java.sql.Date taken;
                    other.place.Neighbour beside;
                    java.util.Map.Entry<String, String> nested;
                    List<Date> fine;
                }
                """))
                .containsExactly(
                        "Planted.java:5: java.util.Set (expected: an import)",
                        "Planted.java:6: java.util.List (expected: an import)",
                        "Planted.java:9: java.util.Map (expected: an import)");
    }

    @Test
    void otherNameOfALoggerIsFound() {
        assertThat(
                        offences(
                                TidyRule.LOGGER_NAME,
                                """
                class Planted {
                    private static final InternalLogger LOGGER = null;
                    static class Nested { Logger log; InternalLogger logger; }
                    void method(Logger parameter) { Logger local = parameter; }
                }
                """))
                .containsExactly(
                        "Planted.java:2: logger LOGGER (expected: logger)",
                        "Planted.java:3: logger log (expected: logger)");
    }

    @Test
    void otherFormOfARangeCheckIsFound() {
        assertThat(
                        offences(
                                TidyRule.RANGE_MESSAGE,
                                """
                class Planted {
                    Planted(int x, int y) {
                        if (x > y) { throw new IllegalArgumentException("x: " + x + " (expected: 1 to " + y + ")"); }
                        if (y < 0) { throw new IllegalArgumentException("y must be 0 or more, is " + y); }
                        if (y > 9) { throw new IllegalStateException("the server must be stopped first"); }
                    }
                }
                """))
                .containsExactly("Planted.java:4: \"y must be 0 or more, is \" (expected: the form"
                        + " \"name: 5 (expected: 1 to 2)\")");
    }

    @Test
    void otherStyleOfConfigurationIsFound() {
        assertThat(
                        offences(
                                TidyRule.CONFIGURATION,
                                """
                record WitherConfig(int size) {
                    WitherConfig withSize(int size) { return new WitherConfig(size); }
                }
                class SetterConfig {
                    void setSize(int size) {}
                    static class Builder {}
                }
                class GoodConfig {
                    static Builder builder() { return new Builder(); }
                    static class Builder { GoodConfig build() { return new GoodConfig(); } }
                }
                class GoodChannelConfig extends BaseChannelConfig<GoodChannelConfig> {
                    GoodChannelConfig setSize(int size) { return this; }
                }
                """))
                .containsExactly(
                        "Planted.java:2: WitherConfig.withSize (expected: a method of Builder)",
                        "Planted.java:1: WitherConfig without a Builder (expected: builder() and Builder.build())",
                        "Planted.java:5: SetterConfig.setSize (expected: a method of Builder)");
    }

    @Test
    void otherVerbsOfMethodsAreFound() {
        assertThat(
                        offences(
                                TidyRule.METHOD_VERB,
                                """
                abstract class Planted {
                    abstract void failed();
                    abstract void connectionLost();
                    void sent(int count) {}
                    int onClosed() { return 0; }
                    int isOpen() { return 0; }
                    void onFailed() {}
                    void dropExpired() {}
                    void exceed() {}
                    boolean closed() { return true; }
                    boolean hasRoom() { return true; }
                    @Override public void completed() {}
                }
                """))
                .containsExactly(
                        "Planted.java:2: void failed (expected: on..., or a verb)",
                        "Planted.java:3: void connectionLost (expected: on..., or a verb)",
                        "Planted.java:4: void sent (expected: on..., or a verb)",
                        "Planted.java:5: int onClosed (expected: void)",
                        "Planted.java:6: int isOpen (expected: boolean)");
    }

    /** The offences against {@link PlainWords} by file. */
    private static Map<String, List<String>> hidingWords() throws IOException {
        Map<String, List<String>> offences = new TreeMap<>();
        Predicate<String> isExported = Prose.exportedPackages(files);
        for (SourceFile file : files) {
            if (!file.isOfTests()) {
                offences.put(file.name(), PlainWords.offences(file.name(), Prose.of(file, isExported)));
            }
        }
        offences.putAll(hidingWordsOfDocuments(PROJECT));
        return offences;
    }

    private static Map<String, List<String>> hidingWordsOfDocuments(Path tree) throws IOException {
        Map<String, List<String>> offences = new TreeMap<>();
        for (Path document : Prose.documentsIn(tree)) {
            String name = tree.relativize(document).toString();
            offences.put(name, PlainWords.offences(name, Prose.ofDocument(Files.readString(document))));
        }
        return offences;
    }

    @Test
    void wordsArePlain() throws IOException {
        Map<String, List<String>> offences = hidingWords();
        assertThat(offences)
                .containsKeys(
                        "README.md",
                        "integration-tests/conformance/decisions.md",
                        "integration-tests/lab/v2peer/README.md");
        assertThat(offences.values()).as("words that hide something").allSatisfy(found -> assertThat(found)
                .isEmpty());
    }

    @Test
    void wordThatHidesIsFound() {
        SourceFile planted = SourceFile.of(
                "Planted.java",
                """
                /* Copyright of nobody. */
                package planted;
                /** Whoever calls it. */
                public class Planted {
                    // nobody reads this comment
                    /** For <b>somebody</b>. */
                    protected String text = "lost: {@code nobody}, " + "some" + "body";
                    /** Nobody outside sees this. */
                    String hidden = "\\"nobody";
                    /** Not {@code nobody}, and not for anybody; no one calls it. */
                    public void method() {}
                    public interface Nested {
                        /** Nobody implements it. */
                        void method();
                        /** What a caller has to know. */
                        void other();
                    }
                }
                """,
                Set.of());
        assertThat(PlainWords.offences("Planted.java", Prose.of(planted, "planted"::equals)))
                .extracting(offence -> offence.replaceAll(" that begins.*", ""))
                .containsExactly(
                        "Planted.java:3: \"Whoever\" in the javadoc",
                        "Planted.java:6: \"somebody\" in the javadoc",
                        "Planted.java:7: \"nobody\" in the string",
                        "Planted.java:7: \"somebody\" in the string",
                        "Planted.java:9: \"nobody\" in the string",
                        "Planted.java:10: \"anybody\" in the javadoc",
                        "Planted.java:10: \"no one\" in the javadoc",
                        "Planted.java:13: \"Nobody\" in the javadoc",
                        "Planted.java:15: \"has to\" in the javadoc",
                        "Planted.java:15: \"What\" in the javadoc");
        assertThat(PlainWords.offences("Planted.java", Prose.of(planted, name -> false)))
                .hasSize(3);
        assertThat(PlainWords.offences(
                        "PLANTED.md",
                        Prose.ofDocument("# For nobody\n```\nnobody\n```\n\n| a | `nobody` | somebody |\n- nobody\n")))
                .extracting(offence -> offence.replaceAll(" in the.*", ""))
                .containsExactly("PLANTED.md:1: \"nobody\"", "PLANTED.md:6: \"somebody\"", "PLANTED.md:7: \"nobody\"");
    }

    @Test
    void wordThatHidesIsFoundInDocumentsAtAnyDepth(@TempDir Path tree) throws IOException {
        for (String folder : List.of("a/b/c/d", "target", "a/target/b")) {
            Files.createDirectories(tree.resolve(folder));
            Files.writeString(tree.resolve(folder).resolve("PLANTED.md"), "A key that anybody on the path knows.\n");
        }

        assertThat(hidingWordsOfDocuments(tree))
                .containsOnlyKeys("a/b/c/d/PLANTED.md")
                .allSatisfy((name, found) ->
                        assertThat(found).singleElement().asString().startsWith("a/b/c/d/PLANTED.md:1: \"anybody\""));
    }
}
