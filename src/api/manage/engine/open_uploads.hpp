// Which uploads run.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "api/manage/engine/call_threads.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/manage/engine/upload_body.hpp"
#include "base/clock.hpp"

namespace merpati::api::manage {

/// Counts uploads, so that each one that is let in has a thread at once, or once an earlier one of
/// its party has ended, and no thread is kept from an account by another account's.
///
/// Fairness: when all places of the network are taken, a share without an upload gets the place of
/// the one that has received the fewest bytes a second, among those that have held theirs for
/// `place_kept`. So uploads that are sent slowly do not keep others out; one that is alone, or as
/// quick as the others, is not broken off.
///
/// A person of several accounts is a share, and each account has one upload of all its people and
/// keys: its handler names the account (Upload::take_place_of). So the people of one account do not
/// take the places of others.
///
/// Threads: any.
///
/// Limits: one upload of a share of the network, and of an account by the network, `network_max` of
/// all of them together, and `local_max` of the local operator. Those that are broken off and have
/// not ended yet come on top, so that their senders can begin again at once.
class OpenUploads {
public:
    explicit OpenUploads(const Clock& clock) : clock_(clock) {}

    static constexpr std::chrono::seconds place_kept{30};
    static constexpr std::size_t network_max = 8;
    static constexpr std::size_t local_max = 2;
    /// How many threads they need: CallThreads reserves one for the local operator.
    static constexpr std::size_t threads_count = network_max + local_max;

    /// Released when it is destroyed.
    using Place = std::shared_ptr<void>;

    /// Errors, as answers with `Retry-After`: 429 (an upload of the share runs), 503 (also later,
    /// of one whose place another share gets).
    /// Sets what the body asks about its account.
    [[nodiscard]] std::expected<Place, Outcome> take(Share share,
                                                     const std::shared_ptr<UploadBody>& body);

    /// Breaks off all that run.
    void break_off();

private:
    struct Open {
        Share share;
        std::shared_ptr<UploadBody> body;
        SteadyTime since;
        std::optional<model::AccountId> account{};  // Once it is known. Not of the local operator.
    };
    struct State {
        std::mutex mutex;
        std::vector<Open> open;
    };
    [[nodiscard]] bool make_room(const std::vector<Open>& open) const;
    [[nodiscard]] static Result<void> take_place_of(State& state, const UploadBody* body,
                                                    model::AccountId account);

    const Clock& clock_;
    // Shared, because a place may outlive this object.
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace merpati::api::manage
