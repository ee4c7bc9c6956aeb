#include "config/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace merpati::config {
namespace {

/// Far above any real configuration, and far below what would take too much memory.
constexpr std::size_t file_bytes_max = std::size_t{1} << 20;

void add_value(const toml::node& node, std::string key, std::vector<FileEntry>& entries);

void add_table(const toml::table& table, const std::string& prefix,
               std::vector<FileEntry>& entries) {
    for (const auto& [name, node] : table) {
        auto key =
            prefix.empty() ? std::string{name.str()} : fmt::format("{}.{}", prefix, name.str());
        if (const auto* inner = node.as_table()) {
            add_table(*inner, key, entries);
        } else {
            add_value(node, std::move(key), entries);
        }
    }
}

/// Reads a list of texts. Any other item, and a text with a comma, makes the whole entry `other`.
void read_list(const toml::array& items, FileEntry& entry) {
    entry.form = FileEntry::Form::list;
    for (const auto& item : items) {
        const auto* text = item.as_string();
        if (text == nullptr || text->get().contains(',')) {
            entry.form = FileEntry::Form::other;
            return;
        }
        entry.value += (entry.value.empty() ? "" : ",") + text->get();
    }
}

void add_value(const toml::node& node, std::string key, std::vector<FileEntry>& entries) {
    FileEntry entry{.key = std::move(key), .value = {}, .line = node.source().begin.line};
    if (const auto* text = node.as_string()) {
        entry.value = text->get();
    } else if (const auto* number = node.as_integer()) {
        entry.value = std::to_string(number->get());
        entry.form = FileEntry::Form::bare;
    } else if (const auto* boolean = node.as_boolean()) {
        entry.value = boolean->get() ? "true" : "false";
        entry.form = FileEntry::Form::bare;
    } else if (const auto* list = node.as_array()) {
        read_list(*list, entry);
    } else {
        entry.form = FileEntry::Form::other;
    }
    entries.push_back(std::move(entry));
}

}  // namespace

Result<std::vector<FileEntry>> read_file(const std::filesystem::path& file) {
    // Reads to the end, not by size, because the file may be a pipe, as in `--config <(…)`.
    errno = 0;
    std::ifstream in{file, std::ios::binary};
    std::string text;
    std::array<char, 4096> piece{};
    while (in && text.size() <= file_bytes_max) {
        in.read(piece.data(), piece.size());
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (!in.is_open() || in.bad()) {
        return fail(ErrorCode::io_failed,
                    fmt::format("{}: {}", file.string(), std::generic_category().message(errno)));
    }
    if (text.size() > file_bytes_max) {
        return fail(ErrorCode::io_failed,
                    fmt::format("{}: larger than {} bytes", file.string(), file_bytes_max));
    }
    return read_toml(text, file.string());
}

Result<std::vector<FileEntry>> read_toml(std::string_view text, std::string_view name) {
    std::vector<FileEntry> entries;
    try {
        add_table(toml::parse(text), "", entries);
    } catch (const toml::parse_error& error) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()));
    }
    std::ranges::sort(entries, {},
                      [](const FileEntry& entry) { return std::tie(entry.line, entry.key); });
    return entries;
}

std::string toml_string(std::string_view text) {
    std::ostringstream out;
    out << toml::toml_formatter{toml::value{std::string{text}}, toml::format_flags::none};
    return std::move(out).str();
}

}  // namespace merpati::config
