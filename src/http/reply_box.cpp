#include "http/reply_box.hpp"

#include <utility>

#include "http/connection.hpp"

namespace merpati::http {

thread_local const ReplyBox* ReplyBox::current_ = nullptr;

void ReplyBox::put(Mail&& mail) {
    const std::lock_guard lock{mutex_};
    if (closed_) {
        return;
    }
    mails_.push_back(std::move(mail));
    if (mails_.size() == 1) {
        wake_();
    }
}

void ReplyBox::take_all(std::vector<Mail>& out) {
    const std::lock_guard lock{mutex_};
    out.swap(mails_);
}

void ReplyBox::close() {
    std::vector<Mail> dropped;
    const std::lock_guard lock{mutex_};
    closed_ = true;
    dropped.swap(mails_);
}

}  // namespace merpati::http
