// What a connector keeps of its devices, in the store.
#pragma once

#include <string>
#include <utility>

#include "connector/connector.hpp"
#include "store/committer.hpp"

namespace merpati::daemon {

/// Operation: both run on the store's thread, so that a `get` sees what was put before it; there it
/// is decided whether the device is this connector's. Any other is answered not_found.
///
/// Threads: any; answers come on the committer's, which must not be held up.
class DeviceSecrets final : public connector::DeviceSecrets {
public:
    DeviceSecrets(store::Committer& committer, std::string connector)
        : committer_(committer), connector_(std::move(connector)) {}

    void get(model::PhoneNumber device, std::vector<std::string> names, Got got) override;
    void put(model::PhoneNumber device, Values values, Others others,
             connector::ConnectorEvents::Stored stored) override;

private:
    [[nodiscard]] Result<void> check_owner(store::Tables& tables, model::PhoneNumber device) const;

    store::Committer& committer_;
    const std::string connector_;
};

}  // namespace merpati::daemon
