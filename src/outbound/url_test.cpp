#include "outbound/url.hpp"

#include <array>

#include <gtest/gtest.h>

#include "outbound/policy_fixture.hpp"

namespace merpati::outbound {
namespace {

namespace ip = boost::asio::ip;

/// The error of admitting a URL; nothing if it is admitted.
std::optional<ErrorCode> verdict(std::string_view text, const AddressPolicy& policy,
                                 Schemes schemes = Schemes::http_and_https) {
    const auto url = admit_url(text, schemes, policy);
    return url ? std::nullopt : std::optional{url.error().code};
}

struct Parsed {
    const char* text;
    const char* origin;
    const char* target;
};

constexpr auto parsed_rows = std::to_array<Parsed>({
    {"https://example.org", "https://example.org", "/"},
    {"https://example.org/", "https://example.org", "/"},
    {"HTTPS://EXAMPLE.ORG/Path", "https://example.org", "/Path"},
    {"http://example.org", "http://example.org", "/"},
    {"https://example.org:443/", "https://example.org", "/"},
    {"http://example.org:80/", "http://example.org", "/"},
    {"https://example.org:80/", "https://example.org:80", "/"},
    {"http://example.org:443/", "http://example.org:443", "/"},
    {"https://example.org:8443/a?b=c", "https://example.org:8443", "/a?b=c"},
    {"https://example.org:1/", "https://example.org:1", "/"},
    {"https://example.org:65535/", "https://example.org:65535", "/"},
    {"https://example.org:00443/", "https://example.org", "/"},
    {"https://example.org:/", "https://example.org", "/"},
    {"https://example.org?q", "https://example.org", "/?q"},
    {"https://example.org?", "https://example.org", "/?"},
    {"https://example.org/a?b#c", "https://example.org", "/a?b"},
    {"https://example.org#c", "https://example.org", "/"},
    {"https://example.org./a", "https://example.org", "/a"},
    {"https://example.org/%2e%2E/%00", "https://example.org", "/%2e%2E/%00"},
    {"https://example.org//double", "https://example.org", "//double"},
    {"https://example.org/a/../b", "https://example.org", "/a/../b"},
    {"https://example.org/@evil", "https://example.org", "/@evil"},
    {"https://example.org/?u=http://127.0.0.1", "https://example.org", "/?u=http://127.0.0.1"},
    {"https://a_b.example.org/", "https://a_b.example.org", "/"},
    {"https://xn--bcher-kva.example/", "https://xn--bcher-kva.example", "/"},
    {"https://1.example.org/", "https://1.example.org", "/"},
    {"https://0x7f.example/", "https://0x7f.example", "/"},
    {"https://8.8.8.8/", "https://8.8.8.8", "/"},
    {"https://[2606:4700::1111]/", "https://[2606:4700::1111]", "/"},
    {"https://[2606:4700:0:0::1111]:8443/", "https://[2606:4700::1111]:8443", "/"},
    {"https://[2606:4700::AbCd]/", "https://[2606:4700::abcd]", "/"},
});

constexpr auto malformed_rows = std::to_array<const char*>({
    "",
    " ",
    "/",
    "//",
    "//example.org/",
    "/path",
    "example.org",
    "example.org/path",
    "https",
    "https:",
    "https:/",
    "https://",
    "https:///",
    "https:///path",
    "https://?q",
    "https://#f",
    "https:example.org",
    "https:/example.org",
    "://example.org",
    "1https://example.org",
    // Other schemes.
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://example.org/",
    "ws://example.org/",
    "wss://example.org/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "unix:///run/x",
    "httpss://example.org/",
    "https+x://example.org/",
    "ldap://example.org/",
    "dict://a.org:1/",
    // User information.
    "https://user@example.org/",
    "https://user:word@example.org/",
    "https://@example.org/",
    "https://:@example.org/",
    "https://:word@example.org/",
    "https://example.org@127.0.0.1/",
    "https://127.0.0.1@example.org/",
    "https://a@b@example.org/",
    "https://user%40x@example.org/",
    "https://example.org:443@127.0.0.1/",
    "https://u@[::1]/",
    // IPv4 addresses that only some systems accept.
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://127.0.0.01/",
    "https://127.0.0.001/",
    "https://00.0.0.0/",
    "https://0/",
    "https://127.0.0.256/",
    "https://1.2.3.4.5/",
    "https://999.999.999.999/",
    "https://127.0.0.0x1/",
    "https://0X7F000001/",
    "https://127.0.0.1../",
    "https://127.0.0/",
    "https://10.1/",
    "https://1/",
    "https://0x/",
    "https://127.0x0.0.0x/",
    "https://example.0x7f/",
    "https://example.1/",
    "https://127.0.0.1.1./",
    "https://4294967296/",
    "https://08.8.8.8/",
    // An IPv4 address followed by a dot, a name or a letter.
    "https://8.8.8.8./",
    "https://127.0.0.1./",
    "https://127.0.0.1.example.org/",
    "https://8.8.8.8x/",
    // Malformed names.
    "https://./",
    "https://../",
    "https://.example.org/",
    "https://example..org/",
    "https://example.org../",
    "https://exa mple.org/",
    "https://exam%70le.org/",
    "https://%31%32%37.0.0.1/",
    "https://example.org%00.evil/",
    "https://127.0.0.1%2f@x/",
    "https://exa!mple.org/",
    "https://exa*mple.org/",
    "https://a,b.org/",
    "https://a;b.org/",
    "https://$a.org/",
    "https://a'b.org/",
    "https://(a).org/",
    "https://a+b.org/",
    "https://a=b.org/",
    "https://a&b.org/",
    "https://~a.org/",
    "https://<a>.org/",
    "https://a|b.org/",
    "https://a^b.org/",
    "https://{a}.org/",
    "https://a`b.org/",
    "https://\"a\".org/",
    "https://b\xC3\xBC"
    "cher.example/",
    "https://\xE2\x91\xA0\xE2\x91\xA1.example/",
    "https://example.org/\xC3\xBC",
    "https://example\xEF\xBC\x8Eorg/",
    "https://example\xE3\x80\x82org/",
    // Ports.
    "https://host:x/",
    "https://example.org:x/",
    "https://example.org:80x/",
    "https://example.org:-1/",
    "https://example.org:+80/",
    "https://example.org:0/",
    "https://example.org:00/",
    "https://example.org:65536/",
    "https://example.org:99999999999999999999/",
    "https://example.org:80:80/",
    "https://example.org:0x50/",
    "https://example.org:8 0/",
    "https://example.org:80%30/",
    "https://example.org:x",
    "https://8.8.8.8:x/",
    "https://[::1]:x/",
    "https://example.org:80@evil/",
    "https://example.org:x@127.0.0.1/",
    // Brackets and zones.
    "https://[::1/",
    "https://::1/",
    "https://]::1[/",
    "https://[]/",
    "https://[::1]x/",
    "https://[127.0.0.1]/",
    "https://[example.org]/",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://[fe80::1%1]/",
    "https://[v1.fe80]/",
    "https://[::1]127/",
    "https://[1::2::3]/",
    "https://[::ffff:127.1]/",
    "https://[12345::1]/",
    "https://[::1].org/",
    // Wrong slashes.
    "https://example.org\\@127.0.0.1/",
    "https:\\\\example.org/",
    "https://example.org/\\..",
    "https:/\\example.org/",
    "\\\\example.org\\share",
    "https://example.org/%",
    "https://a.org/%zz",
    "https://a.org/%1",
    "https://a.org/<",
    "https://a.org/a b",
    "https://a.org/a?b c",
});

TEST(UrlTest, TakesApartWhatIsWellFormed) {
    for (const auto& row : parsed_rows) {
        const auto url = Url::parse(row.text);
        ASSERT_TRUE(url) << row.text;
        EXPECT_EQ(url->origin(), row.origin) << row.text;
        EXPECT_EQ(url->target, row.target) << row.text;
    }
}

TEST(UrlTest, RefusesWhatIsMalformed) {
    for (const auto* text : malformed_rows) {
        const auto url = Url::parse(text);
        ASSERT_FALSE(url) << text << " as " << url->origin() << url->target;
        EXPECT_EQ(url.error().code, ErrorCode::invalid_argument) << text;
    }
}

TEST(UrlTest, RefusesControlAndForeignCharactersAtEveryPlace) {
    const std::string_view url = "https://example.org:8443/path?query#part";
    for (int code = 0; code < 256; ++code) {
        if (code > 0x20 && code < 0x7F) {
            continue;
        }
        for (std::size_t place = 0; place <= url.size(); ++place) {
            std::string text{url};
            text.insert(place, 1, static_cast<char>(code));
            EXPECT_FALSE(Url::parse(text)) << "character " << code << " at " << place;
        }
    }
}

TEST(UrlTest, TakesUpTo2048Bytes) {
    const std::string start = "https://example.org/";
    EXPECT_TRUE(Url::parse(start + std::string(2048 - start.size(), 'a')));
    EXPECT_FALSE(Url::parse(start + std::string(2049 - start.size(), 'a')));
    EXPECT_TRUE(Url::parse(start + std::string(2049 - start.size(), 'a'), 4096));
}

TEST(UrlTest, TakesLabelsOf63AndNamesOf253Bytes) {
    const auto label = [](std::size_t size) { return std::string(size, 'a'); };
    EXPECT_TRUE(Url::parse("https://" + label(63) + ".org/"));
    EXPECT_FALSE(Url::parse("https://" + label(64) + ".org/"));
    const auto three = label(63) + "." + label(63) + "." + label(63) + ".";
    EXPECT_TRUE(Url::parse("https://" + three + label(61) + "/"));
    EXPECT_TRUE(Url::parse("https://" + three + label(61) + "./"));
    EXPECT_FALSE(Url::parse("https://" + three + label(62) + "/"));
}

TEST(UrlTest, KnowsLiteralAddresses) {
    EXPECT_EQ(Url::parse("https://8.8.8.8/")->literal, ip::make_address("8.8.8.8"));
    EXPECT_EQ(Url::parse("https://[::1]/")->literal, ip::make_address("::1"));
    EXPECT_EQ(Url::parse("https://[::ffff:1.2.3.4]/")->literal, ip::make_address("::ffff:1.2.3.4"));
    EXPECT_EQ(Url::parse("https://example.org/")->literal, std::nullopt);
}

TEST(AdmitUrlTest, RefusesAddressesAndNamesThatArePrivate) {
    const auto policy = policy_allowing({});
    for (const auto* host : {"127.0.0.1",
                             "127.255.255.255",
                             "0.0.0.0",
                             "10.0.0.1",
                             "172.16.0.1",
                             "192.168.0.1",
                             "169.254.169.254",
                             "100.64.0.1",
                             "255.255.255.255",
                             "224.0.0.1",
                             "[::1]",
                             "[::]",
                             "[::ffff:8.8.8.8]",
                             "[::ffff:7f00:1]",
                             "[64:ff9b::1.2.3.4]",
                             "[2002:7f00:1::]",
                             "[fe80::1]",
                             "[fd00:ec2::254]",
                             "[2001:db8::1]",
                             "[ff02::1]",
                             "localhost",
                             "LOCALHOST",
                             "localhost.",
                             "a.localhost",
                             "a.b.localhost.",
                             "localhost.localdomain.local",
                             "printer",
                             "printer.",
                             "host",
                             "local",
                             "printer.local",
                             "PRINTER.LOCAL.",
                             "a.b.local",
                             "internal",
                             "db.internal",
                             "metadata.google.internal",
                             "metadata.google.internal.",
                             "home.arpa",
                             "nas.home.arpa",
                             "com",
                             "a-b"}) {
        for (const auto* rest : {"", "/", ":8443/path?query"}) {
            const auto text = std::string{"https://"} + host + rest;
            EXPECT_EQ(verdict(text, policy), ErrorCode::refused) << text;
        }
    }
}

TEST(AdmitUrlTest, AdmitsPublicNamesThatOnlyLookPrivate) {
    const auto policy = policy_allowing({});
    for (const auto* host :
         {"example.org", "localhost.example.org", "notlocalhost.org", "mylocal.org", "local.org",
          "internal.example.org", "my-internal.org", "home.arpa.org", "xhome.arpa", "abc.onion",
          "thelocal.se", "a.xlocal", "8.8.8.8", "[2606:4700:4700::1111]"}) {
        const auto text = std::string{"https://"} + host + "/";
        EXPECT_EQ(verdict(text, policy), std::nullopt) << text;
        EXPECT_EQ(verdict(text, policy, Schemes::https_only), std::nullopt) << text;
    }
}

TEST(AdmitUrlTest, TakesPlainHttpOnlyWhereTheFieldDoes) {
    const auto policy = policy_allowing({});
    for (const auto* text : {"http://example.org/", "HTTP://example.org:443/", "http://8.8.8.8/"}) {
        EXPECT_EQ(verdict(text, policy), std::nullopt) << text;
        EXPECT_EQ(verdict(text, policy, Schemes::https_only), ErrorCode::invalid_argument) << text;
    }
}

TEST(AdmitUrlTest, LetsTheOperatorOpenThisMachine) {
    const auto policy = policy_allowing({"127.0.0.0/8"});
    for (const auto* host : {"127.0.0.1", "127.9.9.9", "localhost", "localhost.", "a.localhost"}) {
        EXPECT_EQ(verdict(std::string{"http://"} + host + ":8080/", policy), std::nullopt) << host;
    }
    for (const auto* host : {"10.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "printer", "a.local",
                             "a.internal", "a.home.arpa"}) {
        EXPECT_EQ(verdict(std::string{"http://"} + host + ":8080/", policy), ErrorCode::refused)
            << host;
    }
}

TEST(AdmitUrlTest, LetsTheOperatorOpenTheInnerNetwork) {
    const auto policy = policy_allowing({"10.1.0.0/16"});
    for (const auto* host : {"10.1.0.0", "10.1.255.255", "printer", "a.local", "db.internal"}) {
        EXPECT_EQ(verdict(std::string{"https://"} + host + "/", policy), std::nullopt) << host;
    }
    for (const auto* host : {"10.0.255.255", "10.2.0.0", "localhost", "127.0.0.1", "[::1]"}) {
        EXPECT_EQ(verdict(std::string{"https://"} + host + "/", policy), ErrorCode::refused)
            << host;
    }
}

TEST(AdmitUrlTest, NamesNoAddressInItsRefusal) {
    const auto url = admit_url("https://10.9.8.7/secret", Schemes::https_only, policy_allowing({}));
    ASSERT_FALSE(url);
    EXPECT_EQ(url.error().detail.find("10.9"), std::string::npos);
    EXPECT_EQ(url.error().detail.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace merpati::outbound
