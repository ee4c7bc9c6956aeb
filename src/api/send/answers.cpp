#include "api/send/answers.hpp"

#include "api/texts/successes.hpp"
#include "base/json_text.hpp"

namespace merpati::api {
namespace {

/// A recipient has the JSON type (string or integer) that the caller used.
void append_recipient(std::string& out, std::string_view recipient, bool is_quoted) {
    if (is_quoted) {
        append_json_string(out, recipient);
    } else {
        out += recipient;
    }
}
void append_recipient(std::string& out, const model::Message& message) {
    append_recipient(out, message.recipient, message.recipient_quoted);
}

std::string revision_b_answer(std::string_view text, std::string_view status,
                              const model::Message& message) {
    std::string out;
    out.reserve(128);
    out += R"({"success":true,"message":")";
    out += text;
    out += R"(","data":{"status":")";
    out += status;
    out += R"(","to":)";
    append_recipient(out, message);
    out += R"(,"code":200}})";
    return out;
}

}  // namespace

std::string accepted_answer(const model::Message& message) {
    std::string out;
    out.reserve(176);
    out += R"({"success":true,"message":")";
    out += successes::message_pending;
    out += R"(","data":{"status":"pending","requestId":")";
    message.id.append_to(out);
    out += R"(","to":)";
    append_recipient(out, message);
    out += R"(,"code":200}})";
    return out;
}

std::string sent_answer(const model::Message& message) {
    return revision_b_answer(successes::message_sent, "sent", message);
}

std::string still_pending_answer(const model::Message& message) {
    return revision_b_answer(successes::message_pending, "pending", message);
}

void append_bulk_result(std::string& out,
                        const admission::Checked<std::optional<model::MessageId>>& end,
                        std::string_view recipient, bool recipient_quoted) {
    out += '{';
    if (end && *end) {
        out += R"("requestId":")";
        (*end)->append_to(out);
        out += R"(",)";
    }
    out += R"("to":)";
    append_recipient(out, recipient, recipient_quoted);
    if (end) {
        out += R"(,"status":"pending","code":200})";
        return;
    }
    const auto& row = error_row(end.error());
    out += R"(,"message":")";
    out += row.text;
    out += R"(","status":")";
    out += row.a.status;
    out += R"(","code":)";
    out += std::to_string(row.a.code);
    out += '}';
}

http::Reply outcome_answer(const model::Message& message, const model::Completion& completion) {
    http::Reply reply;
    switch (completion.state) {
        case model::MessageState::sent:
            reply.body = sent_answer(message);
            return reply;
        case model::MessageState::pending:
        case model::MessageState::sending:
        case model::MessageState::held:
        case model::MessageState::handed_over:
            reply.body = still_pending_answer(message);
            return reply;
        case model::MessageState::failed:
        case model::MessageState::cancelled:
            break;
    }
    return failure(completion.code == model::StatusCode::media_refused
                       ? Refusal::file_type_unsupported
                       : Refusal::send_failed,
                   model::Revision::b);
}

}  // namespace merpati::api
