// A proxy before a server of PostgreSQL that cuts connections, for tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/file_descriptor.hpp"
#include "store/conformance/store_fixture.hpp"

namespace merpati::store::postgres {

/// Where a connection ends.
enum class Cut : std::uint8_t {
    none,
    before,  // The server does not get the statement.
    after,   // The server executes the statement, and nobody gets the answer.
};

/// Operation: listens on a socket in a folder of its own, and passes everything on to a server. A
/// rule decides for each statement that a client executes whether its connection ends there. When
/// the client notices that, the server has ended its part too. Answers of statements that were
/// still under way are lost with it.
///
/// Threads: three for each connection. The rule is called on one of them, by one at a time.
class CuttingProxy {
public:
    using Rule = std::function<Cut(std::string_view sql)>;

    /// `url`: of a database in TestServer.
    explicit CuttingProxy(const std::string& url);
    ~CuttingProxy();
    CuttingProxy(const CuttingProxy&) = delete;
    CuttingProxy& operator=(const CuttingProxy&) = delete;

    /// Of the same database, by way of the proxy.
    [[nodiscard]] const std::string& url() const noexcept { return url_; }

    /// Empty: no connection is cut.
    void set_rule(Rule rule);
    /// How many connections were cut.
    [[nodiscard]] int cuts() const noexcept { return cuts_; }

private:
    class Line;

    void listen();
    void serve();
    [[nodiscard]] Cut cut_at(std::string_view sql);

    TemporaryDirectory folder_;
    std::string server_;  // The path of its socket.
    std::string url_;
    FileDescriptor listener_;
    std::mutex mutex_;
    Rule rule_;
    std::atomic<int> cuts_{0};
    std::list<std::unique_ptr<Line>> lines_;  // Of the thread.
    std::thread thread_;
};

}  // namespace merpati::store::postgres
