// The fixture of the conformance suite: a new store, a manual clock, and records to store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "base/uuid.hpp"
#include "store/store.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::store {

/// An engine under test.
struct Engine {
    std::string name;
    std::function<StoreOptions(const std::filesystem::path& directory)> options;  // Of a new store.

    /// Whether a store is files in the directory, so that the store itself makes backups.
    bool has_files = true;

    /// Makes a part of a table unreadable, like a disk that lost a page, at least until the result
    /// is destroyed. The store in `directory` must be closed. A part is some ten adjacent rows;
    /// parts count from 0. Empty: the pages are those of another program, and the test is skipped.
    std::function<std::shared_ptr<void>(const std::filesystem::path& directory,
                                        std::string_view table, std::size_t part)>
        damage;
    static constexpr std::size_t last_part = std::numeric_limits<std::size_t>::max();

    /// Fills the disk of all stores of this engine, until the result is destroyed.
    std::function<std::shared_ptr<void>()> fill_disk;

    /// Locks the store in `directory` for writing, as another program might, until the result is
    /// destroyed.
    std::function<std::shared_ptr<void>(const std::filesystem::path& directory)> lock;

    /// What a store is wrapped in. Empty: nothing.
    std::function<std::unique_ptr<Store>(std::unique_ptr<Store>)> wrap;

    friend void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.name; }
};

/// Every engine of this build. A new engine is added here and must pass the whole suite.
[[nodiscard]] std::vector<Engine> engines();
/// The same, and once more those whose connection can be cut, with that done. For suites that
/// together use most statements of batches.
[[nodiscard]] std::vector<Engine> engines_and_cuts();
/// As `engines`, each once for every way in which its `damage` can make a part unreadable.
[[nodiscard]] std::vector<Engine> engines_by_damage();
[[nodiscard]] std::string name_of(const ::testing::TestParamInfo<Engine>& info);

/// The value of a Result. An error fails the test.
template <class T>
T take(Result<T> result) {
    if (!result) {
        ADD_FAILURE() << result.error().describe();
    }
    if constexpr (!std::is_void_v<T>) {
        return result ? std::move(*result) : T{};
    }
}

/// A directory that is removed after the test.
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
    /// Opens a store that runs each change twice (RepeatingStore).
    StoreTest();

    /// Closes the store and opens it again, as after a restart.
    void reopen();

    /// Writes one transaction. First adds the devices of its accepts if they are missing.
    void write(WriteBatch& batch);
    /// Writes one transaction, and adds nothing before.
    void write_as_it_is(WriteBatch& batch);

    Result<void> change(std::move_only_function<Result<void>(Tables&)> run);
    /// For retention, which goes on behind what it removed last: what was undone is removed in the
    /// next round.
    Result<void> change_once(std::move_only_function<Result<void>(Tables&)> run);
    std::unique_ptr<Reader> reader();

    model::AccountId create_account(std::optional<std::int64_t> credit = std::nullopt);
    std::optional<std::int64_t> credit_of(model::AccountId account);

    /// `device` for the first account, a number of its own for each other account.
    [[nodiscard]] model::PhoneNumber device_of(model::AccountId owner) const;
    Result<DeviceDecision> add_device(const model::Device& made, bool webhook_given = true);

    /// A message of `account`, not stored yet.
    std::unique_ptr<model::Message> message();
    std::unique_ptr<model::Message> message_due(Timestamp due_at);

    /// Stores a copy of the message, and sets `message.charged` as the store did.
    Accept::Result accept(model::Message& message);
    /// Makes a message, due now, and stores it.
    model::Message accepted();
    model::Message accepted_due(Timestamp due_at);

    /// The end of a message that is still at its first place in the lane.
    Finish finish_of(const model::Message& message,
                     model::MessageState state = model::MessageState::sent);
    bool finish(Finish finish);

    model::Callback callback_for(const model::Message& message, std::int64_t origin = 1);
    /// Accepts a message and ends it with this callback.
    model::Callback finished_with_callback(std::int64_t origin = 1);
    /// Accepts messages and ends them in one batch. The ids of their callbacks follow each other.
    std::vector<model::Callback> finished_together(std::size_t count);
    void update(model::EventId event, const model::CallbackProgress& progress);

    /// The ids of the lane's messages that are due before `before`.
    std::vector<model::MessageId> lane_before(Timestamp before, std::size_t limit = 100);

    testing::ManualClock clock;
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    TemporaryDirectory directory;
    StoreOptions options = GetParam().options(directory.path());
    std::unique_ptr<Store> store;
    model::AccountId account;  // Owns the messages; its credit is not counted.
    model::PhoneNumber device = model::PhoneNumber::from_stored(6281100000001);
    bool is_repeated = true;  // Whether each change runs twice.

private:
    void open();

    model::AccountId first_account_;  // Ids of an engine may have gaps.
};

}  // namespace merpati::store
