#include "connector/process/codec/launch.hpp"

#include <algorithm>
#include <array>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/utf8.hpp"
#include "connector/process/codec/fields.hpp"

namespace merpati::connector::process {
namespace {

namespace json = boost::json;

constexpr std::uint64_t version = 1;
constexpr std::size_t text_max = 600;  // Fits a packet even if every byte has to be escaped.
constexpr int exit_code_max = 255;
constexpr int landlock_max = 1'000;
constexpr std::uint64_t bytes_most = std::uint64_t{1} << 48U;
constexpr std::array<std::string_view, 5> report_words{"begins", "examined", "not_run", "confined",
                                                       "ended"};

/// Errors: protocol (no object, or of another version).
Result<json::object> parse(std::string_view text) {
    boost::system::error_code error;
    auto parsed = json::parse(text, error);
    if (error || !parsed.is_object()) {
        return fail(ErrorCode::protocol, "what came is no object");
    }
    Fields fields{parsed.get_object()};
    if (fields.count("version", 1, version) != version || !fields.wrong().empty()) {
        return fail(ErrorCode::protocol, "the server and its launcher are of different versions");
    }
    return std::move(parsed.get_object());
}

/// Parses `text` and fills a packet by `take`. Errors: protocol (see `parse`; a field is missing or
/// wrong).
template <class Packet>
Result<Packet> read(std::string_view text, void (*take)(Fields&, Packet&)) {
    const auto object = parse(text);
    if (!object) {
        return pass(object);
    }
    Fields fields{*object};
    Packet packet;
    take(fields, packet);
    if (!fields.wrong().empty()) {
        return fail(ErrorCode::protocol, fields.wrong() + " is missing or wrong");
    }
    return packet;
}

}  // namespace

std::string write_order(const LaunchOrder& order) {
    return json::serialize(json::object{{"version", version},
                                        {"examine", order.kind == LaunchOrder::Kind::examine},
                                        {"memory_max", order.memory_max},
                                        {"file_bytes_max", order.file_bytes_max},
                                        {"wants_confinement", order.wants_confinement}});
}

Result<LaunchOrder> read_order(std::string_view text) {
    return read<LaunchOrder>(text, [](Fields& fields, LaunchOrder& order) {
        order.kind = fields.flag("examine") ? LaunchOrder::Kind::examine : LaunchOrder::Kind::run;
        order.memory_max = fields.count("memory_max", 0, bytes_most);
        order.file_bytes_max = fields.count_if("file_bytes_max", 0, bytes_most).value_or(0);
        order.wants_confinement = fields.flag("wants_confinement");
    });
}

std::string write_report(const LaunchReport& report) {
    json::object object{{"version", version},
                        {"report", report_words.at(static_cast<std::size_t>(report.kind))},
                        {"text", utf8_prefix(report.text, text_max)}};
    if (report.exit_code >= 0) {
        object["exit_code"] = report.exit_code;
    }
    if (report.kind == LaunchReport::Kind::confined) {
        object["confinement"] = {{"wanted", report.confinement.wanted},
                                 {"landlock", report.confinement.landlock},
                                 {"filtered", report.confinement.filtered}};
    }
    return json::serialize(object);
}

Result<LaunchReport> read_report(std::string_view text) {
    return read<LaunchReport>(text, [](Fields& fields, LaunchReport& report) {
        const auto word = fields.text("report", 16);
        const auto* const found = std::ranges::find(report_words, word);
        if (found == report_words.end()) {
            fields.refuse("report");
        } else {
            report.kind = static_cast<LaunchReport::Kind>(found - report_words.begin());
        }
        report.text = fields.words("text", text_max);
        const auto code = fields.count_if("exit_code", 0, exit_code_max);
        report.exit_code = code ? static_cast<int>(*code) : -1;
        if (const auto* confinement = fields.object_if("confinement"); confinement != nullptr) {
            Fields inner{*confinement};
            report.confinement = {
                .wanted = inner.flag("wanted"),
                .landlock = static_cast<int>(inner.count("landlock", 0, landlock_max)),
                .filtered = inner.flag("filtered")};
            if (!inner.wrong().empty()) {
                fields.refuse("confinement");
            }
        }
    });
}

}  // namespace merpati::connector::process
