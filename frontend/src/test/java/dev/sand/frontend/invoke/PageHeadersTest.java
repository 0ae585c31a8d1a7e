package dev.sand.frontend.invoke;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.ProblemException;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page of one application says to a browser reaches neither the platform's session nor another application's pages. */
class PageHeadersTest {
    private static final String PAGES = "/web/shop";

    private static HttpFields given(String name, String value, String path) {
        HttpFields.Mutable headers = HttpFields.build();
        PageHeaders.copy(Json.object().put(name, value), PAGES, path, headers);
        return headers;
    }

    private static List<String> cookies(String cookie, String path) {
        return given("Set-Cookie", cookie, path).getValuesList("Set-Cookie");
    }

    /** Of one without a name, a browser sends the value alone. */
    @ParameterizedTest
    @ValueSource(strings = {"sand_session=x", "=sand_session=x", "sand_session", " = sand_session=x", ";sand_session=x", "\tsand_session =x",
        "(=x", "\u00A0sand_session=x", ""})
    void noCookieCanBeTakenForASession(String cookie) {
        assertThat(cookies(cookie, "/web/shop/a")).isEmpty();
    }

    /** Which would go out as a space, that browsers leave out. */
    @ParameterizedTest
    @ValueSource(strings = {"\u0173sand_session=x", "\u2003sand_session=x", "a=1\r\nb: c", "a=\u007f"})
    void whatIsNotSentAsItIsIsNotSent(String value) {
        assertThatThrownBy(() -> given("Set-Cookie", value, "/web/shop/a")).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> given("X-Own", value, "/web/shop/a")).isInstanceOf(ProblemException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/web", "/web/", "/web/shopping", "/web/other", "/api/v1", "", "x", "web/shop"})
    void aCookieThatIsForMoreIsForThePageThatSetsIt(String path) {
        assertThat(cookies("a=1; Path=" + path + "; Secure", "/web/shop/a")).containsExactly("a=1; Secure");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/web/shop", "/web/shop/", "/web/shop/cart", "/below/web/shop/x"})
    void aCookieOfTheApplicationsOwnStays(String path) {
        assertThat(cookies("a=b=c; path=" + path + ";Max-Age=9", "/web/shop/a")).containsExactly("a=b=c; path=" + path + "; Max-Age=9");
    }

    @Test
    void noCookieIsForOtherHosts() {
        assertThat(cookies("a=1; Domain=example.org; HttpOnly; domain", "/web/shop/a")).containsExactly("a=1; HttpOnly");
    }

    /** Its page lies beside those of others, and a cookie's path is that of the folder. */
    @Test
    void withoutASlashAtItsEndAnAddressHasNoCookieOfItsOwn() {
        assertThat(cookies("a=1", PAGES)).isEmpty();
        assertThat(cookies("a=1; Path=/", PAGES)).isEmpty();
        assertThat(cookies("a=1; Path=/web/shop", PAGES)).containsExactly("a=1; Path=/web/shop");
        assertThat(cookies("a=1", PAGES + "/")).containsExactly("a=1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Strict-Transport-Security", "NEL", "Report-To", "Alt-Svc", "Clear-Site-Data", "X-Accel-Redirect",
        "x-accel-buffering", "Service-Worker-Allowed", "X-Sendfile"})
    void nothingIsSaidOfTheWholeHost(String name) {
        assertThat(given(name, "x", "/web/shop/a")).isEmpty();
    }

    @Test
    void whatAnswersForThePlatformSetsNoCookies() {
        HttpFields.Mutable headers = HttpFields.build().add("Set-Cookie", "sand_session=of the frontend");
        PageHeaders.copy(Json.object().put("set-cookie", "a=1").put("X-Own", "1"), null, null, headers);
        assertThat(headers.getValuesList("Set-Cookie")).containsExactly("sand_session=of the frontend");
        assertThat(headers.get("X-Own")).isEqualTo("1");
    }
}
