package dev.sand.frontend.deployment;

import dev.sand.event.ApplicationName;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.GrainSpec;
import dev.sand.frontend.deployment.ApplicationFolder.Borrowed;
import dev.sand.frontend.deployment.Finding.Findings;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.invoke.Directory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Grains of other applications, by copy (SAND 4.1): {@code from: app/grain@version} puts that grain's files into the new
 * version's folder, when that version's {@code share:} names it. What is copied does not change with its owner any more.
 */
final class Lending implements ApplicationFolder.Lender {
    private final String tenant;
    private final Directory directory;
    private final Bundles bundles;
    private final long mostBytes;
    private final int mostEntries;

    Lending(String tenant, Directory directory, Bundles bundles, long mostBytes, int mostEntries) {
        this.tenant = tenant;
        this.directory = directory;
        this.bundles = bundles;
        this.mostBytes = mostBytes;
        this.mostEntries = mostEntries;
    }

    @Override
    public GrainSpec lend(Path folder, String as, Borrowed from, Findings findings) {
        String pointer = "/grains/" + as + "/from";
        ApplicationVersion owner;
        try {
            String lender = ApplicationName.within(tenant, from.application(), false); // nobody borrows of another tenant
            owner = lender == null ? null : directory.load(lender, from.qualifier());
            if (owner == null) {
                throw Problems.unknownApplication(from.application()).asException();
            }
        } catch (ProblemException e) {
            findings.add(SandYaml.FILE, pointer, e.problem().detail());
            return null;
        }
        GrainSpec grain = owner.grains().get(from.grain());
        if (grain == null) {
            findings.add(SandYaml.FILE, pointer, "version " + owner.version() + " of application '" + owner.application()
                    + "' has no grain '" + from.grain() + "'");
            return null;
        }
        Path bundle;
        try {
            bundle = bundles.folder(owner.bundle());
        } catch (IOException e) {
            throw new UncheckedIOException("the files of " + from.application() + " cannot be had", e);
        }
        if (!shares(bundle, from.grain())) {
            findings.add(SandYaml.FILE, pointer, "application '" + owner.application() + "' does not share its grain '"
                    + from.grain() + "': its sand.yaml would have to name it under share:");
            return null;
        }
        Path target = folder.resolve("grains").resolve(as);
        if (Files.exists(target)) {
            findings.add(SandYaml.FILE, pointer, "there is a folder grains/" + as + " already; a grain is copied or written, not both");
            return null;
        }
        try {
            Folders.copy(bundle.resolve("grains").resolve(from.grain()), target, mostBytes, mostEntries);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy grain " + from.grain() + " of " + from.application(), e);
        }
        return new GrainSpec(as, grain.entry(), grain.isolation(), grain.preload(), grain.timeoutMs(), grain.concurrency(),
                grain.memoryBytes(), grain.queueDepth(), grain.queueBytes(), grain.minIdle(), grain.maxIdle(),
                grain.maxRequests(), grain.environment(), grain.secrets());
    }

    /** From a copy of a version: what it has borrowed is borrowed anew. */
    static void takeOut(Path folder) {
        var yaml = SandYaml.read(folder, new Findings());
        if (yaml != null) {
            yaml.path("grains").properties().stream().filter(grain -> grain.getValue().has("from"))
                    .forEach(grain -> Folders.delete(folder.resolve("grains").resolve(grain.getKey())));
        }
    }

    private static boolean shares(Path bundle, String grain) {
        var yaml = SandYaml.read(bundle, new Findings());
        if (yaml != null) {
            for (var name : yaml.path("share")) {
                if (name.asText().equals(grain)) {
                    return true;
                }
            }
        }
        return false;
    }
}
