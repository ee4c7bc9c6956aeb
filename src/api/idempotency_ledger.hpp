// The Idempotency-Keys that requests have used: those in the store, and those in flight.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "api/keys_in_flight.hpp"
#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "model/ids.hpp"
#include "store/fingerprints.hpp"
#include "store/reader_pool.hpp"
#include "store/records.hpp"
#include "store/tables.hpp"

namespace merpati::api {

/// One ledger for published operations, the catalogue and bulks: a key that one of them has is
/// taken for the others.
///
/// Operation: a request with a key makes its `record`, and holds the key until it is answered
/// (`hold`). It asks for the request that was carried out with the key before (`first`); without
/// one it goes on. The transaction that carries it out asks again (`first_in`), because another
/// server may have carried out a request meanwhile, and stores the record; or it claims the key
/// (MessageTables::claim_idempotency). What a repeat is answered depends on the operation:
/// Idempotency, IdempotentCalls.
///
/// Threads: any. `first` blocks on the store. Limits: one held key per open request.
class IdempotencyLedger {
public:
    IdempotencyLedger(const store::Fingerprints& store, store::ReaderPool& readers)
        : store_(store), readers_(readers) {}

    /// Whether a key is 1 to 255 printable characters.
    [[nodiscard]] static bool is_well_formed(std::string_view key) noexcept;

    /// The record of a request, without an answer. `request`: all that distinguishes it from others
    /// with the same key. The store keeps its fingerprint only.
    [[nodiscard]] store::IdempotencyRecord record(model::AccountId account, std::string key,
                                                  std::string_view request, Timestamp now) const;

    /// Error: the fingerprint of the request that holds the key.
    [[nodiscard]] std::expected<KeysInFlight::Hold, Sha256> hold(
        const store::IdempotencyRecord& now) {
        return in_flight_.take(now);
    }

    /// The request that was carried out with the key of `now` in the last 24 hours.
    [[nodiscard]] Result<std::optional<store::IdempotencyRecord>> first(
        const store::IdempotencyRecord& now);
    [[nodiscard]] static Result<std::optional<store::IdempotencyRecord>> first_in(
        store::MessageTables& tables, const store::IdempotencyRecord& now);

private:
    const store::Fingerprints& store_;
    store::ReaderPool& readers_;
    KeysInFlight in_flight_;
};

}  // namespace merpati::api
