// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What is left of a Netty that a project has copied into packages of its own. */
final class RenamedNetty {

    private RenamedNetty() {}

    /** A class with an empty main method. */
    static byte[] bootstrap() {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(
                Opcodes.V17,
                Opcodes.ACC_PUBLIC,
                "org/example/io/netty/bootstrap/AbstractBootstrap",
                null,
                "java/lang/Object",
                null);
        MethodVisitor main = writer.visitMethod(
                Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "main", "([Ljava/lang/String;)V", null, null);
        main.visitCode();
        main.visitInsn(Opcodes.RETURN);
        main.visitMaxs(0, 1);
        main.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }
}
