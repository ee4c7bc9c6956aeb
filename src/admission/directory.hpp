// Accounts, keys, devices and people in memory, so that admission reads no database.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/ordered_map.hpp"
#include "base/rate_bucket.hpp"
#include "model/account.hpp"
#include "model/device.hpp"
#include "people/people_directory.hpp"
#include "store/directory_reader.hpp"
#include "store/records.hpp"

namespace merpati::admission {

/// An account and its rate buckets. Replaced as a whole when the account changes. The buckets are
/// kept, unless the rate changed: then those of the rate start full.
struct AccountEntry {
    model::Account account;
    std::shared_ptr<RateBucket> bucket;   // Of sends and additions of devices,
    std::shared_ptr<RateBucket> calls;    // of calls of the catalogue by its keys,
    std::shared_ptr<RateBucket> replays;  // and of replayed callbacks.
};

/// A key and its account.
struct KeyEntry {
    std::shared_ptr<const model::ApiKey> key;
    std::shared_ptr<const AccountEntry> account;
};

/// A copy of the store's small tables that follows its commits. It serves decisions that must be
/// fast and may rest on a state that is a moment old. The store decides limits and owners.
///
/// Operation: `load` at the start, then `apply` for each row that the store reports, in the order
/// of the commits. A change is applied before its caller is answered, so the caller's next request
/// sees it.
///
/// Threads: look-ups from any, with sharded locks that are held for the look-up only; changes from
/// one, the committer's.
class Directory {
public:
    Directory();
    ~Directory();

    /// Replaces everything with what the store holds. Errors: store_failed.
    [[nodiscard]] Result<void> load(store::DirectoryReader& reader);

    /// Looks a key up by the digest of the whole key; the digest is compared in constant time.
    [[nodiscard]] std::optional<KeyEntry> find_key(const Sha256& digest) const;
    [[nodiscard]] std::shared_ptr<const AccountEntry> find_account(model::AccountId id) const;
    /// Null if there is none; the record is replaced, never changed.
    [[nodiscard]] std::shared_ptr<const model::Device> find_device(model::PhoneNumber number) const;

    [[nodiscard]] std::vector<model::Account> accounts() const;
    /// Of an account, or all; ordered by id and number. They cost as much as they answer.
    [[nodiscard]] std::vector<model::ApiKey> keys(std::optional<model::AccountId> account,
                                                  const ListPart<model::KeyId>& part = {}) const;
    [[nodiscard]] std::vector<model::Device> devices(
        std::optional<model::AccountId> account,
        const ListPart<model::PhoneNumber>& part = {}) const;

    /// The counts cost the same however many there are.
    [[nodiscard]] std::size_t count_accounts() const;
    [[nodiscard]] std::size_t count_devices() const;
    /// How many devices are in each state, by the state's number. While a device changes, it may be
    /// counted in neither of its states.
    [[nodiscard]] std::array<std::size_t, model::device_states_count> devices_by_state() const;

    /// People and their sessions.
    [[nodiscard]] people::PeopleDirectory& people() noexcept { return people_; }
    [[nodiscard]] const people::PeopleDirectory& people() const noexcept { return people_; }

    void apply(const store::RowChange& change);

    /// The removal of a row that another process has removed, as this one has known it; empty: it
    /// does not know it. Accounts are never removed.
    [[nodiscard]] std::optional<store::RowChange> removal_of(const store::DirectoryRow& row) const;

    void put_account(const model::Account& account);
    void put_key(const model::ApiKey& key);
    void remove_key(const model::ApiKey& key);
    void put_device(const model::Device& device);
    void remove_device(model::PhoneNumber number);

private:
    struct Shards;
    std::unique_ptr<Shards> shards_;
    people::PeopleDirectory people_;
};

}  // namespace merpati::admission
