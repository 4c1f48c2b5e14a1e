// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.modules;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The exported API of the libraries as text: each public or protected type of an exported package, with its public and
 * protected members, a line each.
 */
final class ExportedApi {

    private static final Pattern JAVA_LANG = Pattern.compile("\\bjava\\.lang\\.(?=[A-Z])");
    /** Words that say nothing to a caller, and "sealed", which newer JDKs print and older ones do not. */
    private static final Pattern INTERNAL_MODIFIERS =
            Pattern.compile("\\b(synchronized|native|strictfp|transient|volatile|(non-)?sealed) ");

    private static final String CLASS = ".class";
    /** The mark of a package or type, at the start of a line. It is in sources only. */
    private static final String UNSTABLE = "\n@UnstableApi\n";
    /** A member with the mark, up to its name. */
    private static final Pattern UNSTABLE_MEMBER = Pattern.compile(" @UnstableApi\n[^(;=]*?(\\w+)\\s*[(;=]");

    private final List<Class<?>> types = new ArrayList<>();

    /** Reads the API of the modules that {@code members} are classes of. */
    ExportedApi(Class<?>... members) throws IOException, ReflectiveOperationException, URISyntaxException {
        for (Class<?> member : members) {
            Path classes = Path.of(
                    member.getProtectionDomain().getCodeSource().getLocation().toURI());
            ModuleReference module =
                    ModuleFinder.of(classes).findAll().iterator().next();
            Set<String> exported = module.descriptor().exports().stream()
                    .filter(exports -> !exports.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
            try (ModuleReader reader = module.open()) {
                for (String resource : reader.list().toList()) {
                    add(resource, exported, member.getClassLoader());
                }
            }
        }
        types.sort(Comparator.comparing(Class::getName));
    }

    private void add(String resource, Set<String> packages, ClassLoader loader) throws ClassNotFoundException {
        int end = resource.lastIndexOf('/');
        if (end < 0 || !resource.endsWith(CLASS) || resource.endsWith("package-info" + CLASS)) {
            return;
        }
        if (packages.contains(resource.substring(0, end).replace('/', '.'))) {
            String name =
                    resource.substring(0, resource.length() - CLASS.length()).replace('/', '.');
            Class<?> type = Class.forName(name, false, loader);
            if (isExported(type)) {
                types.add(type);
            }
        }
    }

    private static boolean isExported(Class<?> type) {
        return isExported(type.getModifiers())
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && (type.getDeclaringClass() == null || isExported(type.getDeclaringClass()));
    }

    private static boolean isExported(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    /** Returns the types, in alphabetical order. */
    List<Class<?>> types() {
        return types;
    }

    /** Returns the lines of the listing. Those of what may change with any version end with "(unstable)". */
    List<String> lines() throws IOException, URISyntaxException {
        List<String> lines = new ArrayList<>();
        int members = 0;
        for (Class<?> type : types) {
            String source = source(type, type.getNestHost().getSimpleName());
            boolean whole = (source + source(type, "package-info")).contains(UNSTABLE);
            String marked = UNSTABLE_MEMBER
                    .matcher(source)
                    .results()
                    .map(member -> Pattern.quote(member.group(1)))
                    .collect(Collectors.joining("|", ".* (", ")(\\(.*|)"));
            lines.add(header(type) + (whole ? " (unstable)" : ""));
            List<String> own = members(type);
            members += own.size();
            own.forEach(member -> lines.add("    " + member + (whole || member.matches(marked) ? " (unstable)" : "")));
        }
        lines.add(0, types.size() + " types, " + members + " members");
        return lines;
    }

    /** The source of a type's package: beside {@code target} with the module's classes or jar. */
    private static String source(Class<?> type, String name) throws IOException, URISyntaxException {
        Path classes =
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        return Files.readString(classes.resolve("../../src/main/java")
                .normalize()
                .resolve(type.getPackageName().replace('.', '/'))
                .resolve(name + ".java"));
    }

    private static String header(Class<?> type) {
        StringBuilder header = new StringBuilder(type.toGenericString());
        if (type.getGenericSuperclass() != null && type.getSuperclass() != Object.class) {
            header.append(" extends ").append(type.getGenericSuperclass().getTypeName());
        }
        if (type.getInterfaces().length > 0) {
            header.append(type.isInterface() ? " extends " : " implements ");
            header.append(String.join(
                    ", ",
                    Arrays.stream(type.getGenericInterfaces())
                            .map(Type::getTypeName)
                            .toList()));
        }
        if (type.isSealed()) {
            header.append(" permits ");
            header.append(String.join(
                    ", ",
                    Arrays.stream(type.getPermittedSubclasses())
                            .map(Type::getTypeName)
                            .sorted()
                            .toList()));
        }
        return shortened(header.toString());
    }

    private static List<String> members(Class<?> type) {
        return Stream.of(
                        texts(type.getDeclaredFields(), Field::toGenericString),
                        texts(type.getDeclaredConstructors(), Constructor::toGenericString),
                        texts(type.getDeclaredMethods(), Method::toGenericString))
                .flatMap(texts -> texts)
                .map(text -> shortened(text.replace(' ' + type.getTypeName() + '.', " ")))
                .sorted()
                .toList();
    }

    private static <M extends Member> Stream<String> texts(M[] members, Function<M, String> toText) {
        return Arrays.stream(members)
                .filter(member -> isForPrograms(member) && !member.isSynthetic())
                .map(toText);
    }

    /** No program can be a subclass of a final class. */
    private static boolean isForPrograms(Member member) {
        int modifiers = member.getModifiers();
        return Modifier.isPublic(modifiers)
                || Modifier.isProtected(modifiers)
                        && !Modifier.isFinal(member.getDeclaringClass().getModifiers());
    }

    private static String shortened(String text) {
        return INTERNAL_MODIFIERS
                .matcher(JAVA_LANG.matcher(text).replaceAll(""))
                .replaceAll("");
    }
}
