package dev.sand.frontend.http;

import java.net.URL;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.ResourceFactory;

/**
 * The web GUI at {@code /ui/}, served by Jetty out of the jar that the GUI's build fills. A platform built without one has
 * nothing there, and says 404.
 */
final class GuiFiles extends ResourceHandler {
    private static final String PATH = "/ui/";
    /** The folders in the jar are the paths here, so that nothing is to be mapped. */
    private static final String ROOT = "/dev/sand/gui";
    private static final String ASSETS = PATH + "assets/";
    /** Scripts, styles and requests are this server's alone; nobody frames its buttons. */
    private static final String POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

    private final boolean built;

    GuiFiles() {
        URL page = GuiFiles.class.getResource(ROOT + PATH + "index.html");
        built = page != null;
        if (built) {
            String file = page.toString();
            setBaseResource(ResourceFactory.of(this).newResource(file.substring(0, file.lastIndexOf(PATH) + 1)));
        }
        setDirAllowed(false);
        setWelcomeFiles("index.html");
        setPrecompressedFormats(CompressedContentFormat.GZIP);
    }

    boolean isBuilt() {
        return built;
    }

    /** Whether the request is for the GUI: its files, or the root as a browser asks for it. */
    boolean takes(Request request, String path) {
        boolean reads = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
        return built && reads && (path.startsWith(PATH) || path.equals("/ui") || path.equals("/") && isBrowser(request));
    }

    private static boolean isBrowser(Request request) {
        String accept = request.getHeaders().get(HttpHeader.ACCEPT);
        return accept != null && accept.contains("text/html");
    }

    /** Blocks while it reads from the jar. @return false when there is no such file */
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = request.getHttpURI().getCanonicalPath();
        if (!path.startsWith(PATH)) {
            response.setStatus(302);
            // Relative, for whoever has this server below a path of its own.
            response.getHeaders().put(HttpHeader.LOCATION, "ui/");
            response.write(true, null, callback);
            return true;
        }
        if (path.endsWith("/") && !path.equals(PATH)) {
            return false; // a folder
        }
        var headers = response.getHeaders();
        // An asset's name has a hash of its content. The page names the assets of this version, and is not to be kept at all: in a
        // reproducible jar every version of it has the same time of change, by which a browser would take an old one for new.
        headers.put(HttpHeader.CACHE_CONTROL, path.startsWith(ASSETS) ? "public, max-age=31536000, immutable" : "no-store");
        headers.put("Content-Security-Policy", POLICY);
        headers.put("Referrer-Policy", "same-origin");
        if (super.handle(request, response, callback)) {
            return true;
        }
        headers.remove(HttpHeader.CACHE_CONTROL);
        return false;
    }
}
