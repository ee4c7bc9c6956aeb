// The tables, as a Change reads and writes them.
#pragma once

#include <span>

#include "store/account_tables.hpp"
#include "store/audit_log.hpp"
#include "store/device_tables.hpp"
#include "store/message_tables.hpp"
#include "store/platform_tables.hpp"
#include "store/records.hpp"
#include "store/upkeep_tables.hpp"

namespace merpati::store {

class CampaignTables;
class ContactTables;
class PeopleTables;

/// Operation: a change reads and writes inside one transaction, so a decision that it bases on rows
/// still holds when it commits. An update writes single fields, so that two changes of different
/// fields both survive. Written rows of accounts, keys, devices, people and sessions, and callbacks
/// that `add_callback` stored, are reported in WriteBatch::row_changes.
///
/// Whoever needs only a part of the tables takes that part's class.
///
/// Threads: the committer's, and only while the change runs.
///
/// Errors of every method: those named; conflict where an account's secrets cannot be decrypted. A
/// failure of the store itself, or damage, ends the change with an exception, which a change must
/// not catch.
class Tables : public AccountTables,
               public AuditTables,
               public DeviceTables,
               public MessageTables,
               public PlatformTables,
               public UpkeepTables {
public:
    /// People and sessions (store/people.hpp).
    [[nodiscard]] virtual PeopleTables& people() noexcept = 0;
    /// Campaigns and their audiences (store/campaigns.hpp).
    [[nodiscard]] virtual CampaignTables& campaigns() noexcept = 0;
    /// Contacts, suppressions and erasure (store/contacts.hpp).
    [[nodiscard]] virtual ContactTables& contacts() noexcept = 0;

    /// The rows that this change has written so far, as in WriteBatch::row_changes.
    [[nodiscard]] virtual std::span<const RowChange> written() const noexcept = 0;
};

}  // namespace merpati::store
