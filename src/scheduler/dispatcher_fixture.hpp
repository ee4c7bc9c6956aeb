// A Dispatcher with a real store, a clock that the test moves, and a platform that the test
// simulates.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "scheduler/dispatcher.hpp"
#include "store/conformance/repeating_store.hpp"
#include "store/store.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::scheduler {

/// Takes every message; the test reports the outcomes.
class ScriptedConnector final : public connector::Connector {
public:
    std::vector<model::MessageId> sent;
    std::vector<model::MessageId> templates;  // Of `sent`, those to be sent as the template.
    std::vector<std::string> files;           // MIME types of the files that came.
    connector::Capabilities abilities{.window = 16};
    bool hold_unknown = false;

    [[nodiscard]] connector::CapabilitiesPtr capabilities() const override {
        return std::make_shared<const connector::Capabilities>(abilities);
    }
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber) const override {
        return model::DeviceState::connected;
    }
    [[nodiscard]] Result<void> start(connector::ConnectorEvents&,
                                     connector::DeviceSecrets&) override {
        return {};
    }
    void stop() override {}
    void start_device(const model::Device&, std::string_view) override {}
    void answer_pairing(model::PhoneNumber, std::string_view, Settled settled) override {
        settled({});
    }
    void stop_device(model::PhoneNumber) override {}
    void forget_device(model::PhoneNumber) override {}
    [[nodiscard]] bool holds_unknown(model::PhoneNumber) const override { return hold_unknown; }
    void send(const connector::SendRequest& request) override {
        sent.push_back(request.message.id);
        if (request.as_template) {
            templates.push_back(request.message.id);
        }
        if (request.file != nullptr) {
            files.push_back(request.file->media_type);
        }
    }
};

struct DispatcherFixture : ::testing::Test {
    DispatcherFixture() {
        store =
            store::open_repeating_store({.url = "sqlite:" + temporary_folder.file("merpati.db")});
        committer = std::make_unique<store::Committer>(clock, *store, store::CommitterOptions{},
                                                       [](const Error&) {});
        auto scripted = std::make_unique<ScriptedConnector>();
        connector = scripted.get();
        connectors.add("scripted", std::move(scripted));
        device.connector = "scripted";
        device.number = *model::PhoneNumber::parse("6289876543210");
        device.account = {.value = 1};
        device.state = model::DeviceState::connected;
        EXPECT_TRUE(change([](store::Tables& tables) -> Result<void> {
            EXPECT_EQ(tables.create_account({})->value, 1);
            return {};
        }));
    }
    ~DispatcherFixture() override {
        committer.reset();
        dispatcher.reset();
        store.reset();
    }

    /// Starts the dispatcher on what the store holds, and the committer's thread.
    void start() {
        committer->start();
        dispatcher = std::make_unique<Dispatcher>(
            queue_clock, random, *committer, connectors, callbacks, on_finish, options,
            [this](Event&& event) {
                const std::lock_guard lock{mutex};
                (holds_results ? held : events).push_back(std::move(event));
            });
        ASSERT_TRUE(dispatcher->recover(wrap_reader(*store->open_reader())));
        post(DeviceChanged{.device = device});
    }

    /// The process ends without a shutdown, after the committer has written its work, and starts
    /// again.
    void restart() {
        committer->stop();
        dispatcher.reset();
        events.clear();
        held.clear();
        connector->sent.clear();
        committer = std::make_unique<store::Committer>(clock, *store, store::CommitterOptions{},
                                                       [](const Error&) {});
        start();
    }

    Result<void> change(std::move_only_function<Result<void>(store::Tables&)> run) {
        if (dispatcher != nullptr) {
            return committer->change_and_wait(std::move(run));
        }
        store::WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        EXPECT_TRUE(store->write(batch));
        return batch.changes.front().result;
    }

    void store_device(model::PhoneNumber number, model::AccountId account) {
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            EXPECT_TRUE(tables.add_device({.number = number, .account = account}, false));
            return {};
        }));
    }

    [[nodiscard]] std::unique_ptr<model::Message> message(Millis delay = Millis{0}) {
        auto made = std::make_unique<model::Message>();
        made->id = ids.next();
        made->account = device.account;
        made->device = device.number;
        made->recipient = "6281234567890";
        made->body = "halo";
        made->accepted_at = clock.now();
        made->due_at = queue_clock.now() + delay;
        return made;
    }

    /// Stores a message as an acceptance would, and its device if it is missing; returns it as the
    /// committer would.
    [[nodiscard]] std::unique_ptr<model::Message> commit(std::unique_ptr<model::Message> message) {
        std::unique_ptr<model::Message> stored;
        store_device(message->device, message->account);
        if (dispatcher == nullptr) {
            store::WriteBatch batch;
            batch.accepts.push_back({.message = std::move(message)});
            EXPECT_TRUE(store->write(batch));
            return std::move(batch.accepts.front().message);
        }
        EXPECT_TRUE(committer->accept({.message = std::move(message)}, [&](store::Accept&& done) {
            stored = std::move(done.message);
        }));
        flush();
        return stored;
    }

    /// Stores a message and posts its event; returns its id.
    model::MessageId accept(std::unique_ptr<model::Message> message) {
        auto stored = commit(std::move(message));
        const auto id = stored->id;
        post(Accepted{.message = std::move(stored)});
        return id;
    }

    /// Stores a message whose send needs an intent: it is delivered at most once.
    std::unique_ptr<model::Message> careful() {
        auto made = message();
        made->delivery = model::Delivery::at_most_once;
        return commit(std::move(made));
    }

    /// Begins the send of such a message. Its intent is being committed:
    /// what is posted next comes before the result.
    model::MessageId begin_careful_send() {
        auto stored = careful();
        const auto id = stored->id;
        std::vector<Event> now;
        now.emplace_back(Accepted{.message = std::move(stored)});
        {
            const std::lock_guard lock{mutex};
            holds_results = true;
        }
        dispatcher->step(now);
        return id;
    }

    /// Gives the dispatcher an event, and runs everything that follows from it.
    template <class One>
    void post(One event) {
        {
            const std::lock_guard lock{mutex};
            events.emplace_back(std::move(event));
        }
        settle();
    }

    /// Steps until nothing is left to do at this moment.
    void settle() {
        {
            const std::lock_guard lock{mutex};
            holds_results = false;
            std::ranges::move(std::exchange(held, {}), std::back_inserter(events));
        }
        for (int turn = 0; turn < 200; ++turn) {
            std::vector<Event> now;
            {
                const std::lock_guard lock{mutex};
                now.swap(events);
            }
            dispatcher->step(now);
            flush();
            const std::lock_guard lock{mutex};
            if (events.empty() && dispatcher->next_step_at() > queue_clock.now()) {
                return;
            }
        }
        FAIL() << "the dispatcher does not become idle";
    }

    void advance(Millis by) {
        clock.advance(by);
        settle();
    }

    void report(const model::MessageId& id, model::Outcome::Kind kind,
                model::StatusCode code = model::StatusCode::failed) {
        post(Reported{.message = id,
                      .outcome = {.kind = kind, .code = code, .details = "kata platform"}});
    }
    void report_sent(const model::MessageId& id) {
        report(id, model::Outcome::Kind::sent, model::StatusCode::sent);
    }

    [[nodiscard]] store::MessageRecord stored(const model::MessageId& id) {
        auto reader = *store->open_reader();
        return **reader->message(id);
    }
    [[nodiscard]] model::MessageState state(const model::MessageId& id) { return stored(id).state; }

    /// Waits until earlier operations are committed, by two empty changes: the first may share
    /// their batch, the second is in a later one.
    void flush() {
        for (int change = 0; dispatcher != nullptr && change < 2; ++change) {
            EXPECT_TRUE(
                committer->change_and_wait([](store::Tables&) -> Result<void> { return {}; }));
        }
    }

    testing::TemporaryFolder temporary_folder;
    testing::ManualClock clock;
    QueueClock queue_clock{clock};
    testing::FixedRandom random;
    UuidSource ids{queue_clock, random};
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Committer> committer;
    connector::Connectors connectors;
    ScriptedConnector* connector = nullptr;
    model::Device device;
    Options options;
    CallbackFactory callbacks = [](const auto&, const auto&) {
        return std::optional<model::Callback>{};
    };
    FinishListener on_finish = [](store::Finish&&) {};
    /// Stands between the dispatcher and the store's reader.
    std::function<std::unique_ptr<store::LaneReader>(std::unique_ptr<store::Reader>)> wrap_reader =
        [](std::unique_ptr<store::Reader> real) { return real; };
    std::unique_ptr<Dispatcher> dispatcher;
    std::mutex mutex;
    std::vector<Event> events;
    std::vector<Event> held;  // Come after what is posted next.
    bool holds_results = false;
};

}  // namespace merpati::scheduler
