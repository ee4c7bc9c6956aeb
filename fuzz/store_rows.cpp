// store/: rows that another program wrote or a disk changed. Reading them, and showing them in the
// catalogue, must end in values or in an error, never in undefined behaviour, and the shown text
// must be JSON. The input chooses a column, and the value that every row gets there.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <sqlite3.h>

#include "api/manage/engine/views.hpp"
#include "check.hpp"
#include "store/store.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::fuzz {
namespace {

namespace json = boost::json;
namespace manage = api::manage;

constexpr model::PhoneNumber device = model::PhoneNumber::from_stored(6281100000001);
constexpr const char* platform_id = "3EB0";
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

/// A store with a row in every table, and a second connection that writes any value to it.
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
        second.accepts.push_back({.message = message(account, 4)});
        write(second);
        store::WriteBatch third;
        third.hand_overs.push_back({.message = id_of(4),
                                    .device = device,
                                    .queued_at = now,
                                    .platform_id = platform_id,
                                    .decide_by = later,
                                    .attempts = 1});
        third.changes.push_back({[](store::Tables& tables) -> Result<void> {
            (void)*tables.note_status(device, platform_id,
                                      {.progress = model::Progress::sent, .at = now}, now);
            return tables.put_device_secret(device, "session", Bytes(16));
        }});
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

    /// Sets a column to `value` in every row, until `undo`.
    void set(std::size_t choice, bool as_text, std::string_view value) {
        changed_ = &columns_[choice % columns_.size()];
        const auto& column = changed_->name;
        const auto size = static_cast<int>(value.size());
        std::int64_t number = 0;
        std::memcpy(&number, value.data(), std::min(value.size(), sizeof number));
        auto* statement = changed_->update;
        if (as_text) {
            sqlite3_bind_text(statement, 1, value.data(), size, SQLITE_STATIC);
        } else if (column.ends_with("secret") || column == "digest" || column == "fingerprint" ||
                   column.starts_with("webhook_secret")) {
            sqlite3_bind_blob(statement, 1, value.data(), size, SQLITE_STATIC);
        } else {
            sqlite3_bind_int64(statement, 1, number);
        }
        (void)sqlite3_step(statement);  // A type that the column refuses changes nothing.
        sqlite3_reset(statement);
    }

    /// Restores the table that `set` changed.
    void undo() {
        for (auto* statement : changed_->restore) {
            check(sqlite3_step(statement) == SQLITE_DONE, "the table is what it was");
            sqlite3_reset(statement);
        }
    }

    /// Calls everything that reads the changed table.
    void read();

private:
    void show_messages(const store::MessageFilter& filter);

    void write(store::WriteBatch& batch) {
        check(store_->write(batch).has_value(), "the batch is written");
    }

    void execute(const char* sql) {
        check(sqlite3_exec(rows_, sql, nullptr, nullptr, nullptr) == SQLITE_OK,
              "the statement runs");
    }

    sqlite3_stmt* prepare(const std::string& sql) {
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v3(rows_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement,
                                 nullptr) == SQLITE_OK,
              "the statement is SQL");
        return statement;
    }

    /// Lists the columns, and keeps a copy of each table.
    void columns() {
        for (const auto* table :
             {"account", "api_key", "device", "message", "queue", "completion", "callback",
              "idempotency", "lane", "meta", "handed_over", "platform_event", "device_secret"}) {
            execute(fmt::format("CREATE TEMP TABLE kept_{0} AS SELECT * FROM {0}", table).c_str());
            const std::vector restore{
                prepare("BEGIN"), prepare(fmt::format("DELETE FROM {}", table)),
                prepare(fmt::format("INSERT INTO {0} SELECT * FROM kept_{0}", table)),
                prepare("COMMIT")};
            auto* names = prepare(fmt::format("SELECT name FROM pragma_table_info('{}')", table));
            while (sqlite3_step(names) == SQLITE_ROW) {
                const std::string name =
                    reinterpret_cast<const char*>(sqlite3_column_text(names, 0));
                auto* update = prepare(fmt::format("UPDATE OR IGNORE {} SET {} = ?1", table, name));
                columns_.push_back({table, name, update, restore});
            }
            sqlite3_finalize(names);
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
        sqlite3_stmt* update;
        std::vector<sqlite3_stmt*> restore;  // Statements that restore the table.
    };
    std::vector<Column> columns_;  // The statements live as long as the process.
    const Column* changed_ = nullptr;
};

void show(const json::object& shown) {
    json::error_code error;
    (void)json::parse(json::serialize(shown), error);
    check(!error, "what is shown is JSON");
}

/// Ignores a result: a read may fail, but must not end the process.
template <class Result>
void take(const Result& /*result*/) {}

template <class Result, class Use>
void each(const Result& result, Use use) {
    if (result) {
        for (const auto& one : *result) {
            use(one);
        }
    }
}

void World::show_messages(const store::MessageFilter& filter) {
    if (const auto page = reader_->messages(filter)) {
        for (const auto& one : page->records) {
            show(manage::view(one, admission::Principal::local()));
        }
    }
}

void World::read() {
    if (reader_ == nullptr) {
        auto opened = store_->open_reader();
        check(opened.has_value(), "a reader opens");
        reader_ = std::move(*opened);
    }
    const auto unknown = [](const Uuid&) { return false; };
    const auto& table = changed_->table;
    if (table == "account") {
        each(reader_->accounts(), [](const auto& one) { show(manage::view(one)); });
        take(reader_->account(account_));
    } else if (table == "api_key") {
        each(reader_->keys(), [](const auto& one) { show(manage::view(one, now)); });
    } else if (table == "device") {
        each(reader_->devices(), [](const auto& one) { show(manage::view(one)); });
    } else if (table == "lane") {
        take(reader_->lane_records());
    } else if (table == "meta") {
        take(reader_->clock_offset());
    } else if (table == "idempotency") {
        take(reader_->idempotency(account_, "once"));
    } else if (table == "callback") {
        if (const auto page = reader_->callbacks({})) {
            for (const auto& one : page->records) {
                show(manage::view(one, admission::Principal::local()));
            }
        }
        take(reader_->callback(id_of(3)));
        each(reader_->callback_accounts(), [&](model::AccountId account) {
            each(reader_->callback_origins(account, {}, 10), [&](const auto& origin) {
                const store::Endpoint endpoint{account, origin.origin_key};
                take(reader_->load_callbacks(endpoint, later, 10, unknown));
                take(reader_->next_callback_due(endpoint, origin.due_from));
            });
        });
    } else if (table == "handed_over" || table == "platform_event" || table == "device_secret") {
        show_messages({.state = model::MessageState::handed_over});
        take(reader_->message(id_of(4)));
        store::WriteBatch batch;
        batch.changes.push_back({[](store::Tables& tables) -> Result<void> {
            take(tables.find_platform_message(device, platform_id));
            take(tables.next_decide_by());
            take(tables.device_secret(device, "session"));
            return {};
        }});
        write(batch);
    } else {  // message, queue, completion
        show_messages({});
        std::size_t loaded = 0;
        each(reader_->lanes(), [&](const store::LaneSummary& lane) {
            const auto queued = reader_->load_lane(lane.device, lane.source, later, 10, unknown);
            loaded += queued ? queued->size() : 0;
            take(reader_->next_due(lane.device, lane.source, lane.due_from));
        });
        take(reader_->message(id_of(1)));
        take(reader_->message(id_of(2)));
        take(reader_->waiting_messages(100));
        if (loaded == 0) {
            reader_.reset();  // The reader remembers which messages it could not read.
            return;
        }
    }
    take(reader_->last_sequence());
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
    world.read();
    world.undo();
    return 0;
}
