#include "api/send/answers.hpp"

#include "base/json_text.hpp"

namespace merpati::api {
namespace {

/// `data.to` has the JSON type (string or integer) that the caller used.
void append_recipient(std::string& out, const model::Message& message) {
    if (message.recipient_quoted) {
        append_json_string(out, message.recipient);
    } else {
        out += message.recipient;
    }
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
    out += R"({"success":true,"message":"Pesan sedang diproses","data":{"status":"pending",)"
           R"("requestId":")";
    message.id.append_to(out);
    out += R"(","to":)";
    append_recipient(out, message);
    out += R"(,"code":200}})";
    return out;
}

std::string sent_answer(const model::Message& message) {
    return revision_b_answer("Pesan berhasil dikirim", "sent", message);
}

std::string still_pending_answer(const model::Message& message) {
    return revision_b_answer("Pesan sedang diproses", "pending", message);
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
