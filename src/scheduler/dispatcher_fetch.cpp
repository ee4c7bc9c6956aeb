// The dispatcher: fetches the files of media messages.
#include <algorithm>

#include "base/assert.hpp"
#include "model/texts.hpp"
#include "scheduler/dispatcher.hpp"
#include "scheduler/platform_text.hpp"

namespace merpati::scheduler {
namespace {

using model::Outcome;
using model::StatusCode;

constexpr Millis files_ahead_for = std::chrono::seconds{10};

/// The refusal of a file that the platform does not take, by its capabilities.
std::optional<Outcome> refusal(const connector::Capabilities& platform, const media::File& file) {
    if (platform.media_types && !platform.media_types->contains(file.media_type)) {
        return Outcome{.kind = Outcome::Kind::failed,
                       .code = StatusCode::media_refused,
                       .details = std::string{model::details::platform_file_type}};
    }
    if (platform.media_bytes_max != 0 && file.bytes > platform.media_bytes_max) {
        return Outcome{.kind = Outcome::Kind::failed,
                       .code = StatusCode::failed,
                       .details = std::string{model::details::platform_file_size}};
    }
    return std::nullopt;
}

}  // namespace

/// Takes the message out of its lane's order, so that others are sent while its file is fetched.
void Dispatcher::await_file(Lane& lane, store::QueuedMessage queued) {
    if (options_.files == nullptr) {
        finish_unsent(lane, std::move(queued), StatusCode::failed,
                      model::details::file_unavailable);
        return;
    }
    memory_.count(queued);
    ++awaiting_;
    auto& flight = add_in_flight(lane, std::move(queued), false);
    flight.stage = Stage::fetching;
    flight.fetch_began = now_;
    const auto& message = *flight.queued.message;
    auto& source = lane.source(message.source);
    source.fetches.all.insert(message.id);
    source.fetches.waiting.push_back(message.id);
    fetch_ahead(lane, source);
}

/// How many files a source of a lane may have or be fetching: only those that are sent soon,
/// because files take disk space.
std::size_t Dispatcher::files_ahead(const Lane& lane) const {
    const auto& pace = lane.pacer.pace();
    const auto gap = pace.gap_min + pace.jitter_max / 2;
    if (gap <= Millis{0}) {
        return options_.lane_files_max;
    }
    const auto soon = static_cast<std::size_t>(files_ahead_for / gap);
    return std::clamp<std::size_t>(soon, 1, options_.lane_files_max);
}

void Dispatcher::fetch_ahead(Lane& lane, LaneSource& source) {
    auto& fetches = source.fetches;
    const auto ahead = files_ahead(lane);
    while (!fetches.waiting.empty() && fetches.in_flight + fetches.with_file.size() < ahead) {
        const auto id = fetches.waiting.front();
        fetches.waiting.pop_front();
        ++fetches.in_flight;
        const auto& message = *in_flight_.at(id).queued.message;
        options_.files->fetch(message, [this, id, device = lane.device,
                                        which = message.source](media::FetchResult result) {
            post_(Fetched{
                .message = id, .device = device, .source = which, .result = std::move(result)});
        });
    }
}

void Dispatcher::handle(Fetched&& event) {
    auto& lane = lane_of(event.device);  // It stays until its fetches have ended.
    auto& source = lane.source(event.source);
    --source.fetches.in_flight;
    // Otherwise the message was cancelled or evicted meanwhile, or was loaded again and has its
    // file from a later fetch.
    if (source.fetches.all.contains(event.message) &&
        in_flight_.at(event.message).file == nullptr) {
        fetched(in_flight_.at(event.message), std::move(event.result));
    }
    fetch_ahead(lane, source);
    make_ready(lane);
}

void Dispatcher::fetched(InFlight& flight, media::FetchResult result) {
    auto& lane = *flight.lane;
    const auto& message = *flight.queued.message;
    auto& source = lane.source(message.source);
    auto refused = result ? std::nullopt : std::optional{std::move(result.error())};
    if (!refused && lane.connector != nullptr) {
        refused = refusal(*lane.connector->capabilities(), **result);
    }
    if (!refused) {
        flight.file = std::move(*result);
        flight.fetched_at = now_;
        source.fetches.with_file.emplace(flight.queued.queued_at, message.id);
    } else if (refused->kind == Outcome::Kind::failed) {
        auto queued = stop_awaiting(message.id);
        finish(add_in_flight(lane, std::move(queued), false),
               {.state = model::MessageState::failed,
                .code = refused->code,
                .details =
                    of_platform(std::move(refused->details), model::details::file_unavailable)});
    } else {  // The cache was closed, or too many wait: not again at once.
        const auto queued_at = stop_awaiting(message.id).queued_at;
        source.note_on_disk(std::max<Timestamp>(queued_at, now_ + store_pause));
    }
}

/// The earliest message that has its file. It counts in its lane's window from now on.
Dispatcher::InFlight& Dispatcher::pop_with_file(LaneSource& source) {
    auto& flight = in_flight_.at(source.fetches.with_file.begin()->second);
    auto& lane = *flight.lane;
    auto file = std::move(flight.file);
    const auto fetch_began = flight.fetch_began;
    const auto fetched_at = flight.fetched_at;
    auto& sent = add_in_flight(lane, stop_awaiting(flight.queued.message->id));
    sent.file = std::move(file);
    sent.fetch_began = fetch_began;
    sent.fetched_at = fetched_at;
    fetch_ahead(lane, source);
    return sent;
}

store::QueuedMessage Dispatcher::stop_awaiting(const model::MessageId& id) {
    auto flight = in_flight_.extract(id);
    invariant(!flight.empty(), "what awaits its file is in flight");
    auto& lane = *flight.mapped().lane;
    --lane.flights;
    auto queued = std::move(flight.mapped().queued);
    memory_.uncount(queued);
    --awaiting_;
    auto& fetches = lane.source(queued.message->source).fetches;
    fetches.all.erase(queued.message->id);
    fetches.with_file.erase({queued.queued_at, queued.message->id});
    return queued;
}

/// Removes from memory all messages of the lane whose send has not begun.
void Dispatcher::evict(Lane& lane) {
    memory_.evict(lane);
    for (auto& source : lane.sources) {
        const auto awaiting = source.fetches.all;
        for (const auto& id : awaiting) {
            source.note_on_disk(stop_awaiting(id).queued_at);
        }
        source.fetches.waiting.clear();
    }
}

void Dispatcher::drain() {
    if (draining_) {
        return;
    }
    draining_ = true;
    for (auto& [device, lane] : lanes_) {
        evict(*lane);
    }
}

}  // namespace merpati::scheduler
