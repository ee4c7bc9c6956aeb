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

void damage(const std::filesystem::path& directory, std::string_view table, std::size_t part) {
    const auto file = file_in(directory);
    const auto pages = leaves_of(file, table);
    ASSERT_FALSE(pages.empty());
    ASSERT_TRUE(part < pages.size() || part == Engine::last_part);
    std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
    bytes.seekp((pages[std::min(part, pages.size() - 1)] - 1) * page_bytes);
    bytes << std::string(page_bytes, '\0');
    ASSERT_TRUE(bytes.flush());
}

std::shared_ptr<void> fill_disk() {
    auto faults = std::make_shared<Faults>();
    faults->inject({.file = "-wal", .code = SQLITE_FULL});
    return faults;
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
            .fill_disk = fill_disk};
}

}  // namespace merpati::store::sqlite
