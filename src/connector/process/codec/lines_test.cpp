// Lines of the protocol, as they are read.
#include <gtest/gtest.h>

#include "connector/process/codec/capabilities.hpp"
#include "connector/process/codec/frame.hpp"
#include "connector/process/codec/line_buffer.hpp"
#include "connector/process/codec/reports.hpp"
#include "connector/process/codec/send_answer.hpp"
#include "connector/process/codec/send_request.hpp"

namespace merpati::connector::process {
namespace {

using Kind = model::Outcome::Kind;

Frame frame_of(std::string_view line) {
    auto frame = parse_frame(line);
    EXPECT_TRUE(frame) << line;
    return frame ? std::move(*frame) : Frame{};
}

boost::json::object fields_of(std::string_view line) {
    return frame_of(line).fields;
}

TEST(LineBufferTest, GivesWholeLinesHoweverTheyCome) {
    LineBuffer lines{16};
    lines.add("one\ntw");
    EXPECT_EQ(lines.take(), "one");
    EXPECT_EQ(lines.take(), std::nullopt);
    lines.add("o\n\nthree");
    EXPECT_EQ(lines.take(), "two");
    EXPECT_EQ(lines.take(), "");
    EXPECT_EQ(lines.take(), std::nullopt);
    EXPECT_FALSE(lines.is_too_long());
    lines.add("0123456789a");
    EXPECT_EQ(lines.take(), std::nullopt);
    EXPECT_TRUE(lines.is_too_long());
    EXPECT_EQ(lines.take_rest(), "three0123456789a");
    EXPECT_FALSE(lines.is_too_long());
}

TEST(FrameTest, KnowsThreeKinds) {
    const auto request = frame_of(R"({"id":7,"op":"ping"})");
    EXPECT_EQ(request.kind, Frame::Kind::request);
    EXPECT_EQ(request.id, 7U);
    EXPECT_EQ(request.op, "ping");
    const auto answer = frame_of(R"({"id":7,"ok":true,"result":{"bytes":1}})");
    EXPECT_EQ(answer.kind, Frame::Kind::answer);
    EXPECT_TRUE(answer.fields.contains("bytes"));
    EXPECT_EQ(frame_of(R"({"id":7,"ok":false,"error":{"kind":"busy"}})").ok, false);
    EXPECT_EQ(frame_of(R"({"op":"log"})").kind, Frame::Kind::notice);
}

TEST(FrameTest, EverythingElseBreaksTheProtocol) {
    for (const auto* line :
         {"", "garbage", "[]", "{}", R"({"id":1})", R"({"id":0,"op":"a"})", R"({"id":-1,"op":"a"})",
          R"({"id":"1","op":"a"})", R"({"id":1.5,"op":"a"})", R"({"id":9007199254740992,"op":"a"})",
          R"({"id":1,"op":"a","ok":true})", R"({"id":1,"op":7})", R"({"id":1,"op":""})",
          R"({"ok":true})", R"({"id":1,"ok":1})", R"({"id":1,"ok":true,"result":[]})",
          "{\"id\":1,\"op\":\"\xff\"}", R"({"id":1,"op":"a"} x)"}) {
        const auto frame = parse_frame(line);
        EXPECT_FALSE(frame) << line;
        EXPECT_EQ(frame.error().code, ErrorCode::protocol) << line;
    }
    EXPECT_FALSE(parse_frame(R"({"op":"a","deep":)" + std::string(100, '[') + "}"));
}

TEST(FrameTest, WritesWhatItReads) {
    EXPECT_EQ(frame_of(request_line(3, "send", {{"to", "a\nb"}})).fields.at("to"), "a\nb");
    EXPECT_EQ(answer_line(3, {}), "{\"id\":3,\"ok\":true}\n");
    EXPECT_EQ(frame_of(error_line(3, "busy")).fields.at("kind"), "busy");
}

TEST(SendAnswerTest, EachAnswerHasItsOutcome) {
    const auto of = [](std::string_view rest) {
        return outcome_of(frame_of(R"({"id":1,)" + std::string{rest} + "}"));
    };
    const auto sent = of(R"("ok":true,"result":{"outcome":"sent","platform_id":"E1"})");
    EXPECT_EQ(sent.kind, Kind::sent);
    EXPECT_EQ(sent.platform_id, "E1");
    EXPECT_FALSE(sent.details.empty());
    const auto accepted = of(
        R"("ok":true,"result":{"outcome":"accepted","platform_id":"E1","decide_within_ms":9000})");
    EXPECT_EQ(accepted.kind, Kind::accepted);
    EXPECT_EQ(accepted.decide_within, Millis{9'000});

    const auto error = [&](std::string_view inner) {
        return of(R"("ok":false,"error":{)" + std::string{inner} + "}");
    };
    EXPECT_EQ(error(R"("kind":"recipient_unregistered")").code,
              model::StatusCode::recipient_unregistered);
    EXPECT_EQ(error(R"("kind":"recipient_invalid")").code, model::StatusCode::recipient_invalid);
    EXPECT_EQ(error(R"("kind":"media_type")").code, model::StatusCode::media_refused);
    const auto restricted =
        error(R"("kind":"account_restricted","details":"Dibatasi","platform_code":"463")");
    EXPECT_EQ(restricted.kind, Kind::failed);
    EXPECT_EQ(restricted.details, "Dibatasi (463)");
    const auto throttled = error(R"("kind":"throttled","retry_after_ms":5000)");
    EXPECT_EQ(throttled.kind, Kind::retry);
    EXPECT_EQ(throttled.retry_after, Millis{5'000});
    EXPECT_EQ(error(R"("kind":"device_down")").kind, Kind::device_down);
    const auto waits = error(R"("kind":"restricted","until_at_ms":1795168800123)");
    EXPECT_EQ(waits.kind, Kind::restricted);
    EXPECT_EQ(waits.restricted_until, from_unix_millis(1'795'168'800'123));
    EXPECT_EQ(error(R"("kind":"restricted")").kind, Kind::retry);
    EXPECT_EQ(error(R"("kind":"outcome_unknown")").kind, Kind::unknown);
}

TEST(SendAnswerTest, WhatIsNoAnswerIsAnUnknownOutcome) {
    for (const auto* line :
         {R"({"id":1,"ok":true})", R"({"id":1,"ok":true,"result":{"outcome":"maybe"}})",
          R"({"id":1,"ok":true,"result":{"outcome":"accepted"}})",
          R"({"id":1,"ok":true,"result":{"outcome":"sent","platform_id":"a b"}})",
          R"({"id":1,"ok":false})", R"({"id":1,"ok":false,"error":{"kind":"new"}})"}) {
        EXPECT_EQ(outcome_of(frame_of(line)).kind, Kind::unknown) << line;
    }
}

TEST(SendAnswerTest, LongWordsAreCutBetweenTwoCharacters) {
    std::string words = "x";
    for (int count = 0; count < 300; ++count) {
        words += "é";
    }
    const auto outcome = outcome_of(
        frame_of(R"({"id":1,"ok":false,"error":{"kind":"refused","details":")" + words + "\"}}"));
    EXPECT_EQ(outcome.details.size(), 511U);
    EXPECT_TRUE(outcome.details.ends_with("é"));
}

TEST(CapabilitiesTest, HaveDefaultsAndBounds) {
    const auto none = read_capabilities({});
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->pairing.empty());
    EXPECT_EQ(none->window, 1U);
    EXPECT_FALSE(none->media_types);
    const auto text_only = read_capabilities({{"media_types", boost::json::array{}}});
    EXPECT_TRUE(text_only->media_types && text_only->media_types->empty());
    const auto newer = read_capabilities({{"pairing", {"qr", "telepathy"}}, {"new", 7}});
    EXPECT_EQ(newer->pairing, (std::set<std::string, std::less<>>{"qr"}));
    EXPECT_FALSE(read_capabilities({{"window", 0}}));
    EXPECT_FALSE(read_capabilities({{"window", 65}}));
    EXPECT_FALSE(read_capabilities({{"typing", "yes"}}));
    EXPECT_FALSE(read_capabilities({{"pairing", "qr"}}));
}

TEST(HelloTest, ChoosesOurVersion) {
    const auto hello = read_hello(fields_of(
        R"({"id":1,"op":"hello","protocols":[9,1],"name":"a","version":"2","capabilities":{}})"));
    ASSERT_TRUE(hello);
    EXPECT_TRUE(hello->speaks_ours);
    EXPECT_FALSE(read_hello(fields_of(R"({"id":1,"op":"hello"})")));
    EXPECT_FALSE(
        read_hello(
            fields_of(R"({"op":"h","protocols":[2],"name":"a","version":"2","capabilities":{}})"))
            ->speaks_ours);
}

TEST(ReportsTest, AStateNeedsAReasonWhenNotConnected) {
    const auto of = [](const std::string& rest) {
        return read_state(
            fields_of(R"({"op":"device.state","device":"6281100000001")" + rest + "}"));
    };
    EXPECT_EQ(of(R"(,"state":"connected")")->state, model::DeviceState::connected);
    EXPECT_EQ(of(R"(,"state":"banned","reason":"diblokir","platform_code":"403")")->reason,
              "diblokir (403)");
    EXPECT_EQ(of(R"(,"state":"restricted","reason":"x","until_at_ms":7)")->until,
              Timestamp{Millis{7}});
    EXPECT_FALSE(of(R"(,"state":"restricted","reason":"x")"));
    EXPECT_FALSE(of(R"(,"state":"banned")"));
    EXPECT_FALSE(of(R"(,"state":"happy","reason":"x")"));
    EXPECT_FALSE(read_state(fields_of(R"({"op":"a","device":"12","state":"connected"})")));
}

TEST(ReportsTest, AStatusNamesAMessageOfThePlatform) {
    const auto of = [](const std::string& rest) {
        return read_status(fields_of(R"({"op":"a","device":"6281100000001")" + rest + "}"),
                           Timestamp{Millis{5}});
    };
    const auto read = of(R"(,"platform_id":"E1","status":"read","occurred_at_ms":7)");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->status.progress, model::Progress::read);
    EXPECT_EQ(read->status.at, Timestamp{Millis{7}});
    const auto failed =
        of(R"(,"platform_id":"E1","status":"failed","error":{"kind":"recipient_unregistered"})");
    EXPECT_EQ(failed->status.code, model::StatusCode::recipient_unregistered);
    EXPECT_EQ(failed->status.at, Timestamp{Millis{5}});
    EXPECT_FALSE(of(R"(,"platform_id":"","status":"read")"));
    EXPECT_FALSE(of(R"(,"platform_id":"E1","status":"seen")"));
    EXPECT_FALSE(of(R"(,"platform_id":"E1","status":"read","message":"7")"));
}

TEST(ReportsTest, SecretsAreBase64WithinTheirLimits) {
    const auto put = [](const std::string& rest) {
        return read_secrets_write(fields_of(R"({"op":"a","device":"6281100000001")" + rest + "}"));
    };
    const auto values = put(R"(,"values":{"a":"AQI=","b":null},"clear":true)");
    ASSERT_TRUE(values);
    EXPECT_EQ(values->values.size(), 2U);
    EXPECT_EQ(values->others, DeviceSecrets::Others::go);
    EXPECT_EQ(put(R"(,"values":{"a":"!"})").error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(put("").error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(put(R"(,"values":{"a":")" + std::string(699'056, 'A') + "\"}").error().code,
              ErrorCode::refused);
    EXPECT_FALSE(read_secrets_read(fields_of(R"({"op":"a","device":"6281100000001","names":[]})")));
}

}  // namespace
}  // namespace merpati::connector::process
