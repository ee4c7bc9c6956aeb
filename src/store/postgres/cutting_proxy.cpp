#include "store/postgres/cutting_proxy.hpp"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/connection_settings.hpp"

namespace merpati::store::postgres {
namespace {

constexpr const char* socket_name = "/.s.PGSQL.5432";

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        throw std::runtime_error{"the path of a socket is too long: set TMPDIR to a shorter one"};
    }
    path.copy(address.sun_path, path.size());
    return address;
}

template <class Call>
FileDescriptor socket_at(const std::string& path, Call call) {
    FileDescriptor made{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const auto address = address_of(path);
    if (call(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error{"no socket at " + path};
    }
    return made;
}

bool send_all(const FileDescriptor& to, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// What a client sends, as messages of PostgreSQL's protocol (chapter 55.7 of its manual).
class ClientMessages {
public:
    void add(std::string_view bytes) { unread_ += bytes; }

    /// The next message; empty: the rest of it has not come yet.
    std::string next() {
        const std::size_t type = has_begun_ ? 1 : 0;  // The first message has none.
        if (unread_.size() < type + 4) {
            return {};
        }
        std::size_t size = 0;
        for (const char byte : std::string_view{unread_}.substr(type, 4)) {
            size = size << 8 | static_cast<unsigned char>(byte);
        }
        if (unread_.size() < type + size) {
            return {};
        }
        has_begun_ = true;
        auto message = unread_.substr(0, type + size);
        unread_.erase(0, type + size);
        return message;
    }

    /// The text of the statement that the message executes; empty: none.
    std::optional<std::string> executed_by(const std::string& message) {
        constexpr std::size_t begin = 5;
        const std::string first = message.size() > begin ? message.c_str() + begin : "";
        const auto second = [&]() -> std::string {
            return message.c_str() + begin + first.size() + 1;
        };
        switch (message.front()) {
            case 'P':
                texts_[first] = second();
                return std::nullopt;
            case 'B':
                bound_ = texts_[second()];
                return std::nullopt;
            case 'E':
                return bound_;
            case 'Q':
                return first;
            default:
                return std::nullopt;
        }
    }

private:
    std::string unread_;
    bool has_begun_ = false;
    std::map<std::string, std::string> texts_;  // By the names of prepared statements.
    std::string bound_;
};

}  // namespace

/// One connection of a client, with one to the server.
class CuttingProxy::Line {
public:
    Line(CuttingProxy& proxy, FileDescriptor client, FileDescriptor server)
        : proxy_(proxy),
          client_(std::move(client)),
          server_(std::move(server)),
          to_server_([this] { pass_to_server(); }),
          to_client_([this] { pass_to_client(); }) {}
    ~Line() {
        ::shutdown(client_.get(), SHUT_RDWR);
        ::shutdown(server_.get(), SHUT_RDWR);
        to_server_.join();
        to_client_.join();
    }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

private:
    void pass_to_server() {
        ClientMessages messages;
        std::array<char, 65'536> bytes{};
        bool goes_on = true;
        while (goes_on) {
            const auto got = ::read(client_.get(), bytes.data(), bytes.size());
            goes_on = got > 0;
            messages.add({bytes.data(), goes_on ? static_cast<std::size_t>(got) : 0});
            for (auto message = messages.next(); goes_on && !message.empty();
                 message = messages.next()) {
                goes_on = pass(message, messages.executed_by(message));
            }
        }
        ::shutdown(server_.get(), SHUT_WR);  // It executes what it was given, and ends.
    }

    /// False: the connection ends.
    bool pass(const std::string& message, const std::optional<std::string>& executed) {
        const auto cut = executed ? proxy_.cut_at(*executed) : Cut::none;
        is_cut_ = cut != Cut::none;
        return cut != Cut::before && send_all(server_, message) && cut == Cut::none;
    }

    void pass_to_client() {
        std::array<char, 65'536> bytes{};
        for (;;) {
            const auto got = ::read(server_.get(), bytes.data(), bytes.size());
            if (got <= 0) {
                break;
            }
            if (!is_cut_) {
                send_all(client_, {bytes.data(), static_cast<std::size_t>(got)});
            }
        }
        ::shutdown(client_.get(), SHUT_RDWR);
    }

    CuttingProxy& proxy_;
    const FileDescriptor client_;
    const FileDescriptor server_;
    std::atomic<bool> is_cut_{false};
    std::thread to_server_;
    std::thread to_client_;
};

CuttingProxy::CuttingProxy(const std::string& url) {
    const auto settings = take(ConnectionSettings::parse(url));
    server_ = std::string{settings.value_of("host")} + socket_name;
    url_ = fmt::format("postgresql://{}@/{}?host={}", settings.value_of("user"),
                       settings.value_of("dbname"), folder_.path().string());
    listen();
    thread_ = std::thread{[this] { serve(); }};
}

CuttingProxy::~CuttingProxy() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
}

void CuttingProxy::set_rule(Rule rule) {
    const std::lock_guard lock{mutex_};
    rule_ = std::move(rule);
}

void CuttingProxy::listen() {
    constexpr int waiting_max = 64;
    listener_ = socket_at(folder_.path().string() + socket_name, ::bind);
    if (::listen(listener_.get(), waiting_max) != 0) {
        throw std::runtime_error{"the proxy cannot listen"};
    }
}

void CuttingProxy::serve() {
    for (;;) {
        FileDescriptor client{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (!client) {
            return;
        }
        lines_.push_back(
            std::make_unique<Line>(*this, std::move(client), socket_at(server_, ::connect)));
    }
}

Cut CuttingProxy::cut_at(std::string_view sql) {
    const std::lock_guard lock{mutex_};
    const auto cut = rule_ ? rule_(sql) : Cut::none;
    cuts_ += cut == Cut::none ? 0 : 1;
    return cut;
}

}  // namespace merpati::store::postgres
