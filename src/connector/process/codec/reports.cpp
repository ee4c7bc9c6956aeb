#include "connector/process/codec/reports.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "base/encoding.hpp"
#include "base/uuid.hpp"
#include "connector/process/codec/capabilities.hpp"
#include "connector/process/codec/fields.hpp"
#include "connector/process/codec/send_answer.hpp"

namespace merpati::connector::process {
namespace {

namespace json = boost::json;
using model::DeviceState;
using model::Progress;

constexpr std::size_t reason_bytes_max = 512;
constexpr std::size_t sender_bytes_max = 64;
constexpr std::size_t name_bytes_max = 256;
constexpr std::size_t names_max = 256;
constexpr std::uint64_t pairing_ms_max = 3'600'000;
constexpr std::uint64_t time_max = 253'402'300'799'999;  // The year 9999.
constexpr std::array<std::string_view, 9> types{
    "text", "image", "video", "audio", "other", "document", "sticker", "location", "contact"};

std::unexpected<Error> wrong(const std::string& field) {
    return fail(ErrorCode::invalid_argument, field);
}

/// What was read, if no field is wrong.
template <class Read>
Result<Read> result(const Fields& fields, Read read) {
    return fields.wrong().empty() ? Result<Read>{std::move(read)} : wrong(fields.wrong());
}

Timestamp time_of(Fields& fields, Timestamp now) {
    const auto at = fields.count_if("occurred_at_ms", 0, time_max);
    return at ? from_unix_millis(static_cast<std::int64_t>(*at)) : now;
}

std::string platform_id_of(Fields& fields) {
    auto id = fields.text("platform_id", model::platform_id_bytes_max);
    if (!is_platform_id(id)) {
        fields.refuse("platform_id");
    }
    return id;
}

std::optional<Progress> progress_of(std::string_view word) {
    for (const auto progress :
         {Progress::sent, Progress::failed, Progress::delivered, Progress::read}) {
        if (model::to_string(progress) == word) {
            return progress;
        }
    }
    return std::nullopt;
}

}  // namespace

Result<StateReport> read_state(const json::object& object) {
    Fields fields{object};
    StateReport report;
    report.device = fields.device();
    const auto state = model::parse_device_state(fields.text("state", 32));
    report.reason = fields.text_or_empty("reason", reason_bytes_max);
    const auto code = fields.code_or_empty("platform_code");
    if (state == DeviceState::restricted) {
        report.until =
            from_unix_millis(static_cast<std::int64_t>(fields.count("until_at_ms", 0, time_max)));
    }
    if (!state) {
        fields.refuse("state");
    } else if (*state != DeviceState::connected && report.reason.empty()) {
        fields.refuse("reason");
    }
    report.state = state.value_or(report.state);
    if (!code.empty()) {
        report.reason = report.reason.empty() ? code : fmt::format("{} ({})", report.reason, code);
    }
    return result(fields, std::move(report));
}

Result<PairingReport> read_pairing(const json::object& object, Timestamp now) {
    Fields fields{object};
    PairingReport report;
    report.device = fields.device();
    report.step.method = fields.text("method", 16);
    report.step.payload = fields.text("payload", PairingStep::payload_bytes_max);
    report.step.expires_at = now + Millis{fields.count("expires_in_ms", 1, pairing_ms_max)};
    if (std::ranges::find(pairing_methods, report.step.method) == pairing_methods.end()) {
        fields.refuse("method");
    }
    return result(fields, std::move(report));
}

Result<LateStatus> read_status(const json::object& object, Timestamp now) {
    Fields fields{object};
    LateStatus late;
    late.device = fields.device();
    late.platform_id = platform_id_of(fields);
    const auto at = time_of(fields, now);
    const auto message = fields.text_or_empty("message", 36);
    const auto progress = progress_of(fields.text("status", 16));
    const auto* error = fields.object_if("error");
    if (!message.empty()) {
        late.message = Uuid::parse(message);
        if (!late.message) {
            fields.refuse("message");
        }
    }
    if (!progress) {
        fields.refuse("status");
    }
    if (progress == Progress::failed) {
        static const json::object none{{"kind", "refused"}};
        late.status = failure_of(error != nullptr ? *error : none);
    } else {
        late.status.progress = progress.value_or(Progress::sent);
        late.status.code = model::StatusCode::sent;
    }
    late.status.at = at;
    return result(fields, std::move(late));
}

Result<InboundMessage> read_inbound(const json::object& object, Timestamp now) {
    Fields fields{object};
    InboundMessage message;
    message.device = fields.device();
    message.platform_id = platform_id_of(fields);
    message.sender = fields.text("from", sender_bytes_max);
    message.type = fields.text("type", 16);
    message.text = fields.text_or_empty("text", InboundMessage::text_bytes_max);
    message.at = time_of(fields, now);
    if (std::ranges::find(types, message.type) == types.end()) {
        fields.refuse("type");
    }
    if (const auto* media = fields.object_if("media"); media != nullptr) {
        Fields inner{*media};
        message.media = {.mime = inner.text("mime", 128),
                         .bytes = inner.count("bytes", 0, std::numeric_limits<std::int64_t>::max()),
                         .name = inner.text_or_empty("name", 255),
                         .reference = inner.text_or_empty(
                             "reference", InboundMessage::Media::reference_bytes_max)};
        if (!inner.wrong().empty()) {
            fields.refuse("media." + inner.wrong());
        }
    }
    return result(fields, std::move(message));
}

Result<SecretsRead> read_secrets_read(const json::object& object) {
    Fields fields{object};
    SecretsRead read{.device = fields.device(), .names = {}};
    const auto* names = object.if_contains("names");
    if (names == nullptr || !names->is_array() || names->get_array().empty()) {
        fields.refuse("names");
    } else if (names->get_array().size() > names_max) {
        return fail(ErrorCode::refused, "too many names");
    } else {
        for (const auto& name : names->get_array()) {
            if (!name.is_string() || name.get_string().empty() ||
                name.get_string().size() > name_bytes_max) {
                fields.refuse("names");
                break;
            }
            read.names.emplace_back(name.get_string());
        }
    }
    return result(fields, std::move(read));
}

Result<SecretsWrite> read_secrets_write(const json::object& object) {
    Fields fields{object};
    SecretsWrite write;
    write.device = fields.device();
    write.others = fields.flag("clear") ? DeviceSecrets::Others::go : DeviceSecrets::Others::stay;
    const auto* values = fields.object_if("values");
    if (values != nullptr && values->size() > names_max) {
        return fail(ErrorCode::refused, "too many values");
    }
    for (const auto& [name, value] : values != nullptr ? *values : json::object{}) {
        std::optional<Bytes> bytes;
        if (value.is_string()) {
            auto decoded = from_base64(value.get_string());
            if (!decoded) {
                return wrong("values");
            }
            if (decoded->size() > value_bytes_max) {
                return fail(ErrorCode::refused, "a value is too long");
            }
            bytes = std::move(*decoded);
        } else if (!value.is_null()) {
            return wrong("values");
        }
        write.values.emplace_back(std::string{name}, std::move(bytes));
    }
    if (values == nullptr && write.others == DeviceSecrets::Others::stay) {
        fields.refuse("values");
    }
    return result(fields, std::move(write));
}

json::object values_answer(const DeviceSecrets::Values& values) {
    json::object all;
    for (const auto& [name, value] : values) {
        all[name] = value ? json::value(to_base64(*value)) : json::value(nullptr);
    }
    return {{"values", std::move(all)}};
}

}  // namespace merpati::connector::process
