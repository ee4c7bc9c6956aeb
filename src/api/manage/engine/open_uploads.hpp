// Which uploads run.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <mutex>
#include <vector>

#include "api/manage/engine/problem.hpp"
#include "api/manage/engine/upload_body.hpp"
#include "api/manage/engine/workers.hpp"

namespace merpati::api::manage {

/// Counts uploads, so that each one that is let in has a thread at once, and no thread is kept from
/// an account by another account's.
///
/// Threads: any.
///
/// Limits: one upload of a share of the network, `network_max` of all of them together, and
/// `local_max` of the local operator.
class OpenUploads {
public:
    static constexpr std::size_t network_max = 8;
    static constexpr std::size_t local_max = 2;
    /// How many threads they need: Workers reserves one for the local operator.
    static constexpr std::size_t threads_count = network_max + local_max;

    /// Released when it is destroyed.
    using Place = std::shared_ptr<void>;

    /// Errors, as answers with `Retry-After`: 429 (an upload of the share runs), 503.
    [[nodiscard]] std::expected<Place, Outcome> take(Share share,
                                                     const std::shared_ptr<UploadBody>& body);

    /// Breaks off all that run.
    void break_off();

private:
    struct Open {
        Share share;
        std::shared_ptr<UploadBody> body;
    };
    struct State {
        std::mutex mutex;
        std::vector<Open> open;
    };
    // Shared, because a place may outlive this object.
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace merpati::api::manage
