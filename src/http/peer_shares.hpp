// Deals a bounded amount of memory out to the addresses that clients come from.
#pragma once

#include <cstddef>

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/unordered_map.hpp>

#include "http/peer_address.hpp"

namespace merpati::http {

/// Operation: `hold` says how much memory a connection takes whose caller has not shown who it is,
/// `release` that it takes none any more. While `is_over`, the connection to close is `victim`: the
/// oldest of the address that holds most. So an address that holds less than an equal share loses
/// nothing, however much others ask for (max-min fairness), and one alone may use it all.
///
/// Threads: none; each I/O thread has its own.
///
/// Limits: one entry for each address that holds something; a change costs the logarithm of their
/// number.
class PeerShares {
    struct Peer;

public:
    explicit PeerShares(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}
    PeerShares(const PeerShares&) = delete;
    PeerShares& operator=(const PeerShares&) = delete;
    ~PeerShares();

    /// A part of each connection. Released before it is destroyed.
    class Holding : public boost::intrusive::list_base_hook<boost::intrusive::tag<Holding>> {
        friend class PeerShares;
        Peer* peer_ = nullptr;
        std::size_t bytes_ = 0;
    };

    /// Sets what `holding` holds. The age counts from the first call.
    void hold(Holding& holding, const PeerAddress& address, std::size_t bytes);
    void release(Holding& holding) noexcept;

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool is_over() const noexcept { return bytes_ > bytes_max_; }

    /// Null when nobody holds anything.
    [[nodiscard]] Holding* victim() noexcept;

    /// The victim that makes place for a newcomer from `address`: null unless another address holds
    /// more than the newcomer's, with several connections.
    [[nodiscard]] Holding* victim_for(const PeerAddress& address) noexcept;

private:
    struct Peer : boost::intrusive::set_base_hook<> {
        PeerAddress address;
        std::size_t bytes = 0;
        std::size_t connections = 0;
        boost::intrusive::list<Holding,
                               boost::intrusive::base_hook<boost::intrusive::list_base_hook<
                                   boost::intrusive::tag<Holding>>>,
                               boost::intrusive::constant_time_size<false>>
            holdings;  // The oldest first.

        friend bool operator<(const Peer& left, const Peer& right) noexcept {
            return left.bytes < right.bytes;
        }
    };

    void change(Peer& peer, std::size_t bytes) noexcept;

    const std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    boost::unordered_map<PeerAddress, Peer> peers_;
    boost::intrusive::multiset<Peer, boost::intrusive::constant_time_size<false>> by_bytes_;
};

}  // namespace merpati::http
