#include "connector/cloud/codec/codes.hpp"

#include <string>

#include <gtest/gtest.h>

namespace merpati::connector::cloud {
namespace {

using model::Outcome;
using model::StatusCode;
using enum Meaning;
using Kind = Outcome::Kind;

constexpr std::string_view number_id = "106540352242922";

GraphError error_with(std::int64_t code, std::uint16_t http_status = 400,
                      std::string details = {}) {
    return {.http_status = http_status,
            .code = code,
            .title = "It failed",
            .details = std::move(details),
            .retry_after = {}};
}

Verdict judged(const GraphError& error) {
    return judge(error, number_id);
}

TEST(CodesTest, EachCodeMeansTheSameWhateverTheHttpStatus) {
    const std::pair<std::int64_t, Meaning> expected[]{{0, ends_number},
                                                      {1, passing},
                                                      {2, passing},
                                                      {3, ends_number},
                                                      {4, holds_number},
                                                      {10, ends_number},
                                                      {190, ends_number},
                                                      {200, ends_number},
                                                      {299, ends_number},
                                                      {368, restricts_number},
                                                      {80007, holds_number},
                                                      {130429, holds_number},
                                                      {131000, passing},
                                                      {131005, ends_number},
                                                      {131016, passing},
                                                      {131031, restricts_number},
                                                      {131047, window_closed},
                                                      {131048, passing},
                                                      {131056, holds_pair},
                                                      {131057, passing},
                                                      {133010, ends_number},
                                                      {131021, fails},
                                                      {131026, fails},
                                                      {131051, fails},
                                                      {131053, fails}};
    for (const auto& [code, meaning] : expected) {
        for (const int status : {0, 400, 401, 403, 429, 500}) {
            EXPECT_EQ(judged(error_with(code, static_cast<std::uint16_t>(status))).meaning, meaning)
                << code << ' ' << status;
        }
    }
}

TEST(CodesTest, FailuresHaveTheirPublicCodes) {
    EXPECT_EQ(judged(error_with(131026)).code, StatusCode::recipient_unregistered);
    EXPECT_EQ(judged(error_with(131021)).code, StatusCode::recipient_invalid);
    EXPECT_EQ(judged(error_with(131053)).code, StatusCode::media_refused);
    EXPECT_EQ(judged(error_with(131051)).code, StatusCode::media_refused);
    for (const std::int64_t code : {131052, 131042, 131049, 130472, 132000, 131008, 300}) {
        EXPECT_EQ(judged(error_with(code)).meaning, fails) << code;
        EXPECT_EQ(judged(error_with(code)).code, StatusCode::failed) << code;
    }
}

TEST(CodesTest, AnInvalidParameterIsJudgedByWhatItIsAbout) {
    for (const std::int64_t code : {100, 131009}) {
        for (const auto* about :
             {"Parameter 'to' is not valid", "Param to must be a phone number", "Invalid value: to",
              "The parameter to is required.", "param [\"to\"] is wrong"}) {
            EXPECT_EQ(judged(error_with(code, 400, about)).code, StatusCode::recipient_invalid)
                << about;
        }
        for (const auto* about : {"Unable to send to this person", "Parameter 'token' is wrong",
                                  "text.body is too long"}) {
            const auto verdict = judged(error_with(code, 400, about));
            EXPECT_EQ(verdict.meaning, fails) << about;
            EXPECT_EQ(verdict.code, StatusCode::failed) << about;
        }
    }
    auto own = error_with(100);
    own.title = "Unsupported post request. Object with ID '106540352242922' does not exist";
    EXPECT_EQ(judged(own).meaning, ends_number);
    own.title = "Unsupported post request. Object with ID '999' does not exist";
    own.subcode = 33;
    EXPECT_EQ(judged(own).meaning, fails);
    own.title = "Unsupported post request";
    EXPECT_EQ(judged(own).meaning, ends_number);
}

TEST(CodesTest, TheHttpStatusDecidesWhereTheCodeDoesNot) {
    EXPECT_EQ(judged(error_with(999'999, 429)).meaning, holds_number);
    EXPECT_EQ(judged(error_with(999'999, 503)).meaning, passing);
    EXPECT_EQ(judged(error_with(GraphError::no_code, 502)).meaning, passing);
    EXPECT_EQ(judged(error_with(GraphError::no_code, 404)).meaning, passing);
    EXPECT_EQ(judged(error_with(GraphError::no_code, 429)).meaning, holds_number);
    EXPECT_EQ(judged(error_with(GraphError::no_code, 0)).meaning, fails);
}

TEST(CodesTest, TheOutcomeHasTheWaitThatThePlatformAskedFor) {
    const Timestamp now{std::chrono::seconds{1'000}};
    const auto outcome_with = [&](std::int64_t code, std::optional<Millis> wait) {
        auto error = error_with(code);
        error.retry_after = wait;
        return outcome_of(error, judged(error), {}, now, Millis{4'000});
    };
    EXPECT_EQ(outcome_with(131000, Millis{7'000}).kind, Kind::retry);
    EXPECT_EQ(outcome_with(131000, Millis{7'000}).retry_after, Millis{7'000});
    EXPECT_EQ(outcome_with(131048, {}).retry_after, Millis{600'000});
    EXPECT_EQ(outcome_with(130429, Millis{2'000}).kind, Kind::device_down);
    EXPECT_EQ(outcome_with(130429, Millis{2'000}).retry_after, Millis{2'000});
    EXPECT_EQ(outcome_with(131056, {}).kind, Kind::restricted);
    EXPECT_EQ(outcome_with(131056, {}).restricted_until, now + Millis{4'000});
    EXPECT_EQ(outcome_with(131056, Millis{9'000}).restricted_until, now + Millis{9'000});
    EXPECT_EQ(outcome_with(190, {}).kind, Kind::device_down);
    EXPECT_EQ(outcome_with(131047, {}).kind, Kind::failed);
}

TEST(CodesTest, OnlySomeRefusalsMayBeAboutAnUploadedFile) {
    const auto may = [](const GraphError& error) {
        return may_refuse_media_id(error, judged(error));
    };
    EXPECT_TRUE(may(error_with(100)));
    EXPECT_TRUE(may(error_with(131009)));
    EXPECT_TRUE(may(error_with(131052)));
    EXPECT_TRUE(may(error_with(131053)));
    EXPECT_FALSE(may(error_with(100, 400, "Parameter 'to' is not valid")));
    EXPECT_FALSE(may(error_with(131026)));
}

}  // namespace
}  // namespace merpati::connector::cloud
