// The methods of StoredTables for devices.
#include <string>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "store/sql/account_lock.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_tables.hpp"

namespace merpati::store::sql {
namespace {

std::optional<Timestamp> since_of(const std::optional<model::Pause>& pause) {
    return pause ? std::optional{pause->since} : std::nullopt;
}

std::optional<std::string_view> reason_of(const std::optional<model::Pause>& pause) {
    return pause ? std::optional{model::to_string(pause->reason)} : std::nullopt;
}

bool fits(std::string_view name, const Bytes& value) {
    return !name.empty() && name.size() <= Tables::secret_name_bytes_max &&
           value.size() <= Tables::secret_bytes_max;
}

/// Other programs change the device only after this transaction, which reads and then writes it.
void lock_device(Connection& connection, model::PhoneNumber number) {
    if (connection.has_other_writers()) {
        Statement lock{connection, "SELECT 1 FROM device WHERE number = ?" +
                                       std::string{connection.for_update()}};
        lock.run(number.value());
    }
}

void put_secret(Connection& connection, model::PhoneNumber device, std::string_view name,
                const Bytes& sealed) {
    Statement put{connection,
                  "INSERT INTO device_secret(device, name, value) VALUES(?, ?, ?) "
                  "ON CONFLICT(device, name) DO UPDATE SET value = excluded.value"};
    put.run(device.value(), name, std::span<const std::byte>{sealed});
}

std::unexpected<Error> secret_too_long() {
    return fail(ErrorCode::refused, "a device's secret, or its name, is too long");
}

}  // namespace

Result<std::optional<model::Device>> StoredTables::find_device(model::PhoneNumber number) {
    Statement find{connection_,
                   std::string{"SELECT "} + device_columns + " FROM device WHERE number = ?"};
    return first_row(find.query(number.value()), read_device);
}

model::Device StoredTables::written_device(model::PhoneNumber number, bool is_new) {
    const auto device = find_device(number);
    invariant(device && *device, "a row that was just written is there");
    row_changes_.emplace_back(DeviceWritten{.device = **device, .is_new = is_new});
    return **device;
}

/// One number of the platform belongs to one device: messages and events find it by that id.
/// Errors: conflict.
Result<void> StoredTables::check_cloud_free(model::PhoneNumber number,
                                            std::string_view phone_number_id) {
    Statement find{connection_, "SELECT number FROM device WHERE phone_number_id = ?"};
    auto row = find.query(phone_number_id);
    if (!row.next() || row.integer(0) == static_cast<std::int64_t>(number.value())) {
        return {};
    }
    return fail(
        ErrorCode::conflict,
        fmt::format("the phone number id {} belongs to another device already", phone_number_id));
}

/// Counts no more rows than the account may have.
bool StoredTables::has_room(model::AccountId account, std::uint32_t devices_max) {
    Statement count{connection_,
                    "SELECT count(*) FROM (SELECT 1 FROM device WHERE account = ? LIMIT ?) d"};
    auto row = count.query(account.value, devices_max);
    return row.next() && row.integer(0) < devices_max;
}

Result<DeviceDecision> StoredTables::add_device(const model::Device& device, bool webhook_given) {
    using Decided = DeviceDecision::Result;
    AccountLock{connection_}.take(device.account);
    const auto account = find_account(device.account);
    if (!account) {
        return pass(account);
    }
    if (!*account) {
        return fail(ErrorCode::not_found, "there is no such account");
    }
    auto known = find_device(device.number);
    if (!known) {
        return pass(known);
    }
    if (*known && (*known)->account != device.account) {
        return DeviceDecision{.result = Decided::owned_by_another, .device = **std::move(known)};
    }
    if (*known) {
        if (webhook_given) {
            DevicePatch patch;
            patch.webhook_url = device.webhook_url;
            auto updated = update_device(device.number, patch);
            if (!updated) {
                return pass(updated);
            }
            return DeviceDecision{.result = Decided::known, .device = *std::move(updated)};
        }
        return DeviceDecision{.result = Decided::known, .device = **std::move(known)};
    }
    if (!has_room(device.account, (*account)->devices_max)) {
        return DeviceDecision{.result = Decided::no_room, .device = device};
    }
    const auto& cloud = device.cloud;
    if (cloud) {
        if (auto checked = check_cloud_free(device.number, cloud->phone_number_id); !checked) {
            return pass(checked);
        }
    }
    Statement insert{connection_,
                     std::string{"INSERT INTO device("} + device_columns +
                         ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
                         "?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22) ON CONFLICT(number) DO NOTHING"};
    insert.run(device.number.value(), device.account.value, device.connector,
               model::to_string(device.state), device.webhook_url, device.pace.gap_min.count(),
               device.pace.jitter_max.count(), device.pace.per_day_max, device.created_at,
               device.state_since, device.pace.warm_up_days, device.state_reason,
               since_of(device.pause), reason_of(device.pause), device.resumed_at,
               word_of(device.after_pairing), word_of(device.notified), device.exported_at,
               device.restricted_until, or_null(cloud ? cloud->phone_number_id : std::string{}),
               cloud ? cloud->waba_id : std::string{},
               cloud ? cloud->fallback_template : std::string{});
    if (connection_.changes() == 0) {
        return add_device(device, webhook_given);  // Another program has just added it.
    }
    remove_lane(device.number);
    writer_.senders().forget();
    return DeviceDecision{.result = Decided::added, .device = written_device(device.number, true)};
}

Result<model::Device> StoredTables::update_device(model::PhoneNumber number,
                                                  const DevicePatch& patch) {
    lock_device(connection_, number);
    const auto known = find_device(number);
    if (!known) {
        return pass(known);
    }
    if (!*known) {
        return fail(ErrorCode::not_found, "there is no such device");
    }
    const auto& was = **known;
    if (auto updated = update_cloud(was, patch); !updated) {
        return pass(updated);
    }
    auto pace = was.pace;
    patch.pace.apply_to(pace);
    const auto pause = patch.pause.value_or(was.pause);
    Statement update{connection_,
                     "UPDATE device SET webhook_url = coalesce(?2, webhook_url), gap_min = ?3, "
                     "jitter_max = ?4, per_day_max = ?5, warm_up_days = ?6, paused_since = ?7, "
                     "pause_reason = ?8, resumed_at = ?9, after_pairing = ?10, notified = ?11, "
                     "exported_at = ?12 "
                     "WHERE number = ?1"};
    update.run(number.value(), patch.webhook_url, pace.gap_min.count(), pace.jitter_max.count(),
               pace.per_day_max, pace.warm_up_days, since_of(pause), reason_of(pause),
               patch.resumed_at.value_or(was.resumed_at),
               word_of(patch.after_pairing.value_or(was.after_pairing)),
               word_of(patch.notified.value_or(was.notified)),
               patch.exported_at.value_or(was.exported_at));
    auto written = written_device(number, false);
    std::get<DeviceWritten>(row_changes_.back()).has_new_access = patch.cloud.has_value();
    return written;
}

Result<void> StoredTables::update_cloud(const model::Device& was, const DevicePatch& patch) {
    if (!patch.cloud && !patch.fallback_template) {
        return {};
    }
    auto cloud = was.cloud.value_or(model::CloudNumber{});
    if (patch.cloud) {
        cloud.phone_number_id = patch.cloud->phone_number_id.value_or(cloud.phone_number_id);
        cloud.waba_id = patch.cloud->waba_id.value_or(cloud.waba_id);
    }
    cloud.fallback_template = patch.fallback_template.value_or(cloud.fallback_template);
    if (cloud.phone_number_id.empty()) {
        return fail(ErrorCode::refused,
                    was.number.text() + " has no phone number id of the official platform");
    }
    if (auto checked = check_cloud_free(was.number, cloud.phone_number_id); !checked) {
        return checked;
    }
    Statement update{connection_,
                     "UPDATE device SET phone_number_id = ?2, waba_id = ?3, "
                     "fallback_template = ?4 WHERE number = ?1"};
    update.run(was.number.value(), cloud.phone_number_id, cloud.waba_id, cloud.fallback_template);
    return {};
}

Result<std::optional<model::Device>> StoredTables::set_device_state(
    const DeviceIdentity& device, model::DeviceState state, std::string_view reason,
    Timestamp since, std::optional<Timestamp> restricted_until) {
    lock_device(connection_, device.number);
    const auto known = find_device(device.number);
    if (!known) {
        return pass(known);
    }
    if (!*known || DeviceIdentity::of(**known) != device) {
        return fail(ErrorCode::not_found, "there is no such device");
    }
    if ((*known)->state == state && (*known)->restricted_until == restricted_until) {
        return std::nullopt;
    }
    Statement update{connection_,
                     "UPDATE device SET state = ?2, state_reason = ?3, state_since = ?4, "
                     "restricted_until = ?5 WHERE number = ?1"};
    update.run(device.number.value(), model::to_string(state), reason,
               (*known)->state == state ? (*known)->state_since : since, restricted_until);
    return written_device(device.number, false);
}

Result<bool> StoredTables::has_queue(model::PhoneNumber device) {
    Statement waiting{connection_, "SELECT 1 FROM queue WHERE device = ? LIMIT 1"};
    auto row = waiting.query(device.value());
    return row.next();
}

Result<void> StoredTables::remove_device(model::PhoneNumber device) {
    lock_device(connection_, device);
    const auto waits = has_queue(device);
    if (!waits) {
        return std::unexpected(waits.error());
    }
    if (*waits) {
        return fail(ErrorCode::conflict,
                    "messages wait in this device's lane: let them go first, or clear its queue");
    }
    const auto known = find_device(device);
    if (!known) {
        return pass(known);
    }
    if (!*known) {
        return fail(ErrorCode::not_found, "there is no such device");
    }
    if (const auto campaign = campaigns_.running_on(device)) {
        return fail(ErrorCode::conflict,
                    fmt::format("the campaign {} is running and sends by this device: pause it, "
                                "or take the device out of it",
                                campaign->text()));
    }
    Statement remove{connection_, "DELETE FROM device WHERE number = ?"};
    remove.run(device.value());
    if (auto cleared = clear_device_secrets(device); !cleared) {
        return cleared;
    }
    Statement forget{connection_, "DELETE FROM received_media WHERE device = ?"};
    forget.run(device.value());
    remove_lane(device);
    writer_.senders().forget();
    row_changes_.emplace_back(DeviceRemoved{**known});
    return {};
}

Result<std::optional<Bytes>> StoredTables::device_secret(model::PhoneNumber device,
                                                         std::string_view name) {
    Statement find{connection_, "SELECT value FROM device_secret WHERE device = ? AND name = ?"};
    auto row = find.query(device.value(), name);
    if (!row.next()) {
        return std::nullopt;
    }
    auto plain = secrets_.unseal(row.blob(0));
    if (!plain) {
        return pass(plain);
    }
    return std::optional{std::move(*plain)};
}

Result<void> StoredTables::clear_device_secrets(model::PhoneNumber device) {
    Statement clear{connection_, "DELETE FROM device_secret WHERE device = ?"};
    clear.run(device.value());
    return {};
}

Result<void> StoredTables::put_device_secret(model::PhoneNumber device, std::string_view name,
                                             const std::optional<Bytes>& value) {
    if (!value) {
        Statement remove{connection_, "DELETE FROM device_secret WHERE device = ? AND name = ?"};
        remove.run(device.value(), name);
        return {};
    }
    if (!fits(name, *value)) {
        return secret_too_long();
    }
    const auto sealed = secrets_.seal(*value);
    Statement update{connection_,
                     "UPDATE device_secret SET value = ?3 WHERE device = ?1 AND name = ?2"};
    update.run(device.value(), name, std::span<const std::byte>{sealed});
    if (connection_.changes() == 1) {
        return {};
    }
    const auto known = find_device(device);
    if (!known || !*known) {
        return known ? fail(ErrorCode::not_found, "there is no such device")
                     : std::unexpected(known.error());
    }
    constexpr auto most = static_cast<std::int64_t>(device_secrets_max);
    const auto bound = secrets_at_most_.try_emplace(device.value(), most).first;
    if (bound->second >= most) {
        Statement count{connection_, "SELECT count(*) FROM device_secret WHERE device = ?"};
        bound->second = first_integer(count.query(device.value()));
        secrets_counted_.push_back(device.value());
        if (bound->second >= most) {
            return fail(ErrorCode::refused, "the device has too many secrets");
        }
    }
    ++bound->second;
    put_secret(connection_, device, name, sealed);
    return {};
}

/// Avoids the count of secrets that put_device_secret may make for each of them.
Result<void> StoredTables::replace_device_secrets(model::PhoneNumber device,
                                                  const std::vector<DeviceSecret>& secrets) {
    const auto known = find_device(device);
    if (!known || !*known) {
        return known ? fail(ErrorCode::not_found, "there is no such device")
                     : std::unexpected(known.error());
    }
    if (secrets.size() > device_secrets_max) {
        return fail(ErrorCode::refused, "the device has too many secrets");
    }
    if (auto cleared = clear_device_secrets(device); !cleared) {
        return cleared;
    }
    secrets_at_most_.erase(device.value());
    for (const auto& [name, value] : secrets) {
        if (!fits(name, value)) {
            return secret_too_long();
        }
        put_secret(connection_, device, name, secrets_.seal(value));
    }
    return {};
}

}  // namespace merpati::store::sql
