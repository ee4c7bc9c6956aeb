// The backlog: attaches and detaches accounts.
#include <utility>

#include "callback/backlog.hpp"

namespace merpati::callback {

void Backlog::attach(model::AccountId account) {
    auto& queue = account_of(account);
    if (queue.leaving != nullptr) {
        queue.leaving->comes_back = true;
    } else {
        elsewhere_.erase(account);
        note_unlisted(queue, Timestamp{});
    }
}

void Backlog::detach(model::AccountId account, model::Leave how,
                     std::move_only_function<void()> done) {
    elsewhere_.insert(account);
    const auto found = accounts_.find(account);
    if (found == accounts_.end()) {
        done();
        return;
    }
    auto& queue = *found->second;
    if (queue.leaving == nullptr) {
        begin_leaving(queue);
    }
    queue.leaving->comes_back = false;
    if (how == model::Leave::when_settled) {
        queue.leaving->done.push_back(std::move(done));
    } else {
        queue.leaving->drops_results = true;
        done();
    }
    end_if_left(queue);
}

/// Its callbacks wait in the store from now on, except those in flight.
void Backlog::begin_leaving(AccountQueue& account) {
    account.leaving = std::make_unique<AccountLeaving>();
    account.unlisted_due.reset();
    account.scanning = false;
    std::erase(scans_, account.id);
    for (auto place = account.origins.begin(); place != account.origins.end();) {
        auto& origin = *(place++)->second;
        empty(origin);
        if (origin.in_flight == 0 && origin.committing == 0) {
            remove(origin);
        }
    }
}

/// Leaves its callbacks on disk alone.
void Backlog::empty(OriginQueue& origin) {
    for (const auto& delivery : origin.memory) {
        release(origin, *delivery);
        loaded_.erase(delivery->queued.callback.id);
    }
    memory_count_ -= origin.memory.size();
    origin.memory.clear();
    origin.disk_due.reset();
    origin.ready_link.unlink();
    origin.idle_link.unlink();
    for (auto* ready : {&origin.account.prompt, &origin.account.slow}) {
        if (ready->origins.empty()) {
            ready->link.unlink();
        }
    }
}

void Backlog::end_if_left(OriginQueue& origin) {
    auto& account = origin.account;
    if (origin.in_flight == 0 && origin.committing == 0) {
        remove(origin);
        end_if_left(account);
    }
}

void Backlog::end_if_left(AccountQueue& account) {
    if (!account.origins.empty()) {
        return;
    }
    const auto left = std::move(account.leaving);
    const auto id = account.id;
    accounts_.erase(id);
    for (auto& done : left->done) {
        done();
    }
    if (left->comes_back) {
        attach(id);
    }
}

}  // namespace merpati::callback
