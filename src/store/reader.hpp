// Reads committed rows, concurrently with the writer.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "store/audit_log.hpp"
#include "store/book_reader.hpp"
#include "store/callback_reader.hpp"
#include "store/directory_reader.hpp"
#include "store/lane_reader.hpp"
#include "store/list_reader.hpp"
#include "store/records.hpp"
#include "store/secret_reader.hpp"
#include "store/upkeep_reader.hpp"

namespace merpati::store {

class CampaignReader;
class ContactReader;

/// A read-only connection that never checkpoints. A call sees everything that was committed before
/// it. Whoever needs only a part of it takes that part's class.
///
/// Threads: one at a time; open a reader for each thread.
///
/// Errors of every method: store_failed; damaged (the rows cannot be read); unavailable.
class Reader : public LaneReader,
               public CallbackReader,
               public DirectoryReader,
               public ListReader,
               public BookReader,
               public AuditReader,
               public SecretReader,
               public UpkeepReader {
public:
    // They live as long as the reader.
    /// Campaigns and their audiences (store/campaigns.hpp).
    [[nodiscard]] virtual CampaignReader& campaigns() noexcept = 0;
    /// Contacts, suppressions and erasure (store/contacts.hpp).
    [[nodiscard]] virtual ContactReader& contacts() noexcept = 0;

    [[nodiscard]] virtual Result<std::optional<IdempotencyRecord>> idempotency(
        model::AccountId account, std::string_view key) = 0;
};

}  // namespace merpati::store
