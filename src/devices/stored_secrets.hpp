// The secrets that a connector keeps of its devices, in the store.
#pragma once

#include <string>
#include <utility>

#include "connector/connector.hpp"
#include "store/committer.hpp"

namespace merpati::devices {

/// Operation: `get` and `put` run as changes on the committer's thread, so a `get` sees every
/// earlier `put`. The transaction checks that the device belongs to this connector, and that it is
/// the one that the connector means, not a later one of the same number; another device is answered
/// not_found.
///
/// Threads: any. Answers come on the committer's thread and must not block it; a busy or stopping
/// committer is answered `busy` from within the call.
class StoredSecrets final : public connector::DeviceSecrets {
public:
    StoredSecrets(store::Committer& committer, std::string connector)
        : committer_(committer), connector_(std::move(connector)) {}

    void get(const connector::DeviceRef& device, std::vector<std::string> names,
             std::size_t bytes_max, Got got) override;
    void put(const connector::DeviceRef& device, Values values, Others others,
             connector::ConnectorEvents::Stored stored) override;

private:
    [[nodiscard]] Result<void> check_owner(store::DeviceTables& tables,
                                           const connector::DeviceRef& device) const;

    store::Committer& committer_;
    const std::string connector_;
};

}  // namespace merpati::devices
