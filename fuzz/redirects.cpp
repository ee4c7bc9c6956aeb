// media: targets of redirects, and the headers of answers. The input's lines are Location, the URL
// that answered, Content-Type, Cache-Control, Date, Expires, Age.
#include "media/redirects.hpp"

#include <arpa/inet.h>
#include <array>
#include <string>
#include <string_view>

#include "base/http_date.hpp"
#include "callback/retry_table.hpp"
#include "check.hpp"
#include "media/freshness.hpp"
#include "media/media_types.hpp"
#include "media/probe.hpp"

namespace merpati::fuzz {
namespace {

using outbound::AddressPolicy;
using outbound::Url;

const AddressPolicy& public_only() {
    static const AddressPolicy policy{{}};
    return policy;
}

void check_redirect(const Url& from, std::string_view location) {
    const auto next = media::next_hop(from, location, public_only());
    if (!next) {
        return;
    }
    check(from.scheme != "https" || next->scheme == "https", "no redirect leads off https");
    check(!next->literal || public_only().permits(*next->literal),
          "no redirect leads to a private address");
    in_addr v4{};
    check(next->literal || inet_aton(next->host.c_str(), &v4) == 0,
          "a host that reads as an address is one");
    check(next->host != "localhost", "no redirect leads to localhost");
    check(next->target.starts_with('/') &&
              next->target.find_first_of(std::string_view{" \r\n\t\0", 5}) == std::string::npos,
          "a target is one word");
    const auto text = next->origin() + next->target;
    check(text.size() > 2048 ||
              outbound::admit_url(text, outbound::Schemes::http_and_https, public_only()),
          "a redirect's URL is one that a caller may give");
}

void check_type(std::string_view content_type) {
    const auto* type = media::find_media_type(content_type);
    check(type == media::DeclaredType::of(content_type).type, "a declared type is the one found");
    check(type == nullptr || media::find_media_type(type->name) == type, "a type has its own name");
}

void check_head(const outbound::Response& head, Timestamp now) {
    const auto fresh = media::freshness_of(head, now, Millis{3'600'000});
    check(fresh >= Millis{0} && fresh <= std::chrono::hours{24}, "a lifetime is a day at most");
    (void)media::result_of(head);
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    using merpati::outbound::Url;
    std::string_view rest{reinterpret_cast<const char*>(data), size};
    std::array<std::string_view, 7> lines;
    for (auto& line : lines) {
        const auto end = rest.find('\n');
        line = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    auto from = Url::parse(lines[1]);
    if (!from) {
        from = Url::parse(size % 2 == 1 ? "https://example.org:8443/a/b/../c?d=e"
                                        : "http://example.org/a/./b");
    }
    check_redirect(*from, lines[0]);
    check_type(lines[2]);

    merpati::outbound::Response head;
    head.status = (size & 2U) != 0 ? 206 : 200;
    const std::array<std::pair<std::string_view, std::string_view>, 7> fields{{
        {"content-type", lines[2]},
        {"cache-control", lines[3]},
        {"content-length", lines[3]},
        {"date", lines[4]},
        {"content-range", lines[4]},
        {"expires", lines[5]},
        {"age", lines[6]},
    }};
    for (const auto& [name, value] : fields) {
        head.headers.emplace_back(name, value);
    }
    const merpati::Timestamp now{std::chrono::seconds{1'800'000'000}};
    check_head(head, now);
    for (const auto line : lines) {
        (void)merpati::parse_http_date(line);
        const auto after = merpati::callback::parse_retry_after(line, now);
        check(!after || after->count() >= 0, "no wait is negative");
    }
    return 0;
}
