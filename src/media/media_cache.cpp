#include "media/media_cache.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "media/verdict.hpp"
#include "model/texts.hpp"

namespace merpati::media {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using Kind = model::Outcome::Kind;

constexpr milliseconds check_every{50};
constexpr milliseconds remove_every{1'000};

/// The back-off after the first try, the second, and each further one.
constexpr milliseconds back_offs[] = {1s, 2s, 4s};

/// A last try shorter than this would only fail.
constexpr milliseconds try_min = 1s;

std::unexpected<model::Outcome> outcome(Kind kind, model::StatusCode code,
                                        std::string_view details) {
    return std::unexpected(
        model::Outcome{.kind = kind, .code = code, .details = std::string{details}});
}

}  // namespace

MediaCache::MediaCache(const boost::asio::any_io_executor& executor, const RequestTools& tools,
                       std::unique_ptr<CacheStorage> storage, CacheOptions options)
    : tools_(tools),
      options_(std::move(options)),
      storage_(std::move(storage)),
      limiter_(options_.limits),
      budget_(*storage_),
      entries_(options_.urls_max),
      retry_timer_(executor, check_every, [this] { return resume(); }),
      budget_timer_(executor, check_every, [this] { return budget_.serve(); }),
      removal_timer_(executor, remove_every, [this] { return remove_old(); }) {
    invariant(options_.bytes_max <= storage_->bytes_max(), "any file that is allowed has room");
}

void MediaCache::fetch(model::AccountId account, const std::string& url, model::Revision revision,
                       FetchDone done) {
    Waiter waiter{revision, std::move(done)};
    if (closed_) {
        waiter.done(
            outcome(Kind::retry, model::StatusCode::failed, model::details::fetcher_closing));
        return;
    }
    const UrlKey key{account, url};
    if (const auto found = fetches_.find(key); found != fetches_.end()) {
        ++counts_.shared_total;
        found->second->waiters.push_back(std::move(waiter));
        return;
    }
    if (answer_from_cache(key, waiter)) {
        ++counts_.shared_total;
        publish_counts();
        return;
    }
    const auto fetch = begin(url, key);
    if (fetch == nullptr) {
        waiter.done(
            outcome(Kind::failed, model::StatusCode::failed, model::details::file_inaccessible));
        return;
    }
    fetch->waiters.push_back(std::move(waiter));
    if (const auto until =
            tools_.suspects.put_off_until(fetch->url.origin(), tools_.clock.steady_now())) {
        back_off(fetch, *until);
    } else {
        wait_for_slot(fetch);
    }
}

/// Does not wait for room, because the connector's worker waits for the answer: it is told at once
/// to try again.
void MediaCache::make_file(model::AccountId account, std::uint64_t bytes_max, FileMade done) {
    if (closed_) {
        done(fail(ErrorCode::shutting_down, "the server is stopping"));
        return;
    }
    auto room = budget_.lend(account, CacheStorage::room_of(bytes_max));
    if (room == nullptr) {
        done(fail(ErrorCode::busy, "other media take the room that there is: try again"));
        return;
    }
    auto file = storage_->receive();
    if (file) {
        (*file)->carry(std::move(room));
    } else {
        report_disk_trouble();
    }
    publish_counts();
    done(std::move(file));
}

bool MediaCache::answer_from_cache(const UrlKey& key, Waiter& waiter) {
    const auto now = tools_.clock.steady_now();
    const auto* entry = entries_.find(key.account, key.url);
    if (entry == nullptr || entry->until <= now) {
        return false;
    }
    const auto file = entry->file.lock();
    if (entry->has_file && file == nullptr) {
        return false;
    }
    if (entry->refused_until <= now && is_refused(*entry, waiter.revision)) {
        return false;
    }
    answer(key.account, waiter, *entry, file);
    return true;
}

MediaCache::FetchPtr MediaCache::begin(const std::string& url, const UrlKey& key) {
    auto parsed = outbound::Url::parse(url);
    if (!parsed) {
        return nullptr;
    }
    auto fetch = std::make_shared<Fetch>(Fetch{.key = key, .url = std::move(*parsed)});
    fetches_.emplace(key, fetch);
    return fetch;
}

void MediaCache::wait_for_slot(const FetchPtr& fetch) {
    fetch->slot = std::make_shared<Slot>(fetch->key.account, fetch->url.origin());
    if (!limiter_.ask(fetch->slot, [this, fetch] { take_slot(fetch); })) {
        put_off(fetch, model::details::host_busy);
    }
    publish_counts();
}

void MediaCache::take_slot(const FetchPtr& fetch) {
    const auto now = tools_.clock.steady_now();
    if (!fetch->give_up_at) {
        fetch->give_up_at = now + options_.patience;
    }
    if (now + try_min <= *fetch->give_up_at) {
        try_once(fetch, now);
        return;
    }
    failed(fetch, model::details::host_silent);
    limiter_.give_back(fetch->slot);
}

void MediaCache::try_once(const FetchPtr& fetch, SteadyTime now) {
    ++fetch->tries;
    tools_.suspects.begin(fetch->slot->host);
    const auto left = std::chrono::ceil<milliseconds>(*fetch->give_up_at - now);
    download(tools_, *storage_, options_,
             {.url = fetch->url,
              .first_byte = std::min(options_.first_byte, left),
              .reserve = [this, fetch](std::uint64_t bytes) { return reserve(fetch, bytes); },
              .on_answer = [this, fetch](Millis after) { limiter_.answered(fetch->slot, after); }},
             [this, fetch](DownloadResult result) {
                 const auto slot = fetch->slot;  // `tried` may replace it.
                 tools_.suspects.end(slot->host);
                 tried(fetch, std::move(result.outcome));
                 limiter_.release(slot, result.answered_in);
                 publish_counts();
             });
}

/// The bytes reserved during a wait may be too few if the file has grown.
bool MediaCache::reserve(const FetchPtr& fetch, std::uint64_t bytes) {
    const auto room = CacheStorage::room_of(bytes);
    if (fetch->reserved >= room) {
        budget_.give_back(fetch->key.account, fetch->reserved - room);
        fetch->reserved = room;
        return true;
    }
    give_back(fetch);
    fetch->needed = room;
    fetch->reserved = budget_.reserve(fetch->key.account, room) ? room : 0;
    publish_counts();
    return fetch->reserved > 0;
}

void MediaCache::give_back(const FetchPtr& fetch) {
    budget_.give_back(fetch->key.account, std::exchange(fetch->reserved, 0));
}

void MediaCache::tried(const FetchPtr& fetch, std::expected<Download, Trouble> outcome) {
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

void MediaCache::in_trouble(const FetchPtr& fetch, const Trouble& trouble) {
    switch (trouble.kind) {
        case Trouble::Kind::no_budget:
            await_bytes(fetch);
            return;
        case Trouble::Kind::disk:
            report_disk_trouble();
            storage_->clear();
            fetch->give_up_at.reset();
            back_off(fetch, tools_.clock.steady_now() + options_.disk_back_off);
            return;
        case Trouble::Kind::passing: {
            const auto pause =
                back_offs[std::min<std::size_t>(fetch->tries, std::size(back_offs)) - 1];
            if (tools_.clock.steady_now() + pause + try_min <= *fetch->give_up_at) {
                back_off(fetch, tools_.clock.steady_now() + pause);
                return;
            }
            break;
        }
        case Trouble::Kind::lasting:
            break;
    }
    failed(fetch, trouble.details);
}

/// The host is not at fault, so the patience begins anew afterwards.
void MediaCache::await_bytes(const FetchPtr& fetch) {
    fetch->give_up_at.reset();
    fetch->tries = 0;
    budget_.wait(fetch->key.account, fetch->needed, [this, fetch] {
        fetch->reserved = fetch->needed;
        wait_for_slot(fetch);
    });
    budget_timer_.start();
}

void MediaCache::back_off(const FetchPtr& fetch, SteadyTime until) {
    fetch->resume_at = until;
    backing_off_.push_back(fetch);
    publish_counts();
    retry_timer_.start();
}

void MediaCache::report_disk_trouble() {
    const auto now = tools_.clock.steady_now();
    if (options_.on_disk_trouble && (!disk_reported_at_ || now - *disk_reported_at_ >= 1min)) {
        disk_reported_at_ = now;
        options_.on_disk_trouble();
    }
}

bool MediaCache::resume() {
    const auto now = tools_.clock.steady_now();
    const auto due = std::ranges::partition(
        backing_off_, [now](const auto& fetch) { return fetch->resume_at > now; });
    const std::vector<FetchPtr> resumed{due.begin(), due.end()};
    backing_off_.erase(due.begin(), due.end());
    for (const auto& fetch : resumed) {
        wait_for_slot(fetch);
    }
    return !backing_off_.empty();
}

void MediaCache::arrived(const FetchPtr& fetch, Download download) {
    if (download.file != nullptr) {
        ++counts_.fetched_total;
        counts_.fetched_bytes_total += download.file->bytes;
    }
    const auto now = tools_.clock.steady_now();
    end(fetch,
        {.declared = download.declared,
         .content = std::move(download.content),
         .has_file = download.file != nullptr,
         .file = download.file,
         .until = now + download.lifetime,
         .refused_until = now + options_.failure_kept_for},
        download.file);
}

void MediaCache::failed(const FetchPtr& fetch, std::string_view details) {
    ++counts_.failed_total;
    end(fetch, {.failure = details, .until = tools_.clock.steady_now() + options_.failure_kept_for},
        nullptr);
}

void MediaCache::end(const FetchPtr& fetch, const Entry& entry, const ContentPtr& file) {
    fetch->ended = true;
    give_back(fetch);
    fetches_.erase(fetch->key);
    entries_.put(fetch->key.account, fetch->key.url, entry);
    for (auto& waiter : std::exchange(fetch->waiters, {})) {
        answer(fetch->key.account, waiter, entry, file);
    }
    storage_->remove_old();
    removal_timer_.start();
}

/// False for failures, which have no type.
bool MediaCache::is_refused(const Entry& entry, model::Revision revision) {
    return entry.failure.empty() &&
           (!entry.has_file || verdict_on(entry.declared, entry.content, revision).kind !=
                                   TypeVerdict::Kind::acceptable);
}

void MediaCache::answer(model::AccountId account, Waiter& waiter, const Entry& entry,
                        const ContentPtr& file) {
    if (!entry.failure.empty()) {
        waiter.done(outcome(Kind::failed, model::StatusCode::failed, entry.failure));
        return;
    }
    const auto verdict = verdict_on(entry.declared, entry.content, waiter.revision);
    if (file == nullptr || verdict.kind != TypeVerdict::Kind::acceptable) {
        ++counts_.refused_total;
        waiter.done(outcome(Kind::failed, model::StatusCode::media_refused,
                            model::details::file_type_refused));
        return;
    }
    storage_->use(*file);
    waiter.done(budget_.hold(account, file, verdict.media_type));
}

/// Ends a fetch without a result: its messages are retried later.
void MediaCache::put_off(const FetchPtr& fetch, std::string_view details) {
    fetch->ended = true;
    give_back(fetch);
    fetches_.erase(fetch->key);
    for (auto& waiter : std::exchange(fetch->waiters, {})) {
        waiter.done(outcome(Kind::retry, model::StatusCode::failed, details));
    }
}

bool MediaCache::remove_old() {
    budget_.serve();
    storage_->remove_old();
    publish_counts();
    return storage_->files() > 0;
}

void MediaCache::close() {
    closed_ = true;
    retry_timer_.cancel();
    budget_timer_.cancel();
    removal_timer_.cancel();
    limiter_.clear();
    budget_.clear();
    backing_off_.clear();
    while (!fetches_.empty()) {
        const auto fetch = fetches_.begin()->second;
        put_off(fetch, model::details::fetcher_closing);
    }
    publish_counts();
}

void MediaCache::publish_counts() {
    counts_.in_flight = limiter_.in_flight();
    counts_.waiting = limiter_.waiting() + budget_.waiting() + backing_off_.size();
    counts_.removed_total = storage_->removed_total();
    counts_.kept_files = storage_->files();
    counts_.kept_bytes = storage_->bytes() + budget_.reserved();
    const std::lock_guard lock{mutex_};
    published_ = counts_;
}

CacheCounts MediaCache::counts() const {
    const std::lock_guard lock{mutex_};
    return published_;
}

}  // namespace merpati::media
