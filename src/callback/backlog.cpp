#include "callback/backlog.hpp"

#include <algorithm>
#include <ranges>

#include "callback/composer.hpp"

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t queues_max = 16'384;  // Origins with a queue: half a KiB each.
constexpr std::size_t scan_page = 64;       // Origins of one read,
constexpr std::size_t load_page = 128;      // and callbacks of one read.
constexpr std::size_t not_prompt_memory = 4;
// With batches: so that a request which hangs does not delay the others beyond their wait.
constexpr std::size_t batch_slots_min = 4;
constexpr Millis store_pause = 1s;    // After a failed read,
constexpr Millis damage_pause = 60s;  // and after one that met damage, which stays.
constexpr Millis memory_pause = 100ms;
constexpr Millis scan_pause = 1s;       // Between two scans of an account's origins.
constexpr Millis timer_longest = 5min;  // Timers of removed queues stay until they expire.

std::size_t weight_of(const model::Callback& callback) {
    return 1 + (callback.url.size() + callback.body.size()) / 1024;
}

}  // namespace

Backlog::Backlog(const Options& options, InUse in_use)
    : options_(options),
      in_use_(std::move(in_use)),
      memory_(options.memory_max),
      queues_(queues_max),
      elsewhere_(options.starts_empty ? store::ShardSet::all() : store::ShardSet{}) {}

Backlog::~Backlog() = default;

Result<void> Backlog::recover(std::unique_ptr<store::CallbackReader> reader) {
    reader_ = std::move(reader);
    if (options_.starts_empty) {
        return {};
    }
    auto accounts = reader_->callback_accounts();
    if (!accounts) {
        return pass(accounts);
    }
    std::ranges::for_each(*accounts, [this](auto id) { find(id); });
    return {};
}

void Backlog::set_now(Timestamp now, SteadyTime steady) {
    now_ = now;
    steady_ = steady;
}

void Backlog::add(model::Callback callback) {
    // It may have been read from the store between its commit and this call.
    if (in_use_(callback.id) || loaded_.contains(callback.id) || is_elsewhere(callback.account)) {
        return;
    }
    auto& account = account_of(callback.account);
    auto* origin = queue_of(account, callback.origin_key, true);
    if (origin == nullptr) {
        note_unlisted(account, callback.created_at);
        return;
    }
    const bool due_on_disk = origin->disk_due && *origin->disk_due <= now_;
    if (!due_on_disk && origin->memory.size() < memory_max(*origin) &&
        memory_.admits(account.in_memory)) {
        const auto due = callback.created_at;
        push(*origin, {.callback = std::move(callback), .progress = {.due_at = due}});
    } else {
        origin->note_on_disk(std::min(callback.created_at, now_));
    }
    make_ready(*origin);
}

void Backlog::note_due(const store::Endpoint& endpoint, Timestamp due) {
    if (is_elsewhere(endpoint.account)) {
        return;
    }
    auto& account = account_of(endpoint.account);
    auto* origin = queue_of(account, endpoint.origin_key, due <= now_);
    if (origin == nullptr) {
        note_unlisted(account, due);
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
        if (timer.scan) {
            account->second->scan_at = SteadyTime::max();
            if (const auto due = account->second->unlisted_due) {
                note_unlisted(*account->second, *due);
            }
            continue;
        }
        const auto origin = account->second->origins.find(timer.endpoint.origin_key);
        if (origin != account->second->origins.end()) {
            origin->second->timer_at = SteadyTime::max();
            make_ready(*origin->second);
        }
    }
    find_accounts();
    if (!scans_.empty()) {
        scan_origins();
    }
}

SteadyTime Backlog::next_due() const {
    const auto next = timers_.empty() ? SteadyTime::max() : timers_.top().at;
    return to_find_.empty() ? next : std::min(next, find_at_);
}

void Backlog::make_ready(OriginQueue& origin) {
    origin.idle_link.unlink();
    if (origin.ready_link.is_linked() || origin.account.leaving != nullptr) {
        return;
    }
    const bool prompt = origin.health.prompt();
    auto& account = prompt ? origin.account.prompt : origin.account.slow;
    account.origins.push_back(origin);
    if (!account.link.is_linked()) {
        ready(!prompt).push_back(account);
    }
}

bool Backlog::load(OriginQueue& origin) {
    const auto most = memory_max(origin);
    // Enough for a batch, and few reads: each also skips the callbacks that are in flight.
    const auto& batch = origin.account.batch;
    const auto enough =
        batch ? std::min<std::size_t>(most, batch->max) : std::min(most, load_page) / 4 + 1;
    const auto page = batch ? std::max<std::size_t>(load_page, 4 * batch->max) : load_page;
    if (!origin.disk_due || *origin.disk_due > now_ || origin.memory.size() >= enough) {
        return true;
    }
    const auto room = std::min(
        {most - origin.memory.size(), page, memory_.available_to(origin.account.in_memory)});
    if (room == 0) {
        arm_timer(origin, steady_ + memory_pause);
        return !origin.memory.empty();
    }
    std::unordered_set<Uuid> here;
    for (const auto& delivery : origin.memory) {
        here.insert(delivery->queued.callback.id);
    }
    const store::Endpoint endpoint{.account = origin.account.id, .origin_key = origin.key};
    const Timestamp before = now_ + 1ms;
    auto loaded = reader_->load_callbacks(
        endpoint, before, room, [&](const Uuid& id) { return here.contains(id) || in_use_(id); });
    const bool all = loaded && loaded->size() < room;
    const auto next = all ? reader_->next_callback_due(endpoint, before)
                          : Result<std::optional<Timestamp>>{origin.disk_due};
    if (!loaded || !next) {
        arm_timer(origin, read_failed(loaded ? next.error() : loaded.error()));
        return false;
    }
    origin.disk_due = *next;
    for (auto& queued : *loaded) {
        loaded_.insert(queued.callback.id);
        push(origin, std::move(queued));
    }
    return true;
}

std::vector<std::unique_ptr<Delivery>> Backlog::take(OriginQueue& origin,
                                                     const std::vector<std::size_t>& places) {
    origin.used_at = steady_;
    std::vector<std::unique_ptr<Delivery>> taken;
    taken.reserve(places.size());
    for (const auto place : places) {
        auto& delivery = taken.emplace_back(std::move(origin.memory[place]));
        if (!loaded_.empty()) {
            loaded_.erase(delivery->queued.callback.id);
        }
    }
    const auto begin = origin.memory.begin() + static_cast<std::ptrdiff_t>(places.front());
    const auto end = origin.memory.begin() + static_cast<std::ptrdiff_t>(places.back()) + 1;
    origin.memory.erase(std::remove(begin, end, nullptr), end);
    memory_count_ -= taken.size();
    return taken;
}

void Backlog::release(OriginQueue& origin, const Delivery& delivery) {
    memory_.release(delivery.weight);
    origin.account.in_memory -= delivery.weight;
}

void Backlog::put_back(OriginQueue& origin, std::vector<std::unique_ptr<Delivery>> events) {
    memory_count_ += events.size();
    for (auto& event : events | std::views::reverse) {
        loaded_.insert(event->queued.callback.id);
        origin.memory.push_front(std::move(event));
    }
    if (origin.account.leaving != nullptr) {
        empty(origin);
        end_if_left(origin);
    } else {
        make_ready(origin);
    }
}

std::size_t Backlog::slots(const OriginQueue& origin) const {
    const auto own = origin.health.slots();
    return origin.account.batch && !origin.health.open()
               ? std::max(own, std::min(batch_slots_min, options_.per_origin_max))
               : own;
}

void Backlog::schedule(OriginQueue& origin) {
    trim(origin);
    if (origin.in_flight >= slots(origin)) {
        return;  // The next answer makes it ready.
    }
    if (!origin.memory.empty() || (origin.disk_due && *origin.disk_due <= now_)) {
        if (origin.health.open() && origin.health.probe_at() > steady_) {
            arm_timer(origin, origin.health.probe_at());
        } else if (origin.gathers_until && *origin.gathers_until > now_) {
            arm_timer(origin, steady_of(*origin.gathers_until));
        } else {
            make_ready(origin);
        }
        return;
    }
    if (origin.disk_due) {
        arm_timer(origin, steady_of(*origin.disk_due));
    }
    if (origin.in_flight == 0 && origin.committing == 0) {
        make_idle(origin);
    }
}

void Backlog::answered(OriginQueue& origin, Health::Answer answer, Millis took,
                       std::size_t events) {
    auto& health = origin.health;
    breakers_open_ -= health.open() ? 1 : 0;
    health.answered(answer, steady_, took, origin.in_flight >= health.slots(), events);
    breakers_open_ += health.open() ? 1 : 0;
}

void Backlog::committed(OriginQueue& origin, std::optional<Timestamp> retry_at) {
    --origin.committing;
    if (origin.account.leaving != nullptr) {
        end_if_left(origin);
        return;
    }
    if (retry_at) {
        origin.note_on_disk(*retry_at);
    }
    if (retry_at || origin.committing == 0) {
        make_ready(origin);  // So that its timer is set, or it becomes idle.
    }
}

std::vector<EndpointHealth> Backlog::health(model::AccountId account) const {
    std::vector<EndpointHealth> all;
    const auto found = accounts_.find(account);
    if (found == accounts_.end()) {
        return all;
    }
    for (const auto& [key, origin] : found->second->origins) {
        auto& one = all.emplace_back();
        one.origin_key = key;
        one.open = origin->health.open();
        one.in_flight = origin->in_flight;
        if (one.open) {
            const auto wait =
                std::max(origin->health.probe_at() - steady_, SteadyTime::duration::zero());
            one.probe_at = now_ + std::chrono::ceil<Millis>(wait);
        }
    }
    return all;
}

AccountQueue& Backlog::account_of(model::AccountId id) {
    auto& account = accounts_[id];
    if (account == nullptr) {
        account = std::make_unique<AccountQueue>(id);
    }
    return *account;
}

/// Null: there is no room for another queue. `needed`: a callback of it is due now, so an idle
/// queue may be removed for it.
OriginQueue* Backlog::queue_of(AccountQueue& account, std::int64_t key, bool needed) {
    if (const auto found = account.origins.find(key); found != account.origins.end()) {
        return found->second.get();
    }
    if (!queues_.admits(account.origins.size())) {
        if (!needed || account.idle.empty()) {
            return nullptr;
        }
        remove(account.idle.front());
    }
    auto& origin = account.origins[key];
    origin = std::make_unique<OriginQueue>(account, key, options_.per_origin_max);
    queues_.acquire();
    if (!account.all_listed()) {
        origin->note_on_disk(now_);  // There may be a callback on disk; the read shows it.
    }
    return origin.get();
}

/// A callback of an origin without a queue is due at `due`.
void Backlog::note_unlisted(AccountQueue& account, Timestamp due) {
    account.unlisted_due = account.unlisted_due ? std::min(*account.unlisted_due, due) : due;
    if (account.scanning) {
        return;
    }
    const auto at = std::max(steady_of(due), account.scan_not_before);
    if (at > steady_) {
        if (at >= account.scan_at) {
            return;
        }
        account.scan_at = at;
        timers_.push({.at = at, .endpoint = {.account = account.id}, .scan = true});
        return;
    }
    account.scanning = true;
    account.unlisted_due.reset();
    account.scanned_to.reset();
    account.scan_began = steady_;
    scans_.push_back(account.id);
}

void Backlog::remove(OriginQueue& origin) {
    auto& account = origin.account;
    const auto due = origin.disk_due;
    breakers_open_ -= origin.health.open() ? 1 : 0;
    account.origins.erase(origin.key);
    queues_.release();
    if (due) {
        note_unlisted(account, *due);
    }
}

void Backlog::remove_if_empty(AccountQueue& account) {
    if (account.origins.empty() && account.all_listed()) {
        accounts_.erase(account.id);
    }
}

void Backlog::push(OriginQueue& origin, store::QueuedCallback queued) {
    auto delivery = std::make_unique<Delivery>();
    delivery->weight = weight_of(queued.callback);
    delivery->address = std::hash<std::string>{}(queued.callback.url);
    delivery->events_max = events_max(queued.progress);
    delivery->queued = std::move(queued);
    memory_.acquire(delivery->weight);
    origin.account.in_memory += delivery->weight;
    ++memory_count_;
    origin.memory.push_back(std::move(delivery));
}

/// An origin that is no longer prompt may keep fewer callbacks in memory. The others are dropped
/// from memory; they are still on disk.
void Backlog::trim(OriginQueue& origin) {
    while (origin.memory.size() > memory_max(origin)) {
        auto& last = *origin.memory.back();
        origin.note_on_disk(std::min(last.queued.progress.due_at, now_));
        release(origin, last);
        --memory_count_;
        loaded_.erase(last.queued.callback.id);
        origin.memory.pop_back();
    }
}

void Backlog::make_idle(OriginQueue& origin) {
    auto& account = origin.account;
    const auto until = origin.used_at + idle_max;
    if (!origin.disk_due && (!origin.health.prompt() || until <= steady_)) {
        remove(origin);
        remove_if_empty(account);
        return;
    }
    origin.ready_link.unlink();
    if (!origin.idle_link.is_linked()) {
        account.idle.push_back(origin);
    }
    if (!origin.disk_due) {
        arm_timer(origin, until);
    }
}

void Backlog::arm_timer(OriginQueue& origin, SteadyTime at) {
    at = std::min(at, steady_ + timer_longest);
    if (at < origin.timer_at) {
        origin.timer_at = at;
        timers_.push({.at = at,
                      .endpoint = {.account = origin.account.id, .origin_key = origin.key},
                      .scan = false});
    }
}

/// Returns when the read may be tried again.
SteadyTime Backlog::read_failed(const Error& error) {
    ++reads_failed_;
    if (options_.on_store_error && steady_ >= report_from_) {
        report_from_ = steady_ + store_pause;
        options_.on_store_error(error);
    }
    return steady_ + (error.code == ErrorCode::damaged ? damage_pause : store_pause);
}

/// Reads a page of one account's origins; the next call reads one of the next account.
void Backlog::scan_origins() {
    auto& account = account_of(scans_.front());
    scans_.pop_front();
    const auto page = reader_->callback_origins(account.id, account.scanned_to, scan_page);
    if (!page) {
        account.scanning = false;
        account.scan_not_before = read_failed(page.error());
        note_unlisted(account, now_);
        return;
    }
    for (const auto& summary : *page) {
        if (account.origins.contains(summary.origin_key)) {
            continue;  // Its queue knows when it is due.
        }
        auto* origin = queue_of(account, summary.origin_key, summary.due_from <= now_);
        if (origin == nullptr) {
            note_unlisted(account, summary.due_from);
            continue;
        }
        origin->disk_due = summary.due_from;
        schedule(*origin);
    }
    if (page->size() == scan_page) {
        account.scanned_to = page->back().origin_key;
        scans_.push_back(account.id);
        return;
    }
    end_scan(account);
}

void Backlog::end_scan(AccountQueue& account) {
    account.scanning = false;
    // The pause grows with the duration, so that scans take a fifth of the time at most.
    const auto took = steady_ - account.scan_began;
    account.scan_not_before = steady_ + std::max<SteadyTime::duration>(scan_pause, 4 * took);
    if (account.unlisted_due) {
        note_unlisted(account, *account.unlisted_due);
    }
    remove_if_empty(account);
}

std::size_t Backlog::memory_max(const OriginQueue& origin) const {
    if (origin.health.open()) {
        return 1;
    }
    const std::size_t batch = origin.account.batch ? origin.account.batch->max : 0;
    const auto few = std::max({not_prompt_memory, 2 * origin.health.slots(), batch});
    return origin.health.prompt() ? options_.origin_memory_max
                                  : std::min(options_.origin_memory_max, few);
}

SteadyTime Backlog::steady_of(Timestamp due) const {
    // Times far in the future must not overflow.
    return steady_ + std::clamp<Millis>(due - now_, Millis{0}, timer_longest);
}

}  // namespace merpati::callback
