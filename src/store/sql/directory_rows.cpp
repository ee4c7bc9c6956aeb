// The method of StoredReader for single rows of the directory.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "store/sql/rows.hpp"
#include "store/sql/stored_reader.hpp"

namespace merpati::store::sql {
namespace {

using Kind = DirectoryRow::Kind;

/// How many rows one statement reads.
constexpr std::size_t portion = 16;

using RowIds = std::vector<std::int64_t>;

RowIds ids_of(std::span<const DirectoryRow> rows, Kind kind) {
    RowIds ids;
    for (const auto& row : rows) {
        if (row.kind == kind) {
            ids.push_back(row.id);
        }
    }
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    return ids;
}

}  // namespace

/// Reads rows by their keys, and notes which of them are gone.
class StoredReader::RowsByKey {
public:
    RowsByKey(StoredReader& reader, std::span<const DirectoryRow> wanted, RowsNow& found)
        : reader_(reader), wanted_(wanted), found_(found) {}

    /// `table`: columns, of which the first is the key, and the table. `take` makes a
    /// Result<RowChange> of a Cursor.
    template <class Take>
    void read(Kind kind, const char* columns, const char* table, const char* key, Take take) {
        auto ids = ids_of(wanted_, kind);
        if (ids.empty()) {
            return;
        }
        std::string marks{"?"};
        for (std::size_t count = 1; count < portion; ++count) {
            marks += ",?";
        }
        Statement list{reader_.connection_, fmt::format("SELECT {} FROM {} WHERE {} IN ({})",
                                                        columns, table, key, marks)};
        RowIds known;  // Those that are not gone.
        for (std::span<const std::int64_t> rest{ids}; !rest.empty();) {
            const auto some = rest.first(std::min(rest.size(), portion));
            read_some(kind, list, some, known, take);
            rest = rest.subspan(some.size());
        }
        std::ranges::sort(known);
        for (const auto id : ids) {
            if (!std::ranges::binary_search(known, id)) {
                found_.gone.push_back({.kind = kind, .id = id});
            }
        }
    }

private:
    /// After damage to a page, each row is read for itself.
    template <class Take>
    void read_some(Kind kind, Statement& list, std::span<const std::int64_t> ids, RowIds& known,
                   Take take) {
        const auto found_before = found_.there.size();
        const auto known_before = known.size();
        std::array<std::int64_t, portion> some{};
        for (std::size_t place = 0; place < portion; ++place) {
            some[place] = ids[std::min(place, ids.size() - 1)];
        }
        try {
            auto row = std::apply([&](const auto&... id) { return list.query(id...); }, some);
            while (row.next()) {
                known.push_back(row.integer(0));
                keep(kind, row, take);
            }
            return;
        } catch (const Failure& failure) {
            throw_unless_damage(failure);
        }
        found_.there.resize(found_before);
        known.resize(known_before);
        if (ids.size() == 1) {
            known.push_back(ids.front());
            note(kind, ids.front());
            return;
        }
        for (const auto& id : ids) {
            read_some(kind, list, {&id, 1}, known, take);
        }
    }

    /// A row that cannot be read is recorded, and no other is left out.
    template <class Take>
    void keep(Kind kind, const Cursor& row, Take take) {
        try {
            if (Result<RowChange> change = take(row)) {
                found_.there.push_back(*std::move(change));
                return;
            }
        } catch (const Failure& failure) {
            throw_unless_damage(failure);
        }
        note(kind, row.integer(0));
    }

    void note(Kind kind, std::int64_t id) const {
        if (kind == Kind::device) {  // As a start does.
            reader_.condition_.note_damaged_lane(model::PhoneNumber::from_stored(id));
            return;
        }
        reader_.condition_.note_damage(
            fmt::format("row {} of kind {} of the directory", id, static_cast<int>(kind)));
    }

    StoredReader& reader_;
    const std::span<const DirectoryRow> wanted_;
    RowsNow& found_;
};

Result<StoredReader::RowsNow> StoredReader::rows_now(std::span<const DirectoryRow> rows) {
    return guarded([&]() -> Result<RowsNow> {
        RowsNow found;
        RowsByKey by_key{*this, rows, found};
        by_key.read(Kind::account, account_columns, "account", "id",
                    [this](const Cursor& row) -> Result<RowChange> {
                        auto account = read_account(row, secrets_);
                        return account ? Result<RowChange>{*std::move(account)} : pass(account);
                    });
        by_key.read(Kind::key, key_columns, "api_key", "id",
                    [](const Cursor& row) -> Result<RowChange> { return read_key(row); });
        by_key.read(Kind::device, device_columns, "device", "number",
                    [](const Cursor& row) -> Result<RowChange> {
                        auto device = read_device(row);
                        const bool has_access = device.cloud.has_value();
                        return DeviceWritten{.device = std::move(device),
                                             .has_new_access = has_access};
                    });
        const auto people = found.there.size();
        by_key.read(Kind::person, person_columns, "person p", "p.id",
                    [](const Cursor& row) -> Result<RowChange> { return read_person(row); });
        for (auto place = people; place < found.there.size(); ++place) {
            people_.add_memberships(std::get<model::Person>(found.there[place]));
        }
        by_key.read(Kind::session, session_columns, "session s", "s.id",
                    [](const Cursor& row) -> Result<RowChange> { return read_session(row); });
        return found;
    });
}

}  // namespace merpati::store::sql
