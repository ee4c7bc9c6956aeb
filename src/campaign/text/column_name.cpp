#include "campaign/text/column_name.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace merpati::campaign {

std::string column_key(std::string_view name) {
    return lower_case(trim_blanks(name));
}

std::optional<std::size_t> find_column(std::span<const std::string> columns,
                                       std::string_view name) {
    const auto wanted = trim_blanks(name);
    const auto found = std::ranges::find_if(columns, [wanted](std::string_view column) {
        return equals_ignoring_case(trim_blanks(column), wanted);
    });
    return found == columns.end()
               ? std::nullopt
               : std::optional{static_cast<std::size_t>(found - columns.begin())};
}

}  // namespace merpati::campaign
