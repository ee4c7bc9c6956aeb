#include "connector/process/codec/frame.hpp"

#include <optional>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace merpati::connector::process {
namespace {

namespace json = boost::json;

constexpr std::uint64_t id_max = 9'007'199'254'740'991;  // 2^53 - 1, exact as a double.
constexpr std::size_t op_bytes_max = 64;

std::optional<std::uint64_t> id_of(const json::value& value) {
    std::uint64_t id = 0;
    if (value.is_uint64()) {
        id = value.get_uint64();
    } else if (value.is_int64() && value.get_int64() > 0) {
        id = static_cast<std::uint64_t>(value.get_int64());
    }
    return id >= 1 && id <= id_max ? std::optional{id} : std::nullopt;
}

std::unexpected<Error> broken(std::string_view why) {
    return fail(ErrorCode::protocol, std::string{why});
}

Result<Frame> answer_of(Frame frame, const json::value& ok) {
    if (frame.id == 0 || !ok.is_bool()) {
        return broken("an answer has an id, and ok that is true or false");
    }
    frame.kind = Frame::Kind::answer;
    frame.ok = ok.get_bool();
    json::object inner;
    if (auto* found = frame.fields.if_contains(frame.ok ? "result" : "error"); found != nullptr) {
        if (!found->is_object()) {
            return broken("the result or error of an answer is an object");
        }
        inner = std::move(found->get_object());
    }
    frame.fields = std::move(inner);
    return frame;
}

}  // namespace

Result<Frame> parse_frame(std::string_view line) {
    boost::system::error_code error;
    json::parse_options options;
    options.max_depth = 16;
    auto value = json::parse(line, error, {}, options);
    if (error || !value.is_object()) {
        return broken("a line is no JSON object");
    }
    Frame frame;
    frame.bytes = line.size();
    frame.fields = std::move(value.get_object());
    if (const auto* id = frame.fields.if_contains("id"); id != nullptr) {
        const auto number = id_of(*id);
        if (!number) {
            return broken("an id is a whole number from 1 to 2^53 - 1");
        }
        frame.id = *number;
    }
    const auto* op = frame.fields.if_contains("op");
    const auto* ok = frame.fields.if_contains("ok");
    if ((op == nullptr) == (ok == nullptr)) {
        return broken("a line has either op or ok");
    }
    if (ok != nullptr) {
        const auto copy = *ok;
        return answer_of(std::move(frame), copy);
    }
    if (!op->is_string() || op->get_string().empty() || op->get_string().size() > op_bytes_max) {
        return broken("op is a text of 1 to 64 bytes");
    }
    frame.op = std::string{op->get_string()};
    frame.kind = frame.id != 0 ? Frame::Kind::request : Frame::Kind::notice;
    return frame;
}

std::string request_line(std::uint64_t id, std::string_view op, json::object fields) {
    fields["id"] = id;
    fields["op"] = op;
    return json::serialize(fields) + '\n';
}

std::string answer_line(std::uint64_t id, const json::object& result) {
    json::object line{{"id", id}, {"ok", true}};
    if (!result.empty()) {
        line["result"] = result;
    }
    return json::serialize(line) + '\n';
}

std::string error_line(std::uint64_t id, std::string_view kind, std::string_view details,
                       Millis retry_after) {
    json::object error{{"kind", kind}};
    if (!details.empty()) {
        error["details"] = details;
    }
    if (kind == "busy") {
        error["retry_after_ms"] = retry_after.count();
    }
    return json::serialize(json::object{{"id", id}, {"ok", false}, {"error", error}}) + '\n';
}

}  // namespace merpati::connector::process
