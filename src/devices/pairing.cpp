// The steps of a pairing that is under way; DeviceKeeper::pair begins it.
#include <chrono>
#include <future>
#include <utility>

#include "devices/keeper.hpp"

namespace merpati::devices {
namespace {

/// Longer than a connector waits for its worker.
constexpr std::chrono::seconds answered_within{65};

}  // namespace

void DeviceKeeper::pairing(const model::Device& known, connector::PairingStep step) {
    const auto device = known.number;
    const auto now = rooms_.directory.find_device(device);
    if (now == nullptr || store::DeviceIdentity::of(*now) != store::DeviceIdentity::of(known) ||
        step.payload.size() > connector::PairingStep::payload_bytes_max) {
        rooms_.log.warn("a pairing step is left out: its device is gone, or it is too long",
                        {{"device", telemetry::mask_number(device.text())}});
        return;
    }
    pairings_.show(device, step);
    if (rooms_.on_pairing_step) {
        rooms_.on_pairing_step(known, step);
    }
    const auto bytes = step.payload.size();
    keep(
        known, bytes,
        [this, device, step = std::move(step)](store::Tables& tables) -> Result<void> {
            const auto told = notify(tables, device, "device.pairing",
                                     EventData{}
                                         .add("method", step.method)
                                         .add("payload", step.payload)
                                         .add("expires_at", to_rfc3339(step.expires_at)));
            return told ? Result<void>{} : pass(told);
        },
        [](const Result<void>&) {});
}

Result<void> DeviceKeeper::answer(model::PhoneNumber number, std::string answer) {
    const auto promise = std::make_shared<std::promise<Result<void>>>();
    auto taken = promise->get_future();
    const auto steered =
        steer(number, [&](connector::Connector& connector, const model::Device&) -> Result<void> {
            connector.answer_pairing(number, answer, [promise](Result<void> said) {
                promise->set_value(std::move(said));
            });
            return {};
        });
    if (!steered) {
        return pass(steered);
    }
    if (taken.wait_for(answered_within) != std::future_status::ready) {
        return fail(ErrorCode::busy, "the connector does not answer: try again");
    }
    return taken.get();
}

api::manage::Pairing DeviceKeeper::pairing(model::PhoneNumber number) const {
    return pairings_.find(number);
}

}  // namespace merpati::devices
