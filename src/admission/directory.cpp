#include "admission/directory.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "admission/sharded_map.hpp"
#include "base/digest_hash.hpp"

namespace merpati::admission {
namespace {

using KeyPtr = std::shared_ptr<const model::ApiKey>;

/// The keys of one account by id, so that its list does not scan those of all accounts.
struct KeysOfAccount {
    mutable std::shared_mutex mutex;
    std::map<model::KeyId, KeyPtr> keys;
};

void append(std::vector<model::ApiKey>& to, const KeysOfAccount& of) {
    const std::shared_lock lock{of.mutex};
    to.reserve(to.size() + of.keys.size());
    for (const auto& [id, key] : of.keys) {
        to.push_back(*key);
    }
}

}  // namespace

struct Directory::Shards {
    ShardedMap<model::AccountId, std::shared_ptr<const AccountEntry>> accounts;
    ShardedMap<Sha256, KeyPtr, DigestHash> keys;
    ShardedMap<model::AccountId, std::shared_ptr<KeysOfAccount>> keys_of;
    ShardedMap<model::PhoneNumber, std::shared_ptr<const model::Device>> devices;
};

Directory::Directory() : shards_(std::make_unique<Shards>()) {}
Directory::~Directory() = default;

Result<void> Directory::load(store::Reader& reader) {
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
    shards_->keys_of.clear();
    shards_->devices.clear();
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

std::vector<model::ApiKey> Directory::keys(std::optional<model::AccountId> account) const {
    std::vector<model::ApiKey> all;
    if (account) {
        if (const auto of_account = shards_->keys_of.find(*account)) {
            append(all, **of_account);
        }
        return all;
    }
    shards_->keys_of.for_each([&](const auto& of_account) { append(all, *of_account); });
    std::ranges::sort(all, {}, &model::ApiKey::id);
    return all;
}

std::vector<model::Device> Directory::devices(std::optional<model::AccountId> account) const {
    std::vector<model::Device> all;
    shards_->devices.for_each([&](const auto& device) {
        if (!account || device->account == *account) {
            all.push_back(*device);
        }
    });
    std::ranges::sort(all, {}, &model::Device::number);
    return all;
}

std::array<std::size_t, model::device_states_count> Directory::devices_by_state() const {
    std::array<std::size_t, model::device_states_count> counts{};
    shards_->devices.for_each(
        [&](const auto& device) { ++counts[static_cast<std::size_t>(device->state)]; });
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
    auto of_account = shards_->keys_of.find(key.account).value_or(nullptr);
    if (of_account == nullptr) {
        of_account = std::make_shared<KeysOfAccount>();
        shards_->keys_of.put(key.account, of_account);
    }
    {
        const std::unique_lock lock{of_account->mutex};
        of_account->keys.insert_or_assign(key.id, record);
    }
    shards_->keys.put(key.digest, record);
}

void Directory::remove_key(const model::ApiKey& key) {
    shards_->keys.remove(key.digest);
    if (const auto of_account = shards_->keys_of.find(key.account)) {
        const std::unique_lock lock{(*of_account)->mutex};
        (*of_account)->keys.erase(key.id);
    }
}

void Directory::put_device(const model::Device& device) {
    shards_->devices.put(device.number, std::make_shared<const model::Device>(device));
}

void Directory::remove_device(model::PhoneNumber number) {
    shards_->devices.remove(number);
}

}  // namespace merpati::admission
