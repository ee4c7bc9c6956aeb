#include "api/idempotency.hpp"

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/authenticator.hpp"
#include "api/device_addnew.hpp"
#include "api/manage/engine/manage_fixture.hpp"
#include "store/conformance/repeating_store.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::api {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

/// Uses the operation that adds devices, which stores its answer in the transaction of its effect.
struct IdempotencyTest : ::testing::Test {
    IdempotencyTest() {
        committer.on_row_changed = [this](store::RowChange&& row) { directory.apply(row); };
        committer.start();
        idempotency.start();
        change([this](store::Tables& tables) -> Result<void> {
            account = *tables.create_account({.name = "Toko", .devices_max = 2});
            key_id = *tables.create_key({.account = account, .digest = sha256("mpt_key")});
            return {};
        });
    }
    ~IdempotencyTest() override {
        idempotency.stop();  // Its calls use the committer.
        committer.stop();
    }

    void change(std::move_only_function<Result<void>(store::Tables&)> run) {
        const auto changed = committer.change_and_wait(std::move(run));
        EXPECT_TRUE(changed) << changed.error().describe();
    }
    void set(const store::AccountPatch& patch) {
        change([&](store::Tables& tables) -> Result<void> {
            return tables.update_account(account, patch) ? Result<void>{}
                                                         : fail(ErrorCode::not_found, "");
        });
    }

    struct Sink final : http::ReplySink {
        void deliver(http::Reply&& reply) override { promise.set_value(std::move(reply)); }
        std::promise<http::Reply> promise;
    };

    std::future<http::Reply> ask(std::string_view asked, std::string_view key = "order-1") {
        auto sink = std::make_shared<Sink>();
        auto reply = sink->promise.get_future();
        const std::array<http::Request::Header, 1> headers{{{"Idempotency-Key", key}}};
        http::Request request;
        request.method = http::Method::post;
        request.path = "/v1/device/addnew";
        request.id = "request-7";
        request.authorization = "Bearer mpt_key";
        request.body = asked;
        request.headers = headers;
        static constexpr Operation addnew{.method = http::Method::post,
                                          .path = "/v1/device/addnew",
                                          .scope = Scope::account,
                                          .idempotent = true};
        authenticator.authenticate(request, http::Responder{sink}, addnew,
                                   [this](Call&& call) { adding.handle(std::move(call)); });
        return reply;
    }
    http::Reply add(std::string_view asked, std::string_view key = "order-1") {
        return ask(asked, key).get();
    }
    static void expect_first(const http::Reply& reply) {
        EXPECT_EQ(reply.status, 200) << reply.body;
        EXPECT_THAT(reply.headers, Not(HasSubstr("Idempotent-Replayed")));
    }
    static void expect_replayed(const http::Reply& reply) {
        EXPECT_EQ(reply.status, 200) << reply.body;
        EXPECT_THAT(reply.headers, HasSubstr("Idempotent-Replayed: true"));
    }

    static constexpr std::string_view body = R"({"device":"6281100000001"})";

    ::merpati::testing::TemporaryFolder folder;
    ::merpati::testing::ManualClock clock;
    std::unique_ptr<store::Store> store =
        store::open_repeating_store({.url = "sqlite:" + folder.file("merpati.db")});
    outbound::AddressPolicy policy{{}};
    admission::Directory directory;
    model::AccountId account;
    model::KeyId key_id;
    QueueClock queue_clock{clock};
    admission::CallerRights rights{clock, directory, {}};
    admission::Ownership ownership;
    store::ReaderPool readers{*store};
    IdempotencyLedger ledger{*store, readers};
    Idempotency idempotency{ledger, readers, rights};
    Authenticator authenticator{queue_clock, directory, idempotency, {}};
    store::Committer committer{clock, *store, {}, [](const Error&) {}};
    manage::testing::RecordingDevices devices{directory};
    DeviceAddnew adding{{.clock = clock,
                         .directory = directory,
                         .rights = rights,
                         .ownership = ownership,
                         .idempotency = idempotency,
                         .policy = policy,
                         .devices = devices,
                         .committer = committer},
                        {.default_connector = "simulator"}};
};

TEST_F(IdempotencyTest, ARepeatIsAnsweredAsTheFirstWasWhateverHasChangedSince) {
    const auto first = add(body);
    expect_first(first);
    set({.plan = model::Plan::free, .devices_max = 0});
    const auto repeat = add(body);
    expect_replayed(repeat);
    EXPECT_EQ(repeat.body, first.body);
    change([](store::Tables& tables) {
        return tables.remove_device(*model::PhoneNumber::parse("6281100000001"));
    });
    expect_replayed(add(body));
    EXPECT_EQ(directory.devices(std::nullopt).size(), 0U);
}

// As the catalogue's changes are.
TEST_F(IdempotencyTest, WhatIsAddedIsLoggedOnceWithTheIdOfItsRequest) {
    expect_first(add(body));
    expect_replayed(add(body));
    expect_first(add(body, "order-2"));  // The account has the device already.
    EXPECT_EQ(add(R"({"device":"x"})", "order-3").status, 400);
    const auto entries = (*store->open_reader())->audit({.limit = 10});
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 1U);
    const auto& entry = entries->front();
    EXPECT_EQ(entry.request_id, "request-7");
    EXPECT_EQ(entry.operation, "POST /v1/device/addnew");
    EXPECT_EQ(entry.door, "network");
    EXPECT_EQ(entry.actor, key_id.text());
    EXPECT_EQ(entry.account, account);
    EXPECT_EQ(entry.object, "6281100000001");
    EXPECT_EQ(entry.before, "");
    EXPECT_THAT(entry.after, HasSubstr("6281100000001"));
}

TEST_F(IdempotencyTest, AnotherBodyIsRefusedBeforeItIsJudged) {
    expect_first(add(body));
    for (const std::string_view other :
         {R"({"device":"6281100000002"})", R"({"device":"x"})", R"({"device":"6281100000001",
                                                                "webhook":"x"})"}) {
        EXPECT_EQ(add(other).status, 422) << other;
    }
    EXPECT_EQ(directory.devices(std::nullopt).size(), 1U);
}

TEST_F(IdempotencyTest, AKeyStandsForItsRequestForADay) {
    expect_first(add(body));
    clock.advance(24h - 1ms);
    expect_replayed(add(body));
    EXPECT_EQ(add(R"({"device":"6281100000002"})").status, 422);
    clock.advance(1ms);
    expect_first(add(R"({"device":"6281100000002"})"));
    EXPECT_EQ(add(body).status, 422);
    EXPECT_EQ(directory.devices(std::nullopt).size(), 2U);
}

TEST_F(IdempotencyTest, ARefusedRequestLeavesItsKeyFree) {
    set({.devices_max = 0});
    EXPECT_EQ(add(body).status, 403);
    EXPECT_EQ(add(body).status, 403);  // Checked again: no answer was stored.
    EXPECT_EQ(add(R"({"device":"x"})").status, 400);
    set({.devices_max = 1});
    expect_first(add(R"({"device":"6281100000002"})"));
}

TEST_F(IdempotencyTest, WhileTheFirstIsUnderWayItsRepeatsAreToldSo) {
    std::promise<void> released;
    const auto wait = released.get_future().share();
    ASSERT_TRUE(committer.change(
        [wait](store::Tables&) -> Result<void> {
            wait.wait();
            return {};
        },
        [](const Result<void>&) {}));
    auto first = ask(body);
    const auto repeat = add(body);
    EXPECT_EQ(repeat.status, 409);
    EXPECT_THAT(repeat.headers, HasSubstr("Retry-After: 1"));
    EXPECT_EQ(add(R"({"device":"6281100000002"})").status, 422);
    auto other = ask(body, "order-2");
    released.set_value();
    expect_first(first.get());
    expect_first(other.get());  // Another key. That the device exists already is not an error.
    expect_replayed(add(body));
}

TEST_F(IdempotencyTest, WhoMayNotCallAnyMoreWhenTheDeviceIsCommittedAddsNone) {
    // Committed between the check of the request and its transaction.
    const auto ask_before = [this](std::move_only_function<Result<void>(store::Tables&)> change) {
        std::promise<void> released;
        const auto wait = released.get_future().share();
        const auto ignore = [](const Result<void>& done) { EXPECT_TRUE(done); };
        EXPECT_TRUE(committer.change(
            [wait](store::Tables&) -> Result<void> {
                wait.wait();
                return {};
            },
            ignore));
        EXPECT_TRUE(committer.change(std::move(change), ignore));
        auto reply = ask(body);
        released.set_value();
        return reply.get();
    };
    const auto expired = ask_before([this](store::Tables& tables) -> Result<void> {
        return tables.update_account(account, {.expires_at = clock.now()})
                   ? Result<void>{}
                   : fail(ErrorCode::not_found, "");
    });
    EXPECT_EQ(expired.status, 403);
    EXPECT_THAT(expired.body, HasSubstr("Masa berlaku habis"));
    set({.expires_at = std::optional<Timestamp>{}});
    const auto revoked = ask_before([this](store::Tables& tables) -> Result<void> {
        const auto done = tables.revoke_key(key_id, clock.now());
        return done ? Result<void>{} : pass(done);
    });
    EXPECT_EQ(revoked.status, 401);
    EXPECT_THAT(revoked.headers, HasSubstr("WWW-Authenticate: Bearer"));
    EXPECT_EQ(directory.devices(std::nullopt).size(), 0U);
}

TEST_F(IdempotencyTest, ARequestThatCouldNotBeCommittedLeavesItsKeyFree) {
    committer.stop();
    EXPECT_EQ(add(body).status, 503);
    EXPECT_EQ(add(body).status, 503);
    EXPECT_TRUE((*store->open_reader())->devices()->empty());
}

/// Opens readers of another store, which the test may exchange.
struct StoreOfReaders : store::Store {
    explicit StoreOfReaders(store::Store& first) : of(&first) {}
    Result<std::unique_ptr<store::Reader>> open_reader() override { return of->open_reader(); }
    Sha256 fingerprint(std::string_view text) const override { return of->fingerprint(text); }
    Result<void> write(store::WriteBatch& batch) override { return of->write(batch); }
    Result<void> maintain(bool is_idle) override { return of->maintain(is_idle); }
    Result<void> checkpoint() override { return of->checkpoint(); }
    void look_at_disk() override { of->look_at_disk(); }
    const store::Condition& condition() const noexcept override { return of->condition(); }
    std::uint64_t bytes_on_disk() const override { return of->bytes_on_disk(); }
    Result<void> backup(const std::filesystem::path& file) override { return of->backup(file); }
    store::Store* of;
};

/// Overwrites what a file holds, as a failing disk might.
void damage(const std::filesystem::path& path) {
    const auto size = std::filesystem::file_size(path);
    std::ofstream file{path, std::ios::binary | std::ios::in};
    file << std::string(static_cast<std::size_t>(size), 'x');
}

TEST_F(IdempotencyTest, AReaderThatFailsIsReplacedForTheNextRequest) {
    expect_first(add(body));
    const auto broken = store::open_store({.url = "sqlite:" + folder.file("broken.db")}).value();
    StoreOfReaders source{*broken};
    store::ReaderPool pool{source};
    IdempotencyLedger asked_ledger{source, pool};
    Idempotency asked{asked_ledger, pool, rights};
    asked.start();
    const auto is_first = [&](std::string_view idempotency_key) {
        http::Request request;
        request.path = "/v1/device/addnew";
        request.body = body;
        auto sink = std::make_shared<Sink>();
        const RefusalListener nobody;
        Call call{.principal = {},
                  .fields = {},
                  .idempotency = {},
                  .responder = CallResponder{http::Responder{sink}, nobody}};
        call.idempotency =
            idempotency.record_of(request, idempotency_key, {}, account, clock.now());
        auto reply = sink->promise.get_future();
        asked.enter(std::move(call),
                    [](Call&& first) { first.responder.answer(http::Reply{.status = 201}); });
        return reply.get().status == 201;
    };
    EXPECT_TRUE(is_first("order-2"));  // Opens the reader.
    store::WriteBatch batch;           // So that it reads the file again.
    batch.changes.push_back({.run = [](store::Tables& tables) -> Result<void> {
        return tables.create_account({.name = "Toko"}) ? Result<void>{}
                                                       : fail(ErrorCode::store_failed, "");
    }});
    ASSERT_TRUE(broken->write(batch));
    damage(folder.file("broken.db"));
    damage(folder.file("broken.db-wal"));
    source.of = store.get();
    EXPECT_TRUE(is_first("order-1")) << "the reader has not failed";
    EXPECT_FALSE(is_first("order-1")) << "the reader that failed was asked again";
}

/// Its first reader waits until it is released.
struct SlowStore final : StoreOfReaders {
    using StoreOfReaders::StoreOfReaders;
    Result<std::unique_ptr<store::Reader>> open_reader() override {
        if (!is_open.exchange(true)) {
            opening.set_value();
            released.get_future().wait();
        }
        return of->open_reader();
    }
    std::atomic<bool> is_open{false};
    std::promise<void> opening;
    std::promise<void> released;
};

/// Calls whose look-up waits for a slow disk.
struct SlowIdempotencyTest : IdempotencyTest {
    SlowIdempotencyTest() { asked.start(); }
    ~SlowIdempotencyTest() override { asked.stop(); }

    /// As a call of the account, by nobody in particular, or by `principal`.
    std::future<http::Reply> enter(std::string_view idempotency_key, model::AccountId of,
                                   admission::Principal principal = {}) {
        http::Request request;
        request.path = "/v1/device/addnew";
        request.body = body;
        auto sink = std::make_shared<Sink>();
        static const RefusalListener nobody;
        Call call{.principal = std::move(principal),
                  .fields = {},
                  .idempotency = {},
                  .responder = CallResponder{http::Responder{sink}, nobody}};
        call.idempotency = idempotency.record_of(request, idempotency_key, {}, of, clock.now());
        asked.enter(std::move(call),
                    [](Call&& first) { first.responder.answer(http::Reply{.status = 201}); });
        return sink->promise.get_future();
    }
    std::future<http::Reply> enter(std::string_view idempotency_key) {
        return enter(idempotency_key, account);
    }

    SlowStore slow{*store};
    store::ReaderPool pool{slow};
    IdempotencyLedger asked_ledger{slow, pool};
    Idempotency asked{asked_ledger, pool, rights};
};

TEST_F(SlowIdempotencyTest, ASlowDiskDoesNotHoldUpTheThreadThatAsks) {
    auto first = enter("order-1");
    slow.opening.get_future().wait();
    auto second = enter("order-2");  // Returns, although the store is being read.
    EXPECT_EQ(first.wait_for(0s), std::future_status::timeout);
    slow.released.set_value();
    EXPECT_EQ(first.get().status, 201);
    EXPECT_EQ(second.get().status, 201);
}

TEST_F(SlowIdempotencyTest, ARepeatThatWaitedIsNotAnsweredToAKeyThatWasRevokedMeanwhile) {
    expect_first(add(body));
    const auto caller = admission::Principal::of(*directory.find_key(sha256("mpt_key")));
    auto slow_one = enter("order-2");
    slow.opening.get_future().wait();
    auto repeat = enter("order-1", account, caller);
    auto beside = enter("order-1", account, caller);
    auto fresh = enter("order-3", account, caller);
    change([this](store::Tables& tables) -> Result<void> {
        const auto done = tables.revoke_key(key_id, clock.now());
        return done ? Result<void>{} : pass(done);
    });
    slow.released.set_value();
    EXPECT_EQ(slow_one.get().status, 201);
    for (auto* reply : {&repeat, &beside, &fresh}) {
        const auto answer = reply->get();
        EXPECT_EQ(answer.status, 401) << answer.body;
        EXPECT_THAT(answer.headers, Not(HasSubstr("Idempotent-Replayed")));
    }
}

TEST_F(SlowIdempotencyTest, AnAccountsCallsWaitUpToALimitAndLeaveRoomForOthers) {
    std::vector<std::future<http::Reply>> waiting;
    waiting.push_back(enter("runs"));
    slow.opening.get_future().wait();
    for (std::size_t count = 0; count < Idempotency::waiting_of_account_max; ++count) {
        waiting.push_back(enter("waits-" + std::to_string(count)));
    }
    EXPECT_EQ(enter("one-more").get().status, 503);
    auto other = enter("order-1", model::AccountId{99});
    slow.released.set_value();
    for (auto& reply : waiting) {
        EXPECT_EQ(reply.get().status, 201);
    }
    EXPECT_EQ(other.get().status, 201);
    EXPECT_EQ(enter("one-more").get().status, 201) << "a refused call keeps its key";
}

TEST_F(IdempotencyTest, WhatIsKeptOfABodyTellsNothingWithoutTheStoresKey) {
    http::Request request;
    request.path = "/v1/send";
    request.body = body;
    const auto record = idempotency.record_of(request, "key", {}, account, clock.now());
    EXPECT_NE(record.fingerprint, sha256("/v1/send\n\n" + std::string{body}));
    const auto other = store::open_store({.url = "sqlite:" + folder.file("other.db")}).value();
    EXPECT_NE(record.fingerprint, other->fingerprint("/v1/send\n\n" + std::string{body}));
    EXPECT_EQ(record.fingerprint, store->fingerprint("/v1/send\n\n" + std::string{body}));
}

TEST_F(IdempotencyTest, RevisionsAreRequestsOfTheirOwn) {
    http::Request request;
    request.path = "/v1/send";
    request.body = "{}";
    const auto print = [&](std::string_view revision) {
        return idempotency.record_of(request, "key", revision, account, clock.now()).fingerprint;
    };
    EXPECT_EQ(print("A"), print("A"));
    EXPECT_NE(print("A"), print("B"));
}

}  // namespace
}  // namespace merpati::api
