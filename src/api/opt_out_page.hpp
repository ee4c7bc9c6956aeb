// The page behind `{{optout_url}}`, on which a person refuses further campaigns.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "api/manage/engine/call_threads.hpp"
#include "api/session_cookie.hpp"
#include "api/texts/language.hpp"
#include "base/clock.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "campaign/opt_out_links.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "people/sign_in_throttle.hpp"
#include "store/reader_pool.hpp"
#include "store/tables.hpp"

namespace merpati::api {

/// Operation: GET shows the account's name, the number without its middle, and what the person can
/// do; it changes nothing, because programs open links in messages. POST suppresses the number for
/// the account, whatever its body is, so that the one click of RFC 8058 suffices; with `do=in` it
/// takes that back. Both may be repeated. Cookies and keys are not looked at. All tokens that are
/// not valid are answered alike. A POST is carried out by the node that works for the account, as
/// the campaign counts it; another one answers that it is elsewhere (manage::elsewhere).
///
/// Threads: `take` on any I/O thread. The store is asked on the page's own threads, where networks
/// are served in turn (CallThreads).
///
/// Limits: `bad_tokens` for each client address; valid tokens are not counted. Calls that wait, as
/// of CallThreads.
class OptOutPage {
public:
    static constexpr people::TryBuckets::Limit bad_tokens{.burst = 20,
                                                          .every = std::chrono::seconds{10}};
    static constexpr std::size_t body_max = 1'024;

    struct Rooms {
        using Change =
            std::function<Result<void>(std::move_only_function<Result<void>(store::Tables&)>)>;

        const QueueClock& clock;
        Random& random;
        store::ReaderPool& readers;
        Change change;  // Committer::change_and_wait
        const admission::Directory& directory;
        const admission::Ownership& ownership;
        std::function<const campaign::OptOutLinks&()> links;
        std::function<void(const Error&)> on_fault;
    };
    OptOutPage(Rooms rooms, AppAddress app);

    void take(const http::Request& request, http::Responder responder);

    void start() { threads_.start(); }
    /// Idempotent.
    void stop() { threads_.stop(); }

private:
    using Target = campaign::OptOutLinks::Target;
    enum class Wish : std::uint8_t { look, leave, come_back };

    [[nodiscard]] http::Reply refuse(const http::PeerAddress& client, Language language);
    [[nodiscard]] http::Reply answer(const Target& target, Wish wish, Language language) const;
    [[nodiscard]] Result<bool> is_out(const Target& target) const;
    [[nodiscard]] Result<void> carry_out(const Target& target, Wish wish) const;

    const Rooms rooms_;
    const AppAddress app_;
    std::array<std::byte, 16> seed_{};  // Nobody outside can choose addresses that collide.
    std::mutex mutex_;
    people::TryBuckets bad_tokens_{bad_tokens};
    manage::CallThreads threads_{"opt-out"};
};

}  // namespace merpati::api
