// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.SocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Edits classes of Netty and of programs when they are loaded or defined again: calls of {@code
 * ChannelFactory.newChannel()} and {@code IoHandlerFactory.newHandler()} go to {@link Hooks}, and bootstraps first say
 * which address a channel is for. Says which Netty it cannot edit, and why.
 *
 * <p>Threading: any thread.
 */
final class NettyClasses implements ClassFileTransformer {

    private static final String BOOTSTRAP = "io/netty/bootstrap/AbstractBootstrap";
    private static final String HANDLER_FACTORY = "io/netty/channel/IoHandlerFactory";
    private static final String HANDLE = "io/netty/channel/IoHandle";
    private static final String OLDEST = "4.2.7";

    /** A system property of Netty: its native transports say that they are unavailable, and programs take NIO. */
    private static final String NO_NATIVE = "io.netty.transport.noNative";

    private static final Set<String> NATIVE =
            Set.of("io/netty/channel/epoll/Epoll", "io/netty/channel/uring/IoUring", "io/netty/channel/kqueue/KQueue");

    private static final Set<String> LOOPS =
            Set.of("io/netty/channel/SingleThreadIoEventLoop", "io/netty/channel/ManualIoEventLoop");

    private static final String NEW_CHANNEL = "()Lio/netty/channel/Channel;";
    private static final String NEW_HANDLER =
            "(Lio/netty/util/concurrent/ThreadAwareExecutor;)Lio/netty/channel/IoHandler;";

    private static final String HOOKS = Type.getInternalName(Hooks.class);
    private static final Type ADDRESS = Type.getType(SocketAddress.class);

    /** Methods that make a channel for their first argument that is an address; {@code register} has none. */
    private static final Map<String, Set<String>> MAKERS = Map.of(
            BOOTSTRAP,
            Set.of("doBind", "register"),
            "io/netty/bootstrap/Bootstrap",
            Set.of("doResolveAndConnect"),
            "reactor/netty/transport/TransportConnector",
            Set.of("bind", "connect"));

    private final Instrumentation instrumentation;

    /** Class loaders of edited classes, and whether the Netty that they see can be used. */
    private final Map<ClassLoader, Boolean> usable = Collections.synchronizedMap(new WeakHashMap<>());

    NettyClasses(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /** Returns whether a class of a Netty is edited or, for a native transport, switched off. */
    static boolean makesSockets(String type) {
        String name = type.replace('.', '/');
        return MAKERS.containsKey(name) || LOOPS.contains(name) || NATIVE.contains(name);
    }

    @Override
    public byte @Nullable [] transform(
            Module module,
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (loader == null || name == null || name.startsWith("io/nettyrdma/")) {
            return null; // of the JDK, or ours
        }
        try {
            if (name.endsWith('/' + BOOTSTRAP)) {
                String prefix = name.substring(0, name.length() - BOOTSTRAP.length());
                RdmaAgent.say("a copy of Netty, renamed to " + prefix.replace('/', '.') + "io.netty" + from(domain)
                        + ", cannot be moved; its sockets stay TCP. Use an artifact without a copy, if there is one");
            }
            if (NATIVE.contains(name)) {
                if (isUsable(loader)) {
                    System.setProperty(NO_NATIVE, "true");
                }
                return null;
            }
            return isConcerned(name, bytes) && isUsable(loader) ? edit(module, name, bytes) : null;
        } catch (Throwable e) { // the JVM would be silent about it
            RdmaAgent.say("cannot edit " + name.replace('/', '.') + " (" + e + "); sockets that it makes stay TCP");
            return null;
        }
    }

    private static String from(@Nullable ProtectionDomain domain) {
        CodeSource source = domain == null ? null : domain.getCodeSource();
        return source == null ? "" : " in " + source.getLocation();
    }

    private static boolean isConcerned(String name, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return MAKERS.containsKey(name)
                || text.contains("newHandler") && text.contains(NEW_HANDLER)
                || text.contains("newChannel") && text.contains(NEW_CHANNEL);
    }

    /** Returns whether the Netty that a class loader sees can be used; says why not. */
    private boolean isUsable(ClassLoader loader) throws IOException {
        Boolean known = usable.get(loader);
        if (known == null) {
            URL bootstrap = loader.getResource(BOOTSTRAP + ".class");
            // Without one, the class is of a program that can do without Netty.
            String defect = bootstrap == null ? null : defect(loader, bootstrap);
            if (defect != null) {
                RdmaAgent.say(defect + "; its sockets stay TCP");
            }
            known = bootstrap != null && defect == null;
            usable.put(loader, known);
        }
        return known;
    }

    /** Returns why a Netty cannot be used, or {@code null} if it can. */
    private static @Nullable String defect(ClassLoader loader, URL bootstrap) throws IOException {
        URL handle = loader.getResource(HANDLE + ".class");
        if (loader.getResource(HANDLER_FACTORY + ".class") == null || handle == null) {
            return "needs Netty " + OLDEST + " or newer, and found one of 4.1 or older in " + jar(bootstrap);
        }
        try (InputStream in = handle.openStream()) {
            if (!new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).contains("registered")) {
                return "needs Netty " + OLDEST + " or newer, and found an older one in " + jar(handle);
            }
        }
        try {
            if (Class.forName(Hooks.class.getName(), false, loader) == Hooks.class) {
                return null;
            }
        } catch (ClassNotFoundException e) {
            // the last defect
        }
        return "the class loader " + loader
                + " of a Netty does not ask the one of the class path for the agent's classes";
    }

    /** Returns the jar or folder of a class. */
    private static String jar(URL url) {
        return url.toString().replaceFirst("^jar:", "").replaceFirst("!?/io/netty/\\w+/\\w+\\.class$", "");
    }

    private byte[] edit(Module module, String name, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassEditor(name, writer), 0);
        if (module.isNamed()) {
            instrumentation.redefineModule(
                    module, Set.of(Hooks.class.getModule()), Map.of(), Map.of(), Set.of(), Map.of());
        }
        return writer.toByteArray();
    }

    private static final class ClassEditor extends ClassVisitor {

        private final String name;

        ClassEditor(String name, ClassVisitor next) {
            super(Opcodes.ASM9, next);
            this.name = name;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            MethodVisitor next = super.visitMethod(access, method, descriptor, signature, thrown);
            boolean makes = MAKERS.getOrDefault(name, Set.of()).contains(method);
            return new MethodEditor(name, next, makes ? addressOf(access, descriptor) : MethodEditor.MAKES_NONE);
        }

        /** Returns the local variable of the first argument that is an address, or -1. */
        private static int addressOf(int access, String descriptor) {
            int variable = (access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
            for (Type argument : Type.getArgumentTypes(descriptor)) {
                if (argument.equals(ADDRESS)) {
                    return variable;
                }
                variable += argument.getSize();
            }
            return -1;
        }
    }

    private static final class MethodEditor extends MethodVisitor {

        static final int MAKES_NONE = -2;

        private final Type caller;
        private final int address;

        /**
         * @param address the variable with the address of the channel that the method makes, -1 if there is none
         */
        MethodEditor(String caller, MethodVisitor next, int address) {
            super(Opcodes.ASM9, next);
            this.caller = Type.getObjectType(caller);
            this.address = address;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (address == MAKES_NONE) {
                return;
            }
            if (address < 0) {
                super.visitInsn(Opcodes.ACONST_NULL);
            } else {
                super.visitVarInsn(Opcodes.ALOAD, address);
            }
            super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "onAddress", "(Ljava/lang/Object;)V", false);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean ofInterface) {
            boolean ofNetty = owner.startsWith("io/netty/") && opcode != Opcodes.INVOKESPECIAL;
            if (ofNetty && name.equals("newChannel") && descriptor.equals(NEW_CHANNEL)) {
                visitHook(name, "(Ljava/lang/Object;Ljava/lang/Class;)Ljava/lang/Object;", descriptor);
            } else if (ofNetty && name.equals("newHandler") && descriptor.equals(NEW_HANDLER)) {
                visitHook(
                        name, "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Class;)Ljava/lang/Object;", descriptor);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
            }
        }

        private void visitHook(String name, String descriptor, String replaced) {
            super.visitLdcInsn(caller);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, name, descriptor, false);
            super.visitTypeInsn(Opcodes.CHECKCAST, Type.getReturnType(replaced).getInternalName());
        }
    }
}
