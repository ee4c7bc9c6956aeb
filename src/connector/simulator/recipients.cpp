#include "connector/simulator/recipients.hpp"

namespace merpati::connector::simulator {
namespace {

model::Outcome refused(model::StatusCode code, const char* details) {
    return {.kind = model::Outcome::Kind::failed, .code = code, .details = details};
}

}  // namespace

std::string platform_id(const model::MessageId& id) {
    return "sim-" + id.text();
}

model::Outcome judge(const model::Message& message, std::uint32_t attempt) {
    const auto& to = message.recipient;
    if (to.ends_with("991001")) {
        return refused(model::StatusCode::recipient_unregistered, "Nomor tujuan tidak terdaftar");
    }
    if (to.ends_with("991002")) {
        return refused(model::StatusCode::recipient_invalid, "Nomor tujuan tidak valid");
    }
    if (to.ends_with("991003")) {
        return refused(model::StatusCode::media_refused, "Jenis file tidak didukung");
    }
    if (to.ends_with("995002")) {
        return refused(model::StatusCode::failed, "Platform menolak pesan");
    }
    if (to.ends_with("995001") || (to.ends_with("995000") && attempt <= 2)) {
        return unavailable();
    }
    return accepted(message);
}

model::Outcome accepted(const model::Message& message) {
    return {.kind = model::Outcome::Kind::sent,
            .code = model::StatusCode::sent,
            .details = "Pesan terkirim",
            .platform_id = platform_id(message.id)};
}

model::Outcome unavailable() {
    return {.kind = model::Outcome::Kind::retry,
            .code = model::StatusCode::failed,
            .details = "Platform sedang tidak tersedia"};
}

}  // namespace merpati::connector::simulator
