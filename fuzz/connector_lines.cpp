// connector/process: however the bytes of a worker are cut, the same lines are read, or the same
// one is too long; what a line says keeps to the protocol's limits; and what we write is read as it
// was meant. The first byte of the input chooses the longest line, the second the pieces.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "connector/process/capabilities.hpp"
#include "connector/process/frame.hpp"
#include "connector/process/line_buffer.hpp"
#include "connector/process/reports.hpp"
#include "connector/process/send_answer.hpp"
#include "pieces.hpp"

namespace merpati::fuzz {
namespace {

using namespace connector::process;
using connector::InboundMessage;
using connector::PairingStep;

constexpr Timestamp now{std::chrono::seconds{1'800'000'000}};
constexpr std::size_t words_max = 512 + 3 + 64;  // With the platform's code behind.

struct Read {
    std::vector<std::string> lines;
    bool too_long = false;
    std::string rest;  // Without an end; empty after a line that was too long.

    friend bool operator==(const Read&, const Read&) = default;
};

/// As Channel does.
Read read_all(std::string_view bytes, std::size_t line_max, Pieces pieces) {
    LineBuffer buffer{line_max};
    Read read;
    while (!bytes.empty()) {
        const auto size = std::min(pieces.next(), bytes.size());
        buffer.add(bytes.substr(0, size));
        bytes.remove_prefix(size);
        while (const auto line = buffer.take()) {
            check(!line->contains('\n'), "a line has no end within");
            if (line->size() >= line_max) {
                read.too_long = true;
                return read;
            }
            read.lines.emplace_back(*line);
        }
        if (buffer.is_too_long()) {
            read.too_long = true;
            return read;
        }
    }
    read.rest = buffer.take_rest();
    check(read.rest.size() < line_max, "what is held is shorter than a line may be");
    return read;
}

void check_capabilities(const connector::Capabilities& read) {
    check(read.window >= 1 && read.window <= 64, "a window has its limits");
    check(read.text_characters_max >= 1, "some text can be sent");
    check(read.pairing.size() <= 4, "ways of pairing that are not known are left out");
}

void check_reports(const boost::json::object& fields) {
    if (const auto report = read_state(fields)) {
        check(report->state == model::DeviceState::connected || !report->reason.empty(),
              "a state has a reason");
        check(report->reason.size() <= words_max, "a reason keeps to its limit");
    }
    if (const auto report = read_pairing(fields, now)) {
        check(report->step.payload.size() <= PairingStep::payload_bytes_max,
              "a payload keeps to its limit");
        check(report->step.expires_at > now, "a step expires later");
    }
    if (const auto late = read_status(fields, now)) {
        check(connector::is_platform_id(late->platform_id), "a status has a platform's id");
        check(late->status.details.size() <= words_max, "details keep to their limit");
    }
    if (const auto message = read_inbound(fields, now)) {
        check(connector::is_platform_id(message->platform_id), "a message has a platform's id");
        check(!message->sender.empty() && message->sender.size() <= 64, "a sender has its limit");
        check(message->text.size() <= InboundMessage::text_bytes_max, "a text has its limit");
    }
    if (const auto read = read_secrets_read(fields)) {
        check(!read->names.empty() && read->names.size() <= 256, "some names are asked for");
    }
    if (const auto write = read_secrets_write(fields)) {
        check(write->values.size() <= 256, "values have their limit");
    }
    if (const auto hello = read_hello(fields)) {
        check_capabilities(hello->capabilities);
    }
    if (const auto read = read_capabilities(fields)) {
        check_capabilities(*read);
    }
}

void check_outcome(const Frame& answer) {
    using Kind = model::Outcome::Kind;
    const auto outcome = outcome_of(answer);
    check(answer.ok || (outcome.kind != Kind::sent && outcome.kind != Kind::accepted),
          "a refused send was not sent");
    check(outcome.kind != Kind::accepted || connector::is_platform_id(outcome.platform_id),
          "what is decided later has a platform's id");
    check(!outcome.details.empty() && outcome.details.size() <= words_max,
          "details keep to their limit");
    check(!outcome.retry_after || outcome.retry_after->count() >= 0, "no wait is negative");
    check(failure_of(answer.fields).progress == model::Progress::failed, "a failure is one");
}

void check_written(const Frame& frame) {
    using enum Frame::Kind;
    const auto line = frame.kind == request
                          ? request_line(frame.id, frame.op, boost::json::object{frame.fields})
                      : frame.ok ? answer_line(frame.id, frame.fields)
                                 : error_line(frame.id, "invalid", frame.op);
    check(line.ends_with('\n') && line.find('\n') == line.size() - 1, "a line has one end");
    const auto read = parse_frame(std::string_view{line}.substr(0, line.size() - 1));
    check(read.has_value(), "a line that we write can be read");
    check(read->kind == frame.kind && read->id == frame.id && read->op == frame.op &&
              read->ok == frame.ok,
          "it is read as what it is");
    check((frame.kind == answer && !frame.ok) || read->fields == frame.fields,
          "its fields are read as they were");
}

void check_line(const std::string& line) {
    const auto frame = parse_frame(line);
    if (!frame) {
        return;
    }
    check(frame->bytes == line.size(), "a frame knows its length");
    check((frame->kind == Frame::Kind::notice) == (frame->id == 0), "a notice alone has no id");
    check((frame->kind == Frame::Kind::answer) == frame->op.empty(), "an answer alone has no op");
    if (frame->kind == Frame::Kind::answer) {
        check_outcome(*frame);
    } else {
        check_reports(frame->fields);
    }
    if (frame->kind != Frame::Kind::notice) {
        check_written(*frame);
    }
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    if (size < 3) {
        return 0;
    }
    const std::size_t line_max = (data[0] & 1U) != 0 ? 24 : line_bytes_max;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
    const auto whole = read_all(bytes, line_max, Pieces::whole());
    check(whole == read_all(bytes, line_max, Pieces::bytes()), "bytes are read as the whole is");
    check(whole == read_all(bytes, line_max, Pieces::random(data[1])),
          "random pieces are read as the whole is");
    for (const auto& line : whole.lines) {
        check_line(line);
    }
    check_line(whole.rest);
    return 0;
}
