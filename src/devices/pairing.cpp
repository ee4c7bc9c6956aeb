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
