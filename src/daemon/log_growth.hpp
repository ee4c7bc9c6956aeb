// Decides when to warn that the store's log has become large.
#pragma once

#include <cstdint>

namespace merpati::daemon {

/// Operation: call `is_news` with the log's size now and then. It is news when the log has become
/// `large`, and each time that it has doubled since. A log that has shrunk below `large` is news
/// again when it is large again.
///
/// Threads: one.
class LogGrowth {
public:
    static constexpr std::uint64_t large = std::uint64_t{256} << 20;

    [[nodiscard]] bool is_news(std::uint64_t bytes) noexcept {
        if (bytes < large) {
            reported_ = 0;
            return false;
        }
        if (bytes < 2 * reported_) {
            return false;
        }
        reported_ = bytes;
        return true;
    }

private:
    std::uint64_t reported_ = 0;  // The size when it was last news.
};

}  // namespace merpati::daemon
