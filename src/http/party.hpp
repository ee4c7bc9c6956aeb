// Whose connections count together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "http/peer_address.hpp"

namespace merpati::http {

/// The party that a connection counts for: an address while its caller is unknown, otherwise the
/// account or person that its last request was made by. (http/ knows no accounts: api/ numbers
/// them.)
class Party {
public:
    explicit Party(const PeerAddress& address) noexcept : address_(address) {}
    [[nodiscard]] static Party account(std::int64_t id) noexcept { return {Kind::account, id}; }
    [[nodiscard]] static Party person(std::int64_t id) noexcept { return {Kind::person, id}; }
    /// Whoever reads the metrics.
    [[nodiscard]] static Party monitoring() noexcept { return {Kind::monitoring, 0}; }
    /// A platform that posts what has happened there.
    [[nodiscard]] static Party platform() noexcept { return {Kind::platform, 0}; }

    /// Whether it is more than an address.
    [[nodiscard]] bool is_known() const noexcept { return kind_ != Kind::address; }

    friend bool operator==(const Party&, const Party&) noexcept = default;
    friend std::size_t hash_value(const Party& party) noexcept {
        return party.is_known()
                   ? std::hash<std::int64_t>{}(party.id_) ^ static_cast<std::size_t>(party.kind_)
                   : hash_value(party.address_);
    }

private:
    enum class Kind : std::uint8_t { address, account, person, monitoring, platform };
    Party(Kind kind, std::int64_t id) noexcept : kind_(kind), id_(id) {}

    Kind kind_ = Kind::address;
    std::int64_t id_ = 0;
    PeerAddress address_{};  // Of Kind::address alone.
};

}  // namespace merpati::http
