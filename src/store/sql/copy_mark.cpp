#include "store/sql/copy_mark.hpp"

#include <ranges>
#include <span>

#include <fmt/format.h>

#include "base/encoding.hpp"
#include "base/number.hpp"

namespace merpati::store::sql {
namespace {

constexpr std::string_view copying_state = "copying";
constexpr std::string_view complete_state = "complete";

/// "i:-7", "t:SGFsbw==" or "b:…".
std::string text_of_key(const KeyValue& value) {
    if (value.kind == ValueKind::integer) {
        return fmt::format("i:{}", value.integer);
    }
    return fmt::format("{}:{}", value.kind == ValueKind::text ? 't' : 'b',
                       to_base64(as_bytes(value.bytes)));
}

std::optional<KeyValue> parse_key(std::string_view text) {
    if (text.starts_with("i:")) {
        const auto number = parse_whole<std::int64_t>(text.substr(2));
        return number ? std::optional{KeyValue{.kind = ValueKind::integer, .integer = *number}}
                      : std::nullopt;
    }
    if (!text.starts_with("t:") && !text.starts_with("b:")) {
        return std::nullopt;
    }
    const auto bytes = from_base64(text.substr(2));
    if (!bytes) {
        return std::nullopt;
    }
    return KeyValue{
        .kind = text.front() == 't' ? ValueKind::text : ValueKind::bytes,
        .bytes = std::string{reinterpret_cast<const char*>(bytes->data()), bytes->size()}};
}

/// The value of a row of `meta`; empty: there is no such row.
std::optional<std::string> find_mark(Connection& connection, std::string_view name) {
    Statement find{connection, "SELECT value FROM meta WHERE name = ?"};
    auto row = find.query(name);
    if (!row.next()) {
        return std::nullopt;
    }
    const auto value = row.blob(0);
    return std::string{reinterpret_cast<const char*>(value.data()), value.size()};
}

}  // namespace

std::string CopyPosition::text() const {
    auto lines = fmt::format("{}\n{}\n{}\n{}", id, is_complete ? complete_state : copying_state,
                             rows, table);
    for (const auto& value : after) {
        lines += '\n' + text_of_key(value);
    }
    return lines;
}

std::optional<CopyPosition> CopyPosition::parse(std::string_view text) {
    constexpr std::size_t lines_before_keys = 4;
    std::vector<std::string_view> lines;
    for (const auto line : std::views::split(text, '\n')) {
        lines.emplace_back(line);
    }
    if (lines.size() < lines_before_keys ||
        (lines[1] != copying_state && lines[1] != complete_state)) {
        return std::nullopt;
    }
    const auto rows = parse_whole<std::uint64_t>(lines[2]);
    if (!rows) {
        return std::nullopt;
    }
    CopyPosition position{.id = std::string{lines[0]},
                          .is_complete = lines[1] == complete_state,
                          .rows = *rows,
                          .table = std::string{lines[3]}};
    for (const auto line : lines | std::views::drop(lines_before_keys)) {
        auto value = parse_key(line);
        if (!value) {
            return std::nullopt;
        }
        position.after.push_back(*std::move(value));
    }
    return position;
}

std::optional<std::string> copy_begun_from(Connection& connection) {
    return find_mark(connection, "copy_source");
}

void note_copy_from(Connection& connection, const std::string& id) {
    Statement put{connection,
                  "INSERT INTO meta(name, value) VALUES('copy_source', ?1) "
                  "ON CONFLICT(name) DO UPDATE SET value = ?1"};
    put.run(as_bytes(id));
    connection.wait();
}

Result<std::optional<CopyPosition>> copy_into(Connection& connection) {
    const auto stored = find_mark(connection, "copy_target");
    if (!stored) {
        return std::optional<CopyPosition>{};
    }
    auto position = CopyPosition::parse(*stored);
    if (!position) {
        return fail(ErrorCode::conflict,
                    "a copy into this store was begun by another version of this program");
    }
    return position;
}

bool begin_copy_into(Connection& connection, const CopyPosition& position) {
    Statement put{connection,
                  "INSERT INTO meta(name, value) VALUES('copy_target', ?) "
                  "ON CONFLICT(name) DO NOTHING"};
    const auto text = position.text();
    put.run(as_bytes(text));
    return connection.changes() == 1;
}

bool move_copy_into(Connection& connection, const CopyPosition& from, const CopyPosition& to) {
    Statement move{connection,
                   "UPDATE meta SET value = ? WHERE name = 'copy_target' AND value = ?"};
    const auto before = from.text();
    const auto now = to.text();
    move.run(as_bytes(now), as_bytes(before));
    return connection.changes() == 1;
}

/// The page of these rows may be damaged, which stops no start.
Result<void> end_copies(Connection& connection) {
    try {
        const auto into = find_mark(connection, "copy_target");
        const auto position = into ? CopyPosition::parse(*into) : std::nullopt;
        if (into && (!position || !position->is_complete)) {
            return fail(ErrorCode::conflict,
                        "a copy into this store was begun and is not complete: run the same "
                        "`merpati store copy` again, or remove this store");
        }
        if (into || find_mark(connection, "copy_source")) {
            connection.begin();
            connection.execute("DELETE FROM meta WHERE name IN ('copy_source', 'copy_target')");
            connection.commit();
        }
    } catch (const Failure& failure) {
        connection.roll_back();
        if (failure.is_busy()) {
            return fail(
                ErrorCode::busy,
                "a copy of this store is being made, or another program has locked it: try again "
                "later");
        }
        throw_unless_damage(failure);
    }
    return {};
}

}  // namespace merpati::store::sql
