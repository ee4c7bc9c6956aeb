#include "cli/contacts/people_file.hpp"

namespace merpati::cli {

std::vector<Parameter> people_file(bool is_optional) {
    return {{.name = "FILE",
             .help = "A list as CSV, or as JSON; -: standard input",
             .optional = is_optional,
             .is_body = true},
            {.name = "--number-column",
             .help = "The column with the numbers, by name or position (detected)",
             .shape = "NAME|N",
             .field = "number_column"},
            {.name = "--country",
             .help = "The country of numbers that begin with 0 (the account's)",
             .shape = "62",
             .field = "country"},
            {.name = "--delimiter",
             .help = "Between cells: , ; | or tab (detected)",
             .shape = "CHARACTER",
             .field = "delimiter"},
            {.name = "--header",
             .help = "The first row has names (detected)",
             .field = "header",
             .value_of = as_true,
             .is_flag = true},
            {.name = "--no-header",
             .help = "The first row is a person",
             .field = "header",
             .value_of = as_false,
             .is_flag = true,
             .excludes = {"--header"}}};
}

}  // namespace merpati::cli
