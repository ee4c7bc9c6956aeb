// The dispatcher: fetches the files of media messages.
#include <algorithm>

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
    auto& source = lane.source(queued.message->source);
    memory_.await_file(source, std::move(queued), now_);
    fetch_ahead(lane, source);
}

/// How many files a source of a lane may have or be fetching: only those that are sent soon,
/// because files take disk space.
std::size_t Dispatcher::files_ahead(const Lane& lane) const {
    const auto& pace = lane.pacer().pace();
    const auto gap = pace.gap_min + pace.jitter_max / 2;
    if (gap <= Millis{0}) {
        return options_.lane_files_max;
    }
    const auto soon = static_cast<std::size_t>(files_ahead_for / gap);
    return std::clamp<std::size_t>(soon, 1, options_.lane_files_max);
}

void Dispatcher::fetch_ahead(Lane& lane, LaneSource& source) {
    const auto ahead = files_ahead(lane);
    while (const auto* message = source.fetches().begin_next(ahead)) {
        options_.files->fetch(*message, [this, id = message->id, device = lane.device(),
                                         which = message->source](media::FetchResult result) {
            post_(Fetched{
                .message = id, .device = device, .source = which, .result = std::move(result)});
        });
    }
}

void Dispatcher::handle(Fetched&& event) {
    auto& lane = lane_of(event.device);  // It stays until its fetches have ended.
    auto& source = lane.source(event.source);
    if (source.fetches().end_fetch(event.message)) {
        fetched(lane, source, event.message, std::move(event.result));
    }
    fetch_ahead(lane, source);
    make_ready(lane);
}

void Dispatcher::fetched(Lane& lane, LaneSource& source, const model::MessageId& id,
                         media::FetchResult result) {
    auto refused = result ? std::nullopt : std::optional{std::move(result.error())};
    if (!refused && lane.connector() != nullptr) {
        refused = refusal(*lane.connector()->capabilities(), **result);
    }
    if (!refused) {
        source.fetches().give_file(id, std::move(*result), now_);
    } else if (refused->kind == Outcome::Kind::failed) {
        finish(add_in_flight(lane, memory_.stop_awaiting(source, id), false),
               {.state = model::MessageState::failed,
                .code = refused->code,
                .details =
                    of_platform(std::move(refused->details), model::details::file_unavailable)});
    } else {  // The cache was closed, or too many wait: not again at once.
        const auto queued_at = memory_.stop_awaiting(source, id).queued_at;
        source.note_on_disk(std::max<Timestamp>(queued_at, now_ + store_pause));
    }
}

/// Sends the earliest message that has its file. It counts in its lane's window from now on. Its
/// campaign may have been paused since the file was fetched.
void Dispatcher::send_with_file(Lane& lane, LaneSource& source) {
    auto taken = memory_.pop_with_file(source);
    auto& flight = add_in_flight(lane, std::move(taken.queued));
    flight.give_file(std::move(taken.file),
                     {.from = taken.began, .until = taken.fetched_at.value_or(taken.began)});
    fetch_ahead(lane, source);
    if (is_withheld(flight.queued())) {
        withdraw(flight);
    } else {
        begin_send(flight);
    }
}

void Dispatcher::drain() {
    if (draining_) {
        return;
    }
    draining_ = true;
    for (auto& [device, lane] : lanes_) {
        memory_.evict(*lane);
    }
}

}  // namespace merpati::scheduler
