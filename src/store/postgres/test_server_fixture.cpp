#include "store/postgres/test_server_fixture.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <stdexcept>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "store/postgres/schema.hpp"

namespace merpati::store::postgres {
namespace {

constexpr const char* user = "merpati";

[[noreturn]] void give_up(const std::string& why) {
    ADD_FAILURE() << why;
    throw std::runtime_error{why};
}

/// Debian installs each version into a folder of its own.
std::filesystem::path programs() {
    std::vector<std::filesystem::path> found;
    std::error_code missing;
    for (const auto& version :
         std::filesystem::directory_iterator{"/usr/lib/postgresql", missing}) {
        if (std::filesystem::exists(version.path() / "bin/initdb")) {
            found.push_back(version.path() / "bin");
        }
    }
    if (found.empty()) {
        give_up("PostgreSQL is not installed: apt-get install postgresql");
    }
    return *std::ranges::max_element(found, {}, [](const std::filesystem::path& path) {
        return std::stoi(path.parent_path().filename());
    });
}

/// Whom root runs the server as.
const passwd& other_user() {
    for (const auto* name : {"postgres", "nobody"}) {
        if (const auto* found = ::getpwnam(name); found != nullptr) {
            return *found;
        }
    }
    give_up("there is no user to run PostgreSQL as");
}

/// Starts a program, as another user if this is root. It is ended with SIGQUIT if this process ends
/// first.
pid_t start_program(const std::vector<std::string>& command, const std::filesystem::path& log) {
    const auto* other = ::geteuid() == 0 ? &other_user() : nullptr;
    std::vector<char*> arguments;
    for (const auto& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    const auto parent = ::getpid();
    const auto child = ::fork();
    if (child != 0) {
        return child;
    }
    if (std::freopen(log.c_str(), "a", stdout) == nullptr || ::dup2(1, 2) < 0 ||
        (other != nullptr && (::setgroups(0, nullptr) != 0 || ::setgid(other->pw_gid) != 0 ||
                              ::setuid(other->pw_uid) != 0)) ||
        ::prctl(PR_SET_PDEATHSIG, SIGQUIT) != 0 || ::getppid() != parent) {
        ::_exit(126);
    }
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
}

bool has_succeeded(pid_t program) {
    int status = 0;
    return ::waitpid(program, &status, 0) == program && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream input{file};
    return {std::istreambuf_iterator<char>{input}, {}};
}

/// The server writes this word into the last line of its file when it accepts connections.
bool is_ready(const std::filesystem::path& data) {
    return text_of(data / "postmaster.pid").contains("\nready");
}

}  // namespace

TestServer& TestServer::shared() {
    static TestServer server{false};
    return server;
}

TestServer::TestServer(bool syncs) : syncs_(syncs), owner_(::getpid()) {
    if (::geteuid() == 0 && ::chown(folder_.path().c_str(), other_user().pw_uid, 0) != 0) {
        give_up("the folder of the server cannot be given to its user");
    }
    create_data();
    start();
}

TestServer::~TestServer() {
    if (::getpid() == owner_ && server_ > 0) {
        stop(SIGQUIT);
    }
}

std::string TestServer::create_database() {
    const auto name = fmt::format("test_{}", ++databases_);
    run("CREATE DATABASE " + name);
    return url_of(name);
}

std::string TestServer::create_migrated_database() {
    if (!has_template_) {
        run("CREATE DATABASE migrated");
        Connection connection{take(ConnectionSettings::parse(url_of("migrated")))};
        EXPECT_TRUE(migrate(connection, true));
        has_template_ = true;
    }
    const auto name = fmt::format("test_{}", ++databases_);
    run("CREATE DATABASE " + name + " TEMPLATE migrated");
    return url_of(name);
}

void TestServer::drop_database(const std::string& url) {
    const auto settings = take(ConnectionSettings::parse(url));
    run(fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", settings.value_of("dbname")));
}

void TestServer::damage(const std::string& url, const std::vector<std::string>& tables) {
    constexpr std::size_t page_bytes = 8'192;
    std::vector<std::string> files;
    {
        Connection connection{take(ConnectionSettings::parse(url))};
        for (const auto& table : tables) {
            files.push_back(connection.query_text(
                fmt::format("SELECT pg_relation_filepath('{}')", table).c_str()));
        }
    }
    stop(SIGINT);  // It writes all pages before it ends.
    for (const auto& file : files) {
        std::fstream bytes{data_ / file, std::ios::in | std::ios::out | std::ios::binary};
        bytes << std::string(page_bytes, '\xff');
        EXPECT_TRUE(bytes.flush()) << file;
    }
    start();
}

void TestServer::create_data() const {
    const auto log = folder_.path() / "initdb.log";
    const auto made =
        start_program({programs() / "initdb", "--pgdata", data_, "--username", user, "--auth",
                       "trust", "--encoding", "UTF8", "--locale", "C", "--locale-provider", "icu",
                       "--icu-locale", "id", "--no-sync", "--no-instructions"},
                      log);
    if (!has_succeeded(made)) {
        give_up("initdb failed: " + text_of(log));
    }
}

void TestServer::start() {
    constexpr int patience_milliseconds = 60'000;
    const auto log = folder_.path() / "server.log";
    const FileDescriptor watch{::inotify_init1(IN_CLOEXEC)};
    if (::inotify_add_watch(watch.get(), data_.c_str(), IN_MODIFY | IN_CLOSE_WRITE) < 0) {
        give_up("the folder of the server cannot be watched");
    }
    server_ = start_program(
        {programs() / "postgres", "-D", data_, "-k", folder_.path(), "-c",
         "listen_addresses=", "-c", syncs_ ? "fsync=on" : "fsync=off", "-c", "full_page_writes=off",
         "-c", "shared_buffers=64MB", "-c", "max_connections=100"},
        log);
    while (!is_ready(data_)) {
        pollfd watched{.fd = watch.get(), .events = POLLIN, .revents = 0};
        std::array<char, 4'096> events{};
        if (::poll(&watched, 1, patience_milliseconds) != 1 ||
            ::read(watch.get(), events.data(), events.size()) <= 0) {
            give_up("PostgreSQL does not start: " + text_of(log));
        }
    }
}

void TestServer::stop(int signal) {
    ::kill(server_, signal);
    ::waitpid(server_, nullptr, 0);
}

std::string TestServer::url_of(const std::string& database) const {
    return fmt::format("postgresql://{}@/{}?host={}", user, database, folder_.path().string());
}

void TestServer::run(const std::string& sql) const {
    Connection connection{take(ConnectionSettings::parse(url_of("postgres")))};
    connection.execute(sql.c_str());
    connection.wait();
}

}  // namespace merpati::store::postgres
