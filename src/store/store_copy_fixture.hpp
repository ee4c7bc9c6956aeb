// The fixture of the tests of copies: stores with rows in every table, in files and databases.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.hpp"
#include "model/store_url.hpp"
#include "store/conformance/store_fixture.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/test_server_fixture.hpp"
#include "store/sql/copied_tables.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/statement_costs.hpp"
#include "store/store_copy.hpp"

namespace merpati::store {

struct StoreCopyTest : ::testing::Test {
    const sqlite::CopiesWholeTables copies_whole_tables;

    ~StoreCopyTest() override {
        for (const auto& url : databases) {
            postgres::TestServer::shared().drop_database(url);
        }
    }

    [[nodiscard]] std::string file(const std::string& name) const {
        return "sqlite:" + (directory.path() / name).string();
    }
    std::string database() {
        databases.push_back(postgres::TestServer::shared().create_database());
        return databases.back();
    }

    [[nodiscard]] Result<std::unique_ptr<Store>> open(
        const std::string& url,
        std::chrono::milliseconds lock_wait = std::chrono::seconds{5}) const {
        return open_store(
            {.url = url, .key_file = key_file, .must_sync = false, .lock_wait = lock_wait});
    }

    [[nodiscard]] CopyOptions options(const std::string& from, const std::string& to) const {
        return {.from = from,
                .to = to,
                .key_file = key_file,
                .must_sync = false,
                .batch_rows = 2};  // A table has several batches.
    }
    Result<CopyReport> copy(const CopyOptions& wanted) { return copy_store(wanted, random); }
    Result<CopyReport> copy(const std::string& from, const std::string& to) {
        return copy(options(from, to));
    }
    void expect_copied(const std::string& from, const std::string& to) {
        const auto copied = copy(from, to);
        ASSERT_TRUE(copied) << copied.error().describe();
        EXPECT_TRUE(copied->is_equal());
        EXPECT_EQ(copied->key_file, key_file);
    }
    /// The code of a copy that is refused, whose text has `text`.
    ErrorCode refusal(const CopyOptions& wanted, std::string_view text) {
        const auto refused = copy(wanted);
        EXPECT_FALSE(refused);
        if (refused) {
            return ErrorCode::timeout;
        }
        EXPECT_THAT(refused.error().detail, ::testing::HasSubstr(std::string{text}));
        return refused.error().code;
    }
    ErrorCode refusal(const std::string& from, const std::string& to, std::string_view text) {
        return refusal(options(from, to), text);
    }
    /// Copies in a process that is killed when it reports its progress for the time `times`, before
    /// or after a commit. Returns whether it ended before, and the copy is complete.
    bool copy_until_killed(CopyOptions wanted, int times) {
        const auto child = ::fork();
        if (child == 0) {
            wanted.on_progress = [&times](const CopyProgress&) {
                if (--times == 0) {
                    ::raise(SIGKILL);
                }
            };
            const auto copied = copy_store(wanted, random);
            ::_exit(copied && copied->is_equal() ? 0 : 3);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        const bool is_complete = WIFEXITED(status);
        EXPECT_EQ(is_complete ? WEXITSTATUS(status) : 0, 0);
        return is_complete;
    }
    /// Leaves rows of the first few tables.
    void begin_copy(const std::string& from, const std::string& to) {
        EXPECT_FALSE(copy_until_killed(options(from, to), 20));
    }

    /// A file with five rows in each table.
    std::string filled_file(const std::string& name) {
        const auto url = file(name);
        take(open(url));
        sqlite::Connection connection{std::string{*model::sqlite_file(url)},
                                      sqlite::Access::read_write};
        connection.begin();
        for (const auto& table : sql::copied_tables()) {
            if (table.name != "meta") {
                fill(connection, table);
            }
        }
        connection.execute("INSERT INTO meta VALUES('clock_offset', x'00ff')");
        connection.commit();
        return url;
    }

    /// The rows of each table, with all their columns.
    using Rows = std::map<std::string, std::vector<std::string>, std::less<>>;
    [[nodiscard]] static Rows rows_of(const std::string& url) {
        const auto connection = connect(url);
        Rows rows;
        for (const auto& table : sql::copied_tables()) {
            sql::Statement read{*connection, table.reading(false), sql::Rows::many};
            auto& list = rows[std::string{table.name}];
            for (auto row = read.query(); row.next();) {
                list.push_back(text_of(table, row));
            }
            std::ranges::sort(list);  // An encoded text has another place in the order.
        }
        return rows;
    }
    void expect_same_rows(const std::string& one, const std::string& other) {
        const auto expected = rows_of(one);
        const auto found = rows_of(other);
        for (const auto& [table, rows] : expected) {
            EXPECT_EQ(found.at(table), rows) << table;
            EXPECT_GE(rows.size(), 2) << table;
        }
    }

    static void execute(const std::string& url, const std::string& sql) {
        const auto connection = connect(url);
        connection->execute(sql.c_str());
        connection->wait();
    }

    TemporaryDirectory directory;
    std::filesystem::path key_file = directory.path() / "store.key";
    testing::FixedRandom random;
    std::vector<std::string> databases;

private:
    static std::unique_ptr<sql::Connection> connect(const std::string& url) {
        if (const auto path = model::sqlite_file(url)) {
            return std::make_unique<sqlite::Connection>(std::string{*path},
                                                        sqlite::Access::read_write);
        }
        return std::make_unique<postgres::Connection>(
            take(postgres::ConnectionSettings::parse(url)));
    }

    static std::string text_of(const sql::CopiedTable& table, const sql::Cursor& row) {
        std::string text;
        int column = 0;
        for (const auto& [name, kind] : table.columns) {
            text.append(name).append("=");
            if (row.null(column)) {
                text += "NULL";
            } else if (kind == sql::ValueKind::integer) {
                text += std::to_string(row.integer(column));
            } else {
                text += kind == sql::ValueKind::text ? to_hex(as_bytes(row.text(column)))
                                                     : to_hex(row.blob(column));
            }
            text += ' ';
            ++column;
        }
        return text;
    }

    /// Row 2 has empty texts and bytes, row 3 NULL where that is allowed, row 4 bytes that a
    /// database cannot store as they are.
    static void fill(sql::Connection& connection, const sql::CopiedTable& table) {
        const auto optional = nullable_columns(connection, table);
        std::string marks;
        for (std::size_t count = 0; count < table.columns.size(); ++count) {
            marks += count == 0 ? "?" : ",?";
        }
        sql::Statement insert{connection, fmt::format("INSERT INTO {}({}) VALUES({})", table.name,
                                                      table.column_list(), marks)};
        for (std::int64_t number = 1; number <= 5; ++number) {
            std::vector<std::string> values;
            for (std::size_t column = 0; column < table.columns.size(); ++column) {
                values.push_back(value_of(number, column));
            }
            for (std::size_t column = 0; column < table.columns.size(); ++column) {
                const auto place = static_cast<int>(column);
                const auto kind = table.columns[column].kind;
                if (number == 3 && optional[column]) {
                    insert.bind_after(place, std::optional<std::int64_t>{});
                } else if (kind == sql::ValueKind::integer) {
                    insert.bind_after(place, number * 1'000 + place - (column >= 4 ? 3'000 : 0));
                } else if (kind == sql::ValueKind::text) {
                    insert.bind_after(place, values[column]);
                } else {
                    insert.bind_after(place, as_bytes(values[column]));
                }
            }
            insert.run();
        }
    }

    static std::string value_of(std::int64_t number, std::size_t column) {
        using namespace std::string_literals;
        switch (number) {
            case 2:
                return {};
            case 4:
                return "nol \0 dan \xEF\xB7\x90 "s + std::to_string(column);
            default:
                return fmt::format("isi ✓ \t\\N {} {}", number, column);
        }
    }

    static std::vector<bool> nullable_columns(sql::Connection& connection,
                                              const sql::CopiedTable& table) {
        sql::Statement list{connection,
                            "SELECT \"notnull\" OR pk FROM pragma_table_info(?) ORDER BY cid"};
        std::vector<bool> nullable;
        for (auto row = list.query(table.name); row.next();) {
            nullable.push_back(row.integer(0) == 0);
        }
        return nullable;
    }
};

}  // namespace merpati::store
