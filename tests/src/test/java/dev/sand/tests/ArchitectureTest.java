package dev.sand.tests;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The architecture as docs/ARCHITECTURE.md draws it: dependencies point down only, and decisions are made without the world. */
class ArchitectureTest {
    /** What each package may use of the others; it may always use itself. */
    private static final Map<String, List<String>> MAY_USE = Map.of(
            "event", List.of(),
            "localbus", List.of("event"),
            "globalbus", List.of("event"),
            "datalayer", List.of("event"),
            "workflow", List.of("event"),
            "hostlink", List.of("event"),
            "dataplane", List.of("event"),
            "hostagent", List.of("event", "localbus", "globalbus", "datalayer", "workflow", "hostlink", "dataplane"),
            "frontend", List.of("event", "globalbus", "datalayer", "workflow", "hostlink", "dataplane"));

    /** Pure logic: the same inputs give the same outputs, in a simulator as in life. */
    private static final String[] PURE = {"dev.sand.event..", "dev.sand.workflow..", "dev.sand.hostagent.core.."};

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.sand");

    @TestFactory
    List<DynamicTest> eachModuleUsesOnlyWhatStandsBelowIt() {
        List<DynamicTest> tests = new ArrayList<>();
        MAY_USE.forEach((module, below) -> tests.add(DynamicTest.dynamicTest(module + " uses " + below, () -> {
            String[] forbidden = MAY_USE.keySet().stream()
                    .filter(other -> !other.equals(module) && !below.contains(other))
                    .map(other -> "dev.sand." + other + "..")
                    .toArray(String[]::new);
            check(noClasses().that().resideInAPackage("dev.sand." + module + "..")
                    .should().dependOnClassesThat().resideInAnyPackage(forbidden)
                    .orShould().dependOnClassesThat().resideInAnyPackage("dev.sand.standalone..", "dev.sand.tests.."));
        })));
        return tests;
    }

    @Test
    void everyClassBelongsToAModuleOfThePicture() {
        List<String> strangers = CLASSES.stream()
                .map(type -> type.getPackageName().replaceFirst("^dev\\.sand\\.([a-z]+).*", "$1"))
                .filter(module -> !MAY_USE.containsKey(module) && !module.equals("standalone"))
                .distinct().toList();
        assertThat(strangers).isEmpty();
    }

    @Test
    void pureLogicReadsNoClock() {
        check(noClasses().that().resideInAnyPackage(PURE)
                .should().callMethod(System.class, "currentTimeMillis")
                .orShould().callMethod(System.class, "nanoTime")
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.time.Clock"));
    }

    @Test
    void pureLogicHasNoThreadsLocksOrSockets() {
        check(noClasses().that().resideInAnyPackage("dev.sand.workflow..", "dev.sand.hostagent.core..")
                .should().dependOnClassesThat(resideInAnyPackage("java.util.concurrent.locks..", "java.net..",
                        "java.nio.channels..", "io.netty..", "com.github.dockerjava..", "java.sql..")
                        .and(not(equivalentTo(URLDecoder.class)))) // texts alone
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.lang.Thread")
                .orShould().dependOnClassesThat().haveSimpleNameStartingWith("Concurrent"));
    }

    @Test
    void nothingIsSynchronizedInPureLogic() {
        check(methods().that().areDeclaredInClassesThat().resideInAnyPackage(PURE)
                .should().notHaveModifier(JavaModifier.SYNCHRONIZED));
    }

    @Test
    void staticsDoNotChange() {
        check(noFields().that().areDeclaredInClassesThat().resideInAPackage("dev.sand..")
                .and().areDeclaredInClassesThat().resideOutsideOfPackage("dev.sand.event.thrift..")
                .and().areStatic()
                .should().notBeFinal());
    }

    @Test
    void thriftStaysAtTheEdge() {
        check(noClasses().that().resideInAnyPackage("dev.sand.workflow..", "dev.sand.frontend..", "dev.sand.hostagent.core..",
                        "dev.sand.globalbus..", "dev.sand.datalayer..")
                .should().dependOnClassesThat().resideInAnyPackage("dev.sand.event.thrift..", "org.apache.thrift.."));
    }

    @Test
    void standaloneIsWiringAlone() {
        check(classes().that().resideInAPackage("dev.sand.standalone..")
                .should().onlyBeAccessed().byClassesThat().resideInAPackage("dev.sand.standalone.."));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(CLASSES);
    }
}
