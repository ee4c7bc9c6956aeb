// What is read from the store meets what is on its way from acceptance.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/uuid.hpp"
#include "scheduler/dispatcher.hpp"
#include "store/store.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

/// Takes every message and never says what became of it.
class SilentConnector final : public connector::Connector {
public:
    std::vector<model::MessageId> sent;

    [[nodiscard]] const connector::Capabilities& capabilities() const override {
        return capabilities_;
    }
    [[nodiscard]] Result<void> start(connector::ConnectorEvents&) override { return {}; }
    void stop() override {}
    void start_device(const model::Device&, std::string_view) override {}
    void answer_pairing(model::PhoneNumber, std::string_view, std::string_view) override {}
    void stop_device(model::PhoneNumber) override {}
    void forget_device(model::PhoneNumber) override {}
    void send(const connector::SendRequest& request) override {
        sent.push_back(request.message.id);
    }

private:
    connector::Capabilities capabilities_{.window = 16};
};

struct DispatcherLoadTest : ::testing::Test {
    DispatcherLoadTest() {
        auto pattern = (std::filesystem::temp_directory_path() / "merpati-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        store = *store::open_store({.url = "sqlite:" + (folder / "merpati.db").string()});
        committer = std::make_unique<store::Committer>(clock, *store, store::CommitterOptions{},
                                                       [](const Error&) {});
        auto silent = std::make_unique<SilentConnector>();
        connector = silent.get();
        connectors.add(model::ConnectorKind::simulator, std::move(silent));
        device.number = *model::PhoneNumber::parse("6289876543210");
        device.account = {.value = 1};
        device.state = model::DeviceState::connected;
    }
    ~DispatcherLoadTest() override {
        committer.reset();
        store.reset();
        std::filesystem::remove_all(folder);
    }

    [[nodiscard]] std::unique_ptr<model::Message> message(Millis delay) {
        auto made = std::make_unique<model::Message>();
        made->id = ids.next();
        made->account = device.account;
        made->device = device.number;
        made->recipient = "6281234567890";
        made->body = "halo";
        made->accepted_at = clock.now();
        made->due_at = clock.now() + delay;
        return made;
    }

    /// Commits an acceptance; gives the message back, as the committer would.
    [[nodiscard]] std::unique_ptr<model::Message> commit(std::unique_ptr<model::Message> message) {
        store::WriteBatch batch;
        batch.accepts.emplace_back();
        batch.accepts.back().message = std::move(message);
        EXPECT_TRUE(store->write(batch));
        return std::move(batch.accepts.front().message);
    }

    template <class One>
    void step(Dispatcher& dispatcher, One event) {
        std::vector<Event> events;
        events.emplace_back(std::move(event));
        dispatcher.step(events);
    }

    std::filesystem::path folder;
    testing::ManualClock clock;
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Committer> committer;
    connector::Connectors connectors;
    SilentConnector* connector = nullptr;
    model::Device device;
    CallbackFactory callbacks = [](const auto&, const auto&) {
        return std::optional<model::Callback>{};
    };
    FinishListener on_finish = [](store::Finish&&) {};
};

TEST_F(DispatcherLoadTest, AMessageReadBeforeItsAcceptanceIsHeardOfIsSentOnce) {
    const auto waiting = commit(message(0ms));
    Dispatcher dispatcher{clock,     random,    *committer, connectors,
                          callbacks, on_finish, Options{},  [](Event&&) {}};
    ASSERT_TRUE(dispatcher.recover(*store->open_reader()));
    auto immediate = commit(message(0ms));
    auto later = commit(message(1s));
    const auto immediate_id = immediate->id;
    const auto later_id = later->id;

    step(dispatcher, DeviceChanged{.device = device});  // Reads all three from the store.
    EXPECT_EQ(connector->sent, (std::vector{waiting->id, immediate_id}));

    step(dispatcher, Accepted{.message = std::move(immediate)});
    step(dispatcher, Accepted{.message = std::move(later)});
    clock.advance(1s);
    step(dispatcher, DeviceChanged{.device = device});
    EXPECT_EQ(connector->sent, (std::vector{waiting->id, immediate_id, later_id}));
    EXPECT_EQ(dispatcher.counts().messages_in_memory, 0U);
}

}  // namespace
}  // namespace merpati::scheduler
