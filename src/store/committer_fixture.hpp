// A committer on a store that writes nothing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "store/committer.hpp"

namespace merpati::store {

using namespace std::chrono_literals;

inline constexpr auto deadline = 20s;

/// A store that writes nothing, blocks or fails as the test wants, and records the size of batches.
class RecordingStore final : public Store {
public:
    Result<void> write(WriteBatch& batch) override {
        std::unique_lock lock{mutex_};
        entered_ += 1;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !held_; });
        std::size_t size = 0;
        batch.for_each_kind([&size](const auto& elements) { size += elements.size(); });
        sizes_.push_back(size);
        if (failing_) {
            return fail(ErrorCode::store_failed, "the disk is gone");
        }
        batch.undecided = away_ && unsure_;
        condition_.set_available(!away_);
        if (away_) {
            return fail(ErrorCode::unavailable, "no route to the database at 10.0.0.5");
        }
        if (fenced_) {
            return fail(ErrorCode::fenced, "generation 4 was deposed");
        }
        if (full_) {
            condition_.set_room(Room::none, 0);
            for (auto& accept : batch.accepts) {
                accept.result = Accept::Result::no_room;
            }
            for (auto& change : batch.changes) {
                change.result = fail(ErrorCode::busy, "the disk is full");
            }
            return fail(ErrorCode::busy, "the disk is full");
        }
        for (auto& finish : batch.finishes) {
            finish.finished = true;
        }
        for (auto& change : batch.changes) {
            change.result = fail(ErrorCode::refused, "changed its mind");
        }
        return {};
    }
    Result<std::unique_ptr<Reader>> open_reader() override {
        return fail(ErrorCode::store_failed, "this one reads nothing");
    }
    Result<void> maintain(bool is_idle) override {
        std::unique_lock lock{mutex_};
        maintained_ += 1;
        checkpoints_ += is_idle ? 1 : 0;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !slow_; });
        return broken_ && is_idle ? fail(ErrorCode::store_failed, "the disk is gone")
                                  : Result<void>{};
    }
    Result<void> checkpoint() override { return {}; }
    Sha256 fingerprint(std::string_view text) const override { return sha256(text); }
    void look_at_disk() override {
        const std::lock_guard lock{mutex_};
        condition_.set_room(full_ ? Room::none : Room::ample, 0);
    }
    const Condition& condition() const noexcept override { return condition_; }
    std::uint64_t bytes_on_disk() const override { return 0; }
    Result<void> backup(const std::filesystem::path&) override { return {}; }

    void hold() { set(held_, true); }
    void let_go() { set(held_, false); }
    void start_failing() { set(failing_, true); }
    void fill() { set(full_, true); }
    void make_room() { set(full_, false); }
    void go_away() { set(away_, true); }
    void go_away_in_a_commit() {
        set(unsure_, true);
        set(away_, true);
    }
    void come_back() { set(away_, false); }
    void depose() { set(fenced_, true); }
    void break_checkpoints() { set(broken_, true); }
    void hold_maintenance() { set(slow_, true); }
    void end_maintenance() { set(slow_, false); }
    bool wait_for_maintenance() {
        return wait([&] { return maintained_ > 0; });
    }

    bool wait_for_writes(int count) {
        return wait([&] { return entered_ >= count; });
    }
    bool wait_for_checkpoints(int count) {
        return wait([&] { return checkpoints_ >= count; });
    }
    std::vector<std::size_t> sizes() {
        const std::lock_guard lock{mutex_};
        return sizes_;
    }

private:
    void set(bool& flag, bool value) {
        const std::lock_guard lock{mutex_};
        flag = value;
        changed_.notify_all();
    }
    template <class Condition>
    bool wait(Condition condition) {
        std::unique_lock lock{mutex_};
        return changed_.wait_for(lock, deadline, condition);
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool held_ = false;
    bool failing_ = false;
    bool full_ = false;
    bool away_ = false;
    bool unsure_ = false;
    bool fenced_ = false;
    bool broken_ = false;
    bool slow_ = false;
    int maintained_ = 0;
    Condition condition_;
    int entered_ = 0;
    int checkpoints_ = 0;
    std::vector<std::size_t> sizes_;
};

struct CommitterTest : ::testing::Test {
    SystemClock clock;
    RecordingStore store;
    std::atomic<int> fatals = 0;
    std::atomic<int> done = 0;

    std::unique_ptr<Committer> committer(CommitterOptions options = {}) {
        return std::make_unique<Committer>(clock, store, options,
                                           [this](const Error&) { fatals += 1; });
    }

    bool accept(Committer& to) {
        return to.accept({.message = std::make_unique<model::Message>()},
                         [this](Accept&&) { done += 1; });
    }
    void finish(Committer& to) {
        to.finish({.message = std::make_unique<model::Message>()}, [this](Finish&& finished) {
            EXPECT_TRUE(finished.finished);
            done += 1;
        });
    }
    static Result<void> nothing(Tables&) { return {}; }
};

}  // namespace merpati::store
