#include "media/byte_budget.hpp"

#include <string>

#include "base/assert.hpp"

namespace merpati::media {

struct ByteBudget::HeldFile {
    File file;
    Holder holder;
    std::shared_ptr<Released> released;

    HeldFile(File its_file, Holder its_holder, std::shared_ptr<Released> its_released)
        : file(std::move(its_file)),
          holder(std::move(its_holder)),
          released(std::move(its_released)) {}
    HeldFile(const HeldFile&) = delete;
    HeldFile& operator=(const HeldFile&) = delete;
    ~HeldFile() {
        const std::lock_guard lock{released->mutex};
        released->holders.push_back(std::move(holder));
    }
};

bool ByteBudget::reserve(model::AccountId account, std::uint64_t bytes) {
    collect_released();
    auto& found = accounts_[account];
    const bool reserved = !keeping_free_ && found.line.empty() && take(found, bytes);
    forget_if_idle(account);
    return reserved;
}

bool ByteBudget::take(Account& account, std::uint64_t bytes) {
    if (!bytes_.admits(account.used, bytes) || !storage_.make_room(reserved_ + bytes)) {
        return false;
    }
    account.used += bytes;
    reserved_ += bytes;
    bytes_.acquire(bytes);
    return true;
}

void ByteBudget::give_back(model::AccountId account, std::uint64_t bytes) {
    if (bytes == 0) {
        return;
    }
    auto& found = accounts_[account];
    invariant(found.used >= bytes && reserved_ >= bytes, "what is given back was reserved");
    found.used -= bytes;
    reserved_ -= bytes;
    bytes_.release(bytes);
    forget_if_idle(account);
}

std::shared_ptr<void> ByteBudget::lend(model::AccountId account, std::uint64_t bytes) {
    if (!reserve(account, bytes)) {
        return nullptr;
    }
    return {this, [loan = Loan{.account = account, .bytes = bytes}, released = released_](void*) {
                const std::lock_guard lock{released->mutex};
                released->loans.push_back(loan);
            }};
}

void ByteBudget::wait(model::AccountId account, std::uint64_t bytes, Granted go) {
    auto& found = accounts_[account];
    if (found.line.empty()) {
        round_.push_back(account);
    }
    found.line.push_back({.bytes = bytes, .go = std::move(go)});
    ++waiting_;
}

FilePtr ByteBudget::hold(model::AccountId account, ContentPtr content,
                         std::string_view media_type) {
    const auto room = CacheStorage::room_of(content->bytes);
    auto& holders = holders_[content.get()];
    bytes_.acquire(holders.empty() ? room : 0);
    if (++holders[account] == 1) {
        accounts_[account].used += room;
    }
    File file{.path = content->path,
              .media_type = std::string{media_type},
              .bytes = content->bytes,
              .sha256 = content->sha256};
    auto held = std::make_shared<HeldFile>(
        std::move(file), Holder{.account = account, .content = std::move(content)}, released_);
    return {held, &held->file};
}

void ByteBudget::collect_released() {
    std::vector<Holder> released;
    std::vector<Loan> loans;
    {
        const std::lock_guard lock{released_->mutex};
        released.swap(released_->holders);
        loans.swap(released_->loans);
    }
    for (const auto& loan : loans) {
        give_back(loan.account, loan.bytes);
    }
    for (const auto& [account, content] : released) {
        const auto room = CacheStorage::room_of(content->bytes);
        const auto found = holders_.find(content.get());
        invariant(found != holders_.end(), "what is let go of was held");
        auto& holders = found->second;
        if (--holders[account] > 0) {
            continue;
        }
        holders.erase(account);
        accounts_[account].used -= room;
        forget_if_idle(account);
        if (holders.empty()) {
            bytes_.release(room);
            holders_.erase(found);
        }
    }
}

bool ByteBudget::serve() {
    collect_released();
    keeping_free_ = false;
    for (std::size_t refused = 0; refused < round_.size() && !keeping_free_;) {
        const auto id = round_.front();
        auto& account = accounts_[id];
        auto& next = account.line.front();
        if (!take(account, next.bytes)) {
            keeping_free_ = account.used == 0;
            if (!keeping_free_) {
                round_.splice(round_.end(), round_, round_.begin());
                ++refused;
            }
            continue;
        }
        refused = 0;
        auto go = std::move(next.go);
        account.line.pop_front();
        --waiting_;
        if (account.line.empty()) {
            round_.pop_front();
        } else {
            round_.splice(round_.end(), round_, round_.begin());
        }
        go();
    }
    return waiting_ > 0;
}

void ByteBudget::clear() {
    round_.clear();
    keeping_free_ = false;
    waiting_ = 0;
    for (auto account = accounts_.begin(); account != accounts_.end();) {
        account->second.line.clear();
        account = account->second.used == 0 ? accounts_.erase(account) : std::next(account);
    }
}

void ByteBudget::forget_if_idle(model::AccountId account) {
    const auto found = accounts_.find(account);
    if (found != accounts_.end() && found->second.used == 0 && found->second.line.empty()) {
        accounts_.erase(found);
    }
}

}  // namespace merpati::media
