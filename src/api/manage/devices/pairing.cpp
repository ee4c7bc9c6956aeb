// The pairing of a device: begin it, show it, answer it.
#include <fmt/format.h>

#include "api/manage/devices/device_control.hpp"
#include "api/manage/devices/queue_clearing.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "api/qr_code.hpp"
#include "api/texts/state_reasons.hpp"
#include "connector/connector.hpp"

namespace merpati::api::manage::devices {
namespace {

using boost::json::value;

/// The device's state, and what a person must do. The state is `pairing` as soon as pairing has
/// begun, even if the connector has not reported it yet.
value view_pairing(const Context& context, const Call& call, model::PhoneNumber number) {
    const auto pairing = context.devices.pairing(number);
    const auto device = context.directory.find_device(number);
    const auto state = device == nullptr ? model::DeviceState::disconnected : device->state;
    const auto shown = pairing.under_way ? model::DeviceState::pairing : state;
    return boost::json::object{
        {"number", number.text()},
        {"state", model::to_string(shown)},
        {"method", text_or_null(pairing.method)},
        {"payload", text_or_null(reason_text(pairing.payload, call.head.language))},
        {"expires_at", view(pairing.expires_at)},
        {"reason", text_or_null(reason_text(pairing.reason, call.head.language))}};
}

}  // namespace

Result<value> show_pairing(const Context& context, Call& call) {
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    return view_pairing(context, call, (*device)->number);
}

namespace {

Result<void> begin_pairing(const Context& context, Call& call, model::PhoneNumber number,
                           std::string method, std::optional<model::QueueChoice> choice) {
    auto begun = context.devices.pair(number, std::move(method), choice);
    if (!begun && begun.error().code == ErrorCode::too_many_requests) {
        call.answer.retry_after = context.devices.pairing_wait(number);
    }
    return begun;
}

/// Cancels waiting messages before the device is paired by `method`, if that may begin now. Errors:
/// conflict (the device can send, so messages could leave meanwhile), busy (not all were
/// cancelled), those of DeviceControl::check_pairing and clear_queue.
Result<void> discard_queue(const Context& context, Call& call, const model::Device& device,
                           std::string_view method) {
    if (model::is_linked(device.state)) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} is {}, so it is not paired anew: clear its queue instead",
                                device.number.text(), model::to_string(device.state)));
    }
    if (auto checked = context.devices.check_pairing(device.number, method); !checked) {
        return checked;
    }
    Cleared cleared;
    auto done =
        clear_queue(context, call.principal, device.number, context.queue_clock.now(), cleared);
    for (const auto& [name, count] : cleared.did()) {
        call.did[name] = count;
    }
    if (!done || cleared.complete) {
        return done;
    }
    return fail(ErrorCode::busy,
                fmt::format("{} messages were cancelled and more wait, so the pairing has not "
                            "begun: repeat the call",
                            cleared.cancelled));
}

}  // namespace

Result<value> pair(const Context& context, Call& call) {
    const auto method = call.fields.text("method", 32);
    const auto queue = call.fields.text("queue", 16);
    const bool discards = queue == "discard";
    const auto choice = queue ? model::parse_queue_choice(*queue) : std::nullopt;
    if (queue && !discards && !choice) {
        call.fields.mistake("queue", "must be hold, send or discard");
    }
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    call.did = {{"method", method.value_or("")}, {"queue", queue.value_or("")}};
    if (discards) {
        const auto discarded = discard_queue(context, call, **device, method.value_or(""));
        if (!discarded) {
            return pass(discarded);
        }
    }
    if (auto begun = begin_pairing(context, call, (*device)->number, method.value_or(""), choice);
        !begun) {
        return pass(begun);
    }
    return view_pairing(context, call, (*device)->number);
}

Result<value> answer_pairing(const Context& context, Call& call) {
    auto answer = call.fields.required_text("answer", connector::PairingStep::answer_bytes_max);
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    if (auto taken = context.devices.answer((*device)->number, std::move(answer)); !taken) {
        return pass(taken);
    }
    return view_pairing(context, call, (*device)->number);
}

namespace {

bool shows(const Pairing& pairing, std::string_view method, Timestamp now) {
    return pairing.under_way && pairing.method == method && pairing.expires_at > now;
}

}  // namespace

/// As SVG, as text for a terminal, or as JSON, by `Accept`.
Result<value> show_qr(const Context& context, Call& call) {
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    const auto pairing = context.devices.pairing((*device)->number);
    if (!shows(pairing, "qr", context.clock.now())) {
        return fail(ErrorCode::not_found,
                    "there is no QR code now: begin to pair the device, and ask again");
    }
    const std::string_view accept = call.head.accept;
    if (accept.contains("image/svg+xml")) {
        call.answer.text = qr_svg(pairing.payload);
        call.answer.content_type = "image/svg+xml";
    } else if (accept.contains("text/plain")) {
        if (const auto drawing = draw_qr(pairing.payload)) {
            call.answer.text = fmt::format("{}\n", fmt::join(drawing->lines, "\n"));
        }
        call.answer.content_type = "text/plain; charset=utf-8";
    } else {
        return boost::json::object{{"number", (*device)->number.text()},
                                   {"payload", pairing.payload},
                                   {"expires_at", view(pairing.expires_at)}};
    }
    return call.answer.text ? Result<value>{nullptr}
                            : fail(ErrorCode::not_found, "the platform's text fits no QR code");
}

/// Shows the present code; if there is none, begins a pairing by code. The platform makes the code,
/// so the answer may come before it.
Result<value> pair_by_code(const Context& context, Call& call) {
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    const auto number = (*device)->number;
    if (!shows(context.devices.pairing(number), "code", context.clock.now())) {
        if (auto begun = begin_pairing(context, call, number, "code", std::nullopt); !begun) {
            return pass(begun);
        }
    }
    return view_pairing(context, call, number);
}

}  // namespace merpati::api::manage::devices
