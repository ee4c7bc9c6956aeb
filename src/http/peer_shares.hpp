// Shares a bounded amount of memory among the addresses of anonymous clients.
#pragma once

#include <cstddef>

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/unordered_map.hpp>

#include "http/peer_address.hpp"

namespace merpati::http {

/// Operation: `hold` records the memory of a connection whose caller is not authenticated;
/// `release` removes the record. While `is_over`, the caller closes `victim`: the oldest connection
/// of the address that holds most. An address that holds less than an equal share therefore loses
/// nothing, whatever the others use (max-min fairness). A single address may use everything.
///
/// Threads: none; each I/O thread has its own.
///
/// Limits: one entry for each address that holds something; a change takes time logarithmic in
/// their number.
class PeerShares {
    struct Peer;

public:
    explicit PeerShares(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}
    PeerShares(const PeerShares&) = delete;
    PeerShares& operator=(const PeerShares&) = delete;
    ~PeerShares();

    /// A base of each connection. Release it before it is destroyed.
    class Holding : public boost::intrusive::list_base_hook<boost::intrusive::tag<Holding>> {
        friend class PeerShares;
        Peer* peer_ = nullptr;
        std::size_t bytes_ = 0;
    };

    /// Sets the bytes of `holding`. Its age counts from the first call after a release.
    void hold(Holding& holding, const PeerAddress& address, std::size_t bytes);
    void release(Holding& holding) noexcept;

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool is_over() const noexcept { return bytes_ > bytes_max_; }

    /// Null when nothing is held.
    [[nodiscard]] Holding* victim() noexcept;

    /// The connection to close for a new client from `address`: the oldest of the address that
    /// holds most of those with several connections. Null unless it holds more than `address`.
    [[nodiscard]] Holding* victim_for(const PeerAddress& address) noexcept;

private:
    struct AllTag;
    struct SeveralTag;
    using InAll = boost::intrusive::set_base_hook<boost::intrusive::tag<AllTag>>;
    using InSeveral = boost::intrusive::set_base_hook<boost::intrusive::tag<SeveralTag>>;

    struct Peer : InAll, InSeveral {
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

    template <class Hook>
    using Peers = boost::intrusive::multiset<Peer, boost::intrusive::base_hook<Hook>,
                                             boost::intrusive::constant_time_size<false>>;

    template <class Hook>
    static void unlink(Peers<Hook>& peers, Peer& peer) noexcept;

    /// Call after each change of the peer's connections, too.
    void change(Peer& peer, std::size_t bytes) noexcept;

    const std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    boost::unordered_map<PeerAddress, Peer> peers_;
    Peers<InAll> by_bytes_;
    Peers<InSeveral> several_by_bytes_;  // The peers with several connections.
};

}  // namespace merpati::http
