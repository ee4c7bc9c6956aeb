// Import and export of the secrets that a device's connector keeps, to move the device between
// programs.
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/manage/devices/device_control.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "connector/connector.hpp"
#include "model/texts.hpp"

namespace merpati::api::manage::devices {
namespace {

using boost::json::value;
using store::DeviceIdentity;
using store::DeviceSecret;
using store::Tables;

/// A value of the largest size, in base64.
constexpr std::size_t text_bytes_max = connector::DeviceSecrets::value_bytes_max / 3 * 4 + 8;

std::vector<DeviceSecret> take_secrets(Fields& fields) {
    std::vector<DeviceSecret> secrets;
    auto texts = fields.texts(
        "secrets", Tables::device_secrets_max,
        {.name_bytes_max = Tables::secret_name_bytes_max, .text_bytes_max = text_bytes_max});
    for (auto& [name, text] : texts) {
        auto bytes = from_base64(text);
        if (!bytes) {
            fields.mistake("secrets", "must hold Base64 texts");
            return {};
        }
        secrets.push_back({.name = std::move(name), .value = std::move(*bytes)});
        text = {};
    }
    return secrets;
}

/// The device as the transaction sees it. Errors: conflict (it was added again, changed its
/// account, or is active), those of find_device.
Result<model::Device> find_still(Tables& tables, const Call& call, const model::Device& device) {
    auto found = find_device(tables, call, call.id);
    if (!found) {
        return found;
    }
    if (found->account != device.account || found->created_at != device.created_at ||
        model::is_active(found->state)) {
        return fail(
            ErrorCode::conflict,
            fmt::format("{} was changed meanwhile: look, and try again", device.number.text()));
    }
    return found;
}

/// The secrets of an exported device. Fails if the device was added or exported again, or taken
/// into use, since `device` was read.
class SecretLines final : public Lines {
public:
    SecretLines(const Context& context, const model::Device& device)
        : directory_(context.directory), readers_(context.readers), device_(device) {}

    Result<Piece> next() override {
        const auto known = directory_.find_device(device_.number);
        if (known == nullptr || known->created_at != device_.created_at ||
            known->exported_at != device_.exported_at) {
            return fail(ErrorCode::conflict, "the device was changed while it was exported");
        }
        const auto page = readers_.read([this](store::Reader& reader) {
            return reader.device_secrets(device_.number, last_, bytes_enough);
        });
        if (!page) {
            return pass(page);
        }
        std::string lines;
        for (const auto& [name, bytes] : *page) {
            lines += boost::json::serialize(
                boost::json::object{{"name", name}, {"value", to_base64(bytes)}});
            lines += '\n';
        }
        if (!page->empty()) {
            last_ = page->back().name;
        }
        return Piece{.text = std::move(lines), .is_last = page->empty()};
    }

private:
    static constexpr std::size_t bytes_enough = 48UL * 1024;

    const admission::Directory& directory_;
    store::ReaderPool& readers_;
    const model::Device device_;
    std::string last_;
};

}  // namespace

Result<value> import_secrets(const Context& context, Call& call) {
    const auto secrets = take_secrets(call.fields);
    if (secrets.empty()) {
        call.fields.mistake("secrets", "must hold what the device's connector keeps");
    }
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    const auto still = context.devices.keep_still((*device)->number);
    if (!still) {
        return pass(still);
    }
    return context.commit_and_show(
        [&](Tables& tables) -> Result<model::Device> {
            const auto known = find_still(tables, call, **device);
            if (!known) {
                return pass(known);
            }
            if (auto replaced = tables.replace_device_secrets(known->number, secrets); !replaced) {
                return pass(replaced);
            }
            if (auto set = tables.set_device_state(DeviceIdentity::of(*known),
                                                   model::DeviceState::disconnected,
                                                   model::reasons::imported, context.clock.now());
                !set) {
                return pass(set);
            }
            return tables.update_device(known->number, {.exported_at = std::optional<Timestamp>{}});
        },
        [](const model::Device& moved) { return view(moved); });
}

/// Commits the mark that the device was exported before any secret is sent.
Result<std::unique_ptr<Lines>> export_secrets(const Context& context, Call& call) {
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    const auto number = (*device)->number;
    const auto still = context.devices.keep_still(number);
    if (!still) {
        return pass(still);
    }
    const auto some = context.read(
        [number](store::Reader& reader) { return reader.device_secrets(number, {}, 1); });
    if (!some) {
        return pass(some);
    }
    if (some->empty()) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} was never linked here: there is nothing to export", call.id));
    }
    model::Device exported;
    auto marked = context.change([&](Tables& tables) -> Result<void> {
        const auto known = find_still(tables, call, **device);
        if (!known) {
            return pass(known);
        }
        auto updated = tables.update_device(number, {.exported_at = context.clock.now()});
        if (!updated) {
            return pass(updated);
        }
        exported = std::move(*updated);
        return {};
    });
    if (!marked) {
        return pass(marked);
    }
    return std::make_unique<SecretLines>(context, exported);
}

}  // namespace merpati::api::manage::devices
