#include "connector/process/codec/platform_answer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "connector/platform_errors.hpp"
#include "connector/process/codec/fields.hpp"

namespace merpati::connector::process {
namespace {

struct Refused {
    std::string_view kind;
    ErrorCode code;
    std::string_view words;
};

constexpr std::array refusals{
    Refused{"invalid", ErrorCode::invalid_argument, "the platform has no such numbers"},
    Refused{"not_found", ErrorCode::not_found, platform_errors::gone},
    Refused{"media_too_large", ErrorCode::refused, platform_errors::too_large},
    Refused{"unsupported", ErrorCode::refused, "the device's connector cannot do that"},
    Refused{"device_down", ErrorCode::conflict, platform_errors::not_connected},
    Refused{"throttled", ErrorCode::busy, platform_errors::throttled},
    Refused{"busy", ErrorCode::busy, "the device's connector is busy: try again"},
    Refused{"closing", ErrorCode::busy, "the device's connector is stopping: try again"},
    Refused{"unavailable", ErrorCode::unreachable, platform_errors::unreachable},
    Refused{"internal", ErrorCode::unreachable, "the device's connector failed"},
};

std::unexpected<Error> platform_error(const boost::json::object& error) {
    Fields fields{error};
    const auto kind = fields.words("kind", 64);
    const auto code = fields.code_or_empty("platform_code");
    const auto found = std::ranges::find(refusals, kind, &Refused::kind);
    const auto& row = found == refusals.end() ? refusals.back() : *found;
    return fail(row.code, code.empty() ? std::string{row.words}
                                       : fmt::format("{} (its code: {})", row.words, code));
}

std::unexpected<Error> unanswered() {
    return fail(ErrorCode::timeout,
                "the device's connector is not there, or did not answer in time");
}

std::unexpected<Error> makes_no_sense() {
    return fail(ErrorCode::unreachable, "what the device's connector answered makes no sense");
}

}  // namespace

boost::json::object media_fields(const MediaRequest& request, Millis within) {
    boost::json::object fields{{"device", request.device.text()},
                               {"platform_id", request.platform_id},
                               {"path", std::filesystem::absolute(request.path).string()},
                               {"bytes_max", request.bytes_max},
                               {"within_ms", within.count()}};
    if (!request.reference.empty()) {
        fields["reference"] = request.reference;
    }
    return fields;
}

Result<std::uint64_t> fetched_bytes(const Frame* answer) {
    if (answer == nullptr) {
        return unanswered();
    }
    if (!answer->ok) {
        return platform_error(answer->fields);
    }
    Fields fields{answer->fields};
    const auto bytes = fields.count("bytes", 0, std::numeric_limits<std::int64_t>::max());
    return fields.wrong().empty() ? Result<std::uint64_t>{bytes} : makes_no_sense();
}

Result<bool> is_registered(const Frame* answer) {
    if (answer == nullptr) {
        return unanswered();
    }
    if (!answer->ok) {
        return platform_error(answer->fields);
    }
    const auto* registered = answer->fields.if_contains("registered");
    return registered != nullptr && registered->is_bool() ? Result<bool>{registered->get_bool()}
                                                          : makes_no_sense();
}

Result<void> pairing_answered(const Frame* answer) {
    if (answer == nullptr) {
        return unanswered();
    }
    if (answer->ok) {
        return {};
    }
    Fields fields{answer->fields};
    return fields.words("kind", 64) == "invalid" ? no_step_asks() : platform_error(answer->fields);
}

std::unexpected<Error> no_step_asks() {
    return fail(ErrorCode::conflict, PairingStep::wrong_answer);
}

}  // namespace merpati::connector::process
