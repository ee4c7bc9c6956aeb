#include "media/prober.hpp"

#include <gtest/gtest.h>

#include "media/host_fixture.hpp"
#include "media/samples_fixture.hpp"

namespace merpati::media {
namespace {

using enum ProbeVerdict;
using model::Revision;
using outbound::ScriptedReply;
using namespace std::chrono_literals;

struct ProberTest : HostTest {
    ~ProberTest() override {
        client.close();
        core.close();
    }

    struct Asked {
        std::optional<ProbeVerdict> verdict;
    };
    std::shared_ptr<Asked> ask(const std::string& text, Revision revision = Revision::a) {
        auto asked_for = std::make_shared<Asked>();
        core.probe({1}, text, revision, [asked_for](ProbeVerdict verdict) {
            EXPECT_FALSE(asked_for->verdict) << "answered twice";
            asked_for->verdict = verdict;
        });
        return asked_for;
    }
    ProbeVerdict probed(const std::string& text, Revision revision = Revision::a) {
        const auto asked_for = ask(text, revision);
        run_until([&] { return asked_for->verdict.has_value(); });
        return asked_for->verdict.value_or(undecided);
    }
    ProbeVerdict probed_path(const std::string& path, Revision revision = Revision::a) {
        return probed(url(path), revision);
    }

    void serve_png(const std::string& path) {
        serve(path, answer("200 OK", "Content-Type: image/png\r\n", sample("photo.png")));
    }

    ProbeOptions options{
        .bytes_max = 100'000, .limits = {.total_max = 6, .per_host_max = 2}, .kept_max = 4};
    Prober core{io.get_executor(), tools, options};
};

TEST_F(ProberTest, AcceptsAFileOfTheList) {
    serve_png("/a");
    EXPECT_EQ(probed_path("/a"), acceptable);
    ASSERT_EQ(heads.size(), 2U);
    EXPECT_TRUE(heads[0].starts_with("HEAD /a "));
    EXPECT_TRUE(heads[1].starts_with("GET /a "));
    EXPECT_NE(heads[1].find("Range: bytes=0-65535\r\n"), std::string::npos);
}

TEST_F(ProberTest, RefusesADeclaredTypeByItsHeadAlone) {
    serve("/a", answer("200 OK", "Content-Type: application/octet-stream\r\n", "x"));
    EXPECT_EQ(probed_path("/a"), declared_type_refused);
    EXPECT_EQ(heads.size(), 1U);
}

TEST_F(ProberTest, JudgesByTheCallersRevision) {
    serve("/a", answer("200 OK", "Content-Type: image/gif\r\n", sample("moving.gif")));
    serve("/b", answer("200 OK", "Content-Type: image/png\r\n", sample("moving.gif")));
    EXPECT_EQ(probed_path("/a", Revision::a), acceptable);
    EXPECT_EQ(probed_path("/a", Revision::b), declared_type_refused);
    EXPECT_EQ(probed_path("/b", Revision::b), content_type_refused);
    EXPECT_EQ(probed_path("/b", Revision::a), acceptable);
    EXPECT_EQ(heads.size(), 4U);
}

TEST_F(ProberTest, RefusesContentThatIsSurelySomethingElse) {
    serve("/a", answer("200 OK", "Content-Type: image/png\r\n", "<html><body>x</body></html>"));
    serve("/b", answer("200 OK", "Content-Type: text/csv\r\nContent-Encoding: gzip\r\n",
                       std::string{"\x1f\x8b\x08\0\0\0\0\0\0\x03xx", 12}));
    serve("/c", answer("200 OK", "", "hanya teks"));
    EXPECT_EQ(probed_path("/a"), content_type_refused);
    EXPECT_EQ(probed_path("/b"), content_type_refused);
    EXPECT_EQ(probed_path("/c"), content_type_refused);
}

TEST_F(ProberTest, RefusesALargeFileByItsHeadOrItsRange) {
    serve("HEAD /a",
          "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100001\r\n\r\n");
    serve("HEAD /b", answer("405 Method Not Allowed", ""));
    serve("GET /b", answer("206 Partial Content",
                           "Content-Type: image/png\r\nContent-Range: bytes 0-65535/100001\r\n",
                           sample("photo.png")));
    EXPECT_EQ(probed_path("/a"), too_large);
    EXPECT_EQ(heads.size(), 1U);
    EXPECT_EQ(probed_path("/b"), too_large);
}

TEST_F(ProberTest, FallsBackToGetWhereHeadIsRefused) {
    for (const auto* status : {"405 Method Not Allowed", "501 Not Implemented", "403 Forbidden",
                               "404 Not Found", "500 Internal Server Error"}) {
        serve("HEAD /a", answer(status, ""));
        serve_png("/a");
        EXPECT_EQ(probed_path("/a"), acceptable) << status;
        clock.advance(1min);
    }
}

TEST_F(ProberTest, SaysThatTheHostRefusesTheFile) {
    EXPECT_EQ(probed_path("/missing"), inaccessible);
    serve("/missing", answer("503 Service Unavailable", ""));
    EXPECT_EQ(probed_path("/missing"), inaccessible) << "still remembered";
    clock.advance(options.inaccessible_for);
    EXPECT_EQ(probed_path("/missing"), undecided);
}

TEST_F(ProberTest, LeavesTroubleOfTheHostUndecided) {
    serve("/a", answer("500 Internal Server Error", ""));
    serve("/b", "nonsense\r\n\r\n");
    serve("/c", answer("204 No Content", ""));
    names.will_fail("nowhere.test");
    EXPECT_EQ(probed_path("/a"), undecided);
    EXPECT_EQ(probed_path("/b"), undecided);
    EXPECT_EQ(probed_path("/c"), undecided);
    EXPECT_EQ(probed("http://nowhere.test/a"), undecided);
    EXPECT_EQ(core.counts().undecided_total, 4U);
    serve_png("/a");
    EXPECT_EQ(probed_path("/a"), acceptable) << "what is undecided is not remembered";
}

TEST_F(ProberTest, EndsAfterItsPatience) {
    serve("/a", [](const std::string&) { return ScriptedReply{.again = "x", .pause = 1h}; });
    const auto asked_for = ask(url("/a"));
    run_until([&] { return asked("HEAD /a") == 1; });
    clock.advance(4'900ms);
    serve_png("/b");
    EXPECT_EQ(probed(url("/b", "other.test")), acceptable);
    EXPECT_FALSE(asked_for->verdict);
    clock.advance(100ms);
    run_until([&] { return asked_for->verdict.has_value(); });
    EXPECT_EQ(asked_for->verdict, undecided);
}

TEST_F(ProberTest, AByteASecondIsNoMorePatience) {
    serve("GET /a", [](const std::string&) {
        return ScriptedReply{.bytes = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n",
                             .again = "x",
                             .pause = 5ms};
    });
    serve_png("/a");
    const auto asked_for = ask(url("/a"));
    run_until([&] { return asked("GET /a") == 1; });
    clock.advance(5s);
    run_until([&] { return asked_for->verdict.has_value(); });
    EXPECT_EQ(asked_for->verdict, undecided);
}

TEST_F(ProberTest, WaitsForASlotASecondAndIsUndecidedThen) {
    serve("/slow", [](const std::string&) { return ScriptedReply{.again = "x", .pause = 1h}; });
    serve_png("/a");
    const auto first = ask(url("/slow"));
    const auto second = ask(url("/a"));
    EXPECT_EQ(core.counts().in_flight, 1U) << "the host never answered";
    EXPECT_EQ(core.counts().waiting, 1U);
    EXPECT_EQ(probed(url("/a", "other.test")), acceptable) << "another host is not delayed";
    clock.advance(options.slot_wait);
    run_until([&] { return second->verdict.has_value(); });
    EXPECT_EQ(second->verdict, undecided);
    EXPECT_EQ(core.counts().waiting, 0U);
    EXPECT_FALSE(first->verdict);
    clock.advance(4s);
    run_until([&] { return first->verdict.has_value(); });
    EXPECT_EQ(asked("HEAD /a "), 1) << "the late one was never sent";
    run_until([&] { return core.counts().in_flight == 0; });
}

TEST_F(ProberTest, MakesOneProbeOfManyAtOnce) {
    serve_png("/a");
    std::vector<std::shared_ptr<Asked>> all;
    all.reserve(1'000);
    for (int number = 0; number < 1'000; ++number) {
        all.push_back(ask(url("/a"), number % 2 == 0 ? Revision::a : Revision::b));
    }
    run_until([&] {
        return std::ranges::all_of(all, [](auto& one) { return one->verdict == acceptable; });
    });
    EXPECT_EQ(heads.size(), 2U);
    EXPECT_EQ(probed_path("/a"), acceptable);
    EXPECT_EQ(heads.size(), 2U);
    EXPECT_EQ(core.counts().probes_total, 1U);
    EXPECT_EQ(core.counts().shared_total, 1'000U);
    clock.advance(options.kept_for);
    EXPECT_EQ(probed_path("/a"), acceptable);
    EXPECT_EQ(heads.size(), 4U);
}

TEST_F(ProberTest, RemembersSoManyAnswers) {
    for (int number = 0; number < 5; ++number) {
        serve_png("/" + std::to_string(number));
        EXPECT_EQ(probed_path("/" + std::to_string(number)), acceptable);
    }
    EXPECT_EQ(probed_path("/1"), acceptable);
    EXPECT_EQ(asked("HEAD /1 "), 1);
    EXPECT_EQ(probed_path("/0"), acceptable);
    EXPECT_EQ(asked("HEAD /0 "), 2);
}

TEST_F(ProberTest, AnswersAllWhenItCloses) {
    serve("/slow", [](const std::string&) { return ScriptedReply{.again = "x", .pause = 1h}; });
    std::vector<std::shared_ptr<Asked>> all;
    all.reserve(1'000);
    for (int number = 0; number < 6; ++number) {
        all.push_back(ask(url("/slow?" + std::to_string(number))));
    }
    client.close();
    core.close();
    for (const auto& one : all) {
        EXPECT_EQ(one->verdict, undecided);
    }
    EXPECT_EQ(ask(url("/later"))->verdict, undecided);
}

}  // namespace
}  // namespace merpati::media
