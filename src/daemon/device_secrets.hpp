// What connectors keep of their devices, in the store.
#pragma once

#include "connector/connector.hpp"
#include "store/committer.hpp"

namespace merpati::daemon {

/// Operation: both run on the store's thread, so that a `get` sees what was put before it.
///
/// Threads: any; answers come on the committer's, which must not be held up.
class DeviceSecrets final : public connector::DeviceSecrets {
public:
    explicit DeviceSecrets(store::Committer& committer) : committer_(committer) {}

    void get(model::PhoneNumber device, std::string name, Got got) override;
    void put(model::PhoneNumber device, Values values,
             connector::ConnectorEvents::Stored stored) override;

private:
    store::Committer& committer_;
};

}  // namespace merpati::daemon
