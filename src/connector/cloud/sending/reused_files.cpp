#include "connector/cloud/sending/reused_files.hpp"

namespace merpati::connector::cloud {

void ReusedFiles::sending(model::PhoneNumber number, const model::MessageId& message,
                          const std::string& media_id, bool reused) {
    const std::lock_guard lock{mutex_};
    auto* entry = entries_.find(number, message);
    if (entry != nullptr && entry->refused) {
        entry->sent_anew = true;
    } else if (reused) {
        entries_.put(number, message, {.media_id = media_id});
    } else {
        entries_.erase(number, message);
    }
}

bool ReusedFiles::refuse(model::PhoneNumber number, const model::MessageId& message) {
    const std::lock_guard lock{mutex_};
    auto* entry = entries_.find(number, message);
    if (entry == nullptr || entry->sent_anew) {
        return false;
    }
    return entry->refused = true;
}

std::optional<std::string> ReusedFiles::refused(model::PhoneNumber number,
                                                const model::MessageId& message) const {
    const std::lock_guard lock{mutex_};
    const auto* entry = entries_.find(number, message);
    return entry != nullptr && entry->refused ? std::optional{entry->media_id} : std::nullopt;
}

}  // namespace merpati::connector::cloud
