// What handlers ask of the callbacks of a running server, or of a stopped server's store.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "callback/sender.hpp"
#include "model/callback.hpp"
#include "model/ids.hpp"
#include "store/records.hpp"

namespace merpati::api::manage {

/// Operations on callbacks that differ between a running server, whose sender owns waiting
/// callbacks, and a stopped server's store.
class CallbackControl {
public:
    virtual ~CallbackControl() = default;

    /// Call after callbacks of this endpoint were made due in the store.
    virtual void wake(const store::Endpoint& endpoint) = 0;

    /// Posts a signed test callback to the address and waits for the answer. The attempt's error is
    /// empty if it was delivered. Errors: busy, refused (no https URL, or the server is stopped),
    /// timeout, shutting_down.
    [[nodiscard]] virtual Result<model::CallbackAttempt> test(model::AccountId account,
                                                              std::string url) = 0;

    /// The health of those of the account's origins that have a queue in memory.
    [[nodiscard]] virtual std::vector<callback::EndpointHealth> health(
        model::AccountId account) = 0;
};

}  // namespace merpati::api::manage
