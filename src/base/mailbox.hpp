// A bounded queue in which threads hand work to one owner, who takes all of it at once.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace merpati {

/// Many senders, one owner. The owner takes all waiting items at once, so a busy box costs one lock
/// for many items, and batches grow with load.
///
/// Threads: one owner calls `take_all`, `take_all_for` and `gather`; the rest from any thread.
///
/// Limits: `put` refuses at `capacity` (the sender must answer "busy"). `put_always`, `put_quietly`
/// and `put_all_quietly` do not: they are for items whose number something else bounds, such as
/// results of admitted work.
template <class T>
class Mailbox {
public:
    explicit Mailbox(std::size_t capacity) : capacity_(capacity) {}

    /// False when the box is full or closed; `item` is then untouched.
    [[nodiscard]] bool put(T&& item) {
        {
            const std::lock_guard lock{mutex_};
            if (closed_ || items_.size() >= capacity_) {
                return false;
            }
            items_.push_back(std::move(item));
            if (++urgent_ != wake_at_) {
                return true;  // The owner is awake already, or gathers more.
            }
        }
        filled_.notify_one();
        return true;
    }

    /// Ignores the capacity. False only when the box is closed.
    bool put_always(T&& item) {
        {
            const std::lock_guard lock{mutex_};
            if (closed_) {
                return false;
            }
            items_.push_back(std::move(item));
            if (++urgent_ != wake_at_) {
                return true;
            }
        }
        filled_.notify_one();
        return true;
    }

    /// As put_always, but does not wake the owner; call `wake` after the last of many items.
    bool put_quietly(T&& item) {
        const std::lock_guard lock{mutex_};
        if (closed_) {
            return false;
        }
        items_.push_back(std::move(item));
        return true;
    }

    /// As put_quietly, for several items, which are moved out of `items`; the owner takes all of
    /// them at once.
    bool put_all_quietly(std::vector<T>& items) {
        const std::lock_guard lock{mutex_};
        if (closed_) {
            return false;
        }
        if (items_.empty()) {
            items_.swap(items);  // Their capacities are used again.
        } else {
            std::ranges::move(items, std::back_inserter(items_));
        }
        return true;
    }

    /// Wakes the owner if anything waits.
    void wake() {
        {
            const std::lock_guard lock{mutex_};
            if (items_.empty()) {
                return;
            }
            nudged_ = true;
        }
        filled_.notify_one();
    }

    /// Moves all waiting items into `out` (emptied first). Waits for an item, a nudge (`out` may
    /// then be empty) or the end. False when the box is closed and empty.
    [[nodiscard]] bool take_all(std::vector<T>& out) {
        out.clear();
        std::unique_lock lock{mutex_};
        filled_.wait(lock, [this] { return closed_ || nudged_ || !items_.empty(); });
        nudged_ = false;
        urgent_ = 0;
        out.swap(items_);
        return !out.empty() || !closed_;
    }

    /// As take_all, but waits no longer than `wait`, and items that were put quietly do not end the
    /// wait.
    [[nodiscard]] bool take_all_for(std::vector<T>& out, std::chrono::milliseconds wait) {
        out.clear();
        std::unique_lock lock{mutex_};
        filled_.wait_for(lock, wait, [this] { return closed_ || nudged_ || urgent_ > 0; });
        nudged_ = false;
        urgent_ = 0;
        out.swap(items_);
        return !out.empty() || !closed_;
    }

    /// Sleeps until `count` items wait (those put quietly do not count), for at most `wait`;
    /// `wake`, `nudge` and `close` end the sleep too. Takes nothing.
    void gather(std::size_t count, std::chrono::microseconds wait) {
        std::unique_lock lock{mutex_};
        wake_at_ = count;
        filled_.wait_for(lock, wait,
                         [this, count] { return closed_ || nudged_ || urgent_ >= count; });
        wake_at_ = 1;
    }

    /// Wakes the owner without an item.
    void nudge() {
        {
            const std::lock_guard lock{mutex_};
            nudged_ = true;
        }
        filled_.notify_one();
    }

    /// Refuses further items; those inside can still be taken.
    void close() {
        {
            const std::lock_guard lock{mutex_};
            closed_ = true;
        }
        filled_.notify_all();
    }

    [[nodiscard]] bool closed() const {
        const std::lock_guard lock{mutex_};
        return closed_;
    }

    [[nodiscard]] std::size_t size() const {
        const std::lock_guard lock{mutex_};
        return items_.size();
    }

private:
    const std::size_t capacity_;
    mutable std::mutex mutex_;
    std::condition_variable filled_;
    std::vector<T> items_;
    std::size_t urgent_ = 0;   // Items that were not put quietly.
    std::size_t wake_at_ = 1;  // The owner is woken when `urgent_` reaches this.
    bool closed_ = false;
    bool nudged_ = false;
};

}  // namespace merpati
