// A store with one device, and the statuses that its platform reports.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/late_statuses.hpp"
#include "model/texts.hpp"
#include "store/conformance/repeating_store.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::devices {

struct LateStatusesFixture : ::testing::Test {
    LateStatusesFixture() {
        open();
        change([&](store::Tables& tables) -> Result<void> {
            owner = *tables.create_account({});
            return {};
        });
        add_device(owner);
    }
    ~LateStatusesFixture() override { committer->stop(); }

    /// As after a crash: memory is lost.
    void open() {
        statuses.reset();
        committer.reset();
        store.reset();
        ended.clear();
        returned.clear();
        store = store::open_repeating_store({.url = "sqlite:" + folder.file("merpati.db")});
        committer = std::make_unique<store::Committer>(
            clock, *store, store::CommitterOptions{},
            [](const Error& error) { ADD_FAILURE() << error.describe(); });
        statuses = std::make_unique<LateStatuses>(LateStatuses::Rooms{
            .clock = queue_clock,
            .random = random,
            .notices = notices,
            .committer = *committer,
            .ownership = ownership,
            .on_finish = [this](store::Finish&& finish) { ended.push_back(std::move(finish)); },
            .on_returned = [this](const auto& one) { returned.push_back(one); },
            .on_progress =
                [this](const LateStatuses::Progressed& one) {
                    EXPECT_EQ(one.account, owner);
                    progressed.push_back(one.message.text() + " " +
                                         std::string{model::to_string(one.progress)});
                },
            .log = telemetry::Log::none()});
        committer->start();
        statuses->start();
    }

    void change(std::move_only_function<Result<void>(store::Tables&)> run) {
        const auto done = committer->change_and_wait(std::move(run));
        EXPECT_TRUE(done) << done.error().describe();
    }
    void flush() {
        change([](store::Tables&) -> Result<void> { return {}; });
        change([](store::Tables&) -> Result<void> { return {}; });
    }
    void add_device(model::AccountId account) {
        change([&](store::Tables& tables) -> Result<void> {
            EXPECT_TRUE(tables.add_device({.number = device,
                                           .account = account,
                                           .webhook_url = "https://toko.example.com/hook"},
                                          true));
            return {};
        });
    }

    /// Stores a message, which waits in its lane.
    model::MessageId accept(model::MessageType type = model::MessageType::text) {
        auto message = std::make_unique<model::Message>();
        message->id = ids.next();
        message->account = owner;
        message->device = device;
        message->recipient = "6281234567890";
        message->type = type;
        message->callback_url = "https://toko.example.com/callback";
        message->due_at = queue_clock.now();
        const auto id = message->id;
        EXPECT_TRUE(committer->accept({.message = std::move(message)}, [](store::Accept&& done) {
            EXPECT_EQ(done.result, store::Accept::Result::stored);
        }));
        flush();
        return id;
    }
    /// Takes the message out of its lane. `change`: what is not as usual.
    void hand_over_as(const model::MessageId& id, std::string platform_id, Millis decide_within,
                      const std::function<void(store::HandOver&)>& change = {}) {
        store::HandOver work{.message = id,
                             .device = device,
                             .queued_at = queue_clock.now(),
                             .platform_id = std::move(platform_id),
                             .decide_by = queue_clock.now() + decide_within,
                             .attempts = 1};
        if (change) {
            change(work);
        }
        committer->hand_over(std::move(work), [this](const store::HandOver& done) {
            EXPECT_TRUE(done.handed_over);
            statuses->handed_over(done.decide_by);
        });
        flush();
    }
    /// Accepts a message and hands it over.
    model::MessageId hand_over(std::string platform_id = "wamid.1",
                               Millis decide_within = std::chrono::seconds{60},
                               bool perhaps_sent = false) {
        const auto id = accept();
        hand_over_as(id, std::move(platform_id), decide_within,
                     [&](store::HandOver& work) { work.perhaps_sent = perhaps_sent; });
        return id;
    }
    /// The same of a message whose answer was lost.
    model::MessageId lose_answer(model::WithoutStatus without_status) {
        const auto id = accept();
        hand_over_as(id, {}, std::chrono::seconds{60},
                     [&](store::HandOver& work) { work.without_status = without_status; });
        return id;
    }

    void report(model::Progress progress, std::string platform_id = "wamid.1",
                model::StatusCode code = model::StatusCode::failed,
                std::optional<model::MessageId> message = {}) {
        take({.device = device,
              .platform_id = std::move(platform_id),
              .message = message,
              .status = {.progress = progress, .code = code, .details = {}, .at = clock.now()}});
    }
    void report_passing(model::Outcome verdict, std::optional<model::MessageId> message = {},
                        std::string platform_id = "wamid.1") {
        take({.device = device,
              .platform_id = std::move(platform_id),
              .message = message,
              .status = {.progress = model::Progress::failed,
                         .details = "131047 Re-engagement",
                         .at = clock.now()},
              .verdict = std::move(verdict)});
    }
    void take(const connector::LateStatus& late) {
        LateStatuses::Ended done;
        change([&](store::Tables& tables) {
            done = {};
            const auto known = *tables.find_device(late.device);
            return known ? statuses->take(tables, *known, late, done) : Result<void>{};
        });
        statuses->publish(std::move(done));
    }

    void decide() {
        statuses->decide();
        flush();
    }

    model::MessageState state(const model::MessageId& id) {
        return (*(*store->open_reader())->message(id))->state;
    }
    /// The message as its lane has it.
    store::QueuedMessage queued(const model::MessageId& id) {
        const auto reader = *store->open_reader();
        auto found = *reader->find_queued((*reader->message(id))->message);
        EXPECT_TRUE(found) << "it is not in its lane";
        return found ? std::move(*found) : store::QueuedMessage{};
    }
    void give_device_to_another_account() {
        change([&](store::Tables& tables) { return tables.remove_device(device); });
        model::AccountId other;
        change([&](store::Tables& tables) -> Result<void> {
            other = *tables.create_account({});
            return {};
        });
        add_device(other);
    }
    std::vector<std::string> webhooks() {
        std::vector<std::string> bodies;
        for (const auto& queued : (*store->open_reader())->callbacks({})->records) {
            if (queued.callback.kind == model::CallbackKind::device_event) {
                bodies.push_back(queued.callback.body);
            }
        }
        return bodies;
    }

    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    QueueClock queue_clock{clock};
    admission::Ownership ownership;
    testing::FixedRandom random;
    UuidSource ids{queue_clock, random};
    Notices notices{queue_clock, ids};
    model::PhoneNumber device = model::PhoneNumber::from_stored(6281100000001);
    model::AccountId owner;
    std::vector<store::Finish> ended;
    std::vector<LateStatuses::Returned> returned;
    std::vector<std::string> progressed;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Committer> committer;
    std::unique_ptr<LateStatuses> statuses;
};

}  // namespace merpati::devices
