// Opens the store, reads what the other rooms need before they can be created, and ends the process
// if the store fails.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "config/settings.hpp"
#include "outbound/address_policy.hpp"
#include "store/nodes.hpp"
#include "store/store.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

struct OpenedStore {
    std::unique_ptr<store::Store> store;
    std::int64_t last_sequence = 0;
    Millis clock_offset{0};
    std::vector<outbound::Cidr> allowed;  // outbound.allow
    store::Nodes* nodes = nullptr;        // Of `store`, wherever that is moved.

    /// Reads `last_sequence` and `clock_offset` anew, after another process has used the store, or
    /// this one has joined as a node. Errors: those of store::LaneReader.
    [[nodiscard]] Result<void> read_clock();
    /// Starts queue time where the previous process left it; where other processes can share the
    /// store, with its database's clock.
    void begin(QueueClock& clock) const;
};

/// Errors: invalid_argument (outbound.allow); those of store::open_store and of its readers.
[[nodiscard]] Result<OpenedStore> open_store(const config::Settings& settings,
                                             const store::StoreOptions& options);

/// The same, but waits up to 5 s while another process has the store open: a command that works on
/// the stopped server's store. Logs once what it waits for.
[[nodiscard]] Result<OpenedStore> open_store_when_free(const Clock& clock,
                                                       const config::Settings& settings,
                                                       const store::StoreOptions& options,
                                                       const telemetry::Log& log);

/// Ends the process because the open store has failed, or belongs to another node now, with the
/// exit code that Gateway documents.
[[noreturn]] void end_process(const telemetry::Log& log, const config::StoreSettings& store,
                              const Error& error);

}  // namespace merpati::daemon
