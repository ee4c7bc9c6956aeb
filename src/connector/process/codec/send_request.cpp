#include "connector/process/codec/send_request.hpp"

#include "connector/file_name.hpp"

namespace merpati::connector::process {

namespace json = boost::json;

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

}  // namespace merpati::connector::process
