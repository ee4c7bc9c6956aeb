// POST /v1/device/addnew (interface 2.4, 4.2; decisions.md, Add device).
#pragma once

#include <functional>

#include "admission/directory.hpp"
#include "api/caller.hpp"
#include "base/clock.hpp"
#include "connector/connectors.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "model/device.hpp"
#include "outbound/url.hpp"
#include "store/committer.hpp"

namespace merpati::api {

struct DeviceAddnewOptions {
    model::ConnectorKind default_connector = model::ConnectorKind::simulator;
    bool allow_http_callbacks = false;
};

/// Adds a sender number to the caller's account, or updates the webhook of one it has.
///
/// Threads: `handle` on any I/O thread; answers come from the committer's.
class DeviceAddnew {
public:
    struct Rooms {
        const Clock& clock;
        const Entrance& entrance;
        admission::Directory& directory;
        const outbound::AddressPolicy& policy;
        const connector::Connectors& connectors;
        store::Committer& committer;
    };

    /// `on_added`: told of a device that was committed, new or changed, on the committer's thread.
    DeviceAddnew(Rooms rooms, DeviceAddnewOptions options,
                 std::function<void(const model::Device&, bool is_new)> on_added)
        : rooms_(rooms), options_(options), on_added_(std::move(on_added)) {}

    void handle(const http::Request& request, http::Responder responder);

private:
    struct Wish;
    struct Job;

    [[nodiscard]] std::variant<Wish, Refusal> decide(const Caller& caller) const;
    [[nodiscard]] Result<void> apply(store::Tables& tables, Job& job) const;
    void done(Job& job);

    Rooms rooms_;
    DeviceAddnewOptions options_;
    std::function<void(const model::Device&, bool is_new)> on_added_;
};

}  // namespace merpati::api
