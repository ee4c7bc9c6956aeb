#include "store/gathering.hpp"

#include <algorithm>

namespace merpati::store {
namespace {

void set_unavailable(Accept& accept) {
    accept.result = Accept::Result::unavailable;
}

void set_unavailable(Change& change) {
    change.result = fail(ErrorCode::unavailable, database_is_away);
}

bool is_waited_for(const Operation& operation) {
    const auto* change = std::get_if<Pending<Change>>(&operation);
    return change != nullptr ? !change->element.lasting
                             : std::holds_alternative<Pending<Accept>>(operation);
}

template <class Element>
void refuse_one(Pending<Element>& pending) {
    if constexpr (std::is_same_v<Element, Accept> || std::is_same_v<Element, Change>) {
        set_unavailable(pending.element);
        pending.done(std::move(pending.element));
    }
}

void refuse_one(PendingResults& /*pending*/) {}

}  // namespace

std::size_t elements_of(const Operation& operation) {
    const auto* results = std::get_if<PendingResults>(&operation);
    return results == nullptr ? 1 : results->updates.size();
}

void refuse_waiting(std::vector<Operation>& operations, std::size_t place) {
    std::vector<Operation> kept;
    for (auto at = place; at < operations.size(); ++at) {
        if (is_waited_for(operations[at])) {
            std::visit([](auto& pending) { refuse_one(pending); }, operations[at]);
        } else {
            kept.push_back(std::move(operations[at]));
        }
    }
    operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(place), operations.end());
    std::ranges::move(kept, std::back_inserter(operations));
}

void Gathering::refuse_waiting() {
    for (auto& change : batch_.changes) {
        if (change.lasting) {
            change.result = {};
        } else {
            set_unavailable(change);
        }
    }
    for (auto& accept : batch_.accepts) {
        set_unavailable(accept);
    }
    report_refused();
}

}  // namespace merpati::store
