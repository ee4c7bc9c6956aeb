#include "media/library_core.hpp"

#include <algorithm>
#include <utility>

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

constexpr std::size_t waiting_max = 65'536;

std::unexpected<model::Outcome> outcome(Kind kind, model::StatusCode code,
                                        std::string_view details) {
    return std::unexpected(
        model::Outcome{.kind = kind, .code = code, .details = std::string{details}});
}

/// A file that keeps its content on the shelf.
struct HeldFile {
    File file;
    ContentPtr content;
};

FilePtr hold(const ContentPtr& content, std::string_view mime) {
    auto held = std::make_shared<HeldFile>(HeldFile{.file = {.path = content->path,
                                                             .mime = std::string{mime},
                                                             .bytes = content->bytes,
                                                             .sha256 = content->sha256},
                                                    .content = content});
    return {held, &held->file};
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
      turns_(options_.per_host_max, options_.total_max, waiting_max),
      catalogue_(options_.known_max),
      retries_(executor, retry_beat, [this] { return resume(); }),
      tidying_(executor, tidy_beat, [this] { return tidy(); }) {}

void LibraryCore::fetch(const std::string& url, model::Revision revision, FetchDone done) {
    Waiter waiter{revision, std::move(done)};
    if (closed_) {
        waiter.done(outcome(Kind::retry, model::StatusCode::failed, details::closing));
        return;
    }
    if (const auto found = fetches_.find(url); found != fetches_.end()) {
        ++shared_total_;
        found->second->waiters.push_back(std::move(waiter));
        return;
    }
    const auto key = sha256(url);
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
    line_up(fetch);
}

bool LibraryCore::answer_from_memory(const Sha256& key, Waiter& waiter) {
    const auto* known = catalogue_.find(key);
    if (known == nullptr || known->until <= clock_.steady_now()) {
        return false;
    }
    const auto file = known->file.lock();
    if (known->has_file && file == nullptr) {
        return false;
    }
    answer(waiter, *known, file);
    return true;
}

LibraryCore::FetchPtr LibraryCore::begin(const std::string& url, const Sha256& key) {
    auto parsed = outbound::Url::parse(url);
    if (!parsed) {
        return nullptr;
    }
    auto fetch = std::make_shared<Fetch>();
    fetch->text = url;
    fetch->key = key;
    fetch->url = std::move(*parsed);
    if (const auto* known = catalogue_.find(key)) {
        fetch->former = *known;
        fetch->former_file = known->file.lock();
    }
    fetches_.emplace(url, fetch);
    return fetch;
}

void LibraryCore::line_up(const FetchPtr& fetch) {
    const bool stands =
        turns_.ask(fetch->url.host, [this, fetch] { return !fetch->ended && take_turn(fetch); });
    if (!stands) {
        put_off(fetch, details::busy);
    }
    note_state();
}

bool LibraryCore::take_turn(const FetchPtr& fetch) {
    const auto now = clock_.steady_now();
    if (!fetch->give_up_at) {
        fetch->give_up_at = now + options_.patience;
    } else if (now + try_min > *fetch->give_up_at) {
        failed(fetch, details::no_answer);
        return false;
    }
    ++fetch->tries;
    const auto left = std::chrono::ceil<milliseconds>(*fetch->give_up_at - now);
    const auto conditions =
        fetch->former_file ? fetch->former.freshness.conditions() : std::string{};
    attempt_fetch(tools_, fetch->url, conditions, std::min(options_.first_byte, left),
                  [this, fetch](std::expected<Arrival, Trouble> result) {
                      tried(fetch, std::move(result));
                      turns_.release(fetch->url.host);
                      note_state();
                  });
    return true;
}

void LibraryCore::tried(const FetchPtr& fetch, std::expected<Arrival, Trouble> result) {
    if (fetch->ended) {
        return;
    }
    if (result) {
        arrived(fetch, std::move(*result));
        return;
    }
    const auto& trouble = result.error();
    if (trouble.details == details::no_room) {
        removed_total_ += shelf_->clear();
    }
    const auto rest = rests[std::min<std::size_t>(fetch->tries, std::size(rests)) - 1];
    fetch->resume_at = clock_.steady_now() + rest;
    if (!trouble.passing || fetch->resume_at + try_min > *fetch->give_up_at) {
        failed(fetch, trouble.details);
        return;
    }
    resting_.push_back(fetch);
    retries_.wake();
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
    Known known;
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

void LibraryCore::end(const FetchPtr& fetch, const Known& known, const ContentPtr& file) {
    fetch->ended = true;
    fetches_.erase(fetch->text);
    catalogue_.put(fetch->key, known);
    for (auto& waiter : std::exchange(fetch->waiters, {})) {
        answer(waiter, known, file);
    }
    fetch->former_file = nullptr;
    removed_total_ += shelf_->tidy();
    tidying_.wake();
}

void LibraryCore::answer(Waiter& waiter, const Known& known, const ContentPtr& file) {
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
    waiter.done(hold(file, judgement.mime));
}

/// Nothing is known of the file: the messages come again.
void LibraryCore::put_off(const FetchPtr& fetch, std::string_view details) {
    fetch->ended = true;
    fetches_.erase(fetch->text);
    for (auto& waiter : std::exchange(fetch->waiters, {})) {
        waiter.done(outcome(Kind::retry, model::StatusCode::failed, details));
    }
}

bool LibraryCore::tidy() {
    removed_total_ += shelf_->tidy();
    note_state();
    return shelf_->files() > 0;
}

void LibraryCore::close() {
    closed_ = true;
    retries_.cancel();
    tidying_.cancel();
    turns_.clear();
    resting_.clear();
    while (!fetches_.empty()) {
        const auto fetch = fetches_.begin()->second;
        put_off(fetch, details::closing);
    }
    note_state();
}

void LibraryCore::note_state() {
    in_flight_ = turns_.in_flight();
    waiting_ = turns_.waiting() + resting_.size();
    kept_files_ = shelf_->files();
    kept_bytes_ = shelf_->bytes();
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
