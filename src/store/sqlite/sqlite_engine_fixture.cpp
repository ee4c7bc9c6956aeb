#include "store/sqlite/sqlite_engine_fixture.hpp"

#include <algorithm>
#include <fstream>

#include <sqlite3.h>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/fault_vfs.hpp"

namespace merpati::store::sqlite {
namespace {

constexpr std::int64_t page_bytes = 4'096;

std::filesystem::path file_in(const std::filesystem::path& directory) {
    return directory / "merpati.db";
}

/// The leaf pages of a table, in the order of their rows.
std::vector<std::int64_t> leaves_of(const std::filesystem::path& file, std::string_view table) {
    std::vector<std::int64_t> pages;
    Connection connection{file.string(), Access::read_only};
    Statement find{connection,
                   "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"};
    auto row = find.query(table);
    while (row.next()) {
        pages.push_back(row.integer(0));
    }
    return pages;
}

std::int64_t page_of(const std::filesystem::path& directory, std::string_view table,
                     std::size_t part) {
    const auto pages = leaves_of(file_in(directory), table);
    EXPECT_FALSE(pages.empty()) << table;
    EXPECT_TRUE(part < pages.size() || part == Engine::last_part) << table;
    return pages.at(std::min(part, pages.size() - 1));
}

std::shared_ptr<void> damage(const std::filesystem::path& directory, std::string_view table,
                             std::size_t part) {
    const auto page = page_of(directory, table, part);
    std::fstream bytes{file_in(directory), std::ios::in | std::ios::out | std::ios::binary};
    bytes.seekp((page - 1) * page_bytes);
    bytes << std::string(page_bytes, '\0');
    EXPECT_TRUE(bytes.flush());
    return nullptr;
}

std::shared_ptr<void> refuse_reads(const std::filesystem::path& directory, std::string_view table,
                                   std::size_t part) {
    auto faults = std::make_shared<Faults>();
    faults->inject({.file = "merpati.db",
                    .call = FileCall::read,
                    .code = SQLITE_IOERR_READ,
                    .page = page_of(directory, table, part)});
    return faults;
}

std::shared_ptr<void> fill_disk() {
    auto faults = std::make_shared<Faults>();
    faults->inject({.file = "-wal", .code = SQLITE_FULL});
    return faults;
}

std::shared_ptr<void> lock(const std::filesystem::path& directory) {
    auto shell = std::make_shared<Connection>(file_in(directory).string(), Access::read_write);
    shell->execute("BEGIN IMMEDIATE");
    return shell;
}

}  // namespace

Engine engine() {
    return {.name = "Sqlite",
            .options =
                [](const std::filesystem::path& directory) {
                    return StoreOptions{.url = "sqlite:" + file_in(directory).string(),
                                        .key_file = directory / "store.key"};
                },
            .damage = damage,
            .fill_disk = fill_disk,
            .lock = lock};
}

Engine engine_that_fails_to_read() {
    auto failing = engine();
    failing.name = "SqliteOnADiskThatFailsToRead";
    failing.damage = refuse_reads;
    return failing;
}

}  // namespace merpati::store::sqlite
