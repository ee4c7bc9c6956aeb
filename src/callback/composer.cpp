#include "callback/composer.hpp"

#include <algorithm>

#include <boost/container/static_vector.hpp>

namespace merpati::callback {
namespace {

constexpr std::size_t failures_until_halves = 2;
constexpr std::size_t event_frame_bytes = 96;  // Of an event, without its payload.

/// Callbacks that may be posted together.
struct Group {
    const Delivery* first = nullptr;
    std::size_t place = 0;
    std::size_t count = 0;
    std::size_t most = 0;
    Timestamp oldest;
};

bool go_together(const Delivery& one, const Delivery& other) {
    return one.address == other.address && is_status(one) && is_status(other) &&
           one.events_max == other.events_max &&
           one.queued.progress.attempts == other.queued.progress.attempts &&
           one.queued.callback.url == other.queued.callback.url;
}

std::size_t most_of(const Delivery& first, const model::CallbackBatch& batch) {
    return first.events_max == 0 ? batch.max : std::min<std::size_t>(first.events_max, batch.max);
}

/// Those of the group that begins at `from`, as many as one body may have.
std::vector<std::size_t> places_from(const OriginQueue& origin, std::size_t from,
                                     std::size_t most) {
    const auto& memory = origin.memory;
    const auto end = std::min(memory.size(), Composition::looked_at_max);
    std::vector<std::size_t> places;
    std::size_t bytes = 0;
    for (auto place = from; place < end && places.size() < most; ++place) {
        if (place != from && !go_together(*memory[from], *memory[place])) {
            continue;
        }
        bytes += memory[place]->queued.callback.body.size() + event_frame_bytes;
        if (!places.empty() && bytes > Composition::bytes_max) {
            break;
        }
        places.push_back(place);
    }
    return places;
}

}  // namespace

Composition compose(const OriginQueue& origin, Timestamp now) {
    const auto& batch = origin.account.batch;
    const auto& memory = origin.memory;
    if (!batch) {
        return {.places = {0}};
    }
    boost::container::static_vector<Group, Composition::groups_max> groups;
    const auto end = std::min(memory.size(), Composition::looked_at_max);
    for (std::size_t place = 0; place < end; ++place) {
        const auto& delivery = *memory[place];
        if (!is_status(delivery)) {
            return {.places = {place}};
        }
        auto group = std::ranges::find_if(
            groups, [&](const Group& one) { return go_together(*one.first, delivery); });
        const auto due = delivery.queued.progress.due_at;
        if (group == groups.end()) {
            if (groups.size() == groups.capacity()) {
                continue;
            }
            groups.push_back({.first = &delivery,
                              .place = place,
                              .most = most_of(delivery, *batch),
                              .oldest = due});
            group = std::prev(groups.end());
        }
        group->oldest = std::min(group->oldest, due);
        if (++group->count >= group->most || delivery.at_once ||
            group->oldest + batch->wait <= now || origin.requests_to(delivery.address) == 0) {
            return {.places = places_from(origin, group->place, group->most)};
        }
    }
    const auto first = std::ranges::min_element(groups, {}, &Group::oldest);
    return {.until = first->oldest + batch->wait};
}

bool is_status(const Delivery& delivery) noexcept {
    return delivery.queued.callback.kind == model::CallbackKind::message_status;
}

std::size_t events_max(const model::CallbackProgress& progress) noexcept {
    if (progress.attempts < failures_until_halves) {
        return 0;
    }
    return progress.batch ? (progress.batch->events + 1) / 2 : 1;
}

std::string batch_body(std::span<const std::unique_ptr<Delivery>> events) {
    std::size_t bytes = 16;
    for (const auto& event : events) {
        bytes += event->queued.callback.body.size() + event_frame_bytes;
    }
    std::string body;
    body.reserve(bytes);
    body += R"({"events":[)";
    for (const auto& event : events) {
        const auto& callback = event->queued.callback;
        body += &event == &events.front() ? R"({"id":")" : R"(,{"id":")";
        callback.id.append_to(body);
        body += R"(","timestamp":")";
        body += to_rfc3339(callback.created_at);
        body += R"(","payload":)";
        body += callback.body;
        body += '}';
    }
    body += "]}";
    return body;
}

}  // namespace merpati::callback
