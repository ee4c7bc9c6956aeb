#include "api/manage/devices/queue_clearing.hpp"
#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

struct DeviceQueueTest : ManageTest {
    DeviceQueueTest() {
        make_device(account, number);
        messages.store = store.get();
    }

    std::uint64_t waiting() { return get(queue).json.at("waiting").to_number<std::uint64_t>(); }
    Answer clear(std::string_view query = "") {
        return call(http::Method::del, queue + std::string{query});
    }
    Answer discard() { return post("/devices/" + number + "/pair", R"({"queue":"discard"})"); }
    void log_out() {
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            const auto device = tables.find_device(*model::PhoneNumber::parse(number));
            EXPECT_TRUE(tables.set_device_state(store::DeviceIdentity::of(**device),
                                                model::DeviceState::logged_out, "dikeluarkan",
                                                clock.now()));
            return {};
        }});
        write(batch);
        directory.apply(batch.row_changes.at(0));
    }
    /// What the log says that the last call has done.
    boost::json::value done_last() {
        return get("/admin/log?object=" + number).items().at(0).at("after");
    }

    const std::string number = "6281100000001";
    const std::string queue = "/devices/" + number + "/queue";
    const std::string account = make_account();
};

TEST_F(DeviceQueueTest, APauseStandsUntilItIsEnded) {
    const auto paused = post("/devices/" + number + "/pause");
    EXPECT_EQ(paused.status, 200);
    EXPECT_EQ(paused.text("paused_reason"), "asked");
    const auto since = paused.text("paused_since");
    clock.advance(std::chrono::hours{1});
    EXPECT_EQ(post("/devices/" + number + "/pause").text("paused_since"), since);
    EXPECT_EQ(get("/devices").items().at(0).at("paused_since").as_string(), since);
    EXPECT_TRUE(directory.find_device(*model::PhoneNumber::parse(number))->pause);
    const auto resumed = post("/devices/" + number + "/resume");
    EXPECT_TRUE(resumed.json.at("paused_since").is_null());
    EXPECT_TRUE(resumed.json.at("paused_reason").is_null());
    EXPECT_EQ(directory.find_device(*model::PhoneNumber::parse(number))->resumed_at,
              queue_clock.now());
    clock.advance(std::chrono::hours{1});
    EXPECT_EQ(post("/devices/" + number + "/resume").status, 200);
    EXPECT_NE(directory.find_device(*model::PhoneNumber::parse(number))->resumed_at,
              queue_clock.now());
    EXPECT_EQ(post("/devices/6281100000009/pause").status, 404);
    EXPECT_EQ(post("/devices/" + number + "/pause", R"({"why":"x"})").status, 400);
}

TEST_F(DeviceQueueTest, AQueueIsShownWithItsOldest) {
    auto shown = get(queue);
    EXPECT_EQ(shown.json.at("waiting"), 0);
    EXPECT_TRUE(shown.json.at("oldest").is_null());
    const auto oldest = accept(account, number);
    clock.advance(std::chrono::seconds{1});
    accept(account, number);
    shown = get(queue);
    EXPECT_EQ(shown.json.at("waiting"), 2);
    EXPECT_EQ(shown.text("oldest"), oldest.id.text());
    EXPECT_EQ(shown.text("oldest_accepted_at"), to_rfc3339(oldest.accepted_at));
    EXPECT_EQ(get("/devices/6281100000009/queue").status, 404);
}

TEST_F(DeviceQueueTest, AListCountsWhatWaitsWhereItIsAskedFor) {
    make_device(account, "6281100000002");
    accept(account, "6281100000002");
    EXPECT_FALSE(get("/devices").items().at(0).as_object().contains("waiting"));
    const auto items = get("/devices?count=true").items();
    EXPECT_EQ(items.at(0).at("waiting"), 0);
    EXPECT_EQ(items.at(1).at("waiting"), 1);
}

TEST_F(DeviceQueueTest, ClearingCancelsWhatWaitsInSmallBatches) {
    make_device(account, "6281100000002");
    accept(account, "6281100000002");
    for (std::size_t count = 0; count < cleared_at_once + 10; ++count) {
        accept(account, number);
    }
    const auto cleared = clear();
    EXPECT_EQ(cleared.status, 200);
    EXPECT_EQ(cleared.json.at("cancelled"), cleared_at_once + 10);
    EXPECT_EQ(cleared.json.at("waiting"), 0);
    EXPECT_EQ(cleared.json.at("complete"), true);
    EXPECT_THAT(messages.batches, ElementsAre(cleared_at_once, 10U));
    EXPECT_EQ(get("/devices/6281100000002/queue").json.at("waiting"), 1);
    EXPECT_EQ(clear().json.at("cancelled"), 0);
    EXPECT_EQ(call(http::Method::del, "/devices/6281100000009/queue").status, 404);
    EXPECT_EQ(clear("?all=true").status, 400);
}

TEST_F(DeviceQueueTest, WhoLosesTheRightMeanwhileCancelsNoFurtherBatch) {
    for (std::size_t count = 0; count < cleared_at_once + 10; ++count) {
        accept(account, number);
    }
    const auto owner = key_of(account, model::scopes_of(model::Role::owner));
    messages.on_call = [&] {
        auto revoked = *owner.key.key;
        revoked.revoked_at = clock.now();
        directory.apply(revoked);
    };
    const auto cleared = call_as(owner, http::Method::del, queue);
    EXPECT_EQ(cleared.status, 403);
    EXPECT_THAT(cleared.error(), HasSubstr("256 messages were cancelled"));
    EXPECT_THAT(messages.batches, ElementsAre(cleared_at_once));
    EXPECT_EQ(waiting(), 10U);
    EXPECT_EQ(done_last().at("cancelled"), cleared_at_once);
}

TEST_F(DeviceQueueTest, WhatIsAcceptedAfterTheGivenTimeStays) {
    accept(account, number);
    const auto until = to_rfc3339(clock.now());
    clock.advance(std::chrono::seconds{1});
    accept(account, number);
    const auto cleared = clear("?accepted_until=" + until);
    EXPECT_EQ(cleared.json.at("cancelled"), 1);
    EXPECT_EQ(cleared.json.at("waiting"), 1);
    EXPECT_EQ(cleared.text("accepted_until"), until);
    EXPECT_EQ(waiting(), 1U);
}

TEST_F(DeviceQueueTest, WhatCannotBeCancelledStaysAndEndsTheCall) {
    messages.store = nullptr;  // All of them are being sent.
    accept(account, number);
    accept(account, number);
    const auto cleared = clear();
    EXPECT_EQ(cleared.json.at("cancelled"), 0);
    EXPECT_EQ(cleared.json.at("waiting"), 2);
    EXPECT_EQ(cleared.json.at("complete"), true);
}

TEST_F(DeviceQueueTest, HoweverManyCannotBeCancelledTheCallEndsAndCancelsTheOthers) {
    const auto cut_off = cleared_max + 1;
    store::WriteBatch made;
    store::WriteBatch begun;
    for (std::size_t count = 0; count < cut_off + 2; ++count) {
        auto message = std::make_unique<model::Message>(
            model::Message{.id = ids.next(),
                           .account = *model::AccountId::parse(account),
                           .device = *model::PhoneNumber::parse(number),
                           .recipient = "6281234567890",
                           .accepted_at = clock.now(),
                           .due_at = clock.now()});
        if (count < cut_off) {
            begun.intents.push_back(
                {.message = message->id, .device = message->device, .queued_at = message->due_at});
        }
        made.accepts.push_back({.message = std::move(message), .idempotency = {}});
    }
    write(made);
    write(begun);
    const auto cleared = clear();
    EXPECT_EQ(cleared.json.at("cancelled"), 2);
    EXPECT_EQ(cleared.json.at("complete"), true);
    EXPECT_THAT(messages.batches, ElementsAre(2U)) << "an empty batch was given";
}

TEST_F(DeviceQueueTest, ASendThatACrashCutOffIsNotCancelled) {
    const auto cut_off = accept(account, number);
    store::WriteBatch batch;
    batch.intents.push_back(
        {.message = cut_off.id, .device = cut_off.device, .queued_at = cut_off.due_at});
    write(batch);
    EXPECT_EQ(clear().json.at("cancelled"), 0);
    EXPECT_EQ(waiting(), 1U);
}

TEST_F(DeviceQueueTest, PairingAgainTakesAChoiceForTheQueue) {
    const auto pair = [&](std::string_view body) {
        return post("/devices/" + number + "/pair", body).status;
    };
    EXPECT_EQ(pair(R"({"queue":"send"})"), 200);
    EXPECT_EQ(pair(R"({"queue":"hold","method":"qr"})"), 200);
    EXPECT_EQ(pair(R"({"queue":"burn"})"), 400);
    EXPECT_THAT(devices.calls, ElementsAre("new " + number, "pair " + number + "  send",
                                           "pair " + number + " qr hold"));
}

TEST_F(DeviceQueueTest, ADiscardedQueueIsCancelledBeforeThePairingBegins) {
    accept(account, number);
    EXPECT_EQ(discard().status, 409);  // It is connected, so it would continue to send.
    EXPECT_EQ(waiting(), 1U);
    log_out();
    EXPECT_EQ(discard().status, 200);
    EXPECT_EQ(waiting(), 0U);
    EXPECT_EQ(devices.calls.back(), "pair " + number + " ");
    EXPECT_EQ(done_last().at("cancelled"), 1);
}

TEST_F(DeviceQueueTest, APairingThatCannotBeginDiscardsNothing) {
    accept(account, number);
    log_out();
    for (const auto& [refusal, status] :
         {std::pair{ErrorCode::refused, 403}, {ErrorCode::conflict, 409}}) {
        devices.pairing_refusal = refusal;
        EXPECT_EQ(discard().status, status);
        EXPECT_EQ(waiting(), 1U);
    }
}

TEST_F(DeviceQueueTest, TheLogCountsWhatACallThatFailsHasCancelled) {
    log_out();
    for (std::size_t count = 0; count < cleared_at_once + 10; ++count) {
        accept(account, number);
    }
    messages.batches_max = 1;
    EXPECT_EQ(discard().status, 504);
    EXPECT_EQ(done_last().at("cancelled"), cleared_at_once);
    EXPECT_EQ(done_last().at("complete"), false);
    EXPECT_EQ(clear().status, 504);
    EXPECT_EQ(done_last().at("cancelled"), 0);
    EXPECT_EQ(done_last().at("complete"), false);
}

}  // namespace
}  // namespace merpati::api::manage::testing
