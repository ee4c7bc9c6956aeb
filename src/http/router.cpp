#include "http/router.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/assert.hpp"

namespace merpati::http {
namespace {

constexpr std::size_t method_count = 8;

std::size_t index_of(Method method) noexcept {
    return static_cast<std::size_t>(method);
}

/// One path and what answers its methods.
struct Place {
    std::array<Handler, method_count> handlers;
    std::size_t number = 0;  // In Table::paths.
    std::string allow;

    const Handler* handler(Method method) const noexcept {
        if (method == Method::head && !handlers[index_of(Method::head)]) {
            method = Method::get;
        }
        const Handler& found = handlers[index_of(method)];
        return found ? &found : nullptr;
    }

    void list_methods() {
        allow.clear();
        for (std::size_t i = 0; i < index_of(Method::other); ++i) {
            const auto method = static_cast<Method>(i);
            if (handler(method) != nullptr) {
                allow.append(allow.empty() ? "" : ", ").append(to_string(method));
            }
        }
    }
};

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>{}(text);
    }
};

}  // namespace

struct Router::Table {
    std::unordered_map<std::string, std::unique_ptr<Place>, TextHash, std::equal_to<>> exact;
    std::vector<std::pair<std::string, std::unique_ptr<Place>>> under;  // Longest prefix first.
    std::vector<std::pair<Method, std::string>> routes;
    std::vector<std::string> paths;

    std::unique_ptr<Place> make(const std::string& path) {
        auto made = std::make_unique<Place>();
        made->number = paths.size();
        paths.push_back(path);
        return made;
    }

    Place& place(const std::string& path) {
        if (!path.ends_with("/*")) {
            auto& slot = exact[path];
            if (!slot) {
                slot = make(path);
            }
            return *slot;
        }
        const std::string prefix = path.substr(0, path.size() - 1);
        const auto known = std::ranges::find(under, prefix, [](const auto& e) { return e.first; });
        if (known != under.end()) {
            return *known->second;
        }
        const auto after = std::ranges::find_if(
            under, [&](const auto& entry) { return entry.first.size() < prefix.size(); });
        return *under.emplace(after, prefix, make(path))->second;
    }
};

Router::Router() : table_(std::make_unique<Table>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(Method method, std::string path, Handler handler) {
    invariant(path.starts_with('/'), "a route's path starts with a slash");
    Place& place = table_->place(path);
    Handler& slot = place.handlers[index_of(method)];
    invariant(!slot, "a route is added once");
    slot = std::move(handler);
    place.list_methods();
    table_->routes.emplace_back(method, std::move(path));
}

std::vector<std::pair<Method, std::string>> Router::routes() const {
    return table_->routes;
}

const std::vector<std::string>& Router::paths() const noexcept {
    return table_->paths;
}

Router::Match Router::find(Method method, std::string_view path) const {
    const Place* refusing = nullptr;
    if (const auto exact = table_->exact.find(path); exact != table_->exact.end()) {
        if (const Handler* handler = exact->second->handler(method)) {
            return {.handler = handler, .status = 200, .path = exact->second->number};
        }
        refusing = exact->second.get();
    }
    for (const auto& [prefix, place] : table_->under) {
        if (!path.starts_with(prefix)) {
            continue;
        }
        if (const Handler* handler = place->handler(method)) {
            return {.handler = handler, .status = 200, .path = place->number};
        }
        refusing = refusing == nullptr ? place.get() : refusing;
    }
    if (refusing == nullptr) {
        return {};
    }
    return {.handler = nullptr, .status = 405, .allow = refusing->allow, .path = refusing->number};
}

}  // namespace merpati::http
