// The usage of accounts: numbers of sent, failed and cancelled messages.
#include <chrono>
#include <string>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "api/manage/engine/csv.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "base/number.hpp"

namespace merpati::api::manage::usage {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::chrono::days days_default{30};
constexpr std::chrono::days days_max{3'660};
constexpr std::size_t rows_max = 10'000;  // Some 2 MB: numbers and short words alone.

/// "+07:00"
std::optional<std::chrono::minutes> parse_offset(std::string_view text) {
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') {
        return std::nullopt;
    }
    const auto hours = parse_whole<int>(text.substr(1, 2));
    const auto minutes = parse_whole<int>(text.substr(4, 2));
    if (!hours || !minutes || *hours < 0 || *hours > 14 || *minutes < 0 || *minutes > 59) {
        return std::nullopt;
    }
    const auto offset = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
    return text[0] == '-' ? -offset : offset;
}

/// Sets the columns of a comma-separated list in the filter. False: the list has an unknown one.
bool take_columns(std::string_view list, store::UsageFilter& filter) {
    filter.by_day = false;
    for (bool more = true; more;) {
        const auto comma = list.find(',');
        const auto word = list.substr(0, comma);
        more = comma != std::string_view::npos;
        list.remove_prefix(more ? comma + 1 : list.size());
        bool* column = word == "day"      ? &filter.by_day
                       : word == "device" ? &filter.by_device
                       : word == "source" ? &filter.by_source
                       : word == "code"   ? &filter.by_code
                                          : nullptr;
        if (column == nullptr) {
            return false;
        }
        *column = true;
    }
    return true;
}

store::UsageFilter take_filter(Fields& fields, Timestamp now) {
    store::UsageFilter filter{.limit = rows_max + 1};
    filter.until = fields.time("until").value_or(now + std::chrono::hours{1});
    filter.since = fields.time("since").value_or(filter.until - days_default);
    if (filter.since >= filter.until || filter.until - filter.since > days_max) {
        fields.mistake("since", "must be before until, by at most ten years");
    }
    if (const auto columns = fields.text("by", 64); columns && !take_columns(*columns, filter)) {
        fields.mistake("by", "must be of day, device, source and code, separated by commas");
    }
    filter.offset = fields.word("offset", parse_offset, "a distance from UTC, like +07:00")
                        .value_or(std::chrono::minutes{0});
    return filter;
}

std::string day_text(std::chrono::sys_days day) {
    return fmt::format("{:%Y-%m-%d}", day);
}

object shown_row(const store::UsageRow& row) {
    object shown{{"account", row.account.text()}};
    if (row.day) {
        shown["day"] = day_text(*row.day);
    }
    if (row.device) {
        shown["device"] = row.device->text();
    }
    if (row.source) {
        shown["source"] = *row.source == model::Source::campaign ? "campaign" : "api";
    }
    if (row.code) {
        shown["code"] = static_cast<std::uint16_t>(*row.code);
    }
    shown["sent"] = row.sent;
    shown["failed"] = row.failed;
    shown["cancelled"] = row.cancelled;
    return shown;
}

std::string csv(const std::vector<store::UsageRow>& rows, const store::UsageFilter& filter) {
    std::string text;
    add_cell(text, "account");
    const std::pair<bool, std::string_view> columns[]{{filter.by_day, "day"},
                                                      {filter.by_device, "device"},
                                                      {filter.by_source, "source"},
                                                      {filter.by_code, "code"}};
    for (const auto& [given, name] : columns) {
        if (given) {
            add_cell(text, name);
        }
    }
    for (const std::string_view name : {"sent", "failed", "cancelled"}) {
        add_cell(text, name);
    }
    end_record(text);
    for (const auto& row : rows) {
        for (const auto& [name, field] : shown_row(row)) {
            add_field(text, field);
        }
        end_record(text);
    }
    return text;
}

}  // namespace

/// For one account or, for administrators, for all. Too many rows are an error, not cut off.
Result<value> show(const Context& context, Call& call) {
    const auto named = call.fields.account();
    auto filter = take_filter(call.fields, context.clock.now());
    const auto format = call.fields.text("format", 8);
    if (format && *format != "json" && *format != "csv") {
        call.fields.mistake("format", "must be json or csv");
    }
    const auto owner = find_owner(context, call, named);
    if (!owner) {
        return pass(owner);
    }
    filter.account = *owner;
    const auto rows = context.read([&](store::Reader& reader) { return reader.usage(filter); });
    if (!rows && rows.error().code == ErrorCode::refused) {
        return fail(ErrorCode::invalid_argument,
                    rows.error().detail + ": ask for fewer days, or for one account");
    }
    if (!rows) {
        return pass(rows);
    }
    if (rows->size() > rows_max) {
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("these are more than {} rows: ask for fewer days or columns", rows_max));
    }
    if (format == "csv") {
        call.answer.text = csv(*rows, filter);
        call.answer.content_type = csv_type;
        return value(nullptr);
    }
    boost::json::array items;
    for (const auto& row : *rows) {
        items.push_back(shown_row(row));
    }
    return page(std::move(items));
}

}  // namespace merpati::api::manage::usage
