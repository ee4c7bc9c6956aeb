#include "connector/simulator/attempt_log.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/json_text.hpp"
#include "connector/simulator/recipients.hpp"

namespace merpati::connector::simulator {
namespace {

std::string_view result_word(model::Outcome::Kind kind) {
    switch (kind) {
        case model::Outcome::Kind::sent:
        case model::Outcome::Kind::accepted:
            return "sent";
        case model::Outcome::Kind::failed:
            return "failed";
        case model::Outcome::Kind::retry:
        case model::Outcome::Kind::restricted:
        case model::Outcome::Kind::device_down:
        case model::Outcome::Kind::unknown:
            return "retry";
    }
    return "retry";
}

/// The message that a line says was sent; empty: none. Quotes inside texts are escaped, so the keys
/// are found only as keys.
std::optional<Uuid> sent_message(std::string_view line) {
    static constexpr std::string_view key = R"("messageid":"sim-)";
    const auto found = line.rfind(key);
    if (found == std::string_view::npos ||
        line.rfind(R"("result":"sent")") == std::string_view::npos) {
        return std::nullopt;
    }
    return Uuid::parse(line.substr(found + key.size(), 36));
}

/// The text after a key, up to the next quote.
std::string_view value_of(std::string_view line, std::string_view key) {
    const auto found = line.find(key);
    const auto rest =
        found == std::string_view::npos ? std::string_view{} : line.substr(found + key.size());
    return rest.substr(0, rest.find('"'));
}

std::unexpected<Error> trouble(const char* what, const std::filesystem::path& file) {
    return fail(ErrorCode::io_failed, fmt::format("{} {}: {}", what, file.string(),
                                                  std::generic_category().message(errno)));
}

void append_media(std::string& line, const SendRequest& request) {
    if (request.file == nullptr) {
        line += R"(,"media":null)";
        return;
    }
    const auto& file = *request.file;
    line += R"(,"media":{"url":)";
    append_json_string(line, request.message.media_url);
    fmt::format_to(std::back_inserter(line), R"(,"mime":"{}","bytes":{},"sha256":"{}"}})",
                   file.media_type, file.bytes, file.sha256);
}

}  // namespace

Result<void> AttemptLog::open(const std::filesystem::path& file) {
    path_ = file;
    file_ = FileDescriptor{::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    if (!file_) {
        // A pipe or a terminal may be writable only.
        file_ = FileDescriptor{::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
    }
    struct stat about{};
    if (!file_ || ::fstat(file_.get(), &about) != 0) {
        return trouble("cannot open the simulator's log", path_);
    }
    regular_ = S_ISREG(about.st_mode);
    size_ = about.st_size;
    return regular_ ? cut_torn_line() : Result<void>{};
}

Result<void> AttemptLog::cut_torn_line() {
    std::array<char, 4096> piece;
    off_t whole = size_;
    while (whole > 0) {
        const auto from = std::max<off_t>(0, whole - static_cast<off_t>(piece.size()));
        const auto read =
            ::pread(file_.get(), piece.data(), static_cast<std::size_t>(whole - from), from);
        if (read != whole - from) {
            return trouble("cannot read the simulator's log", path_);
        }
        const std::string_view text{piece.data(), static_cast<std::size_t>(read)};
        if (const auto end = text.rfind('\n'); end != std::string_view::npos) {
            whole = from + static_cast<off_t>(end) + 1;
            break;
        }
        whole = from;
    }
    if (whole != size_ && ::ftruncate(file_.get(), whole) != 0) {
        return trouble("cannot cut the torn line off the simulator's log", path_);
    }
    size_ = whole;
    return {};
}

Result<AttemptLog::Sent> AttemptLog::read_sent() const {
    Sent sent;
    if (!regular_) {
        return sent;
    }
    std::ifstream in{path_};
    std::string line;
    while (std::getline(in, line)) {
        if (const auto id = sent_message(line)) {
            sent.all.insert(*id);
            const auto from = model::PhoneNumber::parse(value_of(line, R"("from":")"));
            if (from && is_reported_at_reconnect(value_of(line, R"("to":")"))) {
                sent.reported_at_reconnect.emplace_back(*from, *id);
            }
        }
    }
    if (!in.eof()) {
        return trouble("cannot read the simulator's log", path_);
    }
    return sent;
}

void AttemptLog::add(Timestamp time, const SendRequest& request, const model::Outcome& outcome) {
    const auto& message = request.message;
    fmt::format_to(std::back_inserter(group_), R"({{"time":"{}","from":"{}","to":)",
                   to_rfc3339(time), message.device.value());
    append_json_string(group_, message.recipient);
    fmt::format_to(std::back_inserter(group_), R"(,"type":"{}","body":)",
                   model::to_string(message.type));
    append_json_string(group_, message.body);
    append_media(group_, request);
    fmt::format_to(std::back_inserter(group_),
                   R"(,"typing":{},"messageid":"{}","attempt":{},"result":"{}","code":{}}})"
                   "\n",
                   message.typing, platform_id(message.id), request.attempt,
                   result_word(outcome.kind), static_cast<int>(outcome.code));
}

Result<void> AttemptLog::write() {
    std::string_view rest = group_;
    while (!rest.empty()) {
        const auto written = ::write(file_.get(), rest.data(), rest.size());
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            group_.clear();
            auto error = trouble("cannot append to the simulator's log", path_);
            if (regular_ && ::ftruncate(file_.get(), size_) != 0) {
                error.error().detail += "; nor cut off what was appended in part";
            }
            return error;
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    size_ += static_cast<off_t>(group_.size());
    group_.clear();
    return {};
}

}  // namespace merpati::connector::simulator
