// The gateway's status, the nodes that share its store, and backups of it.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>

#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/views.hpp"
#include "store/nodes.hpp"

namespace merpati::api::manage::gateway {
namespace {

using boost::json::value;
constexpr std::size_t path_bytes_max = 4'096;
constexpr std::uint64_t counted_max = 100'000;  // Some milliseconds of reading.

/// Longer than a node keeps what it owns without renewing (cluster.lease).
constexpr std::chrono::minutes silence_max{5};

std::string_view state_of(const store::Node& node) {
    if (node.silent_for > silence_max) {
        return "gone";
    }
    switch (node.state) {
        case store::Node::State::live:
            return "up";
        case store::Node::State::leaving:
            return "leaving";
        case store::Node::State::gone:
            return "gone";
    }
    return {};
}

/// By the ids of nodes, how many accounts each owns.
std::map<std::int64_t, std::uint64_t> count_accounts(const admission::Directory& directory,
                                                     std::span<const store::ShardOwner> owners) {
    std::map<std::int64_t, std::uint64_t> counts;
    for (const auto& account : directory.accounts()) {
        const auto shard = static_cast<std::size_t>(store::shard_of(account.id));
        if (shard < owners.size() && owners[shard].owner) {
            ++counts[owners[shard].owner->node];
        }
    }
    return counts;
}

}  // namespace

Result<value> nodes(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    auto* nodes = context.store.nodes();
    if (nodes == nullptr) {
        return page(boost::json::array{});
    }
    const auto listed = nodes->list();
    if (!listed) {
        return pass(listed);
    }
    const auto owners = nodes->owners();
    if (!owners) {
        return pass(owners);
    }
    auto counts = count_accounts(context.directory, *owners);
    boost::json::array items;
    for (const auto& node : *listed) {
        items.push_back({{"name", node.entry.name},
                         {"address", node.entry.address},
                         {"state", state_of(node)},
                         {"accounts", counts[node.id.node]},
                         {"version", node.entry.version},
                         {"seen_at", to_rfc3339(node.seen_at)}});
    }
    return page(std::move(items));
}

Result<value> status(const Context& context, Call& call) {
    const bool count = call.fields.boolean("count").value_or(false);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    boost::json::object shown{
        {"version", context.version},
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
    call.did = {{"file", file.string()}, {"bytes", error ? nullptr : value(bytes)}};
    return call.did;
}

}  // namespace merpati::api::manage::gateway
