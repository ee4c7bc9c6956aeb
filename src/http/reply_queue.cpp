#include "http/reply_queue.hpp"

#include <utility>

#include "http/connection.hpp"

namespace merpati::http {

thread_local const ReplyQueue* ReplyQueue::current_ = nullptr;

void ReplyQueue::put(Item&& item) {
    const std::lock_guard lock{mutex_};
    if (closed_) {
        return;
    }
    items_.push_back(std::move(item));
    if (items_.size() == 1) {
        wake_();
    }
}

void ReplyQueue::take_all(std::vector<Item>& out) {
    const std::lock_guard lock{mutex_};
    out.swap(items_);
}

void ReplyQueue::close() {
    std::vector<Item> dropped;
    const std::lock_guard lock{mutex_};
    closed_ = true;
    dropped.swap(items_);
}

}  // namespace merpati::http
