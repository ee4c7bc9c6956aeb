// Requests to the platform.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "connector/cloud/codec/graph_error.hpp"
#include "connector/cloud/graph/request_slots.hpp"
#include "outbound/ares_resolver.hpp"
#include "outbound/client.hpp"

namespace merpati::connector::cloud {

struct GraphOptions {
    std::string url = "https://graph.facebook.com";  // Plain http for loopback alone.
    std::string version = "v26.0";
    outbound::ClientOptions client{};
    std::vector<outbound::Cidr> allow{};  // Private addresses that may be connected to.
    Millis answer_within{30'000};         // Of a file too.
    std::size_t requests_max = 256;       // In flight, of all numbers together.
    std::size_t uploads_max = 16;         // Of these, of files.
};

/// The answer to one request.
struct GraphAnswer {
    enum class Reach : std::uint8_t {
        answered,  // `body`, or `error`.
        not_sent,  // The platform has not got the request.
        lost,      // It may have got it, and did not answer, or not in its form.
    };
    Reach reach = Reach::lost;
    boost::json::object body;
    std::optional<GraphError> error;
    std::string why{};  // Of not_sent and lost; names no address.

    [[nodiscard]] bool is_fine() const { return reach == Reach::answered && !error; }
};
using GraphAnswered = std::move_only_function<void(GraphAnswer)>;

/// A file to upload.
struct UploadForm {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::string_view type;  // As the platform names it.
};

/// Operation: each request carries the token of its number, and only to the host of `url`: a
/// redirect is an error, so a token never goes elsewhere. A POST that may have reached the platform
/// is not repeated. `party` shares the slots: the id of the number.
///
/// Limits: GraphOptions; answers of answer_bytes_max. The time of a request begins when it has its
/// slot.
///
/// Threads: the executor's one, except where a function says otherwise; `usable` on any. `close`
/// fails all requests in flight; those that wait are dropped.
class GraphClient {
public:
    static constexpr std::size_t answer_bytes_max = 4'194'304;  // A page of templates is long.

    GraphClient(const Clock& clock, const boost::asio::any_io_executor& executor,
                GraphOptions options);

    /// Errors: invalid_argument (the URL), io_failed (ca_file).
    [[nodiscard]] Result<void> usable() const;

    /// Whether the last request did not reach the platform. Threads: any.
    [[nodiscard]] bool is_unreachable() const noexcept { return unreachable_; }

    /// `path`: below the version, such as "106540352242922/messages"; with its query.
    void get(const std::string& party, std::string_view path, std::string_view token,
             GraphAnswered done);
    void post(const std::string& party, std::string_view path, std::string_view token,
              const boost::json::object& body, GraphAnswered done);
    void upload(const std::string& party, std::string_view path, std::string_view token,
                const UploadForm& form, GraphAnswered done);

    /// Downloads from `url`, which must be at the host of `url` or at one of the platform's media
    /// hosts; a redirect must lead to such a host too, and gets no token. `on_bytes` returns false
    /// to end the download. Errors: refused (the host), those of outbound::Client, not_found,
    /// unreachable (the platform refuses).
    using Downloaded = std::move_only_function<void(Result<void>)>;
    using OnBytes = std::function<bool(std::span<const std::byte>)>;
    void download(const std::string& party, std::string_view url, std::string_view token,
                  Millis within, OnBytes on_bytes, Downloaded done);

    void close();

private:
    struct Hop;

    void send(RequestSlots& slots, const std::string& party, Result<outbound::Request> request,
              GraphAnswered done);
    [[nodiscard]] Result<outbound::Request> request_to(std::string_view method,
                                                       std::string_view path,
                                                       std::string_view token) const;
    [[nodiscard]] bool serves_media(const outbound::Url& url) const;
    void hop(std::shared_ptr<Hop> hop);

    void note_reach(const Result<outbound::Response>& response, bool written);

    const GraphOptions options_;
    std::atomic<bool> unreachable_{false};
    const Result<outbound::Url> base_;
    const outbound::AddressPolicy policy_;
    outbound::AresResolver resolver_;
    outbound::Client client_;
    RequestSlots slots_;
    RequestSlots upload_slots_;
};

/// Whether `url` may be the setting cloud.url: https, or http to loopback. Errors:
/// invalid_argument.
[[nodiscard]] Result<outbound::Url> parse_graph_url(std::string_view url);

/// Whether the token can stand in a header: printable ASCII without blanks.
[[nodiscard]] bool is_token(std::string_view token) noexcept;

}  // namespace merpati::connector::cloud
