// POST /v1/device/addnew (interface 2.4, 4.2; decisions.md, Add device).
#pragma once

#include <string>
#include <utility>

#include "admission/caller_rights.hpp"
#include "admission/ownership.hpp"
#include "api/call.hpp"
#include "api/idempotency.hpp"
#include "api/manage/devices/device_control.hpp"
#include "base/clock.hpp"
#include "outbound/url.hpp"
#include "store/committer.hpp"

namespace merpati::api {

struct DeviceAddnewOptions {
    std::string default_connector;
    outbound::Schemes webhook_schemes = outbound::Schemes::https_only;
};

/// Adds a sender number to the caller's account, or updates the webhook of a number that it has.
///
/// Operation: number and webhook are checked before the transaction. It is a change like those of
/// the catalogue (manage::LoggedChange, manage::add_device), which confirms the caller's rights,
/// decides about plan, owner and limit, and writes the log; it writes the request's
/// Idempotency-Key too.
///
/// Threads: `handle` on any I/O thread. Refusals by the first checks, and of an overloaded server,
/// are answered on that thread; all else is answered on the committer's.
class DeviceAddnew {
public:
    struct Rooms {
        const Clock& clock;
        const admission::Directory& directory;
        const admission::CallerRights& rights;
        const admission::Ownership& ownership;
        const Idempotency& idempotency;
        const outbound::AddressPolicy& policy;
        manage::DeviceControl& devices;
        store::Committer& committer;
    };

    DeviceAddnew(Rooms rooms, DeviceAddnewOptions options)
        : rooms_(rooms), options_(std::move(options)) {}

    void handle(Call&& call);

private:
    struct Wanted;
    struct Job;

    [[nodiscard]] Checked<Wanted> decode(const JsonFields& fields) const;
    [[nodiscard]] Result<void> apply(store::Tables& tables, Job& job) const;
    [[nodiscard]] Result<void> decide(store::Tables& tables, Job& job) const;
    [[nodiscard]] Result<Checked<void>> add(store::Tables& tables, Job& job) const;

    Rooms rooms_;
    DeviceAddnewOptions options_;
};

}  // namespace merpati::api
