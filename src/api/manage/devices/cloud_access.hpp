// The access of devices to the official platform: what callers give, how it is checked with the
// platform, and how it is stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/manage/devices/device_control.hpp"
#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "connector/connector.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::api::manage {

/// What a caller gives of a number of the official platform; empty fields stay as they are.
struct CloudAccess {
    std::optional<std::string> phone_number_id;
    std::optional<std::string> token;
    std::optional<std::string> waba_id;     // "": none.
    std::optional<std::string> app_secret;  // "": none.

    /// Whether only the platform can tell that the device may use it.
    [[nodiscard]] bool needs_check() const noexcept { return phone_number_id || token; }
};

/// Takes the field `cloud`; empty: it is not given.
[[nodiscard]] std::optional<CloudAccess> take_cloud(Fields& fields);

/// Takes the field `fallback_template`, "NAME:LANGUAGE"; "": none; empty: it is not given.
[[nodiscard]] std::optional<std::string> take_fallback(Fields& fields);

/// Whether the device's connector has tokens. Errors: conflict.
[[nodiscard]] Result<void> check_is_cloud(const model::Device& device);

/// Checks a change of a device with the platform, as far as it needs that. Errors: those of the
/// functions below.
[[nodiscard]] Result<void> check_change(const Context& context, Fields& fields,
                                        const model::Device& device, const CloudAccess& access,
                                        const std::optional<std::string>& fallback);

/// What opens the device's number: of `access`, or else what is stored. Errors: conflict (the
/// device has no number or token there), those of the store.
[[nodiscard]] Result<connector::PlatformAccess> access_of(const Context& context,
                                                          const model::Device& device,
                                                          const CloudAccess& access);

/// Whether templates can be asked for. Errors: conflict (no business account is known).
[[nodiscard]] Result<void> check_business_account(const model::Device& device,
                                                  const connector::PlatformAccess& access);

// Both wait for the platform, and add a mistake in the field that it refuses. Errors: those of
// PlatformControl.

/// Asks whether the token opens the number, and the number is the device's. Further errors:
/// refused (it is another number). `device` need not be stored yet.
[[nodiscard]] Result<void> check_with_platform(const Context& context, Fields& fields,
                                               const model::Device& device,
                                               connector::PlatformAccess access);

/// Asks whether a message can be sent as this template. Further errors: refused (it does not exist,
/// is not approved, or has not exactly one variable in its body), those of
/// check_business_account.
[[nodiscard]] Result<void> check_fallback(const Context& context, Fields& fields,
                                          const model::Device& device,
                                          const connector::PlatformAccess& access,
                                          const std::string& fallback);

/// Whether the device is still the one that was checked. Errors: conflict.
[[nodiscard]] Result<void> check_unchanged(const model::Device& checked, const model::Device& now);

/// Runs in the transaction of a change that was checked. Stores token and app secret.
[[nodiscard]] Result<void> put_access(store::DeviceTables& tables, model::PhoneNumber number,
                                      const CloudAccess& access);

/// The same for a device that is stored; connects it if it was checked. Returns the device with
/// the patch applied.
[[nodiscard]] Result<model::Device> give_access(store::Tables& tables, DeviceControl& devices,
                                                const model::Device& device,
                                                const CloudAccess& access,
                                                store::DevicePatch patch);

}  // namespace merpati::api::manage
