// Passes requests on to the nodes that work for their accounts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "forwarding/owner.hpp"
#include "forwarding/passage.hpp"
#include "http/body_receiver.hpp"
#include "http/reply.hpp"
#include "http/router.hpp"
#include "telemetry/log.hpp"

namespace merpati::forwarding {

/// Operation: a request goes to the owner of its shard over a kept connection, and its answer back
/// to the caller. While the shard has no owner, or that cannot be reached, or says that it does not
/// work for the account, the request waits, and goes out as soon as that changes. An owner may name
/// another shard to which the request belongs; then it goes there. Requests of other shards are not
/// affected. An answer of more than `whole_max` goes through in pieces. Requests with brief answers
/// share a channel to their owner, once it is open.
///
/// Faults: a request that the owner may have got, whose answer does not come because the owner is
/// gone, is sent again if it is repeatable. Otherwise it is answered 502: whether it was carried
/// out is not known. Those that wait for longer than their patience are answered 503, with
/// `Retry-After`.
///
/// Limits: Options, for each owner, and for all that waits for nobody. Requests and bytes are
/// shared among the callers, whether they wait or are under way. What does not fit is answered 503
/// at once.
///
/// Threads: one of its own; `start` and `stop` by the owner of the object, the rest from any.
class Forwarder {
public:
    struct Options {  // Of one owner.
        std::size_t requests_max = 4'096;
        std::size_t bytes_max = std::size_t{64} << 20;
        std::string_view channel_request{};  // See channel_text.hpp; empty: none is used. Copied.
    };

    /// `refusal` gives the bodies of 502 and 503.
    Forwarder(const Clock& clock, http::RefusalBody refusal, Options options, telemetry::Log log);
    ~Forwarder();

    void start();
    /// Answers all that is under way with 503, or breaks it off. Idempotent.
    void stop();

    /// `leaving`: nodes that get nothing more, but still answer what they have.
    void set_owners(Owners owners, std::vector<Owner> leaving = {});
    /// Empty: nobody works for the shard.
    [[nodiscard]] std::optional<Owner> owner(Shard shard) const;
    /// Whether the owner's process has ended: it has answered before, and for `dead_after` its
    /// machine has said that nobody listens. Found out only while requests wait.
    [[nodiscard]] bool is_dead(const Owner& owner) const;

    /// Calls nothing before it returns.
    void pass_on(PassedRequest request, http::Responder responder);
    /// For a request with `has_more`: takes the pieces that follow.
    [[nodiscard]] std::unique_ptr<http::BodyReceiver> pass_on_in_pieces(PassedRequest request,
                                                                        http::Responder responder);

    /// How many requests were passed on and answered.
    [[nodiscard]] std::uint64_t passed_total() const noexcept;

    static constexpr std::size_t whole_max = std::size_t{256} << 10;
    static constexpr std::chrono::milliseconds look_every{100};
    /// How long the answers of an owner that is none any more are still taken.
    static constexpr std::chrono::seconds last_answers{2};
    static constexpr std::chrono::seconds dead_after{1};
    /// How often a request goes to a shard that an owner has named. Then it waits.
    static constexpr int redirects_max = 3;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::forwarding
