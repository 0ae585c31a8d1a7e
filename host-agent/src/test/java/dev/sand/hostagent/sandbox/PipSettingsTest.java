package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host's way to its packages, whatever it is, is a build sandbox's way too. */
final class PipSettingsTest {
    @TempDir
    Path folder;
    private Path etc;
    private Path user;

    @BeforeEach
    void folders() {
        etc = folder.resolve("etc");
        user = folder.resolve("user");
    }

    private PipSettings settings(Map<String, String> variables) {
        return PipSettings.of(variables, user, etc);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void configurationFilesBecomeVariablesTheNearerWins() throws IOException {
        write(etc.resolve("pip.conf"), "# site\n[global]\nindex-url = https://one.invalid/simple\ntimeout=60\n");
        write(user.resolve(".config/pip/pip.conf"), """
                [global]
                index-url: https://two.invalid/simple
                extra-index-url =
                    https://three.invalid/simple
                    https://four.invalid/simple
                [install]
                timeout = 30
                target = /elsewhere
                [list]
                format = columns
                """);

        assertThat(settings(Map.of("PIP_RETRIES", "2", "PIP_TARGET", "/x", "HOME", "/y")).environment()).isEqualTo(Map.of(
                "PIP_INDEX_URL", "https://two.invalid/simple",
                "PIP_EXTRA_INDEX_URL", "https://three.invalid/simple https://four.invalid/simple",
                "PIP_TIMEOUT", "30", "PIP_RETRIES", "2"));
    }

    @Test
    void aVariableWinsOverAFileAndAConfigurationFileCanBeNamed() throws IOException {
        Path named = folder.resolve("own.conf");
        write(named, "[global]\nindex-url = https://file.invalid\nproxy = http://proxy.invalid:3128\n");

        assertThat(settings(Map.of("PIP_CONFIG_FILE", named.toString(), "PIP_INDEX_URL", "https://variable.invalid")).environment())
                .isEqualTo(Map.of("PIP_INDEX_URL", "https://variable.invalid", "PIP_PROXY", "http://proxy.invalid:3128"));
    }

    @Test
    void proxiesAndCertificatesGoAlongAndNothingElse() {
        assertThat(settings(Map.of("https_proxy", "http://p.invalid", "NO_PROXY", "a", "SSL_CERT_FILE", "/none", "AWS_SECRET_ACCESS_KEY", "x"))
                .environment()).containsOnlyKeys("https_proxy", "NO_PROXY", "SSL_CERT_FILE");
    }

    @Test
    void filesThatAreNamedAndThereAreMounted() throws IOException {
        Path certificate = folder.resolve("certs/ca.pem");
        Path wheels = folder.resolve("wheels");
        write(certificate, "x");
        Files.createDirectories(wheels);

        PipSettings settings = settings(Map.of("PIP_CERT", certificate.toString(), "SSL_CERT_DIR", certificate.getParent().toString(),
                "PIP_FIND_LINKS", wheels + " file://" + wheels + " /not/there https://links.invalid", "PIP_CONSTRAINT", "/"));

        assertThat(settings.files()).containsExactlyInAnyOrder(certificate.getParent(), wheels);
    }

    @Test
    void aServerOnThisMachineNeedsItsNetwork() {
        assertThat(settings(Map.of("PIP_INDEX_URL", "http://user:word@localhost:3141/simple")).needsHostNetwork()).isTrue();
        assertThat(settings(Map.of("HTTPS_PROXY", "http://127.0.0.1:8080")).needsHostNetwork()).isTrue();
        assertThat(settings(Map.of("PIP_INDEX_URL", "https://localhost.example.invalid/simple")).needsHostNetwork()).isFalse();
    }
}
