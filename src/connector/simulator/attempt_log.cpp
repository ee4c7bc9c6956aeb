#include "connector/simulator/attempt_log.hpp"

#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include <fmt/format.h>

#include "base/json_text.hpp"
#include "connector/simulator/recipients.hpp"

namespace merpati::connector::simulator {
namespace {

std::string_view result_word(model::Outcome::Kind kind) {
    switch (kind) {
        case model::Outcome::Kind::sent:
            return "sent";
        case model::Outcome::Kind::failed:
            return "failed";
        case model::Outcome::Kind::retry:
        case model::Outcome::Kind::device_down:
        case model::Outcome::Kind::unknown:
            return "retry";
    }
    return "retry";
}

/// The message a line says was sent. Quotes inside the body are escaped, so these keys stand for
/// themselves.
std::optional<Uuid> sent_message(std::string_view line) {
    static constexpr std::string_view key = R"("messageid":"sim-)";
    const auto found = line.rfind(key);
    if (found == std::string_view::npos ||
        line.rfind(R"("result":"sent")") == std::string_view::npos) {
        return std::nullopt;
    }
    return Uuid::parse(line.substr(found + key.size(), 36));
}

Error trouble(const char* what, const std::string& file) {
    return {ErrorCode::io_failed, fmt::format("{} {}: {}", what, file, std::strerror(errno)),
            std::source_location::current()};
}

}  // namespace

AttemptLog::~AttemptLog() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

Result<std::unordered_set<Uuid>> AttemptLog::open(const std::filesystem::path& file) {
    std::unordered_set<Uuid> sent;
    off_t whole = 0;  // Up to the end of the last complete line.
    {
        std::ifstream in{file};
        std::string line;
        while (std::getline(in, line) && !in.eof()) {
            whole += static_cast<off_t>(line.size()) + 1;
            if (const auto id = sent_message(line)) {
                sent.insert(*id);
            }
        }
    }
    file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file_ < 0 || ::ftruncate(file_, whole) != 0) {
        return std::unexpected(trouble("cannot write the simulator's log", file.string()));
    }
    return sent;
}

void AttemptLog::add(Timestamp time, const model::Message& message, std::uint32_t attempt,
                     const model::Outcome& outcome) {
    fmt::format_to(std::back_inserter(group_), R"({{"time":"{}","from":"{}","to":)",
                   to_rfc3339(time), message.device.value());
    append_json_string(group_, message.recipient);
    fmt::format_to(std::back_inserter(group_), R"(,"type":"{}","body":)",
                   model::to_string(message.type));
    append_json_string(group_, message.body);
    fmt::format_to(std::back_inserter(group_),
                   R"(,"media":null,"typing":{},"messageid":"{}","attempt":{},"result":"{}",)"
                   "\"code\":{}}}\n",
                   message.typing, platform_id(message.id), attempt, result_word(outcome.kind),
                   static_cast<int>(outcome.code));
}

Result<void> AttemptLog::write() {
    std::string_view rest = group_;
    while (!rest.empty()) {
        const auto written = ::write(file_, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) {
            group_.clear();
            return std::unexpected(trouble("cannot append to", "the simulator's log"));
        }
        rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    group_.clear();
    return {};
}

}  // namespace merpati::connector::simulator
