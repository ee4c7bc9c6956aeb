// Accounts, keys, devices and people in memory, so that admission asks no database.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "admission/people_directory.hpp"
#include "admission/rate_limiter.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "model/account.hpp"
#include "model/device.hpp"
#include "store/reader.hpp"
#include "store/records.hpp"

namespace merpati::admission {

/// An account as requests meet it. Replaced as a whole when the account changes; the rate buckets
/// go on, unless the rate is what changed: then they start full.
struct AccountEntry {
    model::Account account;
    std::shared_ptr<RateBucket> bucket;  // Of sends and additions of devices,
    std::shared_ptr<RateBucket> calls;   // and of calls of the catalogue by its keys.
};

/// What a key opens.
struct KeyEntry {
    std::shared_ptr<const model::ApiKey> key;
    std::shared_ptr<const AccountEntry> account;
};

/// A copy of the store's rare tables that follows its commits: for what must be quick, and for
/// what may be decided by a state that ended a moment ago. Limits and owners are decided by the
/// store.
///
/// Operation: `load` at the start, then `apply` for each row that the store reports, in the order
/// of the commits. A change is applied before its caller is answered, so the next request
/// goes by it.
///
/// Threads: look-ups from any; sharded locks, held for a look-up only. Everything that writes, from
/// one: the committer's.
class Directory {
public:
    Directory();
    ~Directory();

    /// Replaces everything with what the store holds. Errors: store_failed.
    [[nodiscard]] Result<void> load(store::Reader& reader);

    /// Looks a key up by the digest of the whole key; the digest is compared in constant time.
    [[nodiscard]] std::optional<KeyEntry> find_key(const Sha256& digest) const;
    [[nodiscard]] std::shared_ptr<const AccountEntry> find_account(model::AccountId id) const;
    /// Null when there is none; the record is replaced, never changed.
    [[nodiscard]] std::shared_ptr<const model::Device> find_device(model::PhoneNumber number) const;

    [[nodiscard]] std::vector<model::Account> accounts() const;
    [[nodiscard]] std::vector<model::ApiKey> keys(std::optional<model::AccountId> account) const;
    [[nodiscard]] std::vector<model::Device> devices(std::optional<model::AccountId> account) const;

    /// How many devices are in each state, by the state's number.
    [[nodiscard]] std::array<std::size_t, model::device_states_count> devices_by_state() const;

    /// People and their sessions.
    [[nodiscard]] PeopleDirectory& people() noexcept { return people_; }
    [[nodiscard]] const PeopleDirectory& people() const noexcept { return people_; }

    void apply(const store::RowChange& change);

    void put_account(const model::Account& account);
    void put_key(const model::ApiKey& key);
    void put_device(const model::Device& device);
    void remove_device(model::PhoneNumber number);

private:
    struct Shards;
    std::unique_ptr<Shards> shards_;
    PeopleDirectory people_;
};

}  // namespace merpati::admission
