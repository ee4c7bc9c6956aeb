// The log of changes, as a Change adds to it and a Reader reads it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/person.hpp"

namespace merpati::store {

/// A change that a principal made or began. Never holds a secret.
struct AuditEntry {
    /// Assigned by the store, ascending; of commits at the same time on several nodes, in any
    /// order.
    model::AuditId id;
    Timestamp at;
    std::string door;                         // "socket", "network", "command"
    std::string actor;                        // "local", "key_3", "per_1"
    std::string actor_name;                   // "uid 1000", "mpt_9fK2", "ani@toko.example"
    std::optional<model::AccountId> account;  // Owner of the object; empty: the server.
    std::string operation;                    // "PATCH /v1/devices/{}"
    std::string object;                       // "6281100000001"; empty: no id.
    std::string before;                       // JSON of what was changed; empty: none existed.
    std::string after;                        // The same after the change.
    std::string request_id;                   // As in the log; may be empty.
    /// "done", or the code of the error with which it ended ("timeout", "conflict"). Empty: it has
    /// begun, and its end is not known (yet).
    std::string outcome = "done";
};

/// A part of Tables.
class AuditTables {
public:
    virtual ~AuditTables() = default;

    /// Assigns the entry's id and returns it.
    virtual Result<model::AuditId> add_audit(const AuditEntry& entry) = 0;
    /// Sets the outcome and `after` of an entry. Does nothing if retention has removed the entry.
    virtual Result<void> end_audit(model::AuditId entry, std::string_view outcome,
                                   std::string_view after) = 0;
};

struct AuditFilter {
    std::optional<model::AccountId> account;
    std::optional<std::string> actor;
    std::optional<std::string> object;
    std::optional<model::AuditId> before;  // The last entry of the previous page.
    std::size_t limit = 50;
};

/// Errors: those of Reader.
class AuditReader {
public:
    virtual ~AuditReader() = default;

    /// Newest first.
    [[nodiscard]] virtual Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) = 0;
};

}  // namespace merpati::store
