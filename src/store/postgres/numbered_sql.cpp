#include "store/postgres/numbered_sql.hpp"

#include "base/ascii.hpp"

namespace merpati::store::postgres {

std::string numbered_sql(std::string_view sql) {
    std::string result;
    result.reserve(sql.size() + 16);
    int last = 0;
    char quote = '\0';
    for (std::size_t place = 0; place < sql.size(); ++place) {
        const char letter = sql[place];
        if (quote != '\0') {
            quote = letter == quote ? '\0' : quote;  // A doubled quote ends and begins again.
        } else if (letter == '\'' || letter == '"') {
            quote = letter;
        }
        if (letter != '?' || quote != '\0') {
            result += letter;
            continue;
        }
        result += '$';
        if (place + 1 == sql.size() || !is_digit(sql[place + 1])) {
            result += std::to_string(++last);
        }
    }
    return result;
}

}  // namespace merpati::store::postgres
