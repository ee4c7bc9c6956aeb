#include "callback/backlog.hpp"

#include <algorithm>

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t records_max = 16'384;  // Origins with a queue: half a KiB each.
constexpr std::size_t walk_page = 64;        // Origins listed at once,
constexpr std::size_t load_page = 128;       // and callbacks read.
constexpr std::size_t unproven_memory = 4;
constexpr Millis store_pause = 1s;  // After a failed read.
constexpr Millis memory_pause = 100ms;
constexpr Millis walk_pause = 1s;       // Between two walks over an account's origins.
constexpr Millis timer_longest = 5min;  // So that the timers of queues long gone are few.

std::size_t weight_of(const model::Callback& callback) {
    return 1 + (callback.url.size() + callback.body.size()) / 1024;
}

}  // namespace

Backlog::Backlog(const Options& options, Held held)
    : options_(options),
      held_(std::move(held)),
      memory_(options.memory_max),
      records_(records_max) {}

Backlog::~Backlog() = default;

Result<void> Backlog::recover(std::unique_ptr<store::Reader> reader) {
    reader_ = std::move(reader);
    auto accounts = reader_->callback_accounts();
    if (!accounts) {
        return pass(accounts);
    }
    for (const auto id : *accounts) {
        leave_on_disk(account_of(id), Timestamp{});
    }
    return {};
}

void Backlog::set_now(Timestamp now, SteadyTime steady) {
    now_ = now;
    steady_ = steady;
}

void Backlog::add(model::Callback callback) {
    // It may have been read from the store between its commit and this call.
    if (held_(callback.id) || loaded_.contains(callback.id)) {
        return;
    }
    auto& account = account_of(callback.account);
    auto* origin = queue_of(account, callback.origin_key, true);
    if (origin == nullptr) {
        leave_on_disk(account, callback.created_at);
        return;
    }
    const bool due_on_disk = origin->disk_due && *origin->disk_due <= now_;
    if (!due_on_disk && origin->memory.size() < memory_max(*origin) &&
        memory_.open_to(account.in_memory)) {
        const auto due = callback.created_at;
        put(*origin, {.callback = std::move(callback), .progress = {.due_at = due}});
    } else {
        origin->note_on_disk(std::min(callback.created_at, now_));
    }
    make_ready(*origin);
}

void Backlog::note(const store::Endpoint& endpoint, Timestamp due) {
    auto& account = account_of(endpoint.account);
    auto* origin = queue_of(account, endpoint.origin_key, due <= now_);
    if (origin == nullptr) {
        leave_on_disk(account, due);
        return;
    }
    origin->note_on_disk(due);
    make_ready(*origin);
}

void Backlog::wake_due() {
    while (!timers_.empty() && timers_.top().at <= steady_) {
        const auto timer = timers_.top();
        timers_.pop();
        const auto account = accounts_.find(timer.endpoint.account);
        if (account == accounts_.end()) {
            continue;
        }
        if (timer.walk) {
            account->second->walk_at = SteadyTime::max();
            if (const auto due = account->second->unlisted_due) {
                leave_on_disk(*account->second, *due);
            }
            continue;
        }
        const auto origin = account->second->origins.find(timer.endpoint.origin_key);
        if (origin != account->second->origins.end()) {
            origin->second->timer_at = SteadyTime::max();
            make_ready(*origin->second);
        }
    }
    if (!walks_.empty()) {
        list_origins();
    }
}

SteadyTime Backlog::next_due() const {
    return timers_.empty() ? SteadyTime::max() : timers_.top().at;
}

void Backlog::make_ready(OriginQueue& origin) {
    origin.idle_link.unlink();
    if (origin.turn.is_linked()) {
        return;
    }
    const bool prompt = origin.health.prompt();
    auto& turn = prompt ? origin.account.prompt : origin.account.slow;
    turn.ready.push_back(origin);
    if (!turn.link.is_linked()) {
        round(!prompt).push_back(turn);
    }
}

bool Backlog::fill(OriginQueue& origin) {
    const auto most = memory_max(origin);
    if (!origin.disk_due || *origin.disk_due > now_ ||
        origin.memory.size() > std::min(most, load_page) / 4) {
        return true;
    }
    const auto room = std::min(
        {most - origin.memory.size(), load_page, memory_.room_for(origin.account.in_memory)});
    if (room == 0) {
        arm(origin, steady_ + memory_pause);
        return !origin.memory.empty();
    }
    std::unordered_set<Uuid> here;
    for (const auto& delivery : origin.memory) {
        here.insert(delivery->queued.callback.id);
    }
    const store::Endpoint endpoint{.account = origin.account.id, .origin_key = origin.key};
    const Timestamp before = now_ + 1ms;
    auto loaded = reader_->load_callbacks(
        endpoint, before, room, [&](const Uuid& id) { return here.contains(id) || held_(id); });
    const bool all = loaded && loaded->size() < room;
    const auto next = all ? reader_->next_callback_due(endpoint, before)
                          : Result<std::optional<Timestamp>>{origin.disk_due};
    if (!loaded || !next) {
        arm(origin, steady_ + store_pause);
        return false;
    }
    origin.disk_due = *next;
    for (auto& queued : *loaded) {
        loaded_.insert(queued.callback.id);
        put(origin, std::move(queued));
    }
    return true;
}

std::unique_ptr<Delivery> Backlog::take(OriginQueue& origin) {
    origin.used_at = steady_;
    auto delivery = std::move(origin.memory.front());
    origin.memory.pop_front();
    memory_.give_back(delivery->weight);
    origin.account.in_memory -= delivery->weight;
    --memory_count_;
    if (!loaded_.empty()) {
        loaded_.erase(delivery->queued.callback.id);
    }
    return delivery;
}

void Backlog::plan(OriginQueue& origin) {
    trim(origin);
    if (origin.in_flight >= origin.health.slots()) {
        return;  // The next answer gives it its turn.
    }
    if (!origin.memory.empty() || (origin.disk_due && *origin.disk_due <= now_)) {
        if (origin.health.open() && origin.health.probe_at() > steady_) {
            arm(origin, origin.health.probe_at());
        } else {
            make_ready(origin);
        }
        return;
    }
    if (origin.disk_due) {
        arm(origin, steady_of(*origin.disk_due));
    }
    if (origin.in_flight == 0) {
        make_idle(origin);
    }
}

AccountQueue& Backlog::account_of(model::AccountId id) {
    auto& account = accounts_[id];
    if (account == nullptr) {
        account = std::make_unique<AccountQueue>(id);
    }
    return *account;
}

/// Null when there is no room for another queue. `needed`: something of it is due now, and an idle
/// one makes room.
OriginQueue* Backlog::queue_of(AccountQueue& account, std::int64_t key, bool needed) {
    if (const auto found = account.origins.find(key); found != account.origins.end()) {
        return found->second.get();
    }
    if (!records_.open_to(account.origins.size())) {
        if (!needed || account.idle.empty()) {
            return nullptr;
        }
        forget(account.idle.front());
    }
    auto& origin = account.origins[key];
    origin = std::make_unique<OriginQueue>(account, key, options_.per_origin_max);
    records_.take();
    if (!account.all_listed()) {
        origin->note_on_disk(now_);  // There may be something; whoever looks knows more.
    }
    return origin.get();
}

/// Something of an origin without a queue is due then.
void Backlog::leave_on_disk(AccountQueue& account, Timestamp due) {
    account.unlisted_due = account.unlisted_due ? std::min(*account.unlisted_due, due) : due;
    if (account.walking) {
        return;
    }
    const auto at = std::max(steady_of(due), account.walk_not_before);
    if (at > steady_) {
        if (at >= account.walk_at) {
            return;
        }
        account.walk_at = at;
        timers_.push({.at = at, .endpoint = {.account = account.id}, .walk = true});
        return;
    }
    account.walking = true;
    account.unlisted_due.reset();
    account.walked_to.reset();
    account.walk_began = steady_;
    walks_.push_back(account.id);
}

void Backlog::forget(OriginQueue& origin) {
    auto& account = origin.account;
    const auto due = origin.disk_due;
    account.origins.erase(origin.key);
    records_.give_back();
    if (due) {
        leave_on_disk(account, *due);
    }
}

void Backlog::forget_if_empty(AccountQueue& account) {
    if (account.origins.empty() && account.all_listed()) {
        accounts_.erase(account.id);
    }
}

void Backlog::put(OriginQueue& origin, store::QueuedCallback queued) {
    auto delivery = std::make_unique<Delivery>();
    delivery->weight = weight_of(queued.callback);
    delivery->queued = std::move(queued);
    delivery->origin = &origin;
    memory_.take(delivery->weight);
    origin.account.in_memory += delivery->weight;
    ++memory_count_;
    origin.memory.push_back(std::move(delivery));
}

/// What an origin that is not prompt any more has too much in memory goes back to the disk, where
/// it also is.
void Backlog::trim(OriginQueue& origin) {
    while (origin.memory.size() > memory_max(origin)) {
        auto& last = *origin.memory.back();
        origin.note_on_disk(std::min(last.queued.progress.due_at, now_));
        memory_.give_back(last.weight);
        origin.account.in_memory -= last.weight;
        --memory_count_;
        loaded_.erase(last.queued.callback.id);
        origin.memory.pop_back();
    }
}

void Backlog::make_idle(OriginQueue& origin) {
    auto& account = origin.account;
    const auto until = origin.used_at + idle_max;
    if (!origin.disk_due && (!origin.health.prompt() || until <= steady_)) {
        forget(origin);
        forget_if_empty(account);
        return;
    }
    origin.turn.unlink();
    if (!origin.idle_link.is_linked()) {
        account.idle.push_back(origin);
    }
    if (!origin.disk_due) {
        arm(origin, until);
    }
}

void Backlog::arm(OriginQueue& origin, SteadyTime at) {
    at = std::min(at, steady_ + timer_longest);
    if (at < origin.timer_at) {
        origin.timer_at = at;
        timers_.push({.at = at,
                      .endpoint = {.account = origin.account.id, .origin_key = origin.key},
                      .walk = false});
    }
}

/// A page of one account, then it is the next one's turn.
void Backlog::list_origins() {
    auto& account = account_of(walks_.front());
    walks_.pop_front();
    const auto page = reader_->callback_origins(account.id, account.walked_to, walk_page);
    if (!page) {
        account.walking = false;
        account.walk_not_before = steady_ + store_pause;
        leave_on_disk(account, now_);
        return;
    }
    for (const auto& summary : *page) {
        if (account.origins.contains(summary.origin_key)) {
            continue;  // It knows itself what is due.
        }
        auto* origin = queue_of(account, summary.origin_key, summary.due_from <= now_);
        if (origin == nullptr) {
            leave_on_disk(account, summary.due_from);
            continue;
        }
        origin->disk_due = summary.due_from;
        plan(*origin);
    }
    if (page->size() == walk_page) {
        account.walked_to = page->back().origin_key;
        walks_.push_back(account.id);
        return;
    }
    end_walk(account);
}

void Backlog::end_walk(AccountQueue& account) {
    account.walking = false;
    // A long walk is not made again at once, however much comes due.
    const auto took = steady_ - account.walk_began;
    account.walk_not_before = steady_ + std::max<SteadyTime::duration>(walk_pause, 4 * took);
    if (account.unlisted_due) {
        leave_on_disk(account, *account.unlisted_due);
    }
    forget_if_empty(account);
}

std::size_t Backlog::memory_max(const OriginQueue& origin) const {
    if (origin.health.open()) {
        return 1;
    }
    const auto few = std::max(unproven_memory, 2 * origin.health.slots());
    return origin.health.prompt() ? options_.origin_memory_max
                                  : std::min(options_.origin_memory_max, few);
}

SteadyTime Backlog::steady_of(Timestamp due) const {
    // Moments far away must not overflow.
    return steady_ + std::clamp<Millis>(due - now_, Millis{0}, timer_longest);
}

}  // namespace merpati::callback
