#include "cli/file_upload.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "cli/body_file.hpp"
#include "cli/progress_line.hpp"

namespace merpati::cli {
namespace {

/// Reads a file for an upload, and shows how far it is.
class ShownReading {
public:
    ShownReading(Session& session, BodyFile file)
        : session_(session), file_(std::move(file)), line_(session.console()) {}

    Result<std::string> next() {
        auto piece = file_.next();
        if (!piece || session_.json()) {
            return piece;
        }
        if (piece->empty()) {
            line_.draw_now(file_.size() ? std::optional{1.0} : std::nullopt,
                           bytes_text(file_.given()) + " are sent; the server finishes them");
        } else {
            show();
        }
        return piece;
    }

    void end() { line_.end(); }

private:
    void show() {
        const auto given = bytes_text(file_.given());
        const auto size = file_.size();
        if (!size || *size == 0) {
            line_.draw(std::nullopt, given, session_.clock().steady_now());
            return;
        }
        line_.draw(static_cast<double>(file_.given()) / static_cast<double>(*size),
                   fmt::format("{} of {}", given, bytes_text(*size)),
                   session_.clock().steady_now());
    }

    Session& session_;
    BodyFile file_;
    ProgressLine line_;
};

}  // namespace

Result<boost::json::value> upload_file(Session& session, const std::string& target,
                                       const std::string& path) {
    auto file = BodyFile::open(path);
    if (!file) {
        return pass(file);
    }
    ShownReading reading{session, *std::move(file)};
    auto answer = session.upload(target, type_of_list(path), [&] { return reading.next(); });
    reading.end();
    return answer;
}

std::string_view type_of_list(std::string_view path) {
    const auto name = lower_case(path);
    return name.ends_with(".json")  ? "application/json"
           : name.ends_with(".csv") ? "text/csv"
                                    : "application/octet-stream";
}

}  // namespace merpati::cli
