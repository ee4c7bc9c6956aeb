#include "connector/cloud/sending/sender.hpp"

#include <atomic>
#include <future>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connector/cloud/cloud_fixture.hpp"
#include "connector/cloud/codec/json_reading.hpp"

namespace merpati::connector::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = model::Outcome::Kind;
using Seen = GraphDouble::Seen;
using Reply = GraphDouble::Reply;

struct SenderTest : CloudTest {};

GraphDouble::Script refuse_messages(Reply reply) {
    return [reply](const Seen& request) {
        return request.path.ends_with("/messages") ? std::optional{reply} : std::nullopt;
    };
}

TEST_F(SenderTest, ATakenMessageIsHandedOverAndEndsAsSentWithoutAStatus) {
    const auto& text = message();
    const auto outcome = send(text);
    EXPECT_EQ(outcome.kind, Kind::accepted);
    EXPECT_EQ(outcome.undecided, model::Outcome::Undecided::sent);
    EXPECT_EQ(outcome.decide_within, Millis{60'000});
    EXPECT_EQ(outcome.platform_id, "wamid.1");
    const auto sent = posted();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].path, std::string{number_id} + "/messages");
    EXPECT_EQ(sent[0].token, "EAAsecrettoken123");
    EXPECT_EQ(find_text(sent[0].json, "biz_opaque_callback_data", 64), text.id.text());
    EXPECT_EQ(find_text(sent[0].json, "to", 64), recipient);
}

TEST_F(SenderTest, ALostAnswerIsUnknownAndItsStatusIsAwaited) {
    graph.play(refuse_messages({.body = ""}));
    const auto outcome = send(message());
    EXPECT_EQ(outcome.kind, Kind::unknown);
    EXPECT_EQ(outcome.status_within, Millis{60'000});
    EXPECT_FALSE(outcome.hold_unknown);
    EXPECT_EQ(posted().size(), 1U);
    graph.play(refuse_messages({.body = "<html>"}));
    EXPECT_EQ(send(message()).kind, Kind::unknown);
}

TEST_F(SenderTest, WithoutAnAppSecretAnUnknownOutcomeIsHeld) {
    auto options = graph.options();
    options.app_secret.clear();
    restart(options);
    graph.play(refuse_messages({.body = ""}));
    EXPECT_TRUE(send(message()).hold_unknown);
    EXPECT_TRUE(cloud->holds_unknown(device.number));
    put_secret(model::CloudNumber::app_secret_name, "own");
    cloud->start_device(device, {});
    events->wait_until(
        [&](const Reported& all) { return all.states_of(device.number).size() == 2; });
    EXPECT_FALSE(send(message()).hold_unknown);
    EXPECT_FALSE(cloud->holds_unknown(device.number)) << "its own secret counts";
}

TEST_F(SenderTest, WhatWaitedForItsFileIsNotPostedIfThisProcessMayBeginNothingMore) {
    std::atomic<bool> may = true;
    auto options = graph.options();
    options.may_begin = [&] { return may.load(); };
    restart(options);
    EXPECT_EQ(send(message()).kind, Kind::accepted);
    graph.play([&](const Seen& request) {
        may = may && !request.path.ends_with("/media");
        return std::optional<Reply>{};
    });
    EXPECT_EQ(send(message(), &file("image/png")).kind, Kind::device_down);
    EXPECT_FALSE(may);
    EXPECT_EQ(posted().size(), 1U);
}

TEST_F(SenderTest, APlatformThatCannotBeReachedHasNotGotTheMessage) {
    auto options = graph.options();
    options.graph.url = "http://127.0.0.1:1";
    restart(options);
    EXPECT_EQ(cloud->trouble(), "");
    EXPECT_EQ(send(message()).kind, Kind::retry);
    EXPECT_NE(cloud->trouble(), "");
}

TEST_F(SenderTest, ASilentPlatformIsWaitedForOnlySoLong) {
    auto options = graph.options();
    options.graph.answer_within = Millis{50};
    restart(options);
    graph.play(refuse_messages({.silent = true}));
    EXPECT_EQ(send(message()).kind, Kind::unknown);
}

TEST_F(SenderTest, ARefusedTokenDisconnectsTheNumber) {
    graph.play(refuse_messages(GraphDouble::refusal(
        401, 190, "Malformed access token EAAsecrettoken123", "Session expired")));
    EXPECT_EQ(send(message()).kind, Kind::device_down);
    const auto all = events->wait_until([&](const Reported& reports) {
        return reports.is(device.number, model::DeviceState::disconnected);
    });
    EXPECT_THAT(all.states.back().reason, HasSubstr("190"));
    EXPECT_THAT(all.states.back().reason, HasSubstr("Session expired"));
    EXPECT_THAT(all.states.back().reason, Not(HasSubstr("EAA")));
    graph.play({});
    EXPECT_EQ(send(message()).kind, Kind::device_down);
    EXPECT_EQ(posted().size(), 1U);
    connect();
    EXPECT_EQ(send(message()).kind, Kind::accepted);
}

TEST_F(SenderTest, AThrottledNumberIsHeld) {
    auto throttled = GraphDouble::refusal(429, 130'429, "Rate limit hit", "");
    throttled.headers = "Retry-After: 30\r\n";
    graph.play(refuse_messages(throttled));
    EXPECT_EQ(send(message()).retry_after, Millis{30'000});
    const auto held = send(message());
    EXPECT_EQ(held.kind, Kind::device_down);
    EXPECT_GT(held.retry_after, Millis{20'000});
    EXPECT_EQ(posted().size(), 1U);
}

TEST_F(SenderTest, AThrottledRecipientIsHeldAlone) {
    graph.play(refuse_messages(GraphDouble::refusal(400, 131'056, "Pair rate limit hit", "")));
    const auto before = clock.now();
    EXPECT_GE(send(message()).restricted_until, before + Millis{4'000});
    graph.play({});
    EXPECT_EQ(send(message()).kind, Kind::restricted);
    auto& other = message();
    other.recipient = "6281234567891";
    EXPECT_EQ(send(other).kind, Kind::accepted);
}

TEST_F(SenderTest, AThrottledNumberIsStillHeldAfterARestart) {
    auto throttled = GraphDouble::refusal(429, 130'429, "Rate limit hit", "");
    throttled.headers = "Retry-After: 30\r\n";
    graph.play(refuse_messages(throttled));
    EXPECT_EQ(send(message()).kind, Kind::device_down);
    restart();
    graph.play({});
    const auto held = send(message());
    EXPECT_EQ(held.kind, Kind::device_down);
    EXPECT_GT(held.retry_after, Millis{20'000});
    EXPECT_EQ(posted().size(), 1U);
}

TEST_F(SenderTest, ANumberThatALateReportThrottlesIsStillHeldAfterARestart) {
    const auto now = std::chrono::floor<std::chrono::seconds>(clock.now().time_since_epoch());
    graph.post(GraphDouble::status_body(number_id, "wamid.9", "failed", "", 130'429,
                                        std::to_string(now.count())));
    restart();
    EXPECT_EQ(send(message()).kind, Kind::device_down);
    EXPECT_TRUE(posted().empty());
}

TEST_F(SenderTest, AFileIsUploadedOnceAndSentByItsId) {
    const auto& picture = file("image/png");
    EXPECT_EQ(send(message("satu"), &picture).kind, Kind::accepted);
    EXPECT_EQ(send(message("dua"), &picture).kind, Kind::accepted);
    const auto uploads = graph.seen("/media");
    ASSERT_EQ(uploads.size(), 1U);
    EXPECT_THAT(uploads[0].body, HasSubstr("name=\"type\"\r\n\r\nimage/png\r\n"));
    EXPECT_THAT(uploads[0].body, HasSubstr("\r\n\r\nffffffffff\r\n--"));
    EXPECT_THAT(posted().back().body, HasSubstr(R"("image":{"id":"1001","caption":"dua"})"));
}

TEST_F(SenderTest, AnIdThatWasUsedTwiceSurvivesARestart) {
    const auto& often = file("image/png");
    const auto& once = file("image/png");
    (void)send(message(), &often);
    (void)send(message(), &often);
    (void)send(message(), &once);
    restart();
    (void)send(message(), &often);
    EXPECT_EQ(graph.seen("/media").size(), 2U);
    (void)send(message(), &once);
    EXPECT_EQ(graph.seen("/media").size(), 3U);
}

TEST_F(SenderTest, AnIdIsUsedForItsTimeAndNoLonger) {
    const auto& picture = file("image/png");
    const auto keep = [&](Timestamp until) {
        put_secret("upload.0", R"({"content":")" + picture.sha256 +
                                   R"(:image/png","id":"77","until":)" +
                                   std::to_string(to_unix_millis(until)) + "}");
        restart();
        EXPECT_EQ(send(message(), &picture).kind, Kind::accepted);
    };
    EXPECT_EQ(Uploads::kept_for, std::chrono::days{29});
    keep(clock.now() + std::chrono::minutes{1});
    EXPECT_TRUE(graph.seen("/media").empty());
    EXPECT_THAT(posted().back().body, HasSubstr(R"("image":{"id":"77",)"));
    keep(clock.now() - Millis{1});
    EXPECT_EQ(graph.seen("/media").size(), 1U);
}

TEST_F(SenderTest, AnIdThatThePlatformRefusesIsUploadedAnewOnce) {
    const auto& picture = file("image/png");
    (void)send(message(), &picture);
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.body.contains(R"("id":"1001")")
                   ? std::optional{GraphDouble::refusal(400, 100, "Invalid parameter", "media id")}
                   : std::nullopt;
    });
    EXPECT_EQ(send(message(), &picture).kind, Kind::accepted);
    EXPECT_EQ(graph.seen("/media").size(), 2U);
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.path.ends_with("/messages")
                   ? std::optional{GraphDouble::refusal(400, 131'053, "Media upload error", "")}
                   : std::nullopt;
    });
    const auto refused = send(message(), &picture);
    EXPECT_EQ(refused.code, model::StatusCode::media_refused);
    EXPECT_EQ(graph.seen("/media").size(), 3U);
}

TEST_F(SenderTest, AnIdThatALateReportRefusesIsUploadedAnewOnce) {
    const auto& picture = file("image/png");
    const auto refuse = [&](const model::Message& sent, const char* platform_id) {
        graph.post(
            GraphDouble::status_body(number_id, platform_id, "failed", sent.id.text(), 131'053));
        return reported().statuses.back();
    };
    const auto& first = message();
    (void)send(first, &picture);
    EXPECT_FALSE(refuse(first, "wamid.first").verdict) << "it was uploaded for this message";
    const auto& second = message();
    (void)send(second, &picture);
    ASSERT_TRUE(refuse(second, "wamid.second").verdict);
    EXPECT_EQ(refuse(second, "wamid.second").verdict->kind, Kind::retry) << "reported again";
    EXPECT_EQ(send(second, &picture).kind, Kind::accepted);
    EXPECT_EQ(graph.seen("/media").size(), 2U);
    EXPECT_FALSE(refuse(second, "wamid.third").verdict);
}

TEST_F(SenderTest, AnIdThatReplacesARefusedOneSurvivesARestart) {
    const auto& picture = file("image/png");
    (void)send(message(), &picture);
    (void)send(message(), &picture);
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.body.contains(R"("id":"1001")")
                   ? std::optional{GraphDouble::refusal(400, 100, "Invalid parameter", "media id")}
                   : std::nullopt;
    });
    (void)send(message(), &picture);
    EXPECT_EQ(graph.seen("/media").size(), 2U);
    restart();
    EXPECT_EQ(send(message(), &picture).kind, Kind::accepted);
    EXPECT_EQ(graph.seen("/media").size(), 2U);
}

TEST_F(SenderTest, ATextThatNoCaptionTakesFollowsAndDecides) {
    const auto& voice = message("keterangan");
    const auto outcome = send(voice, &file("audio/mpeg"));
    EXPECT_EQ(outcome.kind, Kind::accepted);
    const auto sent = posted();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(find_text(sent[0].json, "type", 16), "audio");
    EXPECT_EQ(find_text(sent[0].json, "biz_opaque_callback_data", 64), voice.id.text() + ":1");
    EXPECT_EQ(find_text(sent[1].json, "type", 16), "text");
    EXPECT_EQ(find_text(sent[1].json, "biz_opaque_callback_data", 64), voice.id.text());
    EXPECT_THAT(outcome.platform_id, Not("wamid.2"));
}

TEST_F(SenderTest, AFirstPartIsNotSentAgainWhenTheSecondFailsInPassing) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return find_text(request.json, "type", 16) == "text"
                   ? std::optional{GraphDouble::refusal(500, 131'000, "Something went wrong", "")}
                   : std::nullopt;
    });
    const auto& sticker = message("teks");
    const auto& webp = file("image/webp");
    EXPECT_EQ(send(sticker, &webp).kind, Kind::retry);
    graph.play({});
    EXPECT_EQ(send(sticker, &webp).kind, Kind::accepted);
    const auto sent = posted();
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_EQ(find_text(sent[2].json, "type", 16), "text");
}

TEST_F(SenderTest, WhatThePlatformWouldNotTakeIsNotUploaded) {
    EXPECT_EQ(send(message(), &file("image/gif")).code, model::StatusCode::media_refused);
    auto& large = const_cast<media::File&>(file("image/png"));
    large.bytes = (5U << 20U) + 1;
    const auto outcome = send(message(), &large);
    EXPECT_EQ(outcome.kind, Kind::failed);
    EXPECT_EQ(outcome.code, model::StatusCode::failed);
    EXPECT_EQ(send(message(std::string(4'097, 'a'))).kind, Kind::failed);
    EXPECT_TRUE(graph.seen().empty());
}

TEST_F(SenderTest, TypingIsShownThroughTheLastMessageOfTheRecipient) {
    auto& first = message();
    first.typing = true;
    (void)send(first);
    EXPECT_EQ(posted().size(), 1U);
    graph.post(GraphDouble::inbound_body(number_id, "wamid.in", recipient, "halo"));
    auto& second = message();
    second.typing = true;
    (void)send(second);
    const auto sent = posted();
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_THAT(sent[1].body, HasSubstr(R"("message_id":"wamid.in")"));
    EXPECT_THAT(sent[1].body, HasSubstr("typing_indicator"));
}

TEST_F(SenderTest, TypingIsShownAfterARestartToo) {
    graph.post(GraphDouble::inbound_body(number_id, "wamid.in", recipient, "halo"));
    for (std::size_t run = 1; run <= 2; ++run) {
        auto& typed = message();
        typed.typing = true;
        (void)send(typed);
        const auto sent = posted();
        ASSERT_EQ(sent.size(), 2 * run);
        EXPECT_THAT(sent[sent.size() - 2].body, HasSubstr(R"("message_id":"wamid.in")"));
        restart();
    }
}

TEST_F(SenderTest, ASlowNumberLeavesAnotherItsShare) {
    auto options = graph.options();
    options.graph.requests_max = 8;
    options.graph.uploads_max = 2;
    restart(options);
    const auto other = connect_other();
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.path.starts_with("2/") ? std::nullopt : std::optional{Reply{.silent = true}};
    });
    for (int slow = 0; slow < 20; ++slow) {
        cloud->send({.message = message()});
    }
    auto& quick = message();
    quick.device = other.number;
    EXPECT_EQ(send(quick).kind, Kind::accepted);
}

TEST_F(SenderTest, AtTheEndWhatThePlatformMayHaveIsUnknown) {
    std::latch arrived{20};
    graph.play([&](const Seen& request) -> std::optional<Reply> {
        if (!request.path.ends_with("/messages")) {
            return std::nullopt;
        }
        arrived.count_down();
        return Reply{.silent = true};
    });
    for (int count = 0; count < 20; ++count) {
        cloud->send({.message = message()});
    }
    arrived.wait();
    cloud->stop();
    const auto all = reported();
    ASSERT_EQ(all.outcomes.size(), 20U);
    for (const auto& [id, outcome] : all.outcomes) {
        EXPECT_EQ(outcome.kind, Kind::unknown);
    }
}

}  // namespace
}  // namespace merpati::connector::cloud
