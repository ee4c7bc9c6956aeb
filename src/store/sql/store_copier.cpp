#include "store/sql/store_copier.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/encoding.hpp"
#include "store/sql/store_key.hpp"

namespace merpati::store::sql {
namespace {

/// Of a batch: one that is open in memory, and one transaction of the target.
constexpr std::size_t batch_bytes = 8'000'000;

std::string new_copy_id(Random& random) {
    std::array<std::byte, 16> bytes{};
    random.fill(bytes);
    return to_hex(bytes);
}

std::uint64_t count_rows(Connection& connection, const CopiedTable& table) {
    Statement count{connection, table.counting()};
    return static_cast<std::uint64_t>(first_integer(count.query()));
}

bool has_rows(Connection& connection, const CopiedTable& table) {
    Statement look{connection, table.looking()};
    auto row = look.query();
    return row.next();
}

/// What the row has in the columns of its key.
std::vector<KeyValue> key_of(const CopiedTable& table, const Cursor& row) {
    std::vector<KeyValue> key;
    int column = 0;
    for (const auto& [name, kind] : table.key()) {
        KeyValue value{.kind = kind};
        if (kind == ValueKind::integer) {
            value.integer = row.integer(column);
        } else if (kind == ValueKind::text) {
            value.bytes = row.text(column);
        } else {
            const auto bytes = row.blob(column);
            value.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
        key.push_back(std::move(value));
        ++column;
    }
    return key;
}

void bind_key(Statement& statement, const std::vector<KeyValue>& key) {
    int place = 0;
    for (const auto& value : key) {
        if (value.kind == ValueKind::integer) {
            place = statement.bind_after(place, value.integer);
        } else if (value.kind == ValueKind::text) {
            place = statement.bind_after(place, value.bytes);
        } else {
            place = statement.bind_after(place, as_bytes(value.bytes));
        }
    }
}

/// The highest id that the database has assigned to a row, whether it is there or not.
std::int64_t last_assigned_to(Connection& connection, const CopiedTable& table) {
    const auto highest =
        fmt::format("SELECT coalesce(max({}), 0) FROM {}", table.columns.front().name, table.name);
    Statement find{connection, highest};
    const auto last = first_integer(find.query());
    return table.ids == Ids::never_reused ? std::max(last, connection.last_assigned(table.name))
                                          : last;
}

}  // namespace

Result<void> StoreCopier::begin(Random& random) {
    const auto other = copy_into(source_.connection());
    if (!other || (*other && !(*other)->is_complete)) {
        return fail(ErrorCode::conflict,
                    "the source is itself the target of a copy that is not complete: complete "
                    "that one first");
    }
    auto position = copy_into(target_.connection());
    if (!position) {
        return pass(position);
    }
    return *position ? continue_at(**std::move(position)) : begin_anew(random);
}

Result<void> StoreCopier::continue_at(CopyPosition position) {
    if (copy_begun_from(source_.connection()) != position.id) {
        return fail(ErrorCode::conflict,
                    "the target holds a part of another store, or somebody has used the source "
                    "since this copy was begun: remove the target, and begin anew");
    }
    position_ = std::move(position);
    return {};
}

/// A source that was noted before has not changed since, so a copy into another target may go on.
Result<void> StoreCopier::begin_anew(Random& random) {
    if (auto empty = check_empty(); !empty) {
        return empty;
    }
    auto& source = source_.connection();
    const auto noted = copy_begun_from(source);
    position_ = {.id = noted ? *noted : new_copy_id(random),
                 .table = std::string{copied_tables().front().name}};
    if (!noted) {
        source.begin();
        note_copy_from(source, position_.id);
        source.commit();
    }
    target_.begin();
    // A start, or an earlier copy, has left rows.
    target_.connection().execute(
        "DELETE FROM meta WHERE name NOT IN ('schema_version', 'oldest_program')");
    if (!begin_copy_into(target_.connection(), position_)) {
        target_.connection().roll_back();
        return fail(ErrorCode::busy, "another copy into this target has just begun");
    }
    target_.commit();
    return {};
}

Result<void> StoreCopier::check_empty() {
    for (const auto& table : copied_tables()) {
        if (table.name != "meta" && has_rows(target_.connection(), table)) {
            return fail(ErrorCode::conflict,
                        fmt::format("the target is not empty, it has rows in the table \"{}\": "
                                    "name another one, or remove it",
                                    table.name));
        }
    }
    return {};
}

Result<CopyReport> StoreCopier::run(const std::filesystem::path& key_file) {
    if (auto held = source_.hold(position_.id); !held) {
        return pass(held);
    }
    CopyReport report{.tables = {}, .key_file = key_file};
    show({});
    for (const auto& table : copied_tables()) {
        const auto rows = count_rows(source_.connection(), table);
        report.tables.push_back({.table = std::string{table.name}, .source = rows});
        total_ += rows;
    }
    if (!position_.is_complete) {
        if (auto copied = copy_tables(); !copied) {
            return pass(copied);
        }
        show({.id = {}, .rows = position_.rows});
    }
    auto counted = report.tables.begin();
    for (const auto& table : copied_tables()) {
        counted->target = count_rows(target_.connection(), table);
        ++counted;
    }
    if (auto checked = check_key(target_.connection(), key_file); !checked) {
        return pass(checked);
    }
    if (!position_.is_complete && report.is_equal()) {
        if (auto completed = complete(); !completed) {
            return pass(completed);
        }
    }
    return report;
}

Result<void> StoreCopier::copy_tables() {
    const auto& tables = copied_tables();
    if (position_.table.empty()) {
        return {};
    }
    auto table = std::ranges::find(tables, position_.table, &CopiedTable::name);
    if (table == tables.end()) {
        return fail(ErrorCode::conflict,
                    "the copy was begun by another version of this program: run that one, or "
                    "remove the target and begin anew");
    }
    for (auto after = position_.after; table != tables.end(); ++table) {
        try {
            if (auto copied = copy_table(*table, std::exchange(after, {})); !copied) {
                return copied;
            }
        } catch (const Failure& failure) {
            throw Failure{failure.kind(),
                          fmt::format("the table \"{}\": {}", table->name, failure.what())};
        }
    }
    return {};
}

Result<void> StoreCopier::copy_table(const CopiedTable& table, const std::vector<KeyValue>& after) {
    Statement read{source_.connection(), table.reading(!after.empty()), Rows::many};
    bind_key(read, after);
    auto row = read.query();
    const auto inserter = target_.inserter(table);
    for (bool has_more = row.next(); has_more;) {
        auto next = position_;
        target_.begin();
        has_more = fill(table, row, *inserter, next);
        if (auto moved = move_to(next); !moved) {
            return moved;
        }
        inserter->finish();
        show(next);
        target_.commit();
        position_ = std::move(next);
        show(position_);
    }
    return {};
}

/// Adds a batch of rows, of which `row` is the first, and sets the position behind them. Returns
/// whether the table has more.
bool StoreCopier::fill(const CopiedTable& table, Cursor& row, RowInserter& inserter,
                       CopyPosition& next) const {
    std::size_t rows = 0;
    std::size_t bytes = 0;
    bool is_full = false;
    bool has_more = true;
    while (has_more && !is_full) {
        bytes += inserter.add(row);
        ++rows;
        is_full = rows >= options_.batch_rows || bytes >= batch_bytes;
        if (is_full) {
            next.after = key_of(table, row);
        }
        has_more = row.next();
    }
    next.rows += rows;
    next.table = table.name;
    if (!has_more) {
        const auto following =
            std::next(std::ranges::find(copied_tables(), table.name, &CopiedTable::name));
        next.table = following == copied_tables().end() ? std::string_view{} : following->name;
        next.after.clear();
    }
    return has_more;
}

/// Waits for the commit of a copy that was interrupted just now: its rows are there then.
Result<void> StoreCopier::move_to(const CopyPosition& next) {
    if (!move_copy_into(target_.connection(), position_, next)) {
        target_.connection().roll_back();
        return fail(ErrorCode::busy,
                    "another copy into this target is under way, or has just ended: try again");
    }
    return {};
}

Result<void> StoreCopier::complete() {
    for (auto* side : {&source_, &target_}) {
        if (auto unused = side->check_unused(); !unused) {
            return unused;
        }
    }
    std::vector<std::pair<const CopiedTable*, std::int64_t>> last_ids;
    for (const auto& table : copied_tables()) {
        if (table.ids != Ids::given) {
            last_ids.emplace_back(&table, last_assigned_to(source_.connection(), table));
        }
    }
    auto end = position_;
    end.is_complete = true;
    target_.begin();
    if (auto moved = move_to(end); !moved) {
        return moved;
    }
    for (const auto& [table, id] : last_ids) {
        target_.set_last_assigned(*table, id);
    }
    target_.commit();
    return {};
}

void StoreCopier::show(const CopyPosition& position) const {
    if (!options_.on_progress) {
        return;
    }
    const auto& tables = copied_tables();
    const auto table = std::ranges::find(tables, position.table, &CopiedTable::name);
    options_.on_progress({.table = table == tables.end() ? std::string_view{} : table->name,
                          .rows = position.rows,
                          .total = total_});
}

}  // namespace merpati::store::sql
