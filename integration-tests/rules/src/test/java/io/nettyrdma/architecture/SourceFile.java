// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A source file and its syntax.
 *
 * @param name        as errors show it
 * @param typesBeside the simple names of the types in files of the same folder, which need no import
 */
record SourceFile(
        String name, String text, Set<String> typesBeside, CompilationUnitTree tree, SourcePositions positions) {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** A text for the compiler. */
    private static final class Text extends SimpleJavaFileObject {
        final String name;
        final String text;
        final Set<String> typesBeside;

        Text(String name, String text, Set<String> typesBeside) {
            super(URI.create("string:///" + name), Kind.SOURCE);
            this.name = name;
            this.text = text;
            this.typesBeside = typesBeside;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    static SourceFile of(String name, String text, Set<String> typesBeside) {
        return parse(List.of(new Text(name, text, typesBeside))).get(0);
    }

    /** All sources of a project. */
    static List<SourceFile> in(Path project) throws IOException {
        return in(project, path -> project.relativize(Path.of(path)).toString().contains("/src/"));
    }

    /** The sources below a folder whose paths are wanted. */
    static List<SourceFile> in(Path project, Predicate<String> isWanted) throws IOException {
        try (Stream<Path> files = Files.walk(project)) {
            return parse(files.filter(path -> path.toString().endsWith(".java"))
                    .filter(path -> isWanted.test(path.toString()))
                    .sorted()
                    .map(path -> read(project, path))
                    .toList());
        }
    }

    private static Text read(Path project, Path path) {
        try (Stream<Path> beside = Files.list(path.getParent())) {
            Set<String> types = beside.map(file -> file.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());
            return new Text(project.relativize(path).toString(), Files.readString(path), types);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<SourceFile> parse(List<Text> texts) {
        if (texts.isEmpty()) { // the compiler refuses to parse nothing
            return List.of();
        }
        Map<URI, Text> byUri = texts.stream().collect(Collectors.toMap(Text::toUri, Function.identity()));
        JavacTask task = (JavacTask) COMPILER.getTask(null, null, null, List.of("-proc:none"), null, texts);
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        List<SourceFile> files = new ArrayList<>();
        try {
            for (CompilationUnitTree tree : task.parse()) {
                Text text = byUri.get(tree.getSourceFile().toUri()); // the compiler has wrapped it
                files.add(new SourceFile(text.name, text.text, text.typesBeside, tree, positions));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    boolean isOfTests() {
        return name.contains("/src/test/");
    }

    /** An offence at a place of the tree. */
    String at(Tree place, String what) {
        return at(tree.getLineMap().getLineNumber(positions.getStartPosition(tree, place)), what);
    }

    String at(long line, String what) {
        return name + ":" + line + ": " + what;
    }
}
