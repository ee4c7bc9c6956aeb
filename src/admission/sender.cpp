// The sender: one of the account's own devices, and able to send.
#include "admission/checks.hpp"

namespace merpati::admission {

std::shared_ptr<const model::Device> find_sender(std::string_view number, model::AccountId account,
                                                 const Directory& directory) {
    const auto parsed = model::PhoneNumber::parse(number);
    if (!parsed) {
        return nullptr;
    }
    auto device = directory.find_device(*parsed);
    return device != nullptr && device->account == account ? device : nullptr;
}

bool accepts_messages(const model::Device& device, Timestamp now) noexcept {
    return device.state == model::DeviceState::connected ||
           (device.state == model::DeviceState::reconnecting &&
            now - device.state_since <= reconnecting_max);
}

}  // namespace merpati::admission
