#include "campaign/audience/upload.hpp"

#include <algorithm>

#include "admission/checks.hpp"

namespace merpati::campaign {

std::optional<char> parse_delimiter(std::string_view text) {
    struct Row {
        std::string_view word;
        char delimiter;
    };
    static constexpr Row rows[] = {{",", ','},         {"comma", ','}, {";", ';'},
                                   {"semicolon", ';'}, {"|", '|'},     {"pipe", '|'},
                                   {"\t", '\t'},       {"\\t", '\t'},  {"tab", '\t'}};
    const auto* found = std::ranges::find(rows, text, &Row::word);
    return found == std::end(rows) ? std::nullopt : std::optional{found->delimiter};
}

Result<void> check_options(const UploadOptions& options) {
    if (!admission::is_country_code(options.country)) {
        return fail(ErrorCode::invalid_argument,
                    "`country` must be a country code of 1 to 3 digits, such as 62");
    }
    if (options.delimiter && !parse_delimiter({&*options.delimiter, 1})) {
        return fail(ErrorCode::invalid_argument,
                    "`delimiter` must be a comma, a semicolon, a pipe or a tab");
    }
    return {};
}

}  // namespace merpati::campaign
