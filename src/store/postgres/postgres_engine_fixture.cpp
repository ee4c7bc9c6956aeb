#include "store/postgres/postgres_engine_fixture.hpp"

#include <memory>
#include <string>
#include <utility>

#include "store/postgres/connection.hpp"
#include "store/postgres/test_server.hpp"

namespace merpati::store::postgres {
namespace {

/// The database of the running test; "": none yet.
std::string& database() {
    static std::string url;
    return url;
}

/// Removes the database of the test before, which is closed by now.
std::string next_database() {
    auto& server = TestServer::shared();
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

}  // namespace merpati::store::postgres
