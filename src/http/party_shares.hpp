// Shares connections and a bounded amount of memory among parties.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <boost/unordered_map.hpp>

#include "http/party.hpp"

namespace merpati::http {

/// Operation: `hold` records whose connection it is, what it is used for and which memory counts;
/// `release` removes the record. While `is_over`, the caller closes `victim`, a connection of the
/// party that holds most bytes. If there is no place for another connection, it closes
/// `victim_for`, one of the party that has most connections. A party that has less than an equal
/// share therefore loses nothing, whatever the others use (max-min fairness). A single party may
/// use everything.
///
/// Of a party's connections that one is closed whose end costs its client least, and of several
/// the one that has been used so for longest.
///
/// Threads: none; each I/O thread has its own.
///
/// Limits: one entry for each party that holds something; a change takes time logarithmic in their
/// number.
class PartyShares {
    struct Entry;

public:
    explicit PartyShares(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}
    PartyShares(const PartyShares&) = delete;
    PartyShares& operator=(const PartyShares&) = delete;
    ~PartyShares();

    enum class Use : std::uint8_t {
        idle,          // Between two requests.
        transferring,  // The client has sent a part of a request, or has not read all of an answer.
        answering,     // The client waits for an answer, or for the next part of one.
    };

    /// A base of each connection. Release it before it is destroyed.
    class Holding : public boost::intrusive::list_base_hook<boost::intrusive::tag<Holding>> {
        friend class PartyShares;
        PartyShares* shares_ = nullptr;
        Entry* entry_ = nullptr;
        Use use_ = Use::idle;
        std::size_t bytes_ = 0;
    };

    /// Sets what `holding` is counted for. Releases it first if it was counted for another party,
    /// also by another PartyShares.
    void hold(Holding& holding, const Party& party, Use use, std::size_t bytes);
    static void release(Holding& holding) noexcept;

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool is_over() const noexcept { return bytes_ > bytes_max_; }
    [[nodiscard]] std::size_t connections() const noexcept { return connections_; }
    [[nodiscard]] std::size_t connections_of(const Party& party) const noexcept;

    /// Null when nothing is held.
    [[nodiscard]] Holding* victim() noexcept;

    /// The connection to close for the next one of a party that has `own` connections. Null unless
    /// the party that loses it still has as many as that one then.
    [[nodiscard]] Holding* victim_for(std::size_t own) noexcept;

private:
    static constexpr std::size_t uses_count = 3;
    struct ByBytes;
    struct ByConnections;
    using InBytes = boost::intrusive::set_base_hook<boost::intrusive::tag<ByBytes>>;
    using InConnections = boost::intrusive::set_base_hook<boost::intrusive::tag<ByConnections>>;
    using Holdings =
        boost::intrusive::list<Holding,
                               boost::intrusive::base_hook<boost::intrusive::list_base_hook<
                                   boost::intrusive::tag<Holding>>>,
                               boost::intrusive::constant_time_size<false>>;

    struct Entry : InBytes, InConnections {
        explicit Entry(const Party& of) : party(of) {}

        const Party party;
        std::size_t bytes = 0;
        std::size_t connections = 0;
        std::array<Holdings, uses_count> holdings;  // By use; the oldest first.
    };
    struct ByBytes {
        using type = std::size_t;
        type operator()(const Entry& entry) const noexcept { return entry.bytes; }
    };
    struct ByConnections {
        using type = std::size_t;
        type operator()(const Entry& entry) const noexcept { return entry.connections; }
    };
    template <class Hook, class Key>
    using Order = boost::intrusive::multiset<Entry, boost::intrusive::base_hook<Hook>,
                                             boost::intrusive::key_of_value<Key>,
                                             boost::intrusive::constant_time_size<false>>;

    [[nodiscard]] static Holdings& list_of(Entry& entry, Use use) noexcept {
        return entry.holdings[static_cast<std::size_t>(use)];
    }
    void add(Holding& holding, const Party& party, Use use);
    void remove(Holding& holding) noexcept;
    void set_bytes(Entry& entry, std::size_t bytes) noexcept;
    void set_connections(Entry& entry, std::size_t connections) noexcept;

    const std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::size_t connections_ = 0;
    boost::unordered_map<Party, Entry> entries_;
    Order<InBytes, ByBytes> by_bytes_;
    Order<InConnections, ByConnections> by_connections_;
};

}  // namespace merpati::http
