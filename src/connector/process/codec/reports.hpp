// Reads a worker's reports and requests from its lines (docs/connector-protocol.md, section 6).
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/error.hpp"
#include "connector/connector.hpp"

namespace merpati::connector::process {

struct StateReport {
    model::PhoneNumber device;
    model::DeviceState state = model::DeviceState::disconnected;
    std::string reason;  // Ends with the platform's code, if there is one.
    Timestamp until{};   // The end of `restricted`.
};

struct PairingReport {
    model::PhoneNumber device;
    PairingStep step;
};

struct SecretsRead {
    model::PhoneNumber device;
    std::vector<std::string> names;
};

struct SecretsWrite {
    model::PhoneNumber device;
    DeviceSecrets::Values values;
    DeviceSecrets::Others others = DeviceSecrets::Others::stay;
};

// Errors: invalid_argument (names the field), refused (too many or too long secrets).
[[nodiscard]] Result<StateReport> read_state(const boost::json::object& fields);
[[nodiscard]] Result<PairingReport> read_pairing(const boost::json::object& fields, Timestamp now);
[[nodiscard]] Result<LateStatus> read_status(const boost::json::object& fields, Timestamp now);
[[nodiscard]] Result<InboundMessage> read_inbound(const boost::json::object& fields, Timestamp now);
[[nodiscard]] Result<SecretsRead> read_secrets_read(const boost::json::object& fields);
[[nodiscard]] Result<SecretsWrite> read_secrets_write(const boost::json::object& fields);

/// The result of a `store.get`.
[[nodiscard]] boost::json::object values_answer(const DeviceSecrets::Values& values);

}  // namespace merpati::connector::process
