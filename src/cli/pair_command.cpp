// merpati device pair
#include <chrono>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <thread>

#include <CLI/App.hpp>
#include <boost/json/object.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/pairing_view.hpp"

namespace merpati::cli {
namespace {

constexpr std::chrono::milliseconds look_every{250};

struct Wish {
    std::string number;
    std::string method;
    bool code = false;
};

std::string text_of(const boost::json::object& pairing, std::string_view field) {
    const auto* found = pairing.if_contains(field);
    return found != nullptr && found->is_string() ? std::string{found->get_string()}
                                                  : std::string{};
}

/// Follows a pairing to its end, step by step. Whoever leaves it can come back.
class Follower {
public:
    Follower(Session& session, const Wish& wish)
        : session_(session),
          view_(session.console(), wish.number),
          path_("/devices/" + percent_encode(wish.number)) {}

    int run(const boost::json::object& beginning) {
        auto answer = session_.ask(http::Method::post, path_ + "/pair", beginning);
        for (;;) {
            if (!answer) {
                return session_.fail(answer.error());
            }
            const auto& pairing = answer->get_object();
            const auto state = text_of(pairing, "state");
            if (state != "pairing" && state != "reconnecting") {
                return end(pairing, state);
            }
            if (auto answered = show(pairing); !answered) {
                return session_.fail(answered.error());
            }
            std::this_thread::sleep_for(look_every);
            answer = session_.ask(http::Method::get, path_ + "/pairing");
        }
    }

private:
    int end(const boost::json::object& pairing, const std::string& state) {
        view_.end();
        if (session_.json()) {
            (void)session_.print(pairing);
        } else if (state == "connected") {
            session_.console().out << "The device is connected.\n";
        }
        if (state == "connected") {
            return exit_done;
        }
        const auto reason = text_of(pairing, "reason");
        return session_.fail({.code = ErrorCode::refused,
                              .detail = reason.empty() ? "the device is " + state : reason,
                              .origin = std::source_location::current()});
    }

    /// A step, once; an answer to it where it asks for one.
    Result<void> show(const boost::json::object& pairing) {
        const ShownStep step{
            .method = text_of(pairing, "method"),
            .payload = text_of(pairing, "payload"),
            .expires_at = parse_rfc3339(text_of(pairing, "expires_at")).value_or(Timestamp{})};
        if (step.method.empty() || step.expires_at == shown_) {
            view_.tick(session_.clock().now());
            return {};
        }
        shown_ = step.expires_at;
        if (session_.json()) {
            (void)session_.print(pairing);
            session_.console().out.flush();
        } else {
            view_.show(step, session_.clock().now());
        }
        std::string line;
        auto* in = session_.console().in;
        if (!step.asks() || in == nullptr || !std::getline(*in, line) || line.empty()) {
            return {};
        }
        const auto taken =
            session_.ask(http::Method::post, path_ + "/pairing/answer", {{"answer", line}});
        return taken ? Result<void>{} : pass(taken);
    }

    Session& session_;
    PairingView view_;
    const std::string path_;
    Timestamp shown_{};  // When the last step that was shown expires: no two expire at once.
};

}  // namespace

void add_device_pair(Program& program, CLI::App& group) {
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "pair",
         .summary = "Pair a device, and show what is to be done for it",
         .details = "Shows each step until the device is connected: a QR code is drawn in the\n"
                    "terminal, and drawn anew before it expires. It can be left and taken up\n"
                    "again. What a step asks for is read from standard input. With --json each\n"
                    "step is a line.",
         .example = "merpati device pair 6281234567890\n"
                    "merpati device pair 6281234567890 --code"},
        [wish](Session& session) {
            boost::json::object beginning;
            if (wish->code || !wish->method.empty()) {
                beginning["method"] = wish->code ? std::string{"code"} : wish->method;
            }
            return Follower{session, *wish}.run(beginning);
        });
    command.add_option("NUMBER", wish->number, "The device")
        ->option_text(" ")
        ->required()
        ->check(phone_number());
    auto* method =
        command.add_option("--method", wish->method, "How; default: as its connector prefers")
            ->option_text("qr|code|otp|passkey")
            ->check(one_of({"qr", "code", "otp", "passkey"}));
    command.add_flag("--code", wish->code, "The same as --method code")->excludes(method);
}

}  // namespace merpati::cli
