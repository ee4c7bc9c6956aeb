#include "daemon/device_changes.hpp"

namespace merpati::daemon {
namespace {

Result<void> add_notice(store::Tables& tables, const std::optional<model::Callback>& notice) {
    return notice ? tables.add_callback(*notice) : Result<void>{};
}

}  // namespace

Result<void> announce(store::Tables& tables, Notices& notices, const model::Device& device) {
    return device.state == model::DeviceState::connected
               ? add_notice(tables, notices.of_state(device, {}))
               : Result<void>{};
}

Result<std::optional<model::Device>> record_state(store::Tables& tables, Notices& notices,
                                                  const store::DeviceIdentity& device,
                                                  model::DeviceState state, std::string_view reason,
                                                  Timestamp now) {
    auto changed = tables.set_device_state(device, state, reason, now);
    if (changed && *changed) {
        if (auto stored = add_notice(tables, notices.of_state(**changed, reason)); !stored) {
            return pass(stored);
        }
    }
    return changed;
}

}  // namespace merpati::daemon
