#include "connector/process/codec/capabilities.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "connector/process/codec/fields.hpp"

namespace merpati::connector::process {
namespace {

namespace json = boost::json;

constexpr std::size_t word_bytes_max = 64;
constexpr std::size_t media_types_max = 256;
constexpr std::size_t media_type_bytes_max = 128;
constexpr std::size_t window_max = 64;
constexpr std::size_t characters_max = 65'536;  // The gateway's own limit.

std::unexpected<Error> wrong_field(std::string_view field) {
    return fail(ErrorCode::invalid_argument, std::string{field});
}

/// The texts of a list; empty: it is no list of texts, or too long.
std::optional<std::set<std::string, std::less<>>> texts(const json::value& value) {
    if (!value.is_array() || value.get_array().size() > media_types_max) {
        return std::nullopt;
    }
    std::set<std::string, std::less<>> all;
    for (const auto& one : value.get_array()) {
        if (!one.is_string() || one.get_string().size() > media_type_bytes_max) {
            return std::nullopt;
        }
        all.emplace(one.get_string());
    }
    return all;
}

}  // namespace

Result<Hello> read_hello(const json::object& object) {
    Fields fields{object};
    Hello hello;
    const auto* protocols = object.if_contains("protocols");
    if (protocols == nullptr || !protocols->is_array()) {
        return wrong_field("protocols");
    }
    hello.speaks_ours =
        std::ranges::count(protocols->get_array(), json::value(protocol_version)) > 0;
    hello.name = fields.text("name", word_bytes_max);
    hello.version = fields.text("version", word_bytes_max);
    const auto* inner = fields.object_if("capabilities");
    if (!fields.wrong().empty() || inner == nullptr) {
        return wrong_field(inner == nullptr ? "capabilities" : fields.wrong());
    }
    auto capabilities = read_capabilities(*inner);
    if (!capabilities) {
        return pass(capabilities);
    }
    hello.capabilities = std::move(*capabilities);
    hello.generations = Fields{*inner}.flag("generations");
    return hello;
}

Result<Capabilities> read_capabilities(const json::object& object) {
    Fields fields{object};
    Capabilities read;
    if (const auto* pairing = object.if_contains("pairing"); pairing != nullptr) {
        auto all = texts(*pairing);
        if (!all) {
            return wrong_field("capabilities.pairing");
        }
        // A newer worker may know more methods than this gateway.
        std::erase_if(*all, [](const auto& one) {
            return std::ranges::find(pairing_methods, one) == pairing_methods.end();
        });
        read.pairing = std::move(*all);
    }
    if (const auto* types = object.if_contains("media_types");
        types != nullptr && !types->is_null()) {
        read.media_types = texts(*types);
        if (!read.media_types) {
            return wrong_field("capabilities.media_types");
        }
    }
    read.typing = fields.flag("typing");
    read.recognises_repeats = fields.flag("recognises_repeats");
    read.number_check = fields.flag("number_check");
    read.media_fetch = fields.flag("media_fetch");
    read.late_statuses = fields.flag("late_statuses");
    read.text_characters_max = fields.count_if("text_characters_max", 1, characters_max)
                                   .value_or(read.text_characters_max);
    read.window = fields.count_if("window", 1, window_max).value_or(read.window);
    read.media_bytes_max =
        fields.count_if("media_bytes_max", 0, std::numeric_limits<std::int64_t>::max()).value_or(0);
    if (!fields.wrong().empty()) {
        return wrong_field("capabilities." + fields.wrong());
    }
    return read;
}

}  // namespace merpati::connector::process
