#include "api/idempotency_ledger.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace merpati::api {
namespace {

constexpr std::size_t key_bytes_max = 255;

using FirstRequest = Result<std::optional<store::IdempotencyRecord>>;

/// Leaves out a request whose key has expired.
FirstRequest if_remembered(FirstRequest first, Timestamp now) {
    if (first && *first && !(*first)->holds(now)) {
        first->reset();
    }
    return first;
}

}  // namespace

bool IdempotencyLedger::is_well_formed(std::string_view key) noexcept {
    return !key.empty() && key.size() <= key_bytes_max &&
           std::ranges::all_of(key, [](char c) { return c >= 0x20 && c < 0x7f; });
}

store::IdempotencyRecord IdempotencyLedger::record(model::AccountId account, std::string key,
                                                   std::string_view request, Timestamp now) const {
    store::IdempotencyRecord record;
    record.account = account;
    record.key = std::move(key);
    record.fingerprint = store_.fingerprint(request);
    record.created_at = now;
    return record;
}

FirstRequest IdempotencyLedger::first(const store::IdempotencyRecord& now) {
    return if_remembered(readers_.read([&](store::Reader& reader) {
        return reader.idempotency(now.account, now.key);
    }),
                         now.created_at);
}

FirstRequest IdempotencyLedger::first_in(store::MessageTables& tables,
                                         const store::IdempotencyRecord& now) {
    return if_remembered(tables.find_idempotency(now.account, now.key), now.created_at);
}

}  // namespace merpati::api
