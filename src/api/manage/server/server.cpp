// The gateway's status, and backups of its store.
#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "api/manage/engine/handlers.hpp"

namespace merpati::api::manage::gateway {
namespace {

using boost::json::value;
constexpr std::size_t path_bytes_max = 4'096;
constexpr std::uint64_t counted_max = 100'000;  // Some milliseconds of reading.

}  // namespace

Result<value> status(const Context& context, Call& call) {
    const bool count = call.fields.boolean("count").value_or(false);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    boost::json::object shown{
        {"version", boost::json::string_view{context.version.data(), context.version.size()}},
        {"time", to_rfc3339(context.clock.now())},
        {"accounts", context.directory.count_accounts()},
        {"devices", context.directory.count_devices()},
    };
    if (count) {
        const auto waiting = context.read(
            [&](store::Reader& reader) { return reader.waiting_messages(counted_max + 1); });
        if (!waiting) {
            return pass(waiting);
        }
        shown["messages_waiting"] = std::min(*waiting, counted_max);
        shown["messages_waiting_more"] = *waiting > counted_max;
    }
    return shown;
}

Result<value> backup(const Context& context, Call& call) {
    const std::filesystem::path file = call.fields.required_text("file", path_bytes_max);
    if (!file.is_absolute()) {
        call.fields.mistake("file", "must be an absolute path: the server's directory is its own");
    }
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    if (auto written = context.store.backup(file); !written) {
        return pass(written);
    }
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    call.did = {{"file", file.string()}, {"bytes", error ? value(nullptr) : value(bytes)}};
    return call.did;
}

}  // namespace merpati::api::manage::gateway
