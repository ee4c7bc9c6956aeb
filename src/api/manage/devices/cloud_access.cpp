#include "api/manage/devices/cloud_access.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/manage/devices/platform_control.hpp"
#include "base/ascii.hpp"
#include "model/connector.hpp"

namespace merpati::api::manage {
namespace {

using model::CloudNumber;

/// Longer than a connector waits for the platform.
constexpr std::chrono::seconds answered_within{35};

/// Pages of templates; a business account has 6,000 templates at most.
constexpr int template_pages_max = 100;
constexpr std::chrono::seconds template_found_within{60};

constexpr std::size_t template_name_max = 512;
constexpr std::size_t language_max = 16;

/// Calls `ask` with a function, and waits until that is called.
template <class Answer, class Ask>
Result<Answer> wait_for(Ask ask) {
    const auto promise = std::make_shared<std::promise<Result<Answer>>>();
    auto answer = promise->get_future();
    ask([promise](Result<Answer> given) { promise->set_value(std::move(given)); });
    if (answer.wait_for(answered_within) != std::future_status::ready) {
        return fail(ErrorCode::timeout, "the platform does not answer: try again");
    }
    return answer.get();
}

std::optional<std::string> take_id(Fields& fields, std::string_view name) {
    auto id = fields.text(name, 32);
    if (id && !model::is_cloud_id(*id)) {
        fields.mistake(name, "must be an id of the platform: 1 to 32 digits");
        return std::nullopt;
    }
    return id;
}

/// Of printable ASCII characters without blanks: it becomes a part of a header.
std::optional<std::string> take_secret(Fields& fields, std::string_view name) {
    auto secret = fields.text(name, CloudNumber::secret_bytes_max);
    const bool fits = secret && !secret->empty() &&
                      std::ranges::all_of(*secret, [](char c) { return c > ' ' && c <= '~'; });
    if (secret && !fits) {
        fields.mistake(name, "must be a text without blanks");
        return std::nullopt;
    }
    return secret;
}

bool is_template(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
        return false;
    }
    const auto name = text.substr(0, colon);
    const auto language = text.substr(colon + 1);
    const auto is_word = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
    return !name.empty() && name.size() <= template_name_max && !language.empty() &&
           language.size() <= language_max && std::ranges::all_of(name, is_word) &&
           std::ranges::all_of(language, is_word);
}

std::string only_digits(std::string_view text) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), is_digit);
    return digits;
}

/// Empty: the device has none.
Result<std::string> stored_token(const Context& context, model::PhoneNumber number) {
    // All names after this one, and before that of the token, belong to nobody.
    auto before = std::string{CloudNumber::token_name};
    before.pop_back();
    const auto found = context.read(
        [&](store::Reader& reader) { return reader.device_secrets(number, before, 1); });
    if (!found) {
        return pass(found);
    }
    if (found->empty() || found->front().name != CloudNumber::token_name) {
        return std::string{};
    }
    const auto& value = found->front().value;
    return std::string{reinterpret_cast<const char*>(value.data()), value.size()};
}

/// The error; if the platform has refused what the field says, that is a mistake in the field.
std::unexpected<Error> refused_in(Fields& fields, std::string_view field, const Error& error) {
    if (error.code == ErrorCode::refused) {
        fields.mistake(field, error.detail);
    }
    return std::unexpected(error);
}

/// The template of this name and language. Errors: refused (there is none).
Result<connector::MessageTemplate> find_template(const Context& context,
                                                 const model::Device& device,
                                                 const connector::PlatformAccess& access,
                                                 const std::string& named) {
    const auto end = context.clock.steady_now() + template_found_within;
    std::string cursor;
    for (int page = 0; page < template_pages_max; ++page) {
        if (context.clock.steady_now() > end) {  // Others wait for this thread.
            return fail(ErrorCode::timeout, "the platform lists its templates too slowly");
        }
        auto found = wait_for<connector::TemplatePage>([&](auto done) {
            context.platform.list_templates(device, access, cursor, std::move(done));
        });
        if (!found) {
            return pass(found);
        }
        const auto wanted = std::ranges::find_if(
            found->items, [&](const auto& one) { return one.name + ":" + one.language == named; });
        if (wanted != found->items.end()) {
            return std::move(*wanted);
        }
        cursor = std::move(found->next);
        if (cursor.empty()) {
            break;
        }
    }
    return fail(ErrorCode::refused, fmt::format("the business account has no template {}", named));
}

/// Whether a text can be sent as this template.
Result<void> check_template(const connector::MessageTemplate& found, const std::string& named) {
    if (found.status != "APPROVED") {
        return fail(ErrorCode::refused,
                    fmt::format("the template {} is not approved: the platform calls it {}", named,
                                found.status));
    }
    if (!found.carries_a_text()) {
        return fail(ErrorCode::refused,
                    fmt::format("the template {} must have exactly one variable, in its body: the "
                                "message's text takes its place",
                                named));
    }
    return {};
}

}  // namespace

std::optional<CloudAccess> take_cloud(Fields& fields) {
    auto inside = fields.object("cloud");
    if (!inside) {
        return std::nullopt;
    }
    CloudAccess access;
    access.phone_number_id = take_id(*inside, "phone_number_id");
    access.token = take_secret(*inside, "token");
    access.waba_id =
        inside->none("waba_id") ? std::optional{std::string{}} : take_id(*inside, "waba_id");
    access.app_secret = inside->none("app_secret") ? std::optional{std::string{}}
                                                   : take_secret(*inside, "app_secret");
    fields.add_mistakes("cloud", *inside);
    return access;
}

std::optional<std::string> take_fallback(Fields& fields) {
    if (fields.none("fallback_template")) {
        return std::string{};
    }
    auto given = fields.text("fallback_template", template_name_max + 1 + language_max);
    if (given == "none") {
        return std::string{};
    }
    if (given && !is_template(*given)) {
        fields.mistake("fallback_template", "must be NAME:LANGUAGE, as in pesan_baru:id");
    }
    return given;
}

Result<void> check_is_cloud(const model::Device& device) {
    if (device.connector == model::cloud_connector) {
        return {};
    }
    return fail(ErrorCode::conflict,
                fmt::format("{} is on the connector {}: only devices on the connector cloud have "
                            "tokens and templates",
                            device.number.text(), device.connector));
}

Result<void> check_change(const Context& context, Fields& fields, const model::Device& device,
                          const CloudAccess& access, const std::optional<std::string>& fallback) {
    auto checked = check_is_cloud(device);
    const bool names_template = fallback && !fallback->empty();
    if (!checked || (!access.needs_check() && !names_template)) {
        return checked;
    }
    const auto opened = access_of(context, device, access);
    if (!opened) {
        return pass(opened);
    }
    if (access.needs_check()) {
        checked = check_with_platform(context, fields, device, *opened);
    }
    return checked && names_template ? check_fallback(context, fields, device, *opened, *fallback)
                                     : checked;
}

Result<connector::PlatformAccess> access_of(const Context& context, const model::Device& device,
                                            const CloudAccess& access) {
    const auto known = device.cloud.value_or(CloudNumber{});
    connector::PlatformAccess found{
        .phone_number_id = access.phone_number_id.value_or(known.phone_number_id),
        .waba_id = access.waba_id.value_or(known.waba_id),
        .token = access.token.value_or(std::string{})};
    if (found.phone_number_id.empty()) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} has no phone number id of the platform yet: give it with a "
                                "token (`cloud`)",
                                device.number.text()));
    }
    if (!access.token) {
        auto token = stored_token(context, device.number);
        if (!token) {
            return pass(token);
        }
        found.token = *std::move(token);
    }
    if (found.token.empty()) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} has no token yet: give one (`cloud`)", device.number.text()));
    }
    return found;
}

Result<void> check_with_platform(const Context& context, Fields& fields,
                                 const model::Device& device, connector::PlatformAccess access) {
    const auto id = access.phone_number_id;
    const auto checked = wait_for<connector::CheckedNumber>([&](auto done) {
        context.platform.check_access(device, std::move(access), std::move(done));
    });
    if (!checked) {
        return refused_in(fields, "cloud.token", checked.error());
    }
    const auto digits = only_digits(checked->display_number);
    if (digits == device.number.text()) {
        return {};
    }
    const auto other = fail(
        ErrorCode::refused,
        digits.empty() ? fmt::format("the platform does not say which number the id {} has", id)
                       : fmt::format("the id {} is that of the number {}, not of {}", id, digits,
                                     device.number.text()));
    return refused_in(fields, "number", other.error());
}

Result<void> check_business_account(const model::Device& device,
                                    const connector::PlatformAccess& access) {
    return access.waba_id.empty()
               ? fail(ErrorCode::conflict,
                      fmt::format("{} has no business account id yet: give it (`cloud.waba_id`)",
                                  device.number.text()))
               : Result<void>{};
}

Result<void> check_fallback(const Context& context, Fields& fields, const model::Device& device,
                            const connector::PlatformAccess& access, const std::string& fallback) {
    if (auto known = check_business_account(device, access); !known) {
        return known;
    }
    const auto found = find_template(context, device, access, fallback);
    const auto fits = found ? check_template(*found, fallback) : pass(found);
    return fits ? Result<void>{} : refused_in(fields, "fallback_template", fits.error());
}

Result<void> check_unchanged(const model::Device& checked, const model::Device& now) {
    const auto id_of = [](const model::Device& device) {
        return device.cloud ? device.cloud->phone_number_id : std::string{};
    };
    if (model::DeviceIdentity::of(checked) == model::DeviceIdentity::of(now) &&
        id_of(checked) == id_of(now)) {
        return {};
    }
    return fail(ErrorCode::conflict,
                fmt::format("{} was changed meanwhile: look, and try again", now.number.text()));
}

Result<void> put_access(store::DeviceTables& tables, model::PhoneNumber number,
                        const CloudAccess& access) {
    const auto put = [&](std::string_view name, const std::optional<std::string>& value) {
        if (!value) {
            return Result<void>{};
        }
        const auto bytes = as_bytes(*value);
        return tables.put_device_secret(
            number, name,
            value->empty() ? std::nullopt : std::optional{Bytes{bytes.begin(), bytes.end()}});
    };
    auto stored = put(CloudNumber::token_name, access.token);
    return stored ? put(CloudNumber::app_secret_name, access.app_secret) : stored;
}

Result<model::Device> give_access(store::Tables& tables, DeviceControl& devices,
                                  const model::Device& device, const CloudAccess& access,
                                  store::DevicePatch patch) {
    if (auto stored = put_access(tables, device.number, access); !stored) {
        return pass(stored);
    }
    // What was exported is not what the device uses from now on.
    if (access.needs_check()) {
        patch.exported_at = std::optional<Timestamp>{};
        if (auto marked = devices.mark_connected(tables, device); !marked) {
            return pass(marked);
        }
    }
    // After the state, so that who follows this row sees it connected.
    patch.cloud = store::DevicePatch::Cloud{.phone_number_id = access.phone_number_id,
                                            .waba_id = access.waba_id};
    return tables.update_device(device.number, patch);
}

}  // namespace merpati::api::manage
