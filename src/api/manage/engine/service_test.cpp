#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "api/manage/engine/call_threads.hpp"
#include "api/manage/engine/service_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;

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
        if (operation.scope == api::Scope::catalogue &&
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
std::latch* call_begun = nullptr;  // Of begin_and_wait.

Result<boost::json::value> wait_until_released(const Context& /*context*/, Call& /*call*/) {
    released->wait();
    return boost::json::object{};
}

Result<boost::json::value> begin_and_wait(const Context& context, Call& call) {
    call_begun->count_down();
    return wait_until_released(context, call);
}

constexpr Operation testing{.method = http::Method::post,
                            .path = "/test",
                            .scope = api::Scope::catalogue,
                            .answerer = wait_until_released,
                            .pool = Pool::testing};

/// Calls that wait for a slow host must not delay other calls.
TEST_F(ServiceTest, CallsThatWaitForAHostHoldUpNoLongOnes) {
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

TEST_F(ServiceTest, MessagesAreSentAgainThoughTestsOfCallbacksTakeAllTheirThreads) {
    std::latch latch{1};
    released = &latch;
    service.start();
    std::vector<std::future<http::Reply>> tests;
    for (int number = 0; number < 8; ++number) {
        tests.push_back(ask(testing, "/test"));
    }
    const auto row = std::ranges::find(operations(), "/v1/messages/{}/retry", &Operation::path);
    EXPECT_EQ(ask(*row, "/v1/messages/x/retry").get().status, 404);
    latch.count_down();
    for (auto& test : tests) {
        EXPECT_EQ(test.get().status, 200);
    }
}

/// Receives no reply, because its client has hung up.
struct HungUp final : http::ReplySink {
    void deliver(http::Reply&& /*reply*/) override {}
    [[nodiscard]] bool is_gone() const noexcept override { return true; }
};

std::atomic<int> carried_out = 0;

Result<boost::json::value> count_it(const Context& /*context*/, Call& /*call*/) {
    ++carried_out;
    return boost::json::object{};
}

TEST_F(ServiceTest, CallsWhoseClientHasHungUpAreDroppedUnlessTheyChangeSomething) {
    carried_out = 0;
    service.start();
    for (const auto& [method, expected] :
         {std::pair{http::Method::get, 1}, {http::Method::post, 2}}) {
        const Operation counting{.method = method,
                                 .path = "/count",
                                 .scope = api::Scope::catalogue,
                                 .answerer = count_it};
        http::Request asked;
        asked.method = method;
        asked.path = "/count";
        const auto account = key_of(make_account(), model::Scopes::all());
        service.take(counting, asked, account, http::Responder{std::make_shared<HungUp>()});
        const auto* body = method == http::Method::get ? "" : "{}";
        EXPECT_EQ(ask(counting, "/count", body, account).get().status, 200);  // The next in turn.
        EXPECT_EQ(carried_out.exchange(0), expected) << http::to_string(method);
    }
}

TEST_F(ServiceTest, LongCallsDoNotHoldUpTheOthers) {
    static constexpr Operation copying{.method = http::Method::post,
                                       .path = "/copy",
                                       .scope = api::Scope::catalogue,
                                       .answerer = wait_until_released,
                                       .pool = Pool::lengthy};
    std::latch latch{1};
    released = &latch;
    service.start();
    std::vector<std::future<http::Reply>> copies;
    for (int number = 0; number < 8; ++number) {
        copies.push_back(ask(copying, "/copy"));
    }
    EXPECT_EQ(request(http::Method::get, "/v1/keys").status, 200);
    EXPECT_EQ(copies.front().wait_for(0s), std::future_status::timeout);
    latch.count_down();
    for (auto& copy : copies) {
        EXPECT_EQ(copy.get().status, 200);
    }
}

TEST_F(ServiceTest, EachOperationIsCarriedOutOnTheThreadsForItsKind) {
    const std::map<Pool, std::set<std::string>> expected{
        // They read or write many rows, or wait for many commits or for a connector.
        {Pool::lengthy,
         {"POST /v1/admin/backup",
          "POST /v1/callbacks/replay",
          "DELETE /v1/devices/{}/queue",
          "POST /v1/devices/{}/import",
          "POST /v1/devices/{}/export",
          "POST /v1/devices/{}/pair",
          "POST /v1/devices/{}/pairing/answer",
          "GET /v1/messages/export",
          "GET /v1/usage",
          "GET /v1/admin/accounts",
          "GET /v1/admin/nodes",
          "GET /v1/admin/people",
          "GET /v1/admin/status",
          "GET /v1/campaigns/{}/recipients/export",
          "POST /v1/campaigns/{}/check",
          "POST /v1/campaigns/{}/test",
          "POST /v1/campaigns/{}/start",
          "POST /v1/campaigns/{}/resume",
          "POST /v1/campaigns/{}/retry",
          "POST /v1/campaigns/{}/clone",
          "GET /v1/contacts/export",
          "DELETE /v1/contacts/{}",
          "GET /v1/suppressions/export"}},
        {Pool::hashing,
         {"POST /v1/session", "POST /v1/invitation/accept", "POST /v1/session/password",
          "POST /v1/session/totp", "POST /v1/admin/people", "PATCH /v1/admin/people/{}"}},
        {Pool::retrying, {"POST /v1/messages", "POST /v1/messages/{}/retry"}},
        {Pool::testing, {"POST /v1/callbacks/test"}},
        {Pool::uploading,
         {"POST /v1/campaigns/{}/recipients", "POST /v1/contacts/import",
          "POST /v1/suppressions/import", "POST /v1/listmonk"}},
        {Pool::asking,
         {"POST /v1/devices", "PATCH /v1/devices/{}", "POST /v1/campaigns/{}/preview"}},
        {Pool::stopping, {"POST /v1/campaigns/{}/pause", "POST /v1/campaigns/{}/cancel"}}};
    std::map<Pool, std::set<std::string>> found;
    for (const auto& operation : operations()) {
        EXPECT_TRUE(operation.pool == Pool::lengthy || !operation.is_streamed()) << operation.path;
        if (operation.pool != Pool::brief) {
            found[operation.pool].insert(std::string{http::to_string(operation.method)} + " " +
                                         std::string{operation.path});
        }
    }
    EXPECT_EQ(found, expected);
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

struct WaitingCallTest : ServiceTest {
    WaitingCallTest() {
        account = make_account();
        make_device(account, "6281100000001");
        service.start();
    }

    /// The answer to a call that waited for its thread while `change` was made.
    template <class Change>
    http::Reply asked_before(const admission::Principal& caller, std::string_view path,
                             Change change) {
        static constexpr Operation waiting{.method = http::Method::post,
                                           .path = "/wait",
                                           .scope = api::Scope::catalogue,
                                           .answerer = begin_and_wait};
        std::latch latch{1};
        std::latch has_begun{1};
        released = &latch;
        call_begun = &has_begun;
        auto first = ask(waiting, "/wait", {}, caller);  // Has the account's only thread.
        has_begun.wait();
        const auto row = std::ranges::find(operations(), path, &Operation::path);
        auto reply = ask(*row, path, {}, caller);
        change();
        latch.count_down();
        EXPECT_EQ(first.get().status, 200);
        return reply.get();
    }

    std::string account;
};

TEST_F(WaitingCallTest, IsNotCarriedOutForAKeyThatIsRevokedMeanwhile) {
    const auto made =
        post("/keys", R"({"account":")" + account + R"(","scopes":["account:read"]})");
    const auto caller = admission::Principal::of(*directory.find_key(sha256(made.text("key"))));
    EXPECT_EQ(asked_before(caller, "/v1/devices", [] {}).status, 200);
    const auto reply =
        asked_before(caller, "/v1/devices", [&] { del("/keys/" + made.text("id")); });
    EXPECT_EQ(reply.status, 401);
    EXPECT_THAT(reply.body, Not(HasSubstr("6281100000001")));
}

TEST_F(WaitingCallTest, HasTheRightsThatItsCallerHasThen) {
    const auto owner = post("/admin/people", R"({"email":"ani@toko.example","account":"acc_1",)"
                                             R"("password":"kuda lumping 7","role":"owner"})");
    ASSERT_EQ(owner.status, 200) << owner.whole();
    model::Session session{.person = directory.people().find("ani@toko.example")->id,
                           .digest = sha256("token"),
                           .address = "here",
                           .created_at = clock.now(),
                           .seen_at = clock.now()};
    store::WriteBatch batch;
    batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
        const auto begun = tables.people().create_session(session);
        return begun ? Result<void>{} : pass(begun);
    }});
    write(batch);
    for (const auto& row : batch.row_changes) {
        directory.apply(row);
    }
    const auto caller = admission::Principal::of(*directory.people().find_session(sha256("token")));
    EXPECT_EQ(asked_before(caller, "/v1/keys", [] {}).status, 200);
    const auto reply = asked_before(caller, "/v1/keys", [&] {
        patch("/admin/people/ani@toko.example", R"({"account":"acc_1","role":"viewer"})");
    });
    EXPECT_EQ(reply.status, 403);
    EXPECT_THAT(reply.body, HasSubstr("account:manage"));
}

TEST_F(WaitingCallTest, OfAnAccountWhoseValidityEndsMeanwhileOnlyReads) {
    const auto caller = key_of(account, {model::Scope::account_read, model::Scope::account_manage});
    const auto reply = asked_before(caller, "/v1/keys", [&] {
        patch("/admin/accounts/" + account, R"({"expires_at":"2000-01-01T00:00:00Z"})");
    });
    EXPECT_EQ(reply.status, 403);
    EXPECT_THAT(reply.body, HasSubstr(R"("code":"account_expired")"));
    EXPECT_EQ(asked_before(caller, "/v1/devices", [] {}).status, 200);
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

/// Endless, in pieces that are twice what a client may hold.
struct LargeLines final : Lines {
    Result<Piece> next() override {
        ++made;
        return Piece{.text = std::string(2 * http::BodyWriter::piece_max, 'x')};
    }
    static inline std::atomic<int> made = 0;
};

template <class Made>
Result<std::unique_ptr<Lines>> stream_of(const Context& /*context*/, Call& /*call*/) {
    return std::make_unique<Made>();
}

template <class Made>
constexpr Operation streaming{.method = http::Method::get,
                              .path = "/stream",
                              .scope = api::Scope::catalogue,
                              .answerer = stream_of<Made>,
                              .pool = Pool::lengthy};

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

TEST_F(ServiceTest, AnExportThatItsClientDoesNotReadIsMadeNoFurther) {
    service.start();
    const auto reply = ask(streaming<LargeLines>, "/stream").get();
    ASSERT_NE(reply.source, nullptr);
    for (const int made : {1, 1, 2, 2}) {
        EXPECT_EQ(next(*reply.source).first.size(), http::BodyWriter::piece_max);
        for (std::size_t call = 0; call < 2 * CallThreads::threads_count;
             ++call) {  // Have their turn.
            (void)request(http::Method::get, "/v1/admin/accounts");
        }
        EXPECT_EQ(LargeLines::made, made);
    }
}

TEST_F(ServiceTest, AHandlerThatThrowsIsAnswered500AndReported) {
    static constexpr Operation throwing{.method = http::Method::post,
                                        .path = "/throw",
                                        .scope = api::Scope::catalogue,
                                        .answerer = throw_an_exception};
    service.start();
    for (std::size_t call = 0; call < CallThreads::threads_count + 1; ++call) {
        const auto reply = ask(throwing, "/throw").get();
        EXPECT_EQ(reply.status, 500);
        EXPECT_EQ(reply.content_type, problem_type);
    }
    EXPECT_EQ(faults.size(), CallThreads::threads_count + 1);
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
