// store/: rows that somebody else wrote, or that a disk changed. Reading them, and showing them in
// the management API, ends in values or in an error, never in undefined behaviour; what is shown is
// JSON. The input chooses a column and the value that every row has there.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <sqlite3.h>

#include "api/manage/views.hpp"
#include "check.hpp"
#include "store/store.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::fuzz {
namespace {

namespace json = boost::json;
namespace manage = api::manage;

constexpr model::PhoneNumber device = model::PhoneNumber::from_stored(6281100000001);
constexpr Timestamp now{std::chrono::milliseconds{1'800'000'000'000}};
constexpr Timestamp later{std::chrono::milliseconds{1'900'000'000'000}};

Uuid id_of(std::int64_t number) {
    return Uuid{(now.time_since_epoch().count() << 12U) + number, 0x8000'0000'0000'0001U};
}

std::unique_ptr<model::Message> message(model::AccountId account, std::int64_t number) {
    auto made = std::make_unique<model::Message>();
    made->id = id_of(number);
    made->account = account;
    made->device = device;
    made->recipient = "6281234567890";
    made->body = "Halo";
    made->callback_url = "https://example.com/status";
    made->accepted_at = now;
    made->due_at = now;
    return made;
}

/// A store with a row in every table, and a second connection that writes to it as it likes.
class World {
public:
    World() {
        check(store_ != nullptr, "the store opens");
        model::AccountId account;
        store::WriteBatch first;
        first.changes.push_back({[&account](store::Tables& tables) -> Result<void> {
            auto made = tables.create_account({.name = "Toko", .webhook_secret = Bytes(24)});
            account = *made;
            (void)*tables.create_key({.account = account, .name = "key", .created_at = now});
            (void)*tables.add_device({.number = device, .account = account, .created_at = now},
                                     false);
            return {};
        }});
        write(first);
        store::WriteBatch second;
        second.accepts.push_back({.message = message(account, 1)});
        second.accepts.push_back(
            {.message = message(account, 2),
             .idempotency = store::IdempotencyRecord{
                 .account = account, .key = "once", .answer = "{}", .created_at = now}});
        write(second);
        store::WriteBatch third;
        auto ended = message(account, 2);
        const model::Callback callback{.id = id_of(3),
                                       .account = account,
                                       .kind = model::CallbackKind::message_status,
                                       .message = ended->id,
                                       .url = ended->callback_url,
                                       .origin_key = 1,
                                       .body = "{}",
                                       .created_at = now};
        third.finishes.push_back({.message = std::move(ended),
                                  .queued_at = now,
                                  .completion = {.state = model::MessageState::failed,
                                                 .code = model::StatusCode::failed,
                                                 .details = "refused",
                                                 .finished_at = now,
                                                 .attempts = 1},
                                  .callback = callback});
        write(third);
        account_ = account;
        check(sqlite3_open(folder_.file("store.db").c_str(), &rows_) == SQLITE_OK, "the rows open");
        // No other program reads what this one wrote, so nothing has to reach the disk.
        execute("PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY");
        columns();
    }

    /// Every row of a column becomes `value`, until `undo`.
    void set(std::size_t choice, bool as_text, std::string_view value) {
        const auto& [table, column, restore] = columns_[choice % columns_.size()];
        restore_ = &restore;
        const auto sql = fmt::format("UPDATE OR IGNORE {} SET {} = ?1", table, column);
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v2(rows_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK,
              "the statement is SQL");
        const auto size = static_cast<int>(value.size());
        std::int64_t number = 0;
        std::memcpy(&number, value.data(), std::min(value.size(), sizeof number));
        if (as_text) {
            sqlite3_bind_text(statement, 1, value.data(), size, SQLITE_STATIC);
        } else if (column.ends_with("secret") || column == "digest" || column == "fingerprint" ||
                   column.starts_with("webhook_secret")) {
            sqlite3_bind_blob(statement, 1, value.data(), size, SQLITE_STATIC);
        } else {
            sqlite3_bind_int64(statement, 1, number);
        }
        (void)sqlite3_step(statement);  // A type that the column refuses changes nothing.
        sqlite3_finalize(statement);
    }

    /// Makes the table that `set` changed what it was.
    void undo() { execute(restore_->c_str()); }

    void read_everything();

private:
    void write(store::WriteBatch& batch) {
        check(store_->write(batch).has_value(), "the batch is written");
    }

    void execute(const char* sql) {
        check(sqlite3_exec(rows_, sql, nullptr, nullptr, nullptr) == SQLITE_OK,
              "the statement runs");
    }

    /// Lists the columns, and keeps a copy of each table.
    void columns() {
        for (const auto* table : {"account", "api_key", "device", "message", "queue", "completion",
                                  "callback", "idempotency"}) {
            execute(fmt::format("CREATE TEMP TABLE kept_{0} AS SELECT * FROM {0}", table).c_str());
            const auto restore = fmt::format(
                "BEGIN; DELETE FROM {0}; INSERT INTO {0} SELECT * FROM kept_{0}; COMMIT", table);
            sqlite3_stmt* statement = nullptr;
            const auto sql = fmt::format("SELECT name FROM pragma_table_info('{}')", table);
            check(sqlite3_prepare_v2(rows_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK,
                  "the columns are listed");
            while (sqlite3_step(statement) == SQLITE_ROW) {
                const auto* name = sqlite3_column_text(statement, 0);
                columns_.push_back({table, reinterpret_cast<const char*>(name), restore});
            }
            sqlite3_finalize(statement);
        }
    }

    testing::TemporaryFolder folder_;
    std::unique_ptr<store::Store> store_ = [this] {
        auto opened = store::open_store({.url = "sqlite:" + folder_.file("store.db")});
        return opened ? std::move(*opened) : nullptr;
    }();
    model::AccountId account_;
    std::unique_ptr<store::Reader> reader_;
    sqlite3* rows_ = nullptr;
    struct Column {
        std::string table;
        std::string name;
        std::string restore;  // SQL that makes the table what it was.
    };
    std::vector<Column> columns_;
    const std::string* restore_ = nullptr;
};

void show(const json::object& shown) {
    json::error_code error;
    (void)json::parse(json::serialize(shown), error);
    check(!error, "what is shown is JSON");
}

void World::read_everything() {
    if (reader_ == nullptr) {
        reader_ = std::move(*store_->open_reader());
    }
    const auto unknown = [](const Uuid&) { return false; };
    const auto each = [](const auto& result, auto use) {
        if (result) {
            for (const auto& one : *result) {
                use(one);
            }
        }
    };
    each(reader_->accounts(), [](const auto& one) { show(manage::view(one)); });
    each(reader_->keys(), [](const auto& one) { show(manage::view(one, now)); });
    each(reader_->devices(), [](const auto& one) { show(manage::view(one)); });
    each(reader_->messages({}), [](const auto& one) { show(manage::view(one)); });
    each(reader_->callbacks({}), [](const auto& one) { show(manage::view(one)); });
    (void)reader_->account(account_);
    (void)reader_->last_sequence();
    each(reader_->lanes(), [&](const store::LaneSummary& lane) {
        (void)reader_->load_lane(lane.device, lane.source, later, 10, unknown);
        (void)reader_->next_due(lane.device, lane.source, lane.due_from);
    });
    (void)reader_->message(id_of(1));
    (void)reader_->message(id_of(2));
    (void)reader_->callback(id_of(3));
    (void)reader_->idempotency(account_, "once");
    (void)reader_->waiting_messages();
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    static World world;
    if (size < 3) {
        return 0;
    }
    world.set(data[0], (data[1] & 1U) != 0, {reinterpret_cast<const char*>(data) + 2, size - 2});
    world.read_everything();
    world.undo();
    return 0;
}
