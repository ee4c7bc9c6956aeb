#include "daemon/signing_secrets.hpp"

namespace merpati::daemon {

std::vector<Bytes> signing_secrets(const admission::Directory& directory, model::AccountId id,
                                   Timestamp now) {
    const auto entry = directory.find_account(id);
    if (entry == nullptr) {
        return {};
    }
    const auto& account = entry->account;
    std::vector<Bytes> secrets{account.webhook_secret};
    if (!account.webhook_secret_previous.empty() && account.previous_secret_until &&
        now < *account.previous_secret_until) {
        secrets.push_back(account.webhook_secret_previous);
    }
    return secrets;
}

}  // namespace merpati::daemon
