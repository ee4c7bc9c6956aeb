// Messages whose file was sent by the id of an earlier upload.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

#include "base/shared_cache.hpp"
#include "model/ids.hpp"
#include "model/message.hpp"

namespace merpati::connector::cloud {

/// The platform may take such a message, and report later that it refuses the id. Then the file is
/// uploaded anew, and the message goes once more.
///
/// Restarts: nothing is kept. A message that was sent before, and is refused after it, fails.
///
/// Threads: any. Limits: remembered_max messages, shared among numbers (SharedCache).
class ReusedFiles {
public:
    static constexpr std::size_t remembered_max = 10'000;

    /// Call before the message is posted.
    void sending(model::PhoneNumber number, const model::MessageId& message,
                 const std::string& media_id, bool reused);

    /// The platform reports that it refuses the message's file. True: the message goes once more.
    /// The same for each repeat of the report.
    [[nodiscard]] bool refuse(model::PhoneNumber number, const model::MessageId& message);

    /// The id that was refused, and that the message must not be sent with again.
    [[nodiscard]] std::optional<std::string> refused(model::PhoneNumber number,
                                                     const model::MessageId& message) const;

private:
    struct Entry {
        std::string media_id;
        bool refused = false;
        bool sent_anew = false;
    };

    mutable std::mutex mutex_;
    mutable SharedCache<model::PhoneNumber, model::MessageId, Entry> entries_{remembered_max};
};

}  // namespace merpati::connector::cloud
