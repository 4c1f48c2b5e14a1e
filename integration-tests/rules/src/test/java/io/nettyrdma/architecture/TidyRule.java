// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What all sources of the project say and call in the same way. Each rule gives one line for each offence. */
enum TidyRule {

    /** Lines have at most 120 columns. */
    LINE_LENGTH(TidyRule::longLines),

    /** A class that is named in a package other than its own is imported, unless its simple name is taken. */
    QUALIFIED_NAME(QualifiedNames::in),

    /** The field that holds a logger is a {@code logger}. */
    LOGGER_NAME(file -> new Fields(file).offences),

    /** A value that is refused is told as {@code name: 5 (expected: 1 to 2)}. */
    RANGE_MESSAGE(file -> new Refusals(file).offences),

    /** Channels are configured by setters, as Netty has it, everything else by a builder. */
    CONFIGURATION(file -> new Configurations(file).offences),

    /** Who is told: {@code on…}; who is asked: {@code is…}, {@code has…}, {@code may…}; who is ordered: a verb. */
    METHOD_VERB(file -> new Methods(file).offences);

    private static final int MAX_COLUMNS = 120;

    private final Function<SourceFile, List<String>> rule;

    TidyRule(Function<SourceFile, List<String>> rule) {
        this.rule = rule;
    }

    List<String> offences(SourceFile file) {
        return rule.apply(file);
    }

    private static List<String> longLines(SourceFile file) {
        List<String> offences = new ArrayList<>();
        List<String> lines = file.text().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            int columns = lines.get(i).length();
            if (columns > MAX_COLUMNS) {
                offences.add(file.at(i + 1, columns + " columns (expected: at most " + MAX_COLUMNS + ")"));
            }
        }
        return offences;
    }

    /** Walks through one file and collects. */
    private abstract static class Scanner extends TreeScanner<Void, Void> {
        final List<String> offences = new ArrayList<>();
        final SourceFile file;

        Scanner(SourceFile file) {
            this.file = file;
        }

        final void offence(Tree place, String what) {
            offences.add(file.at(place, what));
        }
    }

    private static final class QualifiedNames extends Scanner {
        /** With a lower-case letter in its last part, which constants have not. */
        private static final Pattern QUALIFIED = Pattern.compile("[a-z]\\w*(\\.[a-z]\\w*)+\\.[A-Z]\\w*[a-z]\\w*");

        /** Simple names that mean something else than what is written in full. */
        private final Set<String> taken;

        private final Set<String> imported = new HashSet<>();

        private QualifiedNames(SourceFile file) {
            super(file);
            taken = new HashSet<>(file.typesBeside());
            for (ImportTree tree : file.tree().getImports()) {
                if (!tree.isStatic()) {
                    imported.add(tree.getQualifiedIdentifier().toString());
                    taken.add(simple(tree.getQualifiedIdentifier().toString()));
                }
            }
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitClass(ClassTree tree, Void nothing) {
                    taken.add(tree.getSimpleName().toString());
                    return super.visitClass(tree, nothing);
                }
            }.scan(file.tree(), null);
        }

        static List<String> in(SourceFile file) {
            QualifiedNames names = new QualifiedNames(file);
            if (file.tree().getModule() == null) { // modules name services in full
                names.scan(file.tree(), null);
            }
            return names.offences;
        }

        private static String simple(String name) {
            return name.substring(name.lastIndexOf('.') + 1);
        }

        @Override
        public Void visitImport(ImportTree tree, Void nothing) {
            return null;
        }

        @Override
        public Void visitPackage(PackageTree tree, Void nothing) {
            return null;
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
            String name = tree.toString();
            if (QUALIFIED.matcher(name).matches() && (imported.contains(name) || !taken.contains(simple(name)))) {
                offence(tree, name + " (expected: an import)");
            }
            return super.visitMemberSelect(tree, nothing);
        }
    }

    private static final class Fields extends Scanner {
        Fields(SourceFile file) {
            super(file);
            scan(file.tree(), null);
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            for (Tree member : tree.getMembers()) {
                if (member instanceof VariableTree field
                        && Set.of("Logger", "InternalLogger").contains(String.valueOf(field.getType()))
                        && !field.getName().contentEquals("logger")) {
                    offence(field, "logger " + field.getName() + " (expected: logger)");
                }
            }
            return super.visitClass(tree, nothing);
        }
    }

    private static final class Refusals extends Scanner {
        private static final Pattern OTHER_FORM = Pattern.compile(
                "\\b(must|has to|have to|should)( not)? be\\b|\\bmay not be\\b|\\bout of range\\b|\\bexpected [^:(]");

        Refusals(SourceFile file) {
            super(file);
            scan(file.tree(), null);
        }

        @Override
        public Void visitNewClass(NewClassTree tree, Void nothing) {
            if (tree.getIdentifier().toString().equals("IllegalArgumentException")) {
                new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitLiteral(LiteralTree literal, Void none) {
                        if (literal.getValue() instanceof String text
                                && OTHER_FORM.matcher(text).find()) {
                            offence(literal, '"' + text + "\" (expected: the form \"name: 5 (expected: 1 to 2)\")");
                        }
                        return null;
                    }
                }.scan(tree.getArguments(), null);
            }
            return super.visitNewClass(tree, nothing);
        }
    }

    private static final class Configurations extends Scanner {
        private static final Pattern SETTER = Pattern.compile("(set|with)[A-Z]\\w*");

        Configurations(SourceFile file) {
            super(file);
            scan(file.tree(), null);
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            String name = tree.getSimpleName().toString();
            boolean ofChannel = Stream.concat(
                            Stream.of(String.valueOf(tree.getExtendsClause())),
                            tree.getImplementsClause().stream().map(Tree::toString))
                    .anyMatch(parent -> parent.replaceFirst("<.*", "").endsWith("ChannelConfig"));
            if (name.endsWith("Config") && !ofChannel) {
                checkBuilt(tree);
            }
            return super.visitClass(tree, nothing);
        }

        private void checkBuilt(ClassTree tree) {
            boolean built = false;
            for (Tree member : tree.getMembers()) {
                built |=
                        member instanceof ClassTree type && type.getSimpleName().contentEquals("Builder");
                if (member instanceof MethodTree method
                        && SETTER.matcher(method.getName()).matches()) {
                    offence(method, tree.getSimpleName() + "." + method.getName() + " (expected: a method of Builder)");
                }
            }
            if (!built) {
                offence(tree, tree.getSimpleName() + " without a Builder (expected: builder() and Builder.build())");
            }
        }
    }

    private static final class Methods extends Scanner {
        private static final Pattern WORD = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
        private static final Pattern TOLD = Pattern.compile("on[A-Z]\\w*");
        private static final Pattern ASKED = Pattern.compile("(is|has|may|can)[A-Z]\\w*");

        /** Verbs and nouns that end as participles do. */
        private static final Set<String> NO_PARTICIPLES =
                Set.of("embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed");

        /** Those that end in another way, and "gone" and "ready", which tell as well. */
        private static final Set<String> PARTICIPLES = Set.of(
                "begun",
                "broken",
                "built",
                "chosen",
                "done",
                "drawn",
                "found",
                "given",
                "gone",
                "held",
                "kept",
                "left",
                "lost",
                "made",
                "met",
                "ready",
                "said",
                "seen",
                "sent",
                "shown",
                "taken",
                "told",
                "withdrawn",
                "written");

        /** An order about something that was done to it before: {@code dropExpired}. Whoever has another adds it. */
        private static final Set<String> ORDERS = Set.of(
                "add",
                "announce",
                "await",
                "begin",
                "check",
                "clear",
                "close",
                "drain",
                "drop",
                "end",
                "ensure",
                "fail",
                "finish",
                "flush",
                "free",
                "keep",
                "log",
                "observe",
                "post",
                "put",
                "release",
                "remove",
                "reset",
                "return",
                "run",
                "set",
                "skip",
                "stop",
                "take",
                "write");

        Methods(SourceFile file) {
            super(file);
            scan(file.tree(), null);
        }

        private static boolean isParticiple(String word) {
            return PARTICIPLES.contains(word) || word.endsWith("ed") && !NO_PARTICIPLES.contains(word);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            boolean ofOthers = tree.getModifiers().getAnnotations().stream()
                    .anyMatch(annotation ->
                            annotation.getAnnotationType().toString().equals("Override"));
            if (!ofOthers && tree.getReturnType() != null) {
                check(tree, tree.getName().toString(), tree.getReturnType().toString());
            }
            return super.visitMethod(tree, nothing);
        }

        private void check(MethodTree tree, String name, String type) {
            String[] words = WORD.split(name);
            String first = words[0];
            String last = words[words.length - 1].toLowerCase(Locale.ROOT);
            boolean tells = isParticiple(first) || isParticiple(last) && !ORDERS.contains(first);
            if (type.equals("void") && tells && !TOLD.matcher(name).matches()) {
                offence(tree, "void " + name + " (expected: on..., or a verb)");
            } else if (TOLD.matcher(name).matches() && !type.equals("void")) {
                offence(tree, type + " " + name + " (expected: void)");
            } else if (ASKED.matcher(name).matches() && !type.equals("boolean")) {
                offence(tree, type + " " + name + " (expected: boolean)");
            }
        }
    }
}
