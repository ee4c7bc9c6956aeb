// config: files, flags and variables. Every value must read the same after it was printed.
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "check.hpp"
#include "config/address.hpp"
#include "config/duration.hpp"
#include "config/file.hpp"
#include "config/kind.hpp"
#include "config/load.hpp"
#include "config/table.hpp"
#include "model/account.hpp"

namespace merpati::fuzz {
namespace {

using config::Row;

void check_values(std::string_view text) {
    for (const auto bare : {std::chrono::milliseconds{1}, std::chrono::milliseconds{1000}}) {
        const auto duration = config::parse_duration(text, bare);
        check(!duration || duration->count() >= 0, "no duration is negative");
    }
    (void)config::parse_size(text);
    (void)config::parse_count(text);
    (void)config::is_listen_address(text);
    (void)config::is_store_url(text);
    (void)config::mask_password(text);
    const auto rate = model::RateChoice::parse(text);
    check(!rate || model::RateChoice::parse(rate->text()) == rate, "a rate reads as it is printed");
}

void check_row(const Row& row, std::string_view value) {
    config::Settings settings;
    if (!row.assign(settings, value)) {
        return;
    }
    const auto printed = row.print(settings);
    if (printed.empty()) {
        return;
    }
    config::Settings again;
    check(row.assign(again, printed) && row.print(again) == printed,
          "a setting reads as it is printed");
    (void)row.show(printed);
    const auto line = std::string{row.key} + " = " + row.in_toml(printed) + '\n';
    const auto entries = config::read_toml(line, "printed");
    check(entries && entries->size() == 1 && entries->front().key == row.key &&
              (row.form == config::Form::list || entries->front().value == printed),
          "a setting's line in a file reads as it was written");
}

/// Reads `text` as a file, and a short text also as a flag and as a variable.
void check_load(std::string_view text) {
    static const int file = memfd_create("settings", 0);
    check(ftruncate(file, 0) == 0 &&
              pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
          "the file in memory is written");
    config::Sources sources;
    sources.file = "/proc/self/fd/" + std::to_string(file);
    if (text.size() < 200) {
        sources.sets = {std::string{text}};
        sources.environment = {{"MERPATI_" + std::string{text}, std::string{text}}};
    }
    const auto loaded = config::load(sources);
    check(loaded || !loaded.error().detail.empty(), "every mistake has words");
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    namespace config = merpati::config;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    check_values(text);
    if (const auto entries = config::read_toml(text, "file")) {
        for (const auto& entry : *entries) {
            // The length of a value without a setting chooses a setting for it.
            const auto rows = config::rows();
            const auto* named = config::find_row(entry.key);
            check_row(named != nullptr ? *named : rows[entry.value.size() % rows.size()],
                      entry.value);
        }
    }
    check_load(text);
    return 0;
}
