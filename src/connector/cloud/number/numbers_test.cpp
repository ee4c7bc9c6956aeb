#include "connector/cloud/number/numbers.hpp"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connector/cloud/cloud_fixture.hpp"

namespace merpati::connector::cloud {
namespace {

using model::DeviceState;
using ::testing::HasSubstr;
using ::testing::Not;
using Seen = GraphDouble::Seen;
using Reply = GraphDouble::Reply;

struct NumbersTest : CloudTest {
    template <class T, class Ask>
    static Result<T> asked(Ask ask) {
        const auto promise = std::make_shared<std::promise<Result<T>>>();
        ask([promise](Result<T> said) { promise->set_value(std::move(said)); });
        return promise->get_future().get();
    }
    Result<void> answer(const char* text) {
        return asked<void>(
            [&](auto done) { cloud->answer_pairing(device.number, text, std::move(done)); });
    }
    void wait_for_state(DeviceState state) {
        events->wait_until([&](const Reported& all) { return all.is(device.number, state); });
    }
    void wait_for_steps(std::size_t count) {
        events->wait_until([&](const Reported& all) { return all.steps.size() == count; });
    }
};

TEST_F(NumbersTest, ANumberWithoutTokenOrIdIsDisconnectedWithTheReason) {
    secrets.remove(device.number);
    cloud->start_device(device, {});
    wait_for_state(DeviceState::disconnected);
    EXPECT_THAT(reported().states.back().reason, HasSubstr("token"));
    device.cloud.reset();
    cloud->start_device(device, {});
    events->wait_until([&](const Reported& all) { return all.states.size() == 3; });
    EXPECT_EQ(reported().states.back().state, DeviceState::disconnected);
    EXPECT_EQ(send(message()).kind, model::Outcome::Kind::device_down);
}

TEST_F(NumbersTest, ANewTokenIsUsedAfterTheNextStart) {
    put_secret(model::CloudNumber::token_name, "another");
    cloud->start_device(device, {});
    events->wait_until([&](const Reported& all) { return all.states.size() == 2; });
    (void)send(message());
    EXPECT_EQ(posted().back().token, "another");
}

TEST_F(NumbersTest, AForgottenNumberIsNotHeardAnyMore) {
    cloud->forget_device(device.number);
    const auto body = GraphDouble::inbound_body(number_id, "wamid.in", "628", "halo");
    EXPECT_EQ(send(message()).kind, model::Outcome::Kind::device_down);
    graph.post(body);
    EXPECT_TRUE(reported().inbound.empty());
}

TEST_F(NumbersTest, ThePinRegistersTheNumber) {
    cloud->start_device(device, "pin");
    wait_for_steps(1);
    EXPECT_EQ(answer("12345").error().code, ErrorCode::conflict);
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.body.contains("000000")
                   ? std::optional{GraphDouble::refusal(400, 133'005, "PIN mismatch", "wrong PIN")}
                   : std::nullopt;
    });
    const auto wrong = answer("000000");
    EXPECT_EQ(wrong.error().code, ErrorCode::conflict);
    EXPECT_THAT(wrong.error().detail, HasSubstr("133005"));
    EXPECT_TRUE(answer("123456"));
    wait_for_state(DeviceState::connected);
    EXPECT_EQ(graph.seen("/register").back().body,
              R"({"messaging_product":"whatsapp","pin":"123456"})");
    EXPECT_EQ(answer("123456").error().code, ErrorCode::conflict);
}

TEST_F(NumbersTest, ACodeIsRequestedAndVerifiedAndThePinIsAskedForIfNeeded) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.method == "GET" ? std::optional{Reply{.body = R"({"status":"PENDING"})"}}
                                       : std::nullopt;
    });
    cloud->start_device(device, "voice");
    wait_for_steps(1);
    EXPECT_THAT(graph.seen("/request_code").back().body, HasSubstr("VOICE"));
    EXPECT_TRUE(answer("654321"));
    EXPECT_EQ(graph.seen("/verify_code").back().body, R"({"code":"654321"})");
    wait_for_steps(2);
    EXPECT_TRUE(answer("123456"));
    wait_for_state(DeviceState::connected);
}

TEST_F(NumbersTest, ARequestForACodeThatIsRefusedEndsThePairing) {
    graph.play([](const Seen&) -> std::optional<Reply> {
        return GraphDouble::refusal(400, 136'024, "Too many codes", "wait an hour");
    });
    cloud->start_device(device, "sms");
    wait_for_state(DeviceState::disconnected);
    EXPECT_THAT(reported().states.back().reason, HasSubstr("wait an hour"));
}

TEST_F(NumbersTest, TheAccessIsCheckedWithThePlatform) {
    const auto check = [&](const std::string& token) {
        return asked<CheckedNumber>([&](auto done) {
            cloud->check_access({.phone_number_id = number_id, .waba_id = {}, .token = token},
                                std::move(done));
        });
    };
    graph.play([](const Seen& request) -> std::optional<Reply> {
        if (request.token != "good-token") {
            return GraphDouble::refusal(401, 190, "Malformed access token " + request.token, "");
        }
        return Reply{.body =
                         R"({"display_phone_number":"+62 811-0000-0001","status":"CONNECTED"})"};
    });
    const auto good = check("good-token");
    ASSERT_TRUE(good);
    EXPECT_EQ(good->display_number, "+62 811-0000-0001");
    EXPECT_EQ(good->status, "CONNECTED");
    const auto bad = check("EAAbad1234567890");
    EXPECT_EQ(bad.error().code, ErrorCode::refused);
    EXPECT_THAT(bad.error().detail, HasSubstr("190"));
    EXPECT_THAT(bad.error().detail, Not(HasSubstr("EAAbad")));
    EXPECT_EQ(check("with blank").error().code, ErrorCode::refused);
    graph.play([](const Seen&) -> std::optional<Reply> { return Reply{.body = ""}; });
    EXPECT_EQ(check("good-token").error().code, ErrorCode::unreachable);
}

TEST_F(NumbersTest, TemplatesAreListedPageByPage) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        if (request.path.contains("after=NEXT")) {
            return Reply{.body = R"({"data":[{"name":"b","language":"id"}]})"};
        }
        return Reply{.body = R"({"data":[{"name":"a","language":"id"}],
                                 "paging":{"cursors":{"after":"NEXT"},"next":"https://x"}})"};
    });
    const auto list = [&](const std::string& cursor) {
        return asked<TemplatePage>([&](auto done) {
            cloud->list_templates({.phone_number_id = number_id, .waba_id = "55", .token = "t"},
                                  cursor, std::move(done));
        });
    };
    const auto first = list("");
    ASSERT_TRUE(first);
    EXPECT_EQ(first->items.at(0).name, "a");
    EXPECT_EQ(list(first->next)->items.at(0).name, "b");
    EXPECT_EQ(list(first->next)->next, "");
}

TEST_F(NumbersTest, MediaAreFetchedFromThePlatformAlone) {
    const auto fetch = [&](std::uint64_t bytes_max) {
        return asked<std::uint64_t>([&](auto done) {
            cloud->fetch_media({.device = device.number,
                                .platform_id = "wamid.in",
                                .reference = "123",
                                .path = folder.path() / "media",
                                .bytes_max = bytes_max},
                               std::move(done));
        });
    };
    const auto here = graph.options().graph.url;
    std::string url = here + "/v26.0/file";
    graph.play([&url, here](const Seen& request) -> std::optional<Reply> {
        if (request.path.starts_with("123")) {
            return Reply{.body = R"({"url":")" + url + R"(","mime_type":"image/png"})"};
        }
        if (request.path == "moved") {
            return Reply{
                .status = 302, .body = "x", .headers = "Location: " + here + "/v/file\r\n"};
        }
        if (request.path == "away") {
            return Reply{.status = 302, .body = "x", .headers = "Location: http://a.example/\r\n"};
        }
        return request.path == "gone" ? Reply{.status = 404, .body = "x"} : Reply{.body = "12345"};
    });
    EXPECT_EQ(fetch(100), 5U);
    EXPECT_EQ(graph.seen("file").back().token, "EAAsecrettoken123");
    EXPECT_EQ(fetch(4).error().code, ErrorCode::refused);
    url = here + "/v/moved";
    EXPECT_EQ(fetch(100), 5U);
    EXPECT_EQ(graph.seen("file").back().token, "");
    url = here + "/v/away";
    EXPECT_EQ(fetch(100).error().code, ErrorCode::unreachable);
    url = here + "/v/gone";
    EXPECT_EQ(fetch(100).error().code, ErrorCode::not_found);
    url = "http://127.0.0.2:1/x";
    EXPECT_EQ(fetch(100).error().code, ErrorCode::unreachable);
}

TEST(GraphUrlTest, PlainHttpIsForLoopbackAlone) {
    EXPECT_TRUE(parse_graph_url("https://graph.facebook.com"));
    EXPECT_TRUE(parse_graph_url("http://127.0.0.1:8080"));
    EXPECT_TRUE(parse_graph_url("http://localhost:8080"));
    EXPECT_TRUE(parse_graph_url("http://[::1]:8080"));
    EXPECT_FALSE(parse_graph_url("http://graph.facebook.com"));
    EXPECT_FALSE(parse_graph_url("ftp://127.0.0.1"));
}

}  // namespace
}  // namespace merpati::connector::cloud
