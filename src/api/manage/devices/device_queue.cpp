// The queue of a device: pause, resume, show and clear.
#include "api/manage/accounts/limits.hpp"
#include "api/manage/devices/queue_clearing.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::device_queue {
namespace {

using boost::json::value;

/// Commits the patch that `decide` answers for the device; an empty one changes nothing.
template <class Decide>
Result<value> decide_and_show(const Context& context, Call& call, Decide decide) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Device> {
            auto device = find_device(tables, call, call.id);
            if (!device) {
                return device;
            }
            const std::optional<store::DevicePatch> patch = decide(*device);
            call.changed_nothing = !patch;
            return patch ? tables.update_device(device->number, *patch) : std::move(device);
        },
        [&](const model::Device& device) { return view(device, call.head.language); });
}

}  // namespace

/// A device that is paused already keeps the time and the reason of its pause.
Result<value> pause(const Context& context, Call& call) {
    return decide_and_show(
        context, call, [&](const model::Device& device) -> std::optional<store::DevicePatch> {
            if (device.pause) {
                return std::nullopt;
            }
            return store::DevicePatch{.pause = model::Pause{.reason = model::PauseReason::asked,
                                                            .since = context.clock.now()}};
        });
}

Result<value> resume(const Context& context, Call& call) {
    return decide_and_show(context, call,
                           [&](const model::Device& device) -> std::optional<store::DevicePatch> {
                               if (!device.pause) {
                                   return std::nullopt;
                               }
                               return store::DevicePatch{.pause = std::optional<model::Pause>{},
                                                         .resumed_at = context.queue_clock.now()};
                           });
}

Result<value> show(const Context& context, Call& call) {
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    const auto queue = context.read([&](store::Reader& reader) {
        return reader.queue_of((*device)->number, queue_counted_max);
    });
    if (!queue) {
        return pass(queue);
    }
    const auto offset = context.queue_clock.offset();
    const auto due = queue->due_from.transform([&](Timestamp at) { return at - offset; });
    return boost::json::object{{"number", (*device)->number.text()},
                               {"waiting", queue->count},
                               {"waiting_more", queue->has_more},
                               {"oldest", text_or_null(queue->oldest)},
                               {"oldest_accepted_at", manage::view(queue->oldest_accepted_at)},
                               {"next_attempt_at", manage::view(due)}};
}

/// Cancels only messages that were accepted until `accepted_until`, by default until now. If more
/// wait than one call cancels, the caller repeats the call with the `accepted_until` of the first
/// answer.
Result<value> clear(const Context& context, Call& call) {
    const auto until = call.fields.time("accepted_until").value_or(context.clock.now());
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    const auto number = (*device)->number;
    Cleared cleared;
    const auto done =
        clear_queue(context, call.principal, number, until + context.queue_clock.offset(), cleared);
    call.did = cleared.did();
    if (!done) {
        return pass(done);
    }
    const auto left = context.read(
        [&](store::Reader& reader) { return reader.queue_of(number, queue_counted_max); });
    if (!left) {
        return pass(left);
    }
    return boost::json::object{
        {"number", number.text()},      {"cancelled", cleared.cancelled},
        {"waiting", left->count},       {"waiting_more", left->has_more},
        {"complete", cleared.complete}, {"accepted_until", to_rfc3339(until)}};
}

}  // namespace merpati::api::manage::device_queue
