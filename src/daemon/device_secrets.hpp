// The secrets that a connector keeps of its devices, in the store.
#pragma once

#include <string>
#include <utility>

#include "connector/connector.hpp"
#include "store/committer.hpp"

namespace merpati::daemon {

/// Operation: `get` and `put` run as changes on the committer's thread, so a `get` sees every
/// earlier `put`. The transaction checks that the device belongs to this connector; another device
/// is answered not_found.
///
/// Threads: any. Answers come on the committer's thread and must not block it; a busy or stopping
/// committer is answered `busy` from within the call.
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
