// The small world of the conformance suite: one fresh store, a clock that stands, records to store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/uuid.hpp"
#include "store/store.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::store {

/// An engine under test: how a fresh directory becomes a store of it.
struct Engine {
    std::string name;
    std::function<StoreOptions(const std::filesystem::path& directory)> options;

    /// Makes a part of a table of the closed store in `directory` unreadable, as a disk does that
    /// lost a page. A part is some ten rows that stand beside each other; parts count from 0.
    std::function<void(const std::filesystem::path& directory, std::string_view table,
                       std::size_t part)>
        damage;
    static constexpr std::size_t last_part = std::numeric_limits<std::size_t>::max();

    /// Fills the disk of all stores of this engine. It has room again when the result is destroyed.
    std::function<std::shared_ptr<void>()> fill_disk;

    friend void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.name; }
};

/// Every engine of this build. A new one is a new row, and must then pass the whole suite.
[[nodiscard]] std::vector<Engine> engines();
[[nodiscard]] std::string name_of(const ::testing::TestParamInfo<Engine>& info);

/// What a Result holds; fails the test where it holds an error.
template <class T>
T take(Result<T> result) {
    if (!result) {
        ADD_FAILURE() << result.error().describe();
        return T{};
    }
    return std::move(*result);
}

/// A directory that goes with the test.
class TemporaryDirectory {
public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

class StoreTest : public ::testing::TestWithParam<Engine> {
protected:
    StoreTest();

    /// Closes the store and opens it again, as after a restart.
    void reopen();

    /// One transaction. Devices that its messages are sent from are added before it, where they
    /// are not there.
    void write(WriteBatch& batch);
    /// The same, without adding anything.
    void write_as_it_is(WriteBatch& batch);

    Result<void> change(std::move_only_function<Result<void>(Tables&)> run);
    std::unique_ptr<Reader> reader();

    model::AccountId create_account(std::optional<std::int64_t> credit = std::nullopt);
    std::optional<std::int64_t> credit_of(model::AccountId account);

    /// `device` for the first account, another number for each other one.
    [[nodiscard]] model::PhoneNumber device_of(model::AccountId owner) const;
    Result<DeviceDecision> add_device(const model::Device& made, bool webhook_given = true);

    /// A message of `account`, not stored yet.
    std::unique_ptr<model::Message> message();
    std::unique_ptr<model::Message> message_due(Timestamp due_at);

    /// Stores a copy of the message; `message.charged` becomes what the store made of it.
    Accept::Result accept(model::Message& message);
    /// Makes a message, due now, and stores it.
    model::Message accepted();
    model::Message accepted_due(Timestamp due_at);

    /// The end of a message that stands in its lane where it was accepted to.
    Finish finish_of(const model::Message& message,
                     model::MessageState state = model::MessageState::sent);
    bool finish(Finish finish);

    model::Callback callback_for(const model::Message& message, std::int64_t origin = 1);
    /// Accepts a message and ends it with this callback.
    model::Callback finished_with_callback(std::int64_t origin = 1);
    void update(model::EventId event, const model::CallbackProgress& progress);

    /// What the lane gives out before `before`, as ids.
    std::vector<model::MessageId> lane_before(Timestamp before, std::size_t limit = 100);

    testing::ManualClock clock;
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    TemporaryDirectory directory;
    StoreOptions options = GetParam().options(directory.path());
    std::unique_ptr<Store> store;
    model::AccountId account;  // Whose messages these are; credit not counted.
    model::PhoneNumber device = model::PhoneNumber::from_stored(6281100000001);
};

}  // namespace merpati::store
