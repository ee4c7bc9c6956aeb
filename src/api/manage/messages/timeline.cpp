// The history of a message as one list.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "store/reader.hpp"

namespace merpati::api::manage::messages {
namespace {

using boost::json::value;
using model::MessageStep;

/// Delays are whole seconds. Without one, a message is due some milliseconds after its acceptance.
constexpr Millis delay_min{1'000};

/// A callback of the message, and its attempts.
struct CallbackStory {
    store::QueuedCallback callback;
    std::vector<model::CallbackAttempt> attempts;
};

struct Item {
    Timestamp at;
    std::string_view step;
    std::string_view waits_for{};
    std::optional<Timestamp> until{};
    std::uint16_t code = 0;
    std::string details{};
    std::string id{};
    std::optional<Millis> took{};
    std::uint32_t count = 0;
    /// Its place in the order; empty: `at`. Platforms say times in whole seconds, and by clocks of
    /// their own, so a step may seem earlier than the one that it followed.
    std::optional<Timestamp> follows{};

    [[nodiscard]] Timestamp comes_at() const { return std::max(at, follows.value_or(at)); }
    /// Of two steps at the same time, one that follows another comes second.
    [[nodiscard]] std::pair<Timestamp, bool> place() const {
        return {comes_at(), follows.has_value()};
    }
};

boost::json::object shown_step(const Item& item) {
    return {{"at", to_rfc3339(item.at)},
            {"step", text_or_null(item.step)},
            {"for", text_or_null(item.waits_for)},
            {"until", view(item.until)},
            {"code", number_or_null(item.code)},
            {"details", text_or_null(item.details)},
            {"id", text_or_null(item.id)},
            {"took_ms", item.took ? value(item.took->count()) : nullptr},
            {"count", number_or_null(item.count)}};
}

void add_beginning(std::vector<Item>& items, const model::Message& message) {
    items.push_back({.at = message.accepted_at, .step = "accepted", .id = message.id.text()});
    if (message.due_at - message.accepted_at >= delay_min) {
        items.push_back({.at = message.accepted_at, .step = "delayed", .until = message.due_at});
    }
}

Item item_of(const model::MessageEvent& event) {
    Item item{.at = event.at, .step = model::to_string(event.step), .until = event.until};
    if (event.step == MessageStep::waited) {
        item.waits_for = model::to_string(event.reason());
    } else {
        item.code = event.code;
    }
    const bool names_message =
        event.step == MessageStep::retry_of || event.step == MessageStep::retried_as;
    (names_message ? item.id : item.details) = event.details;
    return item;
}

/// When the platform had the message, as far as the gateway knows: no status of it is earlier.
Timestamp given_at(const store::MessageRecord& record, const store::MessageTrail& trail) {
    if (trail.handed_over_at) {
        return *trail.handed_over_at;
    }
    return record.completion && record.completion->state == model::MessageState::sent
               ? record.completion->finished_at
               : record.message.accepted_at;
}

void add_events(std::vector<Item>& items, const store::MessageRecord& record,
                const store::MessageTrail& trail) {
    auto last_status = given_at(record, trail);
    std::uint32_t expected = 1;
    for (const auto& event : trail.events) {
        if (event.number > expected) {
            items.push_back({.at = event.at, .step = "folded", .count = event.number - expected});
        }
        expected = event.number + 1;
        auto item = item_of(event);
        if (event.step == MessageStep::delivered || event.step == MessageStep::read) {
            item.follows = last_status;
            last_status = item.comes_at();
        }
        items.push_back(std::move(item));
    }
}

void add_end(std::vector<Item>& items, const store::MessageRecord& record,
             const store::MessageTrail& trail) {
    if (trail.handed_over_at) {
        const auto& id = record.completion ? record.completion->platform_id : record.platform_id;
        items.push_back({.at = *trail.handed_over_at, .step = "handed_over", .id = id});
    }
    if (!record.completion) {
        return;
    }
    const auto& end = *record.completion;
    if (end.took) {
        const auto began = end.finished_at - *end.took;
        if (record.message.typing) {
            items.push_back({.at = began, .step = "typing"});
        }
        items.push_back({.at = began, .step = "sending"});
    }
    items.push_back({.at = end.finished_at,
                     .step = model::to_string(end.state),
                     .code = static_cast<std::uint16_t>(end.code),
                     .details = end.details,
                     .id = end.platform_id,
                     .took = end.took});
}

void add_callback(std::vector<Item>& items, const CallbackStory& story) {
    for (const auto& attempt : story.attempts) {
        items.push_back({.at = attempt.at,
                         .step = "callback",
                         .until = attempt.retry_at,
                         .code = attempt.status,
                         .details = attempt.error,
                         .id = story.callback.callback.id.text(),
                         .took = attempt.took});
    }
}

Result<std::vector<CallbackStory>> stories_of(store::ListReader& reader,
                                              const model::MessageId& id) {
    auto callbacks = reader.callbacks({.message = id});
    if (!callbacks) {
        return pass(callbacks);
    }
    std::vector<CallbackStory> stories;
    for (auto& callback : callbacks->records) {
        auto attempts = reader.attempts(callback.callback.id);
        if (!attempts) {
            return pass(attempts);
        }
        stories.push_back({.callback = std::move(callback), .attempts = std::move(*attempts)});
    }
    return stories;
}

/// The steps in order of time, each {"at","step","for","until","code","details","id","took_ms",
/// "count"} with null for values that it does not have. Steps: accepted, delayed, waited, typing,
/// sending, attempted, handed_over, sent, failed, cancelled, held, released, hastened, delivered,
/// read, retry_of, retried_as, callback; and `folded`, which replaces `count` steps that were not
/// kept.
boost::json::array timeline_of(const store::MessageRecord& record, const store::MessageTrail& trail,
                               const std::vector<CallbackStory>& callbacks) {
    std::vector<Item> items;
    add_beginning(items, record.message);
    add_events(items, record, trail);
    add_end(items, record, trail);
    for (const auto& story : callbacks) {
        add_callback(items, story);
    }
    // A multimap keeps steps of the same time in the order of insertion.
    std::multimap<std::pair<Timestamp, bool>, const Item*> by_time;
    for (const auto& item : items) {
        by_time.emplace(item.place(), &item);
    }
    boost::json::array shown;
    shown.reserve(items.size());
    for (const auto& [place, item] : by_time) {
        shown.push_back(shown_step(*item));
    }
    return shown;
}

}  // namespace

Result<value> timeline(const Context& context, Call& call) {
    return with_named_message(
        context, call,
        [](store::Reader& reader, const store::MessageRecord& record) -> Result<value> {
            const auto trail = reader.trail(record.message.id);
            if (!trail) {
                return pass(trail);
            }
            const auto stories = stories_of(reader, record.message.id);
            if (!stories) {
                return pass(stories);
            }
            return page(timeline_of(record, *trail, *stories));
        });
}

}  // namespace merpati::api::manage::messages
