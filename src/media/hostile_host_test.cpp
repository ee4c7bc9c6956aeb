// Malicious media hosts: none may make us connect to a private address, use much memory, or wait
// long.
#include <gtest/gtest.h>

#include "media/media_cache_fixture.hpp"
#include "media/prober.hpp"
#include "model/texts.hpp"

namespace merpati::media {
namespace {

using model::Revision;
using model::StatusCode;
using outbound::ScriptedReply;
using namespace std::chrono_literals;

/// The server also answers on 127.0.0.2, which is private here. A request for /secret shows that
/// the policy was evaded.
struct HostileHostTest : MediaCacheTest {
    ~HostileHostTest() override { prober.close(); }

    void SetUp() override { serve_png("/secret"); }
    void TearDown() override { EXPECT_EQ(asked("GET /secret") + asked("HEAD /secret"), 0); }

    ProbeVerdict probed(const std::string& text) {
        std::optional<ProbeVerdict> verdict;
        prober.probe({1}, text, Revision::a, [&](ProbeVerdict result) { verdict = result; });
        run_until([&] { return verdict.has_value(); });
        return verdict.value_or(ProbeVerdict::acceptable);
    }

    void expect_nobody_goes(const std::string& text) {
        EXPECT_EQ(probed(text), ProbeVerdict::undecided) << text;
        expect_failed(fetched(text), StatusCode::failed, model::details::file_inaccessible);
        EXPECT_EQ(core.counts().waiting, 0U) << "not tried again";
    }

    /// An answer after which the connection is closed, so that the next request resolves the name.
    void serve_and_close(const std::string& path, const std::string& bytes) {
        serve(path,
              [bytes](const std::string&) { return ScriptedReply{.bytes = bytes, .close = true}; });
    }

    Prober prober{io.get_executor(), tools, {}};
};

TEST_F(HostileHostTest, CannotRedirectToPrivateAddressesAtAnyHop) {
    names.will_answer("inner.test", {"127.0.0.2"});
    names.will_answer("metadata.test", {"169.254.169.254"});
    names.will_answer("metadata6.test", {"fd00:ec2::254"});
    names.will_answer("mapped.test", {"::ffff:127.0.0.2"});
    int number = 0;
    for (const auto* host : {"127.0.0.2", "inner.test", "169.254.169.254", "metadata.test",
                             "[fd00:ec2::254]", "metadata6.test", "[::ffff:127.0.0.2]",
                             "[::ffff:7f00:2]", "[64:ff9b::7f00:2]", "mapped.test", "[::1]"}) {
        for (int hops = 1; hops <= 3; ++hops) {
            const auto name = "/" + std::to_string(++number) + "-";
            for (int hop = 1; hop < hops; ++hop) {
                serve(name + std::to_string(hop), redirect(name + std::to_string(hop + 1)));
            }
            serve(name + std::to_string(hops), redirect(url("/secret", host)));
            expect_nobody_goes(url(name + "1"));
        }
    }
}

TEST_F(HostileHostTest, CannotHideAPrivateAddressAmongPublicOnes) {
    names.will_answer("mixed.test", {"127.0.0.1", "127.0.0.2"});
    expect_nobody_goes(url("/secret", "mixed.test"));
}

TEST_F(HostileHostTest, CannotRebindItsNameBetweenProbeAndFetch) {
    serve_and_close("/a",
                    answer("200 OK", "Connection: close\r\nContent-Type: image/png\r\n", png));
    names.will_answer("rebind.test", {"127.0.0.1"});
    names.will_answer("rebind.test", {"127.0.0.1"});
    names.will_answer("rebind.test", {"127.0.0.2"});
    EXPECT_EQ(probed(url("/a", "rebind.test")), ProbeVerdict::acceptable);
    const auto before = heads.size();
    expect_failed(fetched(url("/a", "rebind.test")), StatusCode::failed,
                  model::details::file_inaccessible);
    EXPECT_EQ(heads.size(), before);
}

TEST_F(HostileHostTest, CannotRebindItsNameBetweenHops) {
    serve_and_close("/a", answer("302 Found", "Connection: close\r\nLocation: /secret\r\n"));
    for (const auto* name : {"probe.test", "fetch.test"}) {
        names.will_answer(name, {"127.0.0.1"});
        names.will_answer(name, {"127.0.0.2"});
    }
    EXPECT_EQ(probed(url("/a", "probe.test")), ProbeVerdict::undecided);
    expect_failed(fetched(url("/a", "fetch.test")), StatusCode::failed,
                  model::details::file_inaccessible);
}

TEST_F(HostileHostTest, CannotRedirectForEver) {
    serve("/a", redirect("/a"));
    expect_nobody_goes(url("/a"));
    EXPECT_EQ(asked("GET /a "), 4);
}

TEST_F(HostileHostTest, EndsAtTheCapWithAnEndlessBody) {
    const std::string piece = "2710\r\n" + std::string(10'000, 'x') + "\r\n";
    serve("GET /a", [piece](const std::string&) {
        return ScriptedReply{.bytes =
                                 "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n",
                             .again = piece};
    });
    serve("HEAD /a", "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n\r\n");
    EXPECT_EQ(probed(url("/a")), ProbeVerdict::acceptable) << "the beginning is fine";
    expect_failed(fetched(url("/a")), StatusCode::failed, model::details::file_too_large);
}

TEST_F(HostileHostTest, SendsAByteNowAndThenAndIsTriedTwice) {
    serve("/a", [](const std::string&) {
        return ScriptedReply{.bytes =
                                 "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
                                 "Content-Length: 5000\r\n\r\n",
                             .again = "x",
                             .pause = 20ms};
    });
    const auto asked_for = ask(url("/a"));
    run_until([&] { return heads.size() == 1 && files_in_folder() == 1; });
    clock.advance(5s);
    run_until([&] { return core.counts().waiting == 1; });
    clock.advance(1s);
    run_until([&] { return heads.size() == 2 && files_in_folder() == 1; });
    clock.advance(5s);
    expect_failed(wait_for(asked_for), StatusCode::failed, model::details::host_silent);
}

TEST_F(HostileHostTest, LetsTheLastTryWaitNoLongerThanThePatience) {
    serve("/a", answer("500 Internal Server Error", ""));
    const auto asked_for = ask(url("/a"));
    for (const std::size_t tries : {1U, 2U, 3U}) {
        run_until([&] { return heads.size() == tries && core.counts().waiting == 1; });
        clock.advance(tries == 3 ? 4s : std::chrono::seconds{tries});
    }
    run_until([&] { return heads.size() == 4 && core.counts().waiting == 1; });
    serve("/a", [](const std::string&) { return ScriptedReply{.again = "x", .pause = 1h}; });
    clock.advance(4s);
    run_until([&] { return heads.size() == 5; });
    clock.advance(1s);
    expect_failed(wait_for(asked_for), StatusCode::failed, model::details::host_silent);
}

TEST_F(HostileHostTest, IsNotEvenReadWhereItsHeadSaysTooMuch) {
    serve("/a", [](const std::string&) {
        return ScriptedReply{.bytes =
                                 "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
                                 "Content-Length: 18446744073709551615\r\n\r\n",
                             .again = "x",
                             .pause = 1h};
    });
    expect_failed(fetched(url("/a")), StatusCode::failed, model::details::file_too_large);
    EXPECT_EQ(probed(url("/a")), ProbeVerdict::too_large);
}

TEST_F(HostileHostTest, EndingBeforeItsLengthIsNoFile) {
    serve("/a", [this](const std::string&) {
        return ScriptedReply{.bytes =
                                 "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
                                 "Content-Length: 5000\r\n\r\n" +
                                 png,
                             .close = true};
    });
    expect_failed(wait_through_back_offs(ask(url("/a"))), StatusCode::failed,
                  model::details::host_silent);
}

TEST_F(HostileHostTest, SendingMoreThanItsLengthIsCutThere) {
    serve("/a", [this](const std::string&) {
        return ScriptedReply{answer("200 OK", "Content-Type: image/png\r\n", png) +
                             answer("200 OK", "Content-Type: image/png\r\n", "second answer")};
    });
    const auto file = fetched(url("/a"));
    ASSERT_TRUE(file);
    EXPECT_EQ(content(*file), png);
    serve_png("/b");
    const auto next = fetched(url("/b"));
    ASSERT_TRUE(next);
    EXPECT_EQ(content(*next), png) << "the second answer is nobody's";
}

TEST_F(HostileHostTest, SendsABombThatIsNotUnpacked) {
    const std::string bomb{"\x1f\x8b\x08\0\0\0\0\0\0\x03xxxxxxxxxxxx", 22};
    serve("/a", answer("200 OK", "Content-Type: image/png\r\nContent-Encoding: gzip\r\n", bomb));
    EXPECT_EQ(probed(url("/a")), ProbeVerdict::content_type_refused);
    expect_failed(fetched(url("/a")), StatusCode::media_refused, model::details::file_type_refused);
    EXPECT_NE(heads.back().find("Accept-Encoding: identity\r\n"), std::string::npos);
}

TEST_F(HostileHostTest, ShowsAPictureToTheProbeAndAPageToTheFetch) {
    serve_png("HEAD /a");
    serve("GET /a", [this](const std::string& head) {
        const bool is_probe = head.find("Range: ") != std::string::npos;
        return ScriptedReply{answer("200 OK", "Content-Type: image/png\r\n",
                                    is_probe ? png : "<html><script>x</script></html>")};
    });
    EXPECT_EQ(probed(url("/a")), ProbeVerdict::acceptable);
    expect_failed(fetched(url("/a")), StatusCode::media_refused, model::details::file_type_refused);
}

TEST_F(HostileHostTest, AnswersAConditionThatWasNotAsked) {
    serve("/a", "HTTP/1.1 304 Not Modified\r\n\r\n");
    expect_failed(fetched(url("/a")), StatusCode::failed, model::details::file_inaccessible);
    EXPECT_EQ(probed(url("/a")), ProbeVerdict::undecided);
}

TEST_F(HostileHostTest, SendsHeadersWithoutEnd) {
    serve("/a", [](const std::string&) {
        return ScriptedReply{.bytes = "HTTP/1.1 200 OK\r\n", .again = "X-A: b\r\n"};
    });
    EXPECT_EQ(probed(url("/a")), ProbeVerdict::undecided);
}

}  // namespace
}  // namespace merpati::media
