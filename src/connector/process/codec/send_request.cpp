#include "connector/process/codec/send_request.hpp"

#include <algorithm>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace merpati::connector::process {
namespace {

namespace json = boost::json;

constexpr std::size_t file_name_bytes_max = 255;

}  // namespace

json::object send_fields(const SendRequest& request) {
    const auto& message = request.message;
    json::object fields{{"device", message.device.text()},
                        {"message", message.id.text()},
                        {"attempt", request.attempt},
                        {"to", message.recipient},
                        {"type", request.file == nullptr ? "text" : "media"},
                        {"text", message.body},
                        {"typing", message.typing}};
    if (request.file != nullptr) {
        const auto& file = *request.file;
        json::object media{{"path", std::filesystem::absolute(file.path).string()},
                           {"mime", file.media_type},
                           {"bytes", file.bytes},
                           {"sha256", file.sha256}};
        if (auto name = file_name_of(message.media_url); !name.empty()) {
            media["name"] = std::move(name);
        }
        fields["media"] = std::move(media);
    }
    return fields;
}

std::string file_name_of(std::string_view url) {
    const auto parsed = boost::urls::parse_uri(url);
    if (!parsed || parsed->segments().empty()) {
        return {};
    }
    std::string name = parsed->segments().back();
    std::ranges::replace(name, '/', '_');
    if (name.size() > file_name_bytes_max || !is_utf8(name)) {
        return {};
    }
    return printable(name);
}

}  // namespace merpati::connector::process
