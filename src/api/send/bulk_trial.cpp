#include "api/send/bulk_trial.hpp"

#include <map>
#include <string_view>

namespace merpati::api {

using admission::Refusal;

void end_trial(BulkMessages& messages, std::optional<std::int64_t> credit) {
    std::map<std::string_view, const BulkMessage*> by_key;  // Those that would be stored.
    for (auto& one : messages) {
        if (one.message == nullptr) {
            continue;
        }
        if (one.key) {
            if (const auto first = by_key.find(one.key->key); first != by_key.end()) {
                if (first->second->key->fingerprint != one.key->fingerprint) {
                    one.end = admission::refuse(Refusal::idempotency_key_reused);
                }
                continue;
            }
        }
        if (credit && (*credit)-- <= 0) {
            one.end = admission::refuse(Refusal::credit_exhausted);
        } else if (one.key) {
            by_key.emplace(one.key->key, &one);
        }
    }
}

}  // namespace merpati::api
