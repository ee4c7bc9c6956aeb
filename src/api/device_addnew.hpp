// POST /v1/device/addnew (interface 2.4, 4.2; decisions.md, Add device).
#pragma once

#include <functional>
#include <utility>

#include "api/call.hpp"
#include "api/idempotency.hpp"
#include "base/clock.hpp"
#include "connector/connectors.hpp"
#include "model/device.hpp"
#include "outbound/url.hpp"
#include "store/committer.hpp"

namespace merpati::api {

struct DeviceAddnewOptions {
    std::string default_connector;
    outbound::Schemes webhook_schemes = outbound::Schemes::https_only;
};

/// Adds a sender number to the caller's account, or updates the webhook of a number that it has.
///
/// Operation: number and webhook are checked before the transaction. Plan, owner and limit are
/// checked inside it, so that concurrent requests see each other's effect. So are the key and the
/// account's validity again, because they may have ended meanwhile. The same transaction
/// writes the device, the first notice to its webhook, the entry in the log of changes and the
/// request's Idempotency-Key.
///
/// Threads: `handle` on any I/O thread. Refusals by the first checks, and of an overloaded server,
/// are answered on that thread; all else is answered on the committer's.
class DeviceAddnew {
public:
    struct Rooms {
        const Clock& clock;
        const Idempotency& idempotency;
        const outbound::AddressPolicy& policy;
        const connector::Connectors& connectors;
        store::Committer& committer;
    };

    /// Runs in the transaction that adds a device. Stores the notice of its first state for its
    /// webhook.
    using Announce = std::function<Result<void>(store::Tables&, const model::Device&)>;

    DeviceAddnew(Rooms rooms, DeviceAddnewOptions options, Announce announce)
        : rooms_(rooms), options_(std::move(options)), announce_(std::move(announce)) {}

    void handle(Call&& call);

private:
    struct Wanted;
    struct Job;

    [[nodiscard]] Checked<Wanted> decode(const JsonFields& fields) const;
    [[nodiscard]] Result<void> apply(store::Tables& tables, Job& job) const;
    [[nodiscard]] Result<Checked<void>> check_caller(store::Tables& tables, const Job& job) const;
    [[nodiscard]] Result<Checked<void>> add(store::Tables& tables, const Job& job) const;
    [[nodiscard]] Result<void> record(store::Tables& tables, const Job& job,
                                      const std::optional<model::Device>& before,
                                      const model::Device& device) const;

    Rooms rooms_;
    DeviceAddnewOptions options_;
    Announce announce_;
};

}  // namespace merpati::api
