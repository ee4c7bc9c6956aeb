// The options of `merpati campaign create` and `edit`: what a campaign sends, to whom, and when.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/error.hpp"

namespace CLI {
class App;
}

namespace merpati::cli {

/// Operation: add the options to the command; once it is parsed, `body` has the fields of the
/// campaign that were given.
///
/// Limits: a file of a text has at most 16,384 bytes, as the text.
class PlanOptions {
public:
    enum class Use : std::uint8_t { create, edit };

    void add_to(CLI::App& command, Use use);

    /// Errors: invalid_argument (options that do not fit together), those of read_text_file.
    [[nodiscard]] Result<boost::json::object> body() const;

private:
    std::map<std::string_view, std::vector<std::string>> given_;  // By the option's name.
};

/// "FILE", or "FILE=WEIGHT" with a weight from 1 to 1,000.
struct VariantFile {
    std::string path;
    int weight = 1;
};
[[nodiscard]] VariantFile parse_variant_file(const std::string& text);

}  // namespace merpati::cli
