// Device secrets for a connector that can wait while the gateway is busy.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "connector/connector.hpp"

namespace merpati::connector {

/// Operation: as DeviceSecrets, but what is refused as busy is asked for again after a while, as
/// long as `wanted` says so.
///
/// Threads: as DeviceSecrets; `wanted` is called on the thread that `later` uses.
class PatientSecrets {
public:
    /// Runs a function after a while. It is not run if the connector stops first.
    using Later = std::function<void(std::move_only_function<void()>)>;
    using Wanted = std::function<bool()>;

    explicit PatientSecrets(Later later) : later_(std::move(later)) {}

    void begin(DeviceSecrets& secrets) { secrets_ = &secrets; }

    void get(const DeviceRef& device, std::vector<std::string> names, Wanted wanted,
             DeviceSecrets::Got got);
    void put(const DeviceRef& device, DeviceSecrets::Values values, Wanted wanted,
             ConnectorEvents::Stored stored);

private:
    const Later later_;
    DeviceSecrets* secrets_ = nullptr;
};

}  // namespace merpati::connector
