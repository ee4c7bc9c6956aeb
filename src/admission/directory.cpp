#include "admission/directory.hpp"

#include <algorithm>
#include <atomic>

#include "base/digest_hash.hpp"
#include "base/grouped_map.hpp"
#include "base/ordered_map.hpp"
#include "base/sharded_map.hpp"

namespace merpati::admission {
namespace {

using KeyPtr = std::shared_ptr<const model::ApiKey>;

using DevicePtr = std::shared_ptr<const model::Device>;

template <class Record>
std::vector<Record> copies_of(const std::vector<std::shared_ptr<const Record>>& records) {
    std::vector<Record> copies;
    copies.reserve(records.size());
    for (const auto& record : records) {
        copies.push_back(*record);
    }
    return copies;
}

}  // namespace

struct Directory::Shards {
    ShardedMap<model::AccountId, std::shared_ptr<const AccountEntry>> accounts;
    ShardedMap<Sha256, KeyPtr, DigestHash> keys;
    OrderedMap<model::KeyId, KeyPtr> keys_by_id;
    GroupedMap<model::AccountId, model::KeyId, KeyPtr> keys_of;
    ShardedMap<model::PhoneNumber, DevicePtr> devices;
    OrderedMap<model::PhoneNumber, DevicePtr> devices_by_number;
    GroupedMap<model::AccountId, model::PhoneNumber, DevicePtr> devices_of;
    std::array<std::atomic<std::size_t>, model::device_states_count> in_state{};

    void count(model::DeviceState state, int change) {
        in_state[static_cast<std::size_t>(state)] += static_cast<std::size_t>(change);
    }
};

Directory::Directory() : shards_(std::make_unique<Shards>()) {}
Directory::~Directory() = default;

Result<void> Directory::load(store::DirectoryReader& reader) {
    auto accounts = reader.accounts();
    if (!accounts) {
        return pass(accounts);
    }
    auto keys = reader.keys();
    if (!keys) {
        return pass(keys);
    }
    auto devices = reader.devices();
    if (!devices) {
        return pass(devices);
    }
    if (auto loaded = people_.load(reader.people()); !loaded) {
        return loaded;
    }
    shards_->accounts.clear();
    shards_->keys.clear();
    shards_->keys_by_id.clear();
    shards_->keys_of.clear();
    shards_->devices.clear();
    shards_->devices_by_number.clear();
    shards_->devices_of.clear();
    for (auto& count : shards_->in_state) {
        count = 0;
    }
    for (const auto& account : *accounts) {
        put_account(account);
    }
    for (const auto& key : *keys) {
        put_key(key);
    }
    for (const auto& device : *devices) {
        put_device(device);
    }
    return {};
}

std::optional<KeyEntry> Directory::find_key(const Sha256& digest) const {
    // The duration of the look-up may depend on the first bytes of the digest; that helps nobody,
    // because a digest cannot be chosen. The whole digest is still compared in constant time.
    const auto key = shards_->keys.find(digest);
    if (!key || !equal_constant_time((*key)->digest, digest)) {
        return std::nullopt;
    }
    auto account = find_account((*key)->account);
    if (account == nullptr) {
        return std::nullopt;
    }
    return KeyEntry{.key = *key, .account = std::move(account)};
}

std::shared_ptr<const AccountEntry> Directory::find_account(model::AccountId id) const {
    return shards_->accounts.find(id).value_or(nullptr);
}

std::shared_ptr<const model::Device> Directory::find_device(model::PhoneNumber number) const {
    return shards_->devices.find(number).value_or(nullptr);
}

std::vector<model::Account> Directory::accounts() const {
    std::vector<model::Account> all;
    shards_->accounts.for_each([&all](const auto& entry) { all.push_back(entry->account); });
    std::ranges::sort(all, {}, &model::Account::id);
    return all;
}

std::vector<model::ApiKey> Directory::keys(std::optional<model::AccountId> account,
                                           const ListPart<model::KeyId>& part) const {
    return copies_of(account ? shards_->keys_of.of(*account, part)
                             : shards_->keys_by_id.part(part));
}

std::vector<model::Device> Directory::devices(std::optional<model::AccountId> account,
                                              const ListPart<model::PhoneNumber>& part) const {
    return copies_of(account ? shards_->devices_of.of(*account, part)
                             : shards_->devices_by_number.part(part));
}

std::size_t Directory::count_accounts() const {
    return shards_->accounts.size();
}

std::size_t Directory::count_devices() const {
    return shards_->devices.size();
}

std::array<std::size_t, model::device_states_count> Directory::devices_by_state() const {
    std::array<std::size_t, model::device_states_count> counts{};
    std::ranges::copy(shards_->in_state, counts.begin());
    return counts;
}

void Directory::apply(const store::RowChange& change) {
    if (const auto* account = std::get_if<model::Account>(&change)) {
        put_account(*account);
    } else if (const auto* key = std::get_if<model::ApiKey>(&change)) {
        put_key(*key);
    } else if (const auto* gone = std::get_if<store::KeyRemoved>(&change)) {
        remove_key(gone->key);
    } else if (const auto* written = std::get_if<store::DeviceWritten>(&change)) {
        put_device(written->device);
    } else if (const auto* removed = std::get_if<store::DeviceRemoved>(&change)) {
        remove_device(removed->device.number);
    } else {
        people_.apply(change);
    }
}

std::optional<store::RowChange> Directory::removal_of(const store::DirectoryRow& row) const {
    using RowKind = store::DirectoryRow::Kind;
    switch (row.kind) {
        case RowKind::account:
            return std::nullopt;
        case RowKind::key:
            if (const auto key = shards_->keys_by_id.find({row.id})) {
                return store::KeyRemoved{**key};
            }
            return std::nullopt;
        case RowKind::device:
            if (const auto device = find_device(model::PhoneNumber::from_stored(row.id))) {
                return store::DeviceRemoved{*device};
            }
            return std::nullopt;
        case RowKind::person:
        case RowKind::session:
            return people_.removal_of(row);
    }
    return std::nullopt;
}

void Directory::put_account(const model::Account& account) {
    const auto before = find_account(account.id);
    auto entry = std::make_shared<AccountEntry>();
    entry->account = account;
    // An old bucket is filled at the old rate, and could block requests at the new one.
    const bool same_rate = before != nullptr && before->account.rate == account.rate;
    entry->bucket = same_rate ? before->bucket : std::make_shared<RateBucket>();
    entry->calls = same_rate ? before->calls : std::make_shared<RateBucket>();
    entry->replays = before != nullptr ? before->replays : std::make_shared<RateBucket>();
    shards_->accounts.put(account.id, std::move(entry));
}

void Directory::put_key(const model::ApiKey& key) {
    const auto record = std::make_shared<const model::ApiKey>(key);
    shards_->keys_by_id.put(key.id, record);
    shards_->keys_of.put(key.account, key.id, record);
    shards_->keys.put(key.digest, record);
}

void Directory::remove_key(const model::ApiKey& key) {
    shards_->keys.remove(key.digest);
    shards_->keys_by_id.remove(key.id);
    shards_->keys_of.remove(key.account, key.id);
}

void Directory::put_device(const model::Device& device) {
    const auto before = find_device(device.number);
    if (before != nullptr) {
        shards_->count(before->state, -1);
        if (before->account != device.account) {
            shards_->devices_of.remove(before->account, before->number);
        }
    }
    const auto record = std::make_shared<const model::Device>(device);
    shards_->devices_by_number.put(device.number, record);
    shards_->devices_of.put(device.account, device.number, record);
    shards_->devices.put(device.number, record);
    shards_->count(device.state, +1);
}

void Directory::remove_device(model::PhoneNumber number) {
    const auto before = find_device(number);
    if (before == nullptr) {
        return;
    }
    shards_->devices.remove(number);
    shards_->devices_by_number.remove(number);
    shards_->devices_of.remove(before->account, number);
    shards_->count(before->state, -1);
}

}  // namespace merpati::admission
