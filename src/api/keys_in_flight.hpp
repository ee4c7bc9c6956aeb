// The Idempotency-Keys of requests that have not been answered yet.
#pragma once

#include <expected>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/digest.hpp"
#include "model/ids.hpp"
#include "store/records.hpp"

namespace merpati::api {

/// Detects a repeat that arrives while its first request is still being checked, probed or written,
/// and is not in the store yet (decisions.md, Idempotency).
///
/// Threads: any. Limits: one entry per open request, so http's limits bound it.
class KeysInFlight {
    using Name = std::pair<model::AccountId, std::string>;
    using Names = std::map<Name, Sha256>;

public:
    /// A request's hold on its key, until `release` or destruction. May be empty. Must not outlive
    /// its KeysInFlight.
    class Hold {
    public:
        Hold() = default;
        Hold(Hold&& other) noexcept : Hold() { swap(other); }
        Hold& operator=(Hold&& other) noexcept {
            Hold taken{std::move(other)};
            swap(taken);
            return *this;
        }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ~Hold() { release(); }

        void release() noexcept;

    private:
        friend class KeysInFlight;
        Hold(KeysInFlight& owner, Names::iterator position) : owner_(&owner), position_(position) {}
        void swap(Hold& other) noexcept {
            std::swap(owner_, other.owner_);
            std::swap(position_, other.position_);
        }

        KeysInFlight* owner_ = nullptr;
        Names::iterator position_;
    };

    /// The hold. Error: the fingerprint of the other request that holds the key.
    [[nodiscard]] std::expected<Hold, Sha256> take(const store::IdempotencyRecord& record);

private:
    std::mutex mutex_;
    Names names_;
};

}  // namespace merpati::api
