// The operations of the committer, waiting and gathered for one transaction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "store/committer.hpp"
#include "store/write_batch.hpp"

namespace merpati::store {

/// What callers are told while the database is away.
inline constexpr const char* database_is_away =
    "the server's database cannot be reached now: try again";

/// An element of a batch that is still to come, and who is told its result.
template <class Element>
struct Pending {
    Element element;
    Done<Element> done;
};

/// The results of the callbacks of one request, and who is told when all are written.
struct PendingResults {
    std::vector<CallbackUpdate> updates;  // Not empty.
    std::move_only_function<void()> done;
};

/// How elements of a kind arrive: one by one, but the results of callbacks by requests.
template <class Element>
using Arriving =
    std::conditional_t<std::is_same_v<Element, CallbackUpdate>, PendingResults, Pending<Element>>;

/// What follows from the list of kinds of elements.
template <class Kinds>
struct OfKinds;
template <class... Elements>
struct OfKinds<std::tuple<std::vector<Elements>&...>> {
    using Operation = std::variant<Arriving<Elements>...>;
    using Dones = std::tuple<std::vector<Done<Elements>>...>;
};
using OfBatch = OfKinds<decltype(std::declval<WriteBatch&>().kinds())>;

using Operation = OfBatch::Operation;

/// How many elements of a batch it is.
[[nodiscard]] std::size_t elements_of(const Operation& operation);

/// Refuses as unavailable those operations from `place` on for which a caller waits (accepts, and
/// changes without `lasting`), reports and removes them.
void refuse_waiting(std::vector<Operation>& operations, std::size_t place);

/// The operations of the next transaction: its batch, and the `done` of each element.
///
/// Threads: none. The committer's thread owns it.
class Gathering {
public:
    [[nodiscard]] WriteBatch& batch() noexcept { return batch_; }

    [[nodiscard]] std::size_t size() {
        std::size_t count = 0;
        batch_.for_each_kind([&count](const auto& elements) { count += elements.size(); });
        return count;
    }

    void add(Operation&& operation) {
        std::visit(
            [this](auto&& pending) { add_pending(std::forward<decltype(pending)>(pending)); },
            std::move(operation));
    }

    /// Reports all elements and removes them at once, because a `done` may hold a connection.
    void report() {
        batch_.for_each_kind(
            [this](auto& elements) { report_some(elements, [](const auto&) { return true; }); });
    }

    /// Reports the elements that a full disk refuses. The others stay, and are written again.
    void report_refused() {
        report_some(batch_.changes, [](const Change& change) { return !change.lasting; });
        report_some(batch_.accepts, [](const Accept&) { return true; });
    }

    /// As report_refused, and refuses them first, because the database is away.
    void refuse_waiting();

    void clear() {
        batch_.for_each_kind([this]<class Element>(std::vector<Element>& elements) {
            elements.clear();
            dones_of<Element>().clear();
        });
    }

private:
    template <class Element>
    void add_pending(Pending<Element>&& pending) {
        dones_of<Element>().push_back(std::move(pending.done));
        std::get<std::vector<Element>&>(batch_.kinds()).push_back(std::move(pending.element));
    }
    /// The `done` of all but the last is empty.
    void add_pending(PendingResults&& results) {
        auto& dones = dones_of<CallbackUpdate>();
        dones.resize(dones.size() + results.updates.size() - 1);
        dones.emplace_back([done = std::move(results.done)](CallbackUpdate&&) mutable { done(); });
        std::ranges::move(results.updates, std::back_inserter(batch_.callback_updates));
    }

    template <class Element>
    std::vector<Done<Element>>& dones_of() {
        return std::get<std::vector<Done<Element>>>(dones_);
    }

    template <class Element, class Predicate>
    void report_some(std::vector<Element>& elements, Predicate is_reported) {
        auto& dones = dones_of<Element>();
        std::vector<Element> kept;
        std::vector<Done<Element>> kept_dones;
        for (std::size_t index = 0; index < elements.size(); ++index) {
            if (is_reported(elements[index])) {
                if (dones[index]) {
                    dones[index](std::move(elements[index]));
                }
            } else {
                kept.push_back(std::move(elements[index]));
                kept_dones.push_back(std::move(dones[index]));
            }
        }
        elements.clear();  // Not assigned, so that the capacity is reused.
        dones.clear();
        std::ranges::move(kept, std::back_inserter(elements));
        std::ranges::move(kept_dones, std::back_inserter(dones));
    }

    WriteBatch batch_;
    OfBatch::Dones dones_;
};

}  // namespace merpati::store
