#include "api/manage/messages/waits.hpp"

#include <algorithm>
#include <memory>
#include <ranges>

#include "api/manage/engine/views.hpp"
#include "api/manage/messages/message_control.hpp"
#include "api/manage/messages/sent_message.hpp"

namespace merpati::api::manage {
namespace {

using model::WaitReason;
using scheduler::Wait;

std::string_view text_of(WaitReason reason) {
    switch (reason) {
        case WaitReason::due:
            return "it is to be sent later";
        case WaitReason::retry:
            return "an attempt failed, and it is tried again later";
        case WaitReason::queue:
            return "it is its turn when those before it are sent";
        case WaitReason::pace:
            return "its device leaves a gap between two messages";
        case WaitReason::cap:
            return "its device has sent as many messages as it may in a day";
        case WaitReason::device:
            return "its device is not connected";
        case WaitReason::paused:
            return "its device is paused";
        case WaitReason::file:
            return "its file is being fetched";
        case WaitReason::disk:
            return "the store has no room, or is damaged";
        case WaitReason::platform:
            return "the platform has it and has not said yet what became of it";
        case WaitReason::restricted:
            return "the platform lets its device begin no new chats until then";
    }
    return "";
}

Wait wait_by_rows(const Context& context, const store::MessageRecord& record) {
    if (record.queued_at > context.queue_clock.now()) {
        return {.reason = record.attempts > 0 ? WaitReason::retry : WaitReason::due,
                .until = record.queued_at};
    }
    const auto device = context.directory.find_device(record.message.device);
    if (device == nullptr) {
        return {.reason = WaitReason::device};
    }
    if (device->pause) {
        return {.reason = WaitReason::paused, .since = device->pause->since};
    }
    if (!model::is_online(device->state)) {
        return {.reason = WaitReason::device, .since = device->state_since};
    }
    return {.reason = WaitReason::queue};
}

Wait wait_of(const Context& context, const store::MessageRecord& record,
             const store::MessageTrail& trail) {
    if (record.state == model::MessageState::handed_over) {
        // Without an answer of the platform, since the attempt whose answer was lost.
        const auto lost_at =
            trail.events.empty() ? std::nullopt : std::optional{trail.events.back().at};
        return {.reason = WaitReason::platform,
                .since = trail.handed_over_at ? trail.handed_over_at : lost_at,
                .until = record.queued_at};
    }
    const auto known = context.messages.wait_of(messages::queued(record));
    return known ? *known : wait_by_rows(context, record);
}

/// A message that is due at the end of a restriction waits for that.
Wait of_restriction(Wait wait, const store::MessageTrail& trail) {
    if ((wait.reason == WaitReason::due || wait.reason == WaitReason::retry) &&
        !trail.events.empty()) {
        const auto& last = trail.events.back();
        if (last.step == model::MessageStep::waited && last.reason() == WaitReason::restricted) {
            wait.reason = WaitReason::restricted;
            wait.since = last.at;
        }
    }
    return wait;
}

/// Since when the message waits, if the scheduler has not said it.
Timestamp since_of(const Wait& wait, const store::MessageRecord& record,
                   const store::MessageTrail& trail) {
    if (wait.reason == WaitReason::due) {
        return record.message.accepted_at;
    }
    if (wait.reason == WaitReason::retry) {
        for (const auto& event : std::views::reverse(trail.events)) {
            if (event.step == model::MessageStep::attempted) {
                return event.at;
            }
        }
    }
    return std::max(record.queued_at, record.message.accepted_at);
}

/// Why it takes so long, in the words of the platform or the connector; may be empty.
std::string details_of(const Context& context, const Wait& wait,
                       const store::MessageRecord& record) {
    if (wait.reason == WaitReason::device) {
        const auto device = context.directory.find_device(record.message.device);
        return device == nullptr ? std::string{} : device->state_reason;
    }
    return wait.reason == WaitReason::retry ? record.last_details : std::string{};
}

}  // namespace

boost::json::value waits_of(const Context& context, const store::MessageRecord& record,
                            const store::MessageTrail& trail) {
    if (record.completion) {
        return nullptr;
    }
    const auto wait = of_restriction(wait_of(context, record, trail), trail);
    const auto since = wait.since.value_or(since_of(wait, record, trail));
    return {{"for", model::to_string(wait.reason)},
            {"since", to_rfc3339(since)},
            {"until", view(wait.until)},
            {"text", text_of(wait.reason)},
            {"details", text_or_null(details_of(context, wait, record))}};
}

}  // namespace merpati::api::manage
