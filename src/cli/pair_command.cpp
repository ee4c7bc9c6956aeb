// merpati device pair
#include <algorithm>
#include <chrono>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

#include <CLI/App.hpp>
#include <boost/json/object.hpp>

#include "base/ascii.hpp"
#include "cli/commands.hpp"
#include "cli/device_number.hpp"
#include "cli/pairing_view.hpp"
#include "cli/request_command.hpp"
#include "connector/process/program/child.hpp"
#include "daemon/worker_programs.hpp"

namespace merpati::cli {
namespace {

constexpr std::chrono::milliseconds look_every{250};

bool is_online(std::string_view state) {
    return state == "connected" || state == "restricted";
}

struct Wish {
    std::string number;
    std::string method;
    std::string queue;  // Empty: the person is asked, where there is one.
    std::string code;   // "": not given; "true": of the connector's own kind; "sms", "voice".
    std::string pin;    // Empty: not given.
};

/// Empty: the connector's preferred one.
std::string method_of(const Wish& wish) {
    if (!wish.pin.empty()) {
        return "pin";
    }
    return wish.code == "true" ? "code" : wish.code.empty() ? wish.method : wish.code;
}

/// Of a flag whose value may be left out.
ArgumentCheck code_choice() {
    return [check = one_of({"sms", "voice"})](const std::string& text) {
        return text == "true" ? std::string{} : check(text);
    };
}

const Parameter queue_option{.name = "--queue",
                             .help = "What to do with messages that wait; default: hold",
                             .words = {"hold", "send", "discard"}};

ArgumentCheck pin() {
    return [](const std::string& text) {
        constexpr std::size_t digits = 6;
        return text.size() == digits && std::ranges::all_of(text, is_digit)
                   ? std::string{}
                   : std::string{"must be 6 digits"};
    };
}

/// Begins a pairing, or joins one that is in progress, and shows its steps until it ends. The
/// pairing goes on in the server if this command is interrupted.
class Follower {
public:
    Follower(Session& session, const Wish& wish)
        : session_(session),
          view_(session.console(), wish.number),
          number_(wish.number),
          pin_(wish.pin),
          path_(device_path(wish.number)) {}

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
        } else if (is_online(state)) {
            session_.console().out << "The device is connected.\n";
        }
        if (is_online(state)) {
            tell_of_pause();
            return exit_done;
        }
        const auto reason = text_of(pairing, "reason");
        return session_.fail(
            ErrorCode::refused,
            (reason.empty() ? "the device is " + state : reason) + why_no_worker());
    }

    /// Why the worker of linked devices cannot run here. Empty: it can, or the device has another
    /// connector.
    std::string why_no_worker() {
        const auto device = session_.ask(http::Method::get, path_);
        if (!device || text_of(device->get_object(), "connector") != "linked") {
            return {};
        }
        const auto settings = session_.settings();
        if (!settings) {
            return {};
        }
        const auto command = daemon::linked_command((*settings)->settings.linked);
        if (!command) {
            return ": " + command.error().detail;
        }
        const auto program =
            connector::process::find_program(command->at(0), daemon::search_path());
        return program ? std::string{} : ": " + program.error().detail;
    }

    /// Without this hint a person who was not asked would wonder why no message leaves.
    void tell_of_pause() {
        if (session_.json()) {
            return;
        }
        const auto device = session_.ask(http::Method::get, path_);
        if (device && !text_of(device->get_object(), "paused_since").empty()) {
            session_.console().out
                << "It is paused, so that nothing leaves unasked: `merpati device "
                   "resume "
                << number_ << "` sends what waits, `merpati device queue clear " << number_
                << "` cancels it.\n";
        }
    }

    /// Shows a new step once, and sends the person's answer if the step asks for one.
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
        auto line = std::exchange(pin_, {});
        const bool is_given = !line.empty();
        if (!step.asks() || (!is_given && !read_line(line))) {
            return {};
        }
        const auto taken =
            session_.ask(http::Method::post, path_ + "/pairing/answer", {{"answer", line}});
        if (!taken && taken.error().code == ErrorCode::conflict && !is_given) {
            (void)session_.fail(taken.error());
            shown_ = {};  // The answer was wrong: the step is shown again, and asks again.
            return {};
        }
        return taken ? Result<void>{} : pass(taken);
    }

    /// What a person answers; false: nothing.
    bool read_line(std::string& line) {
        auto* in = session_.console().in;
        return in != nullptr && std::getline(*in, line) && !line.empty();
    }

    Session& session_;
    PairingView view_;
    const std::string number_;
    std::string pin_;  // The answer to the first step that asks; empty: the person answers.
    const std::string path_;
    Timestamp shown_{};  // Expiry of the last step shown. It identifies the step: no two are equal.
};

/// Asks a person at a terminal what to do with messages that wait for a device that is paired
/// again. Empty: there is no person, or no need to ask; the server then holds the messages.
Result<std::string> choose(Session& session, const Wish& wish) {
    auto& console = session.console();
    if (!wish.queue.empty() || console.columns == 0 || console.in == nullptr || session.json()) {
        return wish.queue;
    }
    const auto path = device_path(wish.number);
    const auto device = session.ask(http::Method::get, path);
    if (!device) {
        return pass(device);
    }
    const auto state = text_of(device->get_object(), "state");
    if (is_online(state) || state == "reconnecting" || state == "pairing") {
        return std::string{};  // It is linked, or the question was asked when this pairing began.
    }
    const auto queue = session.ask(http::Method::get, path + "/queue");
    if (!queue) {
        return pass(queue);
    }
    const auto waiting = queue->at("waiting").to_number<std::uint64_t>();
    if (waiting == 0) {
        return std::string{};
    }
    console.out << waiting << " messages wait for " << wish.number << ", the oldest since "
                << text_of(queue->get_object(), "oldest_accepted_at")
                << ".\nOnce it is paired: hold them, send them or discard them? [hold] "
                << std::flush;
    std::string answer;
    std::getline(*console.in, answer);
    if (const auto mistake = one_of(queue_option.words)(answer);
        !answer.empty() && !mistake.empty()) {
        return fail(ErrorCode::invalid_argument, "the answer " + mistake);
    }
    return answer;
}

}  // namespace

void add_device_pair(Program& program, CLI::App& group) {
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "pair",
         .summary = "Pair a device, and show each step",
         .details =
             "Shows each step until the device is connected: a QR code is drawn in the\n"
             "terminal, and drawn anew before it expires. It can be left and taken up\n"
             "again. What a step asks for is read from standard input. With --json each\n"
             "step is a line.\n\n"
             "Where messages wait for a device that is paired anew, --queue says what becomes\n"
             "of them; without it a terminal asks. hold: the device is paused once it is\n"
             "connected, until `merpati device resume`. discard: they are cancelled at once.\n\n"
             "A number on the connector cloud is registered with --pin, its PIN for two-step\n"
             "verification. --code sms or --code voice lets the platform send a code first,\n"
             "which proves that the number is yours.",
         .example = "merpati device pair 6281234567890\n"
                    "merpati device pair 6281234567890 --code\n"
                    "merpati device pair 6281234567890 --pin 123456"},
        [wish](Session& session) {
            const auto queue = choose(session, *wish);
            if (!queue) {
                return session.fail(queue.error());
            }
            boost::json::object beginning;
            if (!queue->empty()) {
                beginning["queue"] = *queue;
            }
            if (const auto method = method_of(*wish); !method.empty()) {
                beginning["method"] = method;
            }
            return Follower{session, *wish}.run(beginning);
        });
    add_parameter(command, device_number, wish->number);
    add_parameter(command,
                  {.name = "--method",
                   .help = "Default: the connector's preferred method",
                   .words = {"qr", "code", "otp", "passkey"}},
                  wish->method);
    command
        .add_flag("--code", wish->code,
                  "The same as --method code; connector cloud: --code sms|voice")
        ->check(code_choice())
        ->excludes(command.get_option("--method"));
    program.let_follow("--code", {"sms", "voice"});
    add_parameter(command,
                  {.name = "--pin",
                   .help = "Connector cloud: the number's PIN",
                   .shape = "PIN",
                   .check = pin(),
                   .excludes = {"--method", "--code"}},
                  wish->pin);
    add_parameter(command, queue_option, wish->queue);
}

}  // namespace merpati::cli
