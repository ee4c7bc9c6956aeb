// The dispatcher's waiting for the files of media messages.
#include <algorithm>

#include "base/assert.hpp"
#include "scheduler/details.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

using model::Outcome;
using model::StatusCode;

constexpr Millis files_ahead_for = std::chrono::seconds{10};

/// What the platform itself would refuse, known before it is asked.
std::optional<Outcome> refusal(const connector::Capabilities& platform, const media::File& file) {
    if (platform.media_types && !platform.media_types->contains(file.media_type)) {
        return Outcome{.kind = Outcome::Kind::failed,
                       .code = StatusCode::media_refused,
                       .details = std::string{details::media_type}};
    }
    if (platform.media_bytes_max != 0 && file.bytes > platform.media_bytes_max) {
        return Outcome{.kind = Outcome::Kind::failed,
                       .code = StatusCode::failed,
                       .details = std::string{details::media_size}};
    }
    return std::nullopt;
}

}  // namespace

/// Steps aside, so that others pass.
void Dispatcher::await_file(Lane& lane, store::QueuedMessage queued) {
    if (options_.files == nullptr) {
        finish_unsent(lane, std::move(queued), StatusCode::failed, details::media_unavailable);
        return;
    }
    memory_.count(queued);
    ++awaiting_;
    auto& flight = fly(lane, std::move(queued), false);
    flight.stage = Stage::fetching;
    const auto& id = flight.queued.message->id;
    lane.fetches.all.insert(id);
    lane.fetches.waiting.push_back(id);
    fetch_some(lane);
}

/// Whether the next message cannot step aside, because too many have.
bool Dispatcher::blocked_by_fetches(Lane& lane) {
    const auto* source = lane.next_due(now_);
    return source != nullptr && source->with_file.empty() &&
           source->memory.top().message->type == model::MessageType::media &&
           lane.fetches.all.size() >= memory_.awaiting_max();
}

/// Files that a lane may have or ask for: those that it will soon send, for they take disk.
std::size_t Dispatcher::files_ahead(const Lane& lane) const {
    const auto& pace = lane.pacer.pace();
    const auto gap = pace.gap_min + pace.jitter_max / 2;
    if (gap <= Millis{0}) {
        return options_.lane_files_max;
    }
    const auto soon = static_cast<std::size_t>(files_ahead_for / gap);
    return std::clamp<std::size_t>(soon, 1, options_.lane_files_max);
}

void Dispatcher::fetch_some(Lane& lane) {
    auto& fetches = lane.fetches;
    const auto ahead = files_ahead(lane);
    const auto here = [&lane] {
        return lane.sources[0].with_file.size() + lane.sources[1].with_file.size();
    };
    while (!fetches.waiting.empty() && fetches.under_way + here() < ahead) {
        const auto id = fetches.waiting.front();
        fetches.waiting.pop_front();
        if (!fetches.all.contains(id)) {
            continue;  // Cancelled.
        }
        ++fetches.under_way;
        options_.files->fetch(*in_flight_.at(id).queued.message, [this, id, device = lane.device](
                                                                     media::FetchResult result) {
            post_(Fetched{.message = id, .device = device, .result = std::move(result)});
        });
    }
}

void Dispatcher::handle(Fetched&& event) {
    auto& lane = lane_of(event.device);
    --lane.fetches.under_way;
    // Otherwise it was cancelled or left to the disk meanwhile, or came to its turn again since and
    // got its file from a later fetch.
    if (lane.fetches.all.contains(event.message) && in_flight_.at(event.message).file == nullptr) {
        fetched(in_flight_.at(event.message), std::move(event.result));
    }
    fetch_some(lane);
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
        source.with_file.emplace(flight.queued.queued_at, message.id);
    } else if (refused->kind == Outcome::Kind::failed) {
        auto queued = stop_awaiting(message.id);
        finish(fly(lane, std::move(queued), false),
               {.state = model::MessageState::failed,
                .code = refused->code,
                .details =
                    details::of_platform(std::move(refused->details), details::media_unavailable)});
    } else {  // The library was closed, or too many wait: not at once again.
        const auto queued_at = stop_awaiting(message.id).queued_at;
        source.note_on_disk(std::max<Timestamp>(queued_at, now_ + store_pause));
    }
}

/// The earliest that has its file; it is in its lane's window from now on.
Dispatcher::InFlight& Dispatcher::take_with_file(LaneSource& source) {
    auto& flight = in_flight_.at(source.with_file.begin()->second);
    auto& lane = *flight.lane;
    auto file = std::move(flight.file);
    auto& going = fly(lane, stop_awaiting(flight.queued.message->id));
    going.file = std::move(file);
    fetch_some(lane);
    return going;
}

store::QueuedMessage Dispatcher::stop_awaiting(const model::MessageId& id) {
    auto flight = in_flight_.extract(id);
    invariant(!flight.empty(), "what awaits its file is in flight");
    auto& lane = *flight.mapped().lane;
    auto queued = std::move(flight.mapped().queued);
    memory_.uncount(queued);
    --awaiting_;
    lane.fetches.all.erase(queued.message->id);
    lane.source(queued.message->source).with_file.erase({queued.queued_at, queued.message->id});
    return queued;
}

/// Whatever the lane holds in memory and has not begun to send.
void Dispatcher::leave_to_disk(Lane& lane) {
    memory_.let_go(lane);
    const auto awaiting = lane.fetches.all;
    for (const auto& id : awaiting) {
        const auto queued = stop_awaiting(id);
        lane.source(queued.message->source).note_on_disk(queued.queued_at);
    }
    lane.fetches.waiting.clear();
}

void Dispatcher::drain() {
    if (draining_) {
        return;
    }
    draining_ = true;
    for (auto& [device, lane] : lanes_) {
        leave_to_disk(*lane);
    }
}

}  // namespace merpati::scheduler
