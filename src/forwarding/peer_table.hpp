// Which node takes the requests of each shard.
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.hpp"
#include "forwarding/owner.hpp"
#include "forwarding/peer.hpp"

namespace merpati::forwarding {

/// Operation: `set` opens a client for each owner that it has not. Owners that work for nothing any
/// more stay for a while; then `take_left` hands them out, to be closed by the caller. A request
/// may go out while its owner answers and takes its shard. Otherwise it waits, and one of those
/// that wait for the same reason tries it each time that they are looked at.
///
/// Threads: the executor's one.
class PeerTable {
public:
    /// `channel_request`: see Peer.
    PeerTable(const Clock& clock, boost::asio::any_io_executor executor,
              std::shared_ptr<const std::string> channel_request)
        : clock_(clock),
          executor_(std::move(executor)),
          channel_request_(std::move(channel_request)) {}

    /// Owners that work for nothing any more are kept for `last_answers`, those that leave as long
    /// as they do.
    void set(const Owners& owners, std::span<const Owner> leaving,
             SteadyTime::duration last_answers);

    /// Null: nobody works for the shard, or whoever does takes no requests.
    [[nodiscard]] const std::shared_ptr<Peer>& peer_of(Shard shard) const {
        return places_.at(shard).peer;
    }
    /// Whether a request may go out now.
    [[nodiscard]] bool takes(Shard shard) const;

    /// Begins a look at what waits.
    void begin_look();
    /// Whether a request that waits may go out now, if only as a try.
    [[nodiscard]] bool may_try(Shard shard);

    /// The shard's owner says that it does not work for it.
    void note_elsewhere(Shard shard) { places_.at(shard).is_taken = false; }
    /// The peer has carried out a request for the shard. True: others may have waited for that.
    [[nodiscard]] bool note_taken(Shard shard, const std::shared_ptr<Peer>& peer);

    /// The peers whose time is over, which are no longer in the table. Their clients are open.
    [[nodiscard]] std::vector<std::shared_ptr<Peer>> take_left();
    /// Whether `take_left` will have some.
    [[nodiscard]] bool any_leaves() const;
    /// Closes everything.
    void close();

private:
    struct Place {
        std::shared_ptr<Peer> peer{};
        bool is_taken = true;  // So the last request that was sent for the shard was answered.
    };

    [[nodiscard]] std::shared_ptr<Peer> open(const Owner& owner);

    const Clock& clock_;
    const boost::asio::any_io_executor executor_;
    const std::shared_ptr<const std::string> channel_request_;
    std::array<Place, shard_count> places_;
    std::bitset<shard_count> tried_;  // In the present look at what waits.
    std::vector<std::shared_ptr<Peer>> peers_;
};

}  // namespace merpati::forwarding
