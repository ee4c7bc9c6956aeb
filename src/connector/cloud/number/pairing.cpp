// Numbers' pairing: registers a number with its PIN, or proves first whose it is by a code.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/number/numbers.hpp"
#include "connector/platform_errors.hpp"
#include "model/texts.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;
using model::DeviceState;
namespace reasons = model::reasons;

constexpr std::size_t digits_of_answer = 6;
constexpr std::chrono::minutes step_lasts{10};
constexpr std::string_view step_method = "otp";

bool is_six_digits(std::string_view text) {
    return text.size() == digits_of_answer && std::ranges::all_of(text, is_digit);
}

std::unexpected<Error> wrong_answer() {
    return fail(ErrorCode::conflict, PairingStep::wrong_answer);
}

}  // namespace

std::set<std::string, std::less<>> Numbers::pairing_methods() {
    return {std::string{step_method}, "pin", "sms", "voice"};
}

GraphAnswered Numbers::in_turn(const Number& number,
                               std::function<void(Number&, const GraphAnswer&)> then,
                               std::shared_ptr<Connector::Settled> settled) {
    return [this, which = number.device.number, turn = number.turn, then = std::move(then),
            settled = std::move(settled)](const GraphAnswer& answer) {
        auto* still = find(which);
        if (still != nullptr && still->turn == turn) {
            then(*still, answer);
        } else if (settled != nullptr) {
            (*settled)(wrong_answer());
        }
    };
}

void Numbers::pair(Number& number, const std::string& method) {
    if (!pairing_methods().contains(method)) {
        report(number, DeviceState::disconnected, reasons::not_connected);
        return;
    }
    report(number, DeviceState::pairing, reasons::pairing_begun);
    if (method == "pin" || method == step_method) {
        ask_for(number, PairingStage::pin, reasons::pin_wanted);
        return;
    }
    number.pairing = PairingStage::requesting;
    const json::object body{{"code_method", method == "sms" ? "SMS" : "VOICE"},
                            {"language", "id_ID"}};
    rooms_.graph.post(number.id(), number.id() + "/request_code", number.token, body,
                      in_turn(number, [this](Number& still, const GraphAnswer& answer) {
                          if (answer.is_fine()) {
                              ask_for(still, PairingStage::code, reasons::platform_code_wanted);
                              return;
                          }
                          const auto why = failure_of(answer, still.token, ErrorCode::conflict);
                          still.pairing.reset();
                          report(still, DeviceState::disconnected,
                                 fmt::format("{}: {}", reasons::not_connected, why.error().detail));
                      }));
}

void Numbers::ask_for(Number& number, PairingStage stage, std::string_view hint) {
    number.pairing = stage;
    events_->pairing(number.ref(), {.method = std::string{step_method},
                                    .payload = std::string{hint},
                                    .expires_at = rooms_.clock.now() + step_lasts});
}

void Numbers::answer(model::PhoneNumber which, std::string answer, Connector::Settled settled) {
    auto* number = find(which);
    if (number == nullptr || !is_six_digits(answer)) {
        settled(wrong_answer());
    } else if (number->pairing == PairingStage::code) {
        verify(*number, answer, std::move(settled));
    } else if (number->pairing == PairingStage::pin) {
        enter(*number, answer, std::move(settled));
    } else {
        settled(wrong_answer());
    }
}

/// Verifies the code. The number is then connected if it is registered already.
void Numbers::verify(Number& number, const std::string& code, Connector::Settled settled) {
    number.pairing = PairingStage::answering;
    const auto then = std::make_shared<Connector::Settled>(std::move(settled));
    rooms_.graph.post(
        number.id(), number.id() + "/verify_code", number.token, {{"code", code}},
        in_turn(
            number,
            [this, then](Number& still, const GraphAnswer& answer) {
                if (!answer.is_fine()) {
                    still.pairing = PairingStage::code;
                    (*then)(failure_of(answer, still.token, ErrorCode::conflict));
                    return;
                }
                (*then)({});
                rooms_.graph.get(
                    still.id(), still.id() + "?fields=status", still.token,
                    in_turn(still, [this](Number& checked, const GraphAnswer& said) {
                        constexpr std::size_t status_bytes_max = 32;
                        if (said.is_fine() &&
                            find_text(said.body, "status", status_bytes_max) == "CONNECTED") {
                            connect(checked);
                        } else {
                            ask_for(checked, PairingStage::pin, reasons::pin_wanted);
                        }
                    }));
            },
            then));
}

void Numbers::enter(Number& number, const std::string& pin, Connector::Settled settled) {
    number.pairing = PairingStage::answering;
    const auto then = std::make_shared<Connector::Settled>(std::move(settled));
    rooms_.graph.post(number.id(), number.id() + "/register", number.token,
                      {{"messaging_product", "whatsapp"}, {"pin", pin}},
                      in_turn(
                          number,
                          [this, then](Number& still, const GraphAnswer& answer) {
                              if (!answer.is_fine()) {
                                  still.pairing = PairingStage::pin;
                                  (*then)(failure_of(answer, still.token, ErrorCode::conflict));
                                  return;
                              }
                              connect(still);
                              (*then)({});
                          },
                          then));
}

std::unexpected<Error> failure_of(const GraphAnswer& answer, std::string_view token,
                                  ErrorCode refusal) {
    if (answer.reach != GraphAnswer::Reach::answered) {
        return fail(ErrorCode::unreachable, std::string{platform_errors::unreachable});
    }
    if (!answer.error) {
        return fail(ErrorCode::unreachable, "the platform's answer is not valid");
    }
    const auto words = words_of(*answer.error, token);
    switch (judge(*answer.error, {}).meaning) {
        case Meaning::passing:
        case Meaning::holds_number:
        case Meaning::holds_pair:
            return fail(ErrorCode::unreachable,
                        "the platform cannot answer now, try again: " + words);
        case Meaning::fails:
        case Meaning::window_closed:
        case Meaning::ends_number:
        case Meaning::restricts_number:
            break;
    }
    return fail(refusal, "the platform refuses it: " + words);
}

}  // namespace merpati::connector::cloud
