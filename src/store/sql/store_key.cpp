#include "store/sql/store_key.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/encoding.hpp"

namespace merpati::store::sql {
namespace {

constexpr std::string_view check_word = "merpati";

/// Secrets that show whose key a key file is, at most 1,000 of each end of a table, because one
/// that opens is enough.
constexpr std::array secrets_of_start{
    "SELECT webhook_secret FROM account ORDER BY id LIMIT 1000",
    "SELECT webhook_secret FROM account ORDER BY id DESC LIMIT 1000",
    "SELECT totp_secret FROM person WHERE totp_secret IS NOT NULL ORDER BY id LIMIT 1000",
    "SELECT totp_secret FROM person WHERE totp_secret IS NOT NULL ORDER BY id DESC LIMIT 1000"};

enum class Check : std::uint8_t {
    opened,
    missing,
    other,   // Sealed with another key, or damaged.
    broken,  // Its page cannot be read.
};

struct Secrets {
    bool found = false;   // The store holds some, or its rows cannot be read.
    bool opened = false;  // The key opens one of them.
};

/// `secrets` may be null: there is no key.
Check read_check(Connection& connection, const SecretBox* secrets) {
    try {
        Statement find{connection, "SELECT value FROM meta WHERE name = 'key_check'"};
        auto row = find.query();
        if (!row.next()) {
            return Check::missing;
        }
        return secrets != nullptr && secrets->unseal(row.blob(0)) ? Check::opened : Check::other;
    } catch (const Failure& failure) {
        throw_unless_damage(failure);
        return Check::broken;
    }
}

/// `key` may be null: there is none.
Secrets try_secrets(Connection& connection, const SecretBox* key) {
    Secrets result;
    for (const auto* sql : secrets_of_start) {
        try {
            Statement list{connection, sql};
            for (auto row = list.query(); row.next();) {
                result.found = true;
                if (key != nullptr && key->unseal(row.blob(0))) {
                    result.opened = true;
                    return result;
                }
            }
        } catch (const Failure& failure) {
            throw_unless_damage(failure);
            result.found = true;
        }
    }
    return result;
}

/// Where the page is damaged too, each start tries the secrets again.
void write_check(Connection& connection, const SecretBox& secrets, const char* sql) {
    const auto sealed = secrets.seal(as_bytes(check_word));
    try {
        Statement put{connection, sql};
        put.run(std::span<const std::byte>{sealed});
        connection.wait();
    } catch (const Failure& failure) {
        throw_unless_damage(failure);
    }
}

/// Nodes that begin a store at once each have a key. The first one's is the store's.
Result<void> begin_check(Connection& connection, const SecretBox& secrets,
                         const std::filesystem::path& key_file) {
    write_check(connection, secrets,
                "INSERT INTO meta(name, value) VALUES('key_check', ?) "
                "ON CONFLICT(name) DO NOTHING");
    if (read_check(connection, &secrets) == Check::other) {
        return fail(ErrorCode::conflict,
                    fmt::format("another node has just begun this store with another key file: "
                                "replace {} by a copy of that node's",
                                key_file.string()));
    }
    return {};
}

void renew_check(Connection& connection, const SecretBox& secrets) {
    write_check(connection, secrets,
                "INSERT INTO meta(name, value) VALUES('key_check', ?1) "
                "ON CONFLICT(name) DO UPDATE SET value = ?1");
}

/// The key file opens nothing of the store, which has secrets.
std::unexpected<Error> refuse_key(Check check, const std::filesystem::path& key_file) {
    if (check == Check::other) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} is not the key file of this store: name the right one with "
                                "store.key_file",
                                key_file.string()));
    }
    return fail(ErrorCode::conflict,
                fmt::format("the store's check of its key file is damaged, and {} opens none of "
                            "its secrets: name the right one with store.key_file, or restore a "
                            "backup (docs/backup.md)",
                            key_file.string()));
}

}  // namespace

Result<StoreKey> open_key(Connection& connection, const std::filesystem::path& key_file) {
    auto secrets = SecretBox::open(key_file);
    if (!secrets && secrets.error().code != ErrorCode::not_found) {
        return pass(secrets);
    }
    const auto* key = secrets ? &*secrets : nullptr;
    const auto check = read_check(connection, key);
    if (check == Check::opened) {
        return StoreKey{.secrets = *secrets};
    }
    const auto tried = try_secrets(connection, key);
    const bool is_new = check == Check::missing && !tried.found;
    if (!secrets && !is_new) {
        return fail(ErrorCode::conflict, secrets.error().detail);  // The store itself is there.
    }
    if (!secrets) {
        secrets = SecretBox::create(key_file);
        if (!secrets) {
            return pass(secrets);
        }
    }
    if (is_new) {
        if (auto begun = begin_check(connection, *secrets, key_file); !begun) {
            return pass(begun);
        }
        return StoreKey{.secrets = *secrets};
    }
    if (tried.opened) {
        renew_check(connection, *secrets);
        return StoreKey{.secrets = *secrets, .check_damaged = true};
    }
    return refuse_key(check, key_file);
}

Result<void> check_key(Connection& connection, const std::filesystem::path& key_file) {
    const auto secrets = SecretBox::open(key_file);
    if (!secrets && secrets.error().code != ErrorCode::not_found) {
        return pass(secrets);
    }
    const auto* key = secrets ? &*secrets : nullptr;
    const auto check = read_check(connection, key);
    if (check == Check::opened) {
        return {};
    }
    const auto tried = try_secrets(connection, key);
    if (tried.opened || (check == Check::missing && !tried.found)) {
        return {};
    }
    return secrets ? refuse_key(check, key_file)
                   : fail(ErrorCode::conflict, secrets.error().detail);
}

}  // namespace merpati::store::sql
