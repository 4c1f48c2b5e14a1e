// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.DirectiveTree;
import com.sun.source.tree.ExportsTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.ModuleTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/** The pieces of English in a source file or a document. */
final class Prose {

    /** Where a piece is read. */
    enum Kind {
        /** Javadoc of public and protected members of exported packages. */
        JAVADOC,
        /** Every other comment but the copyright header. */
        COMMENT,
        /** A paragraph, a list item or a table cell of a document. */
        DOCUMENT,
        /** A string literal; literals joined by {@code +} are one piece. */
        LITERAL
    }

    /** A piece without markup; code in it is replaced by one word. */
    record Piece(Kind kind, long line, String text) {}

    /** The word that replaces code. */
    private static final String CODE = "CODE";

    private static final Pattern TOKEN = Pattern.compile("(?<comment>//[^\\n]*|/\\*(?s:.*?)\\*/)"
            + "|(?<literal>\"\"\"(?s:(?:\\\\.|[^\\\\])*?)\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\")"
            + "|'(?:\\\\.|[^'\\\\])+'");

    private static final Pattern JOINED = Pattern.compile("\\s*(\\+\\s*)?");
    private static final Pattern PARTS = Pattern.compile("\\n\\s*\\n|\\n\\s*(?:[-*]|\\d+\\.) |\\n#+ |\\|");
    private static final Pattern BLOCK = Pattern.compile("(?m)^ *```(?s:.*?)^ *```$");

    private final SourceFile file;
    private final List<Piece> pieces = new ArrayList<>();

    /** The offsets at which javadoc of the exported API ends. */
    private final Set<Integer> exportedEnds = new HashSet<>();

    private Prose(SourceFile file) {
        this.file = file;
    }

    /** Returns the pieces of a source file. */
    static List<Piece> of(SourceFile file, Predicate<String> isExported) {
        Prose prose = new Prose(file);
        prose.findExported(isExported);
        prose.scan();
        return prose.pieces;
    }

    /** Returns the pieces of a document in Markdown. */
    static List<Piece> ofDocument(String text) {
        List<Piece> pieces = new ArrayList<>();
        // Blocks of code become empty lines, which keeps the line numbers.
        String prose = BLOCK.matcher(text).replaceAll(block -> "\n".repeat((int) newlines(block.group())));
        Matcher part = PARTS.matcher(prose);
        int start = 0;
        long line = 1;
        while (start < prose.length()) {
            int end = part.find() ? part.start() : prose.length();
            int next = end < prose.length() ? part.end() : end;
            String piece = prose.substring(start, end)
                    .replaceAll("`[^`]*`", CODE)
                    .replaceAll("]\\([^)]*\\)", "]")
                    .replaceAll("[*_\\[\\]#]", "");
            pieces.add(new Piece(Kind.DOCUMENT, line, piece));
            line += newlines(prose.substring(start, next));
            start = next;
        }
        return pieces;
    }

    /** Returns the documents of a tree, at any depth; those of a build do not count. */
    static List<Path> documentsIn(Path tree) throws IOException {
        try (Stream<Path> paths = Files.walk(tree)) {
            return paths.filter(path -> path.toString().endsWith(".md"))
                    .filter(path -> !tree.relativize(path).toString().matches("(.*/)?target/.*"))
                    .toList();
        }
    }

    /** Returns the packages that module descriptors export to everyone; without descriptors, all but internal ones. */
    static Predicate<String> exportedPackages(Collection<SourceFile> files) {
        Set<String> exported = new TreeSet<>();
        boolean hasModules = false;
        for (SourceFile file : files) {
            ModuleTree module = file.tree().getModule();
            hasModules |= module != null;
            List<? extends DirectiveTree> directives = module == null ? List.of() : module.getDirectives();
            for (DirectiveTree directive : directives) {
                if (directive instanceof ExportsTree exports && exports.getModuleNames() == null) {
                    exported.add(exports.getPackageName().toString());
                }
            }
        }
        return hasModules ? exported::contains : name -> !name.contains(".internal");
    }

    private static long newlines(String text) {
        return text.chars().filter(c -> c == '\n').count();
    }

    private void findExported(Predicate<String> isExported) {
        if (file.tree().getModule() != null) {
            addExported(file.tree().getModule());
        }
        Tree of = file.tree().getPackage();
        if (of != null && isExported.test(file.tree().getPackageName().toString())) {
            addExported(of);
            for (Tree type : file.tree().getTypeDecls()) {
                findExportedMembers(type, false);
            }
        }
    }

    private void findExportedMembers(Tree tree, boolean isOfInterface) {
        if (tree instanceof ClassTree type && (isOfInterface || isExported(type.getModifiers()))) {
            addExported(type);
            boolean isInterface = type.getKind() == Tree.Kind.INTERFACE || type.getKind() == Tree.Kind.ANNOTATION_TYPE;
            type.getMembers().forEach(member -> findExportedMembers(member, isInterface));
        } else if (tree instanceof MethodTree method && (isOfInterface || isExported(method.getModifiers()))
                || tree instanceof VariableTree field && (isOfInterface || isExported(field.getModifiers()))) {
            addExported(tree);
        }
    }

    private static boolean isExported(ModifiersTree modifiers) {
        return modifiers.getFlags().contains(Modifier.PUBLIC)
                || modifiers.getFlags().contains(Modifier.PROTECTED);
    }

    private void addExported(Tree declaration) {
        int end = (int) file.positions().getStartPosition(file.tree(), declaration);
        while (end > 0 && Character.isWhitespace(file.text().charAt(end - 1))) {
            end--;
        }
        exportedEnds.add(end);
    }

    private void scan() {
        Matcher token = TOKEN.matcher(file.text());
        int lastEnd = -1;
        while (token.find()) {
            Kind kind = token.group("literal") != null
                    ? Kind.LITERAL
                    : exportedEnds.contains(token.end()) && token.group().startsWith("/**")
                            ? Kind.JAVADOC
                            : Kind.COMMENT;
            if (token.group("literal") != null || token.group("comment") != null && token.start() > 0) {
                add(kind, token, lastEnd);
                lastEnd = token.end();
            }
        }
    }

    /** Adds a piece, or continues the one before if both are parts of one text. */
    private void add(Kind kind, Matcher token, int lastEnd) {
        String text = kind == Kind.LITERAL ? ofLiteral(token.group()) : ofComment(token.group());
        Piece last = pieces.isEmpty() ? null : pieces.get(pieces.size() - 1);
        if (last != null
                && last.kind() == kind
                && kind != Kind.JAVADOC
                && !token.group().startsWith("/*")) {
            String between = file.text().substring(lastEnd, token.start());
            if (JOINED.matcher(between).matches()) {
                pieces.set(pieces.size() - 1, new Piece(kind, last.line(), last.text() + text));
                return;
            }
        }
        pieces.add(new Piece(kind, file.tree().getLineMap().getLineNumber(token.start()), text));
    }

    private static String ofLiteral(String token) {
        return token.replaceAll("^\"+|\"+$", "").replaceAll("\\\\.", " ");
    }

    private static String ofComment(String token) {
        return token.replaceAll("(?m)^\\s*(/\\*\\*?|\\*(?!/)|//)|\\*/$|<pre>(?s:.*?)</pre>|</?[a-z]\\w*[^>]*>", " ")
                .replaceAll("\\{@(?:code|link|linkplain|value)\\s[^}]*}", CODE)
                .replaceAll("@param\\s+\\S+|@throws\\s+\\S+|\\{@inheritDoc}|@see[^@]*|@\\w+", ". ");
    }
}
