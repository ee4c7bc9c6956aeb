#include <gtest/gtest.h>

#include "media/media_cache_fixture.hpp"
#include "model/texts.hpp"

namespace merpati::media {
namespace {

using model::Revision;
using model::StatusCode;
using outbound::ScriptedReply;
using namespace std::chrono_literals;

TEST_F(MediaCacheTest, FetchesAFileOntoTheDisk) {
    serve_png("/a");
    const auto file = fetched(url("/a"));
    ASSERT_TRUE(file);
    EXPECT_EQ(content(*file), png);
    EXPECT_EQ((*file)->media_type, "image/png");
    EXPECT_EQ((*file)->bytes, png.size());
    EXPECT_EQ((*file)->sha256, to_hex(sha256(png)));
    EXPECT_EQ((*file)->path.parent_path(), options.folder);
}

TEST_F(MediaCacheTest, SharesOneFetchAmongAllWhoAskMeanwhile) {
    serve_png("/a", "Cache-Control: no-store\r\n");
    std::vector<std::shared_ptr<Asked>> all;
    all.reserve(1'000);
    for (int number = 0; number < 1'000; ++number) {
        all.push_back(ask(url("/a")));
    }
    for (const auto& one : all) {
        EXPECT_TRUE(wait_for(one));
    }
    EXPECT_EQ(heads.size(), 1U);
    EXPECT_EQ(core.counts().shared_total, 999U);
    EXPECT_EQ(files_in_folder(), 1U);
    EXPECT_TRUE(fetched(url("/a")));
    EXPECT_EQ(heads.size(), 2U) << "no-store serves no later message";
}

TEST_F(MediaCacheTest, SharesAFreshFileWithLaterMessages) {
    serve_png("/a");
    const auto first = fetched(url("/a"));
    clock.advance(options.fresh_for - 1s);
    EXPECT_EQ((*fetched(url("/a")))->path, (*first)->path);
    EXPECT_EQ(heads.size(), 1U);
    clock.advance(1s);
    EXPECT_TRUE(fetched(url("/a")));
    EXPECT_EQ(heads.size(), 2U);
}

TEST_F(MediaCacheTest, AsksForAFileAnewOnceItIsGone) {
    serve_png("/a", "Cache-Control: max-age=86400\r\n");
    EXPECT_TRUE(fetched(url("/a")));
    clock.advance(options.kept_for);
    run_until([&] { return core.counts().kept_files == 0; });
    EXPECT_EQ(files_in_folder(), 0U);
    EXPECT_TRUE(fetched(url("/a")));
    EXPECT_EQ(heads.size(), 2U);
}

TEST_F(MediaCacheTest, KeepsTheSameContentOfTwoUrlsOnce) {
    serve_png("/a");
    serve("/b", answer("200 OK", "Content-Type: image/jpg\r\n", png));
    const auto first = fetched(url("/a"));
    const auto second = fetched(url("/b"));
    EXPECT_EQ((*first)->path, (*second)->path);
    EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(MediaCacheTest, JudgesTheTypeByEachMessagesRevision) {
    serve("/a", answer("200 OK", "Content-Type: image/gif\r\n", sample("moving.gif")));
    const auto in_a = ask(url("/a"), Revision::a);
    const auto in_b = ask(url("/a"), Revision::b);
    EXPECT_TRUE(wait_for(in_a));
    expect_failed(wait_for(in_b), StatusCode::media_refused, model::details::file_type_refused);
    expect_failed(fetched(url("/a"), Revision::b), StatusCode::media_refused,
                  model::details::file_type_refused);
    EXPECT_EQ(heads.size(), 1U);
    EXPECT_EQ(core.counts().refused_total, 2U);
}

TEST_F(MediaCacheTest, RefusesAFileThatChangedSinceItWasProbed) {
    serve("/a", answer("200 OK", "Content-Type: image/png\r\n", "<html>maaf</html>"));
    serve("/b", answer("200 OK", "Content-Type: text/html\r\n", "<html>maaf</html>"));
    expect_failed(fetched(url("/a")), StatusCode::media_refused, model::details::file_type_refused);
    expect_failed(fetched(url("/b")), StatusCode::media_refused, model::details::file_type_refused);
}

TEST_F(MediaCacheTest, FailsAtOnceWhereTheFileIsGone) {
    expect_failed(fetched(url("/gone")), StatusCode::failed, model::details::file_inaccessible);
    EXPECT_EQ(heads.size(), 1U);
}

TEST_F(MediaCacheTest, RemembersAFailureForAFewSeconds) {
    for (int number = 0; number < 1'000; ++number) {
        expect_failed(fetched(url("/gone")), StatusCode::failed, model::details::file_inaccessible);
    }
    EXPECT_EQ(heads.size(), 1U);
    clock.advance(options.failure_kept_for);
    serve_png("/gone");
    EXPECT_TRUE(fetched(url("/gone")));
}

TEST_F(MediaCacheTest, ARefusedTypeIsForgottenAfterAFewSeconds) {
    const std::string day = "Cache-Control: max-age=86400\r\n";
    const std::string page = "<html>maaf</html>";
    serve("/type", answer("200 OK", "Content-Type: text/html\r\n" + day, page));
    serve("/content", answer("200 OK", "Content-Type: image/png\r\n" + day, page));
    for (const auto* path : {"/type", "/content"}) {
        for (int number = 0; number < 10; ++number) {
            expect_failed(fetched(url(path)), StatusCode::media_refused,
                          model::details::file_type_refused);
        }
    }
    EXPECT_EQ(heads.size(), 2U);
    clock.advance(options.failure_kept_for);
    serve_png("/type");
    serve_png("/content");
    EXPECT_TRUE(fetched(url("/type")));
    EXPECT_TRUE(fetched(url("/content")));
}

TEST_F(MediaCacheTest, ATypeThatOneRevisionRefusesStaysSharedForTheOther) {
    serve("/a", answer("200 OK", "Content-Type: image/gif\r\n", sample("moving.gif")));
    EXPECT_TRUE(fetched(url("/a"), Revision::a));
    clock.advance(options.failure_kept_for);
    EXPECT_TRUE(fetched(url("/a"), Revision::a));
    EXPECT_EQ(heads.size(), 1U);
    expect_failed(fetched(url("/a"), Revision::b), StatusCode::media_refused,
                  model::details::file_type_refused);
    EXPECT_EQ(heads.size(), 2U);
    EXPECT_TRUE(fetched(url("/a"), Revision::a));
    EXPECT_EQ(heads.size(), 2U);
}

TEST_F(MediaCacheTest, TriesAgainWhilePassingTroubleLasts) {
    int left = 2;
    serve("/a", [this, &left](const std::string&) {
        return ScriptedReply{--left >= 0 ? answer("503 Service Unavailable", "")
                                         : answer("200 OK", "Content-Type: image/png\r\n", png)};
    });
    const auto asked_for = ask(url("/a"));
    run_until([&] { return core.counts().waiting == 1; });
    EXPECT_EQ(heads.size(), 1U);
    EXPECT_EQ(core.counts().in_flight, 0U) << "who backs off holds no slot";
    clock.advance(1s);
    run_until([&] { return heads.size() == 2 && core.counts().waiting == 1; });
    clock.advance(1'999ms);
    serve_png("/b");
    EXPECT_TRUE(fetched(url("/b")));
    EXPECT_EQ(asked("GET /a "), 2);
    clock.advance(1ms);
    EXPECT_TRUE(wait_for(asked_for));
}

TEST_F(MediaCacheTest, GivesUpWithinItsPatience) {
    serve("/a", answer("429 Too Many Requests", ""));
    const auto began = clock.steady_now();
    const auto asked_for = ask(url("/a"));
    expect_failed(wait_through_back_offs(asked_for), StatusCode::failed,
                  model::details::file_inaccessible);
    EXPECT_LE(clock.steady_now() - began, options.patience);
    EXPECT_EQ(heads.size(), 5U) << "at 0, 1, 3, 7 and 11 s";
}

TEST_F(MediaCacheTest, DelaysNoOtherHostForASlowOne) {
    serve("/slow", [](const std::string&) { return ScriptedReply{.again = "x", .pause = 1h}; });
    scripts["/slow?2"] = scripts["/slow?3"] = scripts["/slow"];
    serve_png("/a");
    const auto first = ask(url("/slow", "slow.test"));
    const auto second = ask(url("/slow?2", "slow.test"));
    const auto third = ask(url("/slow?3", "slow.test"));
    EXPECT_TRUE(fetched(url("/a", "quick.test")));
    EXPECT_FALSE(first->result || second->result || third->result);
    EXPECT_EQ(core.counts().in_flight, 1U) << "it never answered";
    EXPECT_EQ(core.counts().waiting, 2U);
}

TEST_F(MediaCacheTest, WaitsForItsDiskAndFailsNoMessage) {
    serve_png("/a");
    std::filesystem::remove_all(options.folder);
    const auto asked_for = ask(url("/a"));
    for (int minute = 0; minute < 10; ++minute) {
        run_until([&] { return core.counts().waiting == 1 && core.counts().in_flight == 0; });
        EXPECT_FALSE(asked_for->result);
        EXPECT_EQ(core.counts().kept_bytes, 0U) << "nothing stays reserved";
        clock.advance(options.disk_back_off);
        run_until([&] { return heads.size() == static_cast<std::size_t>(minute) + 2; });
    }
    run_until([&] { return core.counts().waiting == 1 && core.counts().in_flight == 0; });
    std::filesystem::create_directories(options.folder);
    clock.advance(options.disk_back_off);
    EXPECT_TRUE(wait_for(asked_for));
    EXPECT_EQ(disk_reports, 1) << "within a minute once";
}

TEST_F(MediaCacheTest, SendsAllAwayWhenItCloses) {
    serve("/slow", [](const std::string&) { return ScriptedReply{.again = "x", .pause = 1h}; });
    serve("/bad", answer("500 Internal Server Error", ""));
    std::vector<std::shared_ptr<Asked>> all{ask(url("/bad"))};
    run_until([&] { return core.counts().waiting == 1; });
    for (int number = 0; number < 5; ++number) {
        all.push_back(ask(url("/slow?" + std::to_string(number))));
    }
    core.close();
    client.close();
    all.push_back(ask(url("/slow")));
    for (const auto& one : all) {
        ASSERT_TRUE(one->result && !one->result->has_value());
        EXPECT_EQ(one->result->error().kind, model::Outcome::Kind::retry);
    }
}

TEST_F(MediaCacheTest, LeavesHeldFilesWhenItCloses) {
    serve_png("/a");
    const auto file = fetched(url("/a"));
    core.close();
    EXPECT_EQ(content(*file), png);
}

TEST_F(MediaCacheTest, AHostWhoseFirstFileIsLongOnItsWayGetsMoreSlots) {
    const auto head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4096\r\n\r\n";
    serve("/long", [head, this](const std::string&) {
        return outbound::ScriptedReply{.bytes = head + png};
    });
    serve_png("/short");
    const auto first = ask(url("/long"));
    const auto second = ask(url("/short"));
    EXPECT_TRUE(wait_for(second));
    EXPECT_FALSE(first->result);
}

}  // namespace
}  // namespace merpati::media
