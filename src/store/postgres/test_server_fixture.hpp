// A private server of PostgreSQL for tests, also of other rooms.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

#include "store/conformance/store_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::store::postgres {

/// A server with a new folder for its data, which only this process uses, by a socket in that
/// folder.
///
/// Operation: the first use of `shared` starts one, the end of the program stops it and removes its
/// folder; it also ends if this program is killed. It does not sync, so that tests are fast. As
/// root it runs as another user, because PostgreSQL refuses to run as root. The default collation
/// is one of a language, so that tests notice texts that are compared by it.
///
/// Threads: one.
class TestServer {
public:
    /// Fails the test, and throws, if PostgreSQL is not installed or does not start.
    [[nodiscard]] static TestServer& shared();

    /// One of a single test. `syncs`: as a gateway demands. Fails and throws as `shared`.
    explicit TestServer(bool syncs);
    ~TestServer();
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    /// The URL of a database that is empty.
    [[nodiscard]] std::string create_database();
    /// The URL of a database with a schema of this program. It is a copy of one that was migrated
    /// once, which takes less time than a migration.
    [[nodiscard]] std::string create_migrated_database();

    /// Removes a database that nobody uses any more.
    void drop_database(const std::string& url);

    /// Makes the first pages of tables or indexes of the database unreadable, as a disk may. Nobody
    /// may use the server, which is started anew.
    void damage(const std::string& url, const std::vector<std::string>& tables);

private:
    void create_data() const;
    void start();
    void stop(int signal);
    [[nodiscard]] std::string url_of(const std::string& database) const;
    void run(const std::string& sql) const;

    testing::TemporaryFolder folder_;
    const bool syncs_;
    std::filesystem::path data_ = folder_.path() / "data";
    pid_t owner_;  // This process. A process that it forks does not stop the server.
    pid_t server_ = -1;
    bool has_template_ = false;
    int databases_ = 0;
};

}  // namespace merpati::store::postgres
