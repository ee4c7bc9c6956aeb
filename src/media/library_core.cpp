#include "media/library_core.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "media/details.hpp"
#include "media/judge.hpp"

namespace merpati::media {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using Kind = model::Outcome::Kind;

constexpr milliseconds retry_beat{50};
constexpr milliseconds tidy_beat{1'000};

/// The rest after the first, the second and all further tries.
constexpr milliseconds rests[] = {1s, 2s, 4s};

/// A last try shorter than this would only fail.
constexpr milliseconds try_min = 1s;

std::unexpected<model::Outcome> outcome(Kind kind, model::StatusCode code,
                                        std::string_view details) {
    return std::unexpected(
        model::Outcome{.kind = kind, .code = code, .details = std::string{details}});
}

}  // namespace

LibraryCore::LibraryCore(const Clock& clock, const boost::asio::any_io_executor& executor,
                         const outbound::AddressPolicy& policy, outbound::Client& client,
                         Sniffer sniffer, std::unique_ptr<Shelf> shelf, LibraryOptions options)
    : clock_(clock),
      options_(std::move(options)),
      sniffer_(std::move(sniffer)),
      shelf_(std::move(shelf)),
      follower_(clock, policy, client),
      tools_{clock, follower_, sniffer_, *shelf_, options_},
      limiter_(options_.limits),
      suspects_(options_.under_way_file, options_.limits.total_max, clock_.steady_now()),
      budget_(*shelf_),
      known_(options_.known_max),
      retries_(executor, retry_beat, [this] { return resume(); }),
      budget_ticker_(executor, retry_beat, [this] { return budget_.serve(); }),
      tidying_(executor, tidy_beat, [this] { return tidy(); }) {
    invariant(options_.bytes_max <= shelf_->bytes_max(), "any file that is allowed has room");
}

void LibraryCore::fetch(model::AccountId account, const std::string& url, model::Revision revision,
                        FetchDone done) {
    Waiter waiter{revision, std::move(done)};
    if (closed_) {
        waiter.done(outcome(Kind::retry, model::StatusCode::failed, details::closing));
        return;
    }
    const UrlKey key{account, url};
    if (const auto found = fetches_.find(key); found != fetches_.end()) {
        ++shared_total_;
        found->second->waiters.push_back(std::move(waiter));
        return;
    }
    if (answer_from_memory(key, waiter)) {
        ++shared_total_;
        return;
    }
    const auto fetch = begin(url, key);
    if (fetch == nullptr) {
        waiter.done(outcome(Kind::failed, model::StatusCode::failed, details::inaccessible));
        return;
    }
    fetch->waiters.push_back(std::move(waiter));
    if (const auto until = suspects_.put_off_until(fetch->url.origin(), clock_.steady_now())) {
        rest(fetch, *until);
    } else {
        line_up(fetch);
    }
}

bool LibraryCore::answer_from_memory(const UrlKey& key, Waiter& waiter) {
    const auto* known = known_.find(key.account, key.url);
    if (known == nullptr || known->until <= clock_.steady_now()) {
        return false;
    }
    const auto file = known->file.lock();
    if (known->has_file && file == nullptr) {
        return false;
    }
    answer(key.account, waiter, *known, file);
    return true;
}

LibraryCore::FetchPtr LibraryCore::begin(const std::string& url, const UrlKey& key) {
    auto parsed = outbound::Url::parse(url);
    if (!parsed) {
        return nullptr;
    }
    auto fetch = std::make_shared<Fetch>(Fetch{.key = key, .url = std::move(*parsed)});
    if (const auto* known = known_.find(key.account, key.url)) {
        fetch->former = *known;
        fetch->former_file = known->file.lock();
    }
    fetches_.emplace(key, fetch);
    return fetch;
}

void LibraryCore::line_up(const FetchPtr& fetch) {
    fetch->slot = std::make_shared<Slot>(fetch->key.account, fetch->url.origin());
    if (!limiter_.ask(fetch->slot, [this, fetch] { take_slot(fetch); })) {
        put_off(fetch, details::busy);
    }
    note_state();
}

void LibraryCore::take_slot(const FetchPtr& fetch) {
    const auto now = clock_.steady_now();
    if (!fetch->give_up_at) {
        fetch->give_up_at = now + options_.patience;
    }
    if (now + try_min <= *fetch->give_up_at) {
        try_once(fetch, now);
        return;
    }
    failed(fetch, details::no_answer);
    limiter_.release(fetch->slot, std::nullopt);
}

void LibraryCore::try_once(const FetchPtr& fetch, SteadyTime now) {
    ++fetch->tries;
    suspects_.begin(fetch->slot->host);
    const auto left = std::chrono::ceil<milliseconds>(*fetch->give_up_at - now);
    attempt_fetch(
        tools_,
        {.account = fetch->key.account,
         .url = fetch->url,
         .conditions = fetch->former_file ? fetch->former.freshness.conditions() : std::string{},
         .first_byte = std::min(options_.first_byte, left),
         .reserve = [this, fetch](std::uint64_t bytes) { return reserve(fetch, bytes); },
         .on_answer = [this, fetch](Millis after) { limiter_.answered(fetch->slot, after); }},
        [this, fetch](AttemptResult result) {
            const auto slot = fetch->slot;  // The next try has another.
            suspects_.end(slot->host);
            tried(fetch, std::move(result.outcome));
            limiter_.release(slot, result.answered_in);
            note_state();
        });
}

/// What was reserved while it waited may be too little: the file has grown.
bool LibraryCore::reserve(const FetchPtr& fetch, std::uint64_t bytes) {
    fetch->former_file = nullptr;  // It has changed, and may be in the way.
    const auto room = Shelf::room_of(bytes);
    if (fetch->reserved >= room) {
        budget_.give_back(fetch->key.account, fetch->reserved - room);
        fetch->reserved = room;
        return true;
    }
    give_back(fetch);
    fetch->needed = room;
    fetch->reserved = budget_.reserve(fetch->key.account, room) ? room : 0;
    note_state();
    return fetch->reserved > 0;
}

void LibraryCore::give_back(const FetchPtr& fetch) {
    budget_.give_back(fetch->key.account, std::exchange(fetch->reserved, 0));
}

void LibraryCore::tried(const FetchPtr& fetch, std::expected<Arrival, Trouble> outcome) {
    give_back(fetch);
    if (fetch->ended) {
        return;
    }
    if (outcome) {
        arrived(fetch, std::move(*outcome));
    } else {
        in_trouble(fetch, outcome.error());
    }
}

void LibraryCore::in_trouble(const FetchPtr& fetch, const Trouble& trouble) {
    switch (trouble.kind) {
        case Trouble::Kind::no_budget:
            await_bytes(fetch);
            return;
        case Trouble::Kind::disk:
            tell_of_disk();
            shelf_->clear();
            fetch->give_up_at.reset();
            rest(fetch, clock_.steady_now() + options_.disk_rest);
            return;
        case Trouble::Kind::passing: {
            const auto pause = rests[std::min<std::size_t>(fetch->tries, std::size(rests)) - 1];
            if (clock_.steady_now() + pause + try_min <= *fetch->give_up_at) {
                rest(fetch, clock_.steady_now() + pause);
                return;
            }
            break;
        }
        case Trouble::Kind::lasting:
            break;
    }
    failed(fetch, trouble.details);
}

/// Nobody's fault, so its patience begins anew afterwards.
void LibraryCore::await_bytes(const FetchPtr& fetch) {
    fetch->give_up_at.reset();
    fetch->tries = 0;
    budget_.wait(fetch->key.account, fetch->needed, [this, fetch] {
        fetch->reserved = fetch->needed;
        line_up(fetch);
    });
    budget_ticker_.wake();
}

void LibraryCore::rest(const FetchPtr& fetch, SteadyTime until) {
    fetch->resume_at = until;
    resting_.push_back(fetch);
    retries_.wake();
}

void LibraryCore::tell_of_disk() {
    const auto now = clock_.steady_now();
    if (options_.on_disk_trouble && (!told_of_disk_at_ || now - *told_of_disk_at_ >= 1min)) {
        told_of_disk_at_ = now;
        options_.on_disk_trouble();
    }
}

bool LibraryCore::resume() {
    const auto now = clock_.steady_now();
    const auto due = std::ranges::partition(
        resting_, [now](const auto& fetch) { return fetch->resume_at > now; });
    const std::vector<FetchPtr> resumed{due.begin(), due.end()};
    resting_.erase(due.begin(), due.end());
    for (const auto& fetch : resumed) {
        line_up(fetch);
    }
    return !resting_.empty();
}

void LibraryCore::arrived(const FetchPtr& fetch, Arrival arrival) {
    CachedUrl known;
    auto& fresh = arrival.freshness;
    if (arrival.unchanged) {
        ++revalidated_total_;
        known = fetch->former;
        known.freshness.lifetime = fresh.lifetime;
        arrival.file = fetch->former_file;
    } else {
        known = {.declared = arrival.declared,
                 .content = std::move(arrival.content),
                 .has_file = arrival.file != nullptr,
                 .file = arrival.file,
                 .freshness = std::move(fresh)};
        fetched_total_ += known.has_file ? 1 : 0;
        fetched_bytes_total_ += known.has_file ? arrival.file->bytes : 0;
    }
    known.until = clock_.steady_now() + known.freshness.lifetime;
    end(fetch, known, arrival.file);
}

void LibraryCore::failed(const FetchPtr& fetch, std::string_view details) {
    ++failed_total_;
    end(fetch, {.failure = details, .until = clock_.steady_now() + options_.failure_kept_for},
        nullptr);
}

void LibraryCore::end(const FetchPtr& fetch, const CachedUrl& known, const ContentPtr& file) {
    fetch->ended = true;
    give_back(fetch);
    fetches_.erase(fetch->key);
    known_.put(fetch->key.account, fetch->key.url, known);
    for (auto& waiter : std::exchange(fetch->waiters, {})) {
        answer(fetch->key.account, waiter, known, file);
    }
    fetch->former_file = nullptr;
    shelf_->tidy();
    tidying_.wake();
}

void LibraryCore::answer(model::AccountId account, Waiter& waiter, const CachedUrl& known,
                         const ContentPtr& file) {
    if (!known.failure.empty()) {
        waiter.done(outcome(Kind::failed, model::StatusCode::failed, known.failure));
        return;
    }
    const auto judgement = judge(known.declared, known.content, waiter.revision);
    if (file == nullptr || judgement.kind != Judgement::Kind::acceptable) {
        ++refused_total_;
        waiter.done(outcome(Kind::failed, model::StatusCode::media_refused, details::type_refused));
        return;
    }
    shelf_->use(*file);
    waiter.done(budget_.hold(account, file, judgement.mime));
}

/// Nothing is known of the file: the messages come again.
void LibraryCore::put_off(const FetchPtr& fetch, std::string_view details) {
    fetch->ended = true;
    give_back(fetch);
    fetches_.erase(fetch->key);
    for (auto& waiter : std::exchange(fetch->waiters, {})) {
        waiter.done(outcome(Kind::retry, model::StatusCode::failed, details));
    }
}

bool LibraryCore::tidy() {
    budget_.serve();
    shelf_->tidy();
    note_state();
    return shelf_->files() > 0;
}

void LibraryCore::close() {
    closed_ = true;
    retries_.cancel();
    budget_ticker_.cancel();
    tidying_.cancel();
    limiter_.clear();
    suspects_.clear();
    budget_.clear();
    resting_.clear();
    while (!fetches_.empty()) {
        const auto fetch = fetches_.begin()->second;
        put_off(fetch, details::closing);
    }
    note_state();
}

void LibraryCore::note_state() {
    in_flight_ = limiter_.in_flight();
    waiting_ = limiter_.waiting() + budget_.waiting() + resting_.size();
    removed_total_ = shelf_->removed_total();
    kept_files_ = shelf_->files();
    kept_bytes_ = shelf_->bytes() + budget_.reserved();
}

LibraryCounts LibraryCore::counts() const noexcept {
    return {.fetched_total = fetched_total_,
            .fetched_bytes_total = fetched_bytes_total_,
            .failed_total = failed_total_,
            .refused_total = refused_total_,
            .shared_total = shared_total_,
            .revalidated_total = revalidated_total_,
            .removed_total = removed_total_,
            .in_flight = in_flight_,
            .waiting = waiting_,
            .kept_files = kept_files_,
            .kept_bytes = kept_bytes_};
}

}  // namespace merpati::media
