#include "api/manage/service.hpp"

#include <chrono>
#include <future>
#include <latch>
#include <set>
#include <stdexcept>
#include <utility>

#include "api/manage/manage_fixture.hpp"
#include "api/manage/workers.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;

/// Receives one reply.
struct Awaited final : http::ReplySink {
    void deliver(http::Reply&& reply) override {
        thread = std::this_thread::get_id();
        promise.set_value(std::move(reply));
    }
    std::promise<http::Reply> promise;
    std::thread::id thread;
};

/// Receives one piece of a body.
struct Pieces final : http::BodySink {
    void take_piece(std::string&& bytes, bool last) override {
        promise.set_value({std::move(bytes), last});
    }
    void cut_off() override { promise.set_value({"cut off", true}); }
    std::promise<std::pair<std::string, bool>> promise;
};

struct ServiceTest : ManageTest {
    std::future<http::Reply> ask(const Operation& operation, std::string_view path,
                                 std::string_view body = {},
                                 admission::Principal principal = admission::Principal::local()) {
        sink = std::make_shared<Awaited>();
        auto reply = sink->promise.get_future();
        http::Request asked;
        asked.method = operation.method;
        asked.path = path;
        asked.body = body;
        service.take(operation, asked, std::move(principal), http::Responder{sink});
        return reply;
    }
    /// The reply of the operation in the table.
    http::Reply request(http::Method method, std::string_view path, std::string_view body = {}) {
        const auto row = std::ranges::find_if(operations(), [&](const Operation& operation) {
            return operation.method == method && operation.path == path;
        });
        auto reply = ask(*row, path, body);
        EXPECT_EQ(reply.wait_for(10s), std::future_status::ready);
        return reply.get();
    }
    static std::pair<std::string, bool> next(http::BodySource& source) {
        const auto pieces = std::make_shared<Pieces>();
        source.next(http::BodyWriter{pieces});
        return pieces->promise.get_future().get();
    }

    Service service{*manage, AppAddress{}};
    std::shared_ptr<Awaited> sink;
};

TEST_F(ServiceTest, AnswersFromAThreadOfItsOwn) {
    service.start();
    const auto reply = request(http::Method::post, "/v1/admin/accounts", R"({"name":"Toko"})");
    EXPECT_EQ(reply.status, 200);
    EXPECT_THAT(reply.body, HasSubstr("whsec_"));
    EXPECT_TRUE(sink->thread != std::this_thread::get_id());
}

TEST_F(ServiceTest, WhoeverHasShownNothingIsTold) {
    service.start();
    for (const auto& operation : operations()) {
        if (operation.scope == Scope::catalogue &&
            !std::holds_alternative<PrincipalHandler*>(operation.answerer)) {
            EXPECT_EQ(ask(operation, operation.path, "{}", {}).get().status, 401);
        }
    }
}

TEST_F(ServiceTest, AnswersBusyBeforeItStartsAndAfterItStopped) {
    EXPECT_EQ(request(http::Method::get, "/v1/admin/accounts").status, 503);
    service.start();
    EXPECT_EQ(request(http::Method::get, "/v1/admin/accounts").status, 200);
    service.stop();
    service.stop();
    EXPECT_EQ(request(http::Method::get, "/v1/admin/accounts").status, 503);
}

std::latch* released = nullptr;

Result<boost::json::value> wait_until_released(const Context& /*context*/, Call& /*call*/) {
    released->wait();
    return boost::json::object{};
}

/// Calls that wait for a slow host must not delay other calls.
TEST_F(ServiceTest, CallsThatWaitForAHostHoldUpNoLongOnes) {
    static constexpr Operation testing{.method = http::Method::post,
                                       .path = "/test",
                                       .scope = Scope::catalogue,
                                       .answerer = wait_until_released,
                                       .waits = true};
    std::latch latch{1};
    released = &latch;
    service.start();
    std::vector<std::future<http::Reply>> tests;
    for (int number = 0; number < 8; ++number) {
        tests.push_back(ask(testing, "/test"));
    }
    for (const auto* const path : {"/v1/messages/export", "/v1/admin/accounts"}) {
        EXPECT_EQ(request(http::Method::get, path).status, 200) << path;
    }
    EXPECT_EQ(tests.front().wait_for(0s), std::future_status::timeout);
    latch.count_down();
    for (auto& test : tests) {
        EXPECT_EQ(test.get().status, 200);
    }
}

TEST_F(ServiceTest, WhatNamesAHostWaitsForItBesideTheOthers) {
    for (const auto& operation : operations()) {
        const bool names_host =
            operation.path == "/v1/callbacks/test" || operation.path == "/v1/messages/{}/retry";
        EXPECT_EQ(operation.waits, names_host) << operation.path;
    }
}

TEST_F(ServiceTest, LongCallsDoNotHoldUpTheOthers) {
    static constexpr Operation copying{.method = http::Method::post,
                                       .path = "/copy",
                                       .scope = Scope::catalogue,
                                       .answerer = wait_until_released,
                                       .is_long = true};
    std::latch latch{1};
    released = &latch;
    service.start();
    std::vector<std::future<http::Reply>> copies;
    for (int number = 0; number < 8; ++number) {
        copies.push_back(ask(copying, "/copy"));
    }
    EXPECT_EQ(request(http::Method::get, "/v1/admin/accounts").status, 200);
    EXPECT_EQ(copies.front().wait_for(0s), std::future_status::timeout);
    latch.count_down();
    for (auto& copy : copies) {
        EXPECT_EQ(copy.get().status, 200);
    }
}

TEST_F(ServiceTest, TheOperationsOfTheTableThatTakeLongAreCarriedOutAsSuch) {
    // Operations that write much, or wait for many commits.
    const std::set<std::string_view> others{"/v1/admin/backup", "/v1/callbacks/replay",
                                            "/v1/devices/{}/queue", "/v1/devices/{}/import"};
    std::set<std::string_view> found;
    for (const auto& operation : operations()) {
        EXPECT_TRUE(operation.is_long || !operation.is_streamed()) << operation.path;
        if (operation.is_long && !operation.is_streamed()) {
            found.insert(operation.path);
        }
    }
    EXPECT_EQ(found, others);
}

TEST_F(ServiceTest, AnExportIsMadePieceByPieceFromTheNewestToTheOldest) {
    const auto account = make_account();
    make_device(account, "6281100000001");
    std::vector<std::string> ids;
    for (int number = 0; number < 450; ++number) {
        clock.advance(1ms);
        ids.push_back(accept(account, "6281100000001").id.text());
    }
    service.start();
    const auto reply = request(http::Method::get, "/v1/messages/export");
    EXPECT_EQ(reply.content_type, "application/x-ndjson");
    ASSERT_NE(reply.source, nullptr);
    std::string all;
    int pieces = 0;
    for (bool last = false; !last; ++pieces) {
        auto [bytes, is_last] = next(*reply.source);
        EXPECT_LE(bytes.size(), http::BodyWriter::piece_max);
        all += bytes;
        last = is_last;
    }
    EXPECT_GT(pieces, 2);
    EXPECT_EQ(std::ranges::count(all, '\n'), 450);
    std::size_t from = 0;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
        from = all.find(*id, from);
        ASSERT_NE(from, std::string::npos) << *id;
    }
}

TEST_F(ServiceTest, AnExportIsCutOffWhenItsKeyIsRevoked) {
    const auto account = make_account();
    make_device(account, "6281100000001");
    for (int number = 0; number < 450; ++number) {
        accept(account, "6281100000001");
    }
    const auto made =
        post("/keys", R"({"account":")" + account + R"(","scopes":["messages:read"]})");
    const auto entry = directory.find_key(sha256(made.text("key")));
    ASSERT_TRUE(entry);
    service.start();
    const auto row = std::ranges::find(operations(), "/v1/messages/export", &Operation::path);
    const auto reply = ask(*row, row->path, {}, admission::Principal::of(*entry)).get();
    ASSERT_NE(reply.source, nullptr);
    EXPECT_THAT(next(*reply.source).first, HasSubstr(account));
    del("/keys/" + made.text("id"));
    EXPECT_EQ(next(*reply.source).first, "cut off");
}

/// Ends with the error `failure` after a first line.
struct FailingLines final : Lines {
    Result<Piece> next() override {
        if (std::exchange(is_first, false)) {
            return Piece{.text = "first\n"};
        }
        return fail(failure, "page 7 is damaged");
    }
    static inline ErrorCode failure = ErrorCode::damaged;
    bool is_first = true;
};
/// Throws after a first line.
struct ThrowingLines final : Lines {
    Result<Piece> next() override {
        if (std::exchange(is_first, false)) {
            return Piece{.text = "first\n"};
        }
        throw std::runtime_error{"no memory"};
    }
    bool is_first = true;
};

template <class Made>
Result<std::unique_ptr<Lines>> stream_of(const Context& /*context*/, Call& /*call*/) {
    return std::make_unique<Made>();
}

template <class Made>
constexpr Operation streaming{.method = http::Method::get,
                              .path = "/stream",
                              .scope = Scope::catalogue,
                              .answerer = stream_of<Made>,
                              .is_long = true};

TEST_F(ServiceTest, WhatEndsAnExportInTheMiddleIsReported) {
    service.start();
    for (const auto failure : {ErrorCode::damaged, ErrorCode::store_failed, ErrorCode::busy}) {
        FailingLines::failure = failure;
        faults.clear();
        const auto reply = ask(streaming<FailingLines>, "/stream").get();
        ASSERT_NE(reply.source, nullptr);
        EXPECT_EQ(next(*reply.source).first, "first\n");
        EXPECT_THAT(faults, IsEmpty());
        EXPECT_EQ(next(*reply.source).first, "cut off");
        EXPECT_THAT(faults, ElementsAre(HasSubstr("page 7 is damaged")));
    }
}

TEST_F(ServiceTest, AnExportThatThrowsIsCutOffAndReported) {
    service.start();
    const auto reply = ask(streaming<ThrowingLines>, "/stream").get();
    ASSERT_NE(reply.source, nullptr);
    EXPECT_EQ(next(*reply.source).first, "first\n");
    EXPECT_EQ(next(*reply.source).first, "cut off");
    EXPECT_THAT(faults, ElementsAre(HasSubstr("no memory")));
}

Result<boost::json::value> throw_an_exception(const Context& /*context*/, Call& /*call*/) {
    throw std::runtime_error{"no memory"};
}

TEST_F(ServiceTest, AHandlerThatThrowsIsAnswered500AndReported) {
    static constexpr Operation throwing{.method = http::Method::post,
                                        .path = "/throw",
                                        .scope = Scope::catalogue,
                                        .answerer = throw_an_exception};
    service.start();
    for (std::size_t call = 0; call < Workers::threads_count + 1; ++call) {
        const auto reply = ask(throwing, "/throw").get();
        EXPECT_EQ(reply.status, 500);
        EXPECT_EQ(reply.content_type, problem_type);
    }
    EXPECT_EQ(faults.size(), Workers::threads_count + 1);
    EXPECT_THAT(faults.front(), HasSubstr("no memory"));
    EXPECT_EQ(request(http::Method::get, "/v1/admin/accounts").status, 200);
}

TEST_F(ServiceTest, AnExportIsCutOffWhenTheServiceStops) {
    service.start();
    const auto reply = request(http::Method::get, "/v1/messages/export");
    service.stop();
    EXPECT_EQ(next(*reply.source).first, "cut off");
}

TEST_F(ServiceTest, AnExportOfAnUnknownAccountOrStateIsRefusedBeforeItBegins) {
    EXPECT_EQ(get("/messages/export?account=acc_99").status, 404);
    EXPECT_EQ(get("/messages/export?state=lost").status, 400);
}

TEST_F(ServiceTest, AnAccountHasAFewExportsAtATime) {
    service.start();
    const auto row = std::ranges::find(operations(), "/v1/messages/export", &Operation::path);
    const auto caller = key_of(make_account(), {model::Scope::messages_read});
    std::vector<http::Reply> open;
    for (int number = 0; number < 4; ++number) {
        open.push_back(ask(*row, row->path, {}, caller).get());
        EXPECT_EQ(open.back().status, 200);
    }
    EXPECT_EQ(ask(*row, row->path, {}, caller).get().status, 429);
    EXPECT_EQ(ask(*row, row->path).get().status, 200);  // The local operator's.
    open.pop_back();
    EXPECT_EQ(ask(*row, row->path, {}, caller).get().status, 200);
}

}  // namespace
}  // namespace merpati::api::manage::testing
