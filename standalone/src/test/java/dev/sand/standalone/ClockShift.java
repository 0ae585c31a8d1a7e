package dev.sand.standalone;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.time.Instant;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * A Java agent that puts its process's wall clock forward or back, for the platform's classes and its libraries': what asks for
 * the time asks here. A machine's clock cannot be set for one process alone.
 */
public final class ClockShift {
    private static final ClassDesc HERE = ClassDesc.of(ClockShift.class.getName());
    private static final ClassDesc SYSTEM = ClassDesc.of("java.lang.System");
    private static final ClassDesc INSTANT = ClassDesc.of("java.time.Instant");
    private static final MethodTypeDesc NOW = MethodTypeDesc.of(INSTANT);
    private static long byMs;

    private ClockShift() {}

    /** Called by the JVM. @param ms to be added to the clock */
    public static void premain(String ms, Instrumentation instrumentation) {
        byMs = Long.parseLong(ms);
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(Module module, ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain,
                                    byte[] bytes) {
                // The JDK's own classes do not see this one.
                boolean ours = loader == ClassLoader.getSystemClassLoader() && !name.equals(ClockShift.class.getName().replace('.', '/'));
                return ours && asks(bytes) ? shifted(bytes) : null;
            }
        });
    }

    /** A JVM's option that starts a process with such a clock. */
    static String option(Path folder, long ms) throws IOException {
        Path jar = folder.resolve("clock-shift.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(new Attributes.Name("Premain-Class"), ClockShift.class.getName());
        if (!Files.exists(jar)) { // a process that was begun before may be reading it
            try (OutputStream out = Files.newOutputStream(jar)) {
                new JarOutputStream(out, manifest).close();
            }
        }
        return "-javaagent:" + jar + "=" + ms;
    }

    private static boolean asks(byte[] bytes) {
        String constants = new String(bytes, StandardCharsets.ISO_8859_1);
        return constants.contains("currentTimeMillis") || constants.contains("java/time/Instant") && constants.contains("now");
    }

    private static byte[] shifted(byte[] bytes) {
        CodeTransform calls = (code, element) -> {
            if (element instanceof InvokeInstruction call && isClock(call)) {
                code.invokestatic(HERE, call.name().stringValue(), call.typeSymbol());
            } else {
                code.with(element);
            }
        };
        return ClassFile.of().transformClass(ClassFile.of().parse(bytes), ClassTransform.transformingMethodBodies(calls));
    }

    private static boolean isClock(InvokeInstruction call) {
        ClassDesc owner = call.owner().asSymbol();
        return owner.equals(SYSTEM) && call.name().equalsString("currentTimeMillis")
                || owner.equals(INSTANT) && call.name().equalsString("now") && call.typeSymbol().equals(NOW);
    }

    public static long currentTimeMillis() {
        return System.currentTimeMillis() + byMs;
    }

    public static Instant now() {
        return Instant.now().plusMillis(byMs);
    }
}
