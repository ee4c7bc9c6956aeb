#include "connector/unavailable.hpp"

#include <string>

#include "model/texts.hpp"

namespace merpati::connector {
namespace {

using model::DeviceState;

constexpr std::string_view why = model::reasons::connector_unavailable;

void report(ConnectorEvents& events, model::PhoneNumber device, DeviceState state,
            std::string_view reason) {
    events.device_state(device, state, std::string{reason}, [](const Result<void>& /*stored*/) {
        // The state is reported again at the next start of the device.
    });
}

std::unexpected<Error> did_not_start() {
    return fail(ErrorCode::unreachable, "the device's connector did not start");
}

}  // namespace

DeviceState Unavailable::first_state(model::PhoneNumber /*device*/) const {
    return DeviceState::disconnected;
}

Result<void> Unavailable::start(ConnectorEvents& /*events*/, DeviceSecrets& /*secrets*/) {
    return {};
}

void Unavailable::start_device(const model::Device& device, std::string_view /*pairing_method*/) {
    report(events_, device.number,
           model::is_linked(device.state) ? DeviceState::reconnecting : DeviceState::disconnected,
           why);
}

void Unavailable::answer_pairing(model::PhoneNumber /*device*/, std::string_view /*answer*/,
                                 Settled settled) {
    settled(did_not_start());
}

void Unavailable::stop_device(model::PhoneNumber device) {
    report(events_, device, DeviceState::disconnected, model::reasons::requested);
}

void Unavailable::fetch_media(MediaRequest /*request*/, MediaFetched done) {
    done(did_not_start());
}

void Unavailable::check_number(model::PhoneNumber /*device*/, std::string /*number*/,
                               NumberChecked done) {
    done(did_not_start());
}

void Unavailable::send(const SendRequest& request) {
    events_.outcome(request.message.id, request.message.device,
                    {.kind = model::Outcome::Kind::device_down,
                     .details = std::string{model::details::connector_missing},
                     .platform_id = {}});
}

}  // namespace merpati::connector
