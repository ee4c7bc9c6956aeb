// The backlog: attaches and detaches accounts.
#include <algorithm>
#include <utility>
#include <vector>

#include "callback/backlog.hpp"

namespace merpati::callback {

bool Backlog::is_elsewhere(model::AccountId id) const {
    const auto found = accounts_.find(id);
    return elsewhere_.has(id) || (found != accounts_.end() && found->second->leaving != nullptr);
}

void Backlog::attach(const store::ShardSet& shards) {
    elsewhere_.remove(shards);
    to_find_.add(shards);
    for (auto& [id, account] : accounts_) {
        if (shards.has(id) && account->leaving != nullptr) {
            account->leaving->comes_back = true;
        }
    }
    find_accounts();
}

/// A read that failed is repeated.
void Backlog::find_accounts() {
    if (to_find_.empty() || steady_ < find_at_) {
        return;
    }
    const auto accounts = reader_->callback_accounts_of(to_find_);
    if (!accounts) {
        find_at_ = read_failed(accounts.error());
        return;
    }
    to_find_ = {};
    std::ranges::for_each(*accounts, [this](auto id) { find(id); });
}

/// Looks for the account's callbacks in the store.
void Backlog::find(model::AccountId account) {
    auto& queue = account_of(account);
    if (queue.leaving == nullptr) {
        note_unlisted(queue, Timestamp{});
    }
}

void Backlog::detach(const store::ShardSet& shards, model::Leave how,
                     const std::shared_ptr<const void>& done) {
    elsewhere_.add(shards);
    to_find_.remove(shards);
    std::vector<AccountQueue*> leaving;
    for (auto& [id, account] : accounts_) {
        if (shards.has(id)) {
            leaving.push_back(account.get());
        }
    }
    for (auto* queue : leaving) {
        if (queue->leaving == nullptr) {
            begin_leaving(*queue);
        }
        queue->leaving->comes_back = false;
        if (how == model::Leave::when_settled) {
            queue->leaving->done.push_back(done);
        } else {
            queue->leaving->drops_results = true;
        }
        end_if_left(*queue);
    }
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
    if (left->comes_back) {
        find(id);
    }
}

}  // namespace merpati::callback
