#include "store/postgres/postgres_engine_fixture.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "store/conformance/forwarding_store.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/test_server_fixture.hpp"

namespace merpati::store::postgres {
namespace {

/// The database of the running test; "": none yet.
std::string& database() {
    static std::string url;
    return url;
}

std::unique_ptr<CuttingProxy>& proxy_of_test() {
    static std::unique_ptr<CuttingProxy> proxy;
    return proxy;
}

/// Removes the database of the test before, which is closed by now.
std::string next_database() {
    auto& server = TestServer::shared();
    proxy_of_test().reset();
    if (!database().empty()) {
        server.drop_database(database());
    }
    database() = server.create_migrated_database();
    return database();
}

/// Runs one script, and another one when it is destroyed.
class Trouble {
public:
    Trouble(const char* begin, std::string end) : end_(std::move(end)) {
        connection_.run_script(begin);
    }
    ~Trouble() { connection_.run_script(end_); }
    Trouble(const Trouble&) = delete;
    Trouble& operator=(const Trouble&) = delete;

private:
    Connection connection_{take(ConnectionSettings::parse(database()))};
    const std::string end_;
};

std::shared_ptr<void> fill_disk() {
    return std::make_shared<Trouble>(
        "CREATE FUNCTION be_full() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE 'no space left on device' USING ERRCODE = 'disk_full'; END $$;"
        "DO $$ DECLARE name text; BEGIN FOR name IN SELECT relname FROM pg_class "
        "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP EXECUTE format("
        "'CREATE TRIGGER be_full BEFORE INSERT OR UPDATE OR DELETE ON %I "
        "EXECUTE FUNCTION be_full()', name); END LOOP; END $$;",
        "DROP FUNCTION be_full CASCADE");
}

std::shared_ptr<void> lock(const std::filesystem::path&) {
    return std::make_shared<Trouble>("BEGIN; LOCK TABLE queue, account IN EXCLUSIVE MODE",
                                     "COMMIT");
}

/// Statements are the same if they differ in numbers only, such as those of cursors.
std::string kind_of(std::string_view sql) {
    std::string kind;
    for (const char letter : sql) {
        if (letter < '0' || letter > '9') {
            kind += letter;
        }
    }
    return kind;
}

/// The rule of an engine that is cut, for all tests of this process.
Cut cut_new_statement(std::string_view sql) {
    constexpr int commits_between = 4;
    static std::map<std::string, int> met;
    auto times = met[kind_of(sql)]++;
    if (sql == "COMMIT") {
        if (times % commits_between != 0) {
            return Cut::none;
        }
        times = times / commits_between % 2;
    }
    return times == 0 ? Cut::before : times == 1 ? Cut::after : Cut::none;
}

class CutStore final : public WrappingStore {
public:
    using WrappingStore::WrappingStore;

    Result<void> write(WriteBatch& batch) override {
        proxy().set_rule(cut_new_statement);
        auto written = WrappingStore::write(batch);
        while (!written && written.error().code == ErrorCode::unavailable) {
            written = WrappingStore::write(batch);
        }
        proxy().set_rule({});
        return written;
    }
};

}  // namespace

Engine engine() {
    Engine made;
    made.name = "Postgresql";
    made.options = [](const std::filesystem::path& directory) {
        return StoreOptions{
            .url = next_database(), .key_file = directory / "store.key", .must_sync = false};
    };
    made.has_files = false;
    made.fill_disk = fill_disk;
    made.lock = lock;
    return made;
}

Engine engine_behind_proxy() {
    auto made = engine();
    made.name = "PostgresqlBehindProxy";
    made.options = [direct = made.options](const std::filesystem::path& directory) {
        auto options = direct(directory);
        proxy_of_test() = std::make_unique<CuttingProxy>(options.url);
        options.url = proxy().url();
        return options;
    };
    return made;
}

Engine engine_that_is_cut() {
    auto made = engine_behind_proxy();
    made.name = "PostgresqlThatIsCut";
    made.wrap = [](std::unique_ptr<Store> store) -> std::unique_ptr<Store> {
        return std::make_unique<CutStore>(std::move(store));
    };
    return made;
}

CuttingProxy& proxy() {
    return *proxy_of_test();
}

}  // namespace merpati::store::postgres
