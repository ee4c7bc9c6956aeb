#include "store/nodes.hpp"

namespace merpati::store {

Result<ClockDifference> compare_clocks(Nodes& nodes, const Clock& machine) {
    const auto asked_at = machine.now();
    const auto began = machine.steady_now();
    const auto listed = nodes.list();
    if (!listed) {
        return pass(listed);
    }
    if (listed->empty()) {
        return fail(ErrorCode::not_found, "no node has joined");
    }
    const auto half = std::chrono::ceil<Millis>((machine.steady_now() - began) / 2);
    const auto& node = listed->front();
    return ClockDifference{.database_ahead = node.seen_at + node.silent_for - (asked_at + half),
                           .within = half + Millis{1}};
}

}  // namespace merpati::store
