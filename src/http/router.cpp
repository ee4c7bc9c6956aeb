#include "http/router.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/assert.hpp"

namespace merpati::http {
namespace {

constexpr std::size_t method_count = 8;
constexpr std::string_view any_segment = "{}";

std::size_t index_of(Method method) noexcept {
    return static_cast<std::size_t>(method);
}

/// The handler of one method of a path.
struct Answerer {
    Handler handler{};
    UploadHandler upload{};  // At most one of the two.
    std::size_t body_max = 0;

    explicit operator bool() const noexcept { return handler || upload; }
};

/// One path and the handlers of its methods.
struct Route {
    std::string path;  // Of "/a/*" without the star.
    std::size_t number = 0;
    std::array<Answerer, method_count> answerers{};
    std::string allow{};

    const Answerer* find(Method method) const noexcept {
        if (method == Method::head && !answerers[index_of(Method::head)]) {
            method = Method::get;
        }
        const Answerer& found = answerers[index_of(method)];
        return found ? &found : nullptr;
    }

    void list_methods() {
        allow.clear();
        for (std::size_t i = 0; i < index_of(Method::other); ++i) {
            const auto method = static_cast<Method>(i);
            if (find(method) != nullptr) {
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
    std::unordered_map<std::string, std::unique_ptr<Route>, TextHash, std::equal_to<>> exact;
    std::vector<std::unique_ptr<Route>> patterns;
    std::vector<std::unique_ptr<Route>> prefixes;  // Longest first.
    std::vector<std::string> paths;

    Route& route(const std::string& path) {
        if (path.ends_with("/*")) {
            return listed(prefixes, path.substr(0, path.size() - 1), path);
        }
        if (path.contains(any_segment)) {
            return listed(patterns, path, path);
        }
        auto& slot = exact[path];
        if (!slot) {
            slot = make(path, path);
        }
        return *slot;
    }

    Route& listed(std::vector<std::unique_ptr<Route>>& routes, const std::string& path,
                  const std::string& shown) {
        const auto known = std::ranges::find(routes, path, &Route::path);
        if (known != routes.end()) {
            return **known;
        }
        const auto after = std::ranges::find_if(
            routes, [&](const auto& route) { return route->path.size() < path.size(); });
        return **routes.insert(after, make(path, shown));
    }

    void add(Method method, const std::string& path, Answerer answerer) {
        invariant(path.starts_with('/'), "a route's path starts with a slash");
        Route& found = route(path);
        Answerer& slot = found.answerers[index_of(method)];
        invariant(!slot, "a route is added once");
        slot = std::move(answerer);
        found.list_methods();
    }

    std::unique_ptr<Route> make(const std::string& path, const std::string& shown) {
        paths.push_back(shown);
        return std::make_unique<Route>(Route{.path = path, .number = paths.size() - 1});
    }
};

Router::Router() : table_(std::make_unique<Table>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(Method method, const std::string& path, Handler handler, std::size_t body_max) {
    table_->add(method, path, {.handler = std::move(handler), .body_max = body_max});
}

void Router::add_upload(Method method, const std::string& path, UploadHandler handler,
                        std::size_t body_max) {
    table_->add(method, path, {.upload = std::move(handler), .body_max = body_max});
}

const std::vector<std::string>& Router::paths() const noexcept {
    return table_->paths;
}

Router::Match Router::find(Method method, std::string_view path) const {
    const Route* refusing = nullptr;
    const auto found_in = [&](const Route& route) -> const Answerer* {
        const auto* const answerer = route.find(method);
        refusing = refusing == nullptr ? &route : refusing;
        return answerer;
    };
    const auto match = [](const Route& route, const Answerer& answerer) {
        return Match{.handler = answerer.handler ? &answerer.handler : nullptr,
                     .upload = answerer.upload ? &answerer.upload : nullptr,
                     .status = 200,
                     .path = route.number,
                     .body_max = answerer.body_max};
    };
    if (const auto exact = table_->exact.find(path); exact != table_->exact.end()) {
        if (const auto* answerer = found_in(*exact->second)) {
            return match(*exact->second, *answerer);
        }
    }
    for (const auto& route : table_->patterns) {
        if (!match_path(route->path, path)) {
            continue;
        }
        if (const auto* answerer = found_in(*route)) {
            return match(*route, *answerer);
        }
    }
    for (const auto& route : table_->prefixes) {
        if (!path.starts_with(route->path)) {
            continue;
        }
        if (const auto* answerer = found_in(*route)) {
            return match(*route, *answerer);
        }
    }
    if (refusing == nullptr) {
        return {};
    }
    return {.handler = nullptr, .status = 405, .allow = refusing->allow, .path = refusing->number};
}

std::optional<std::string_view> match_path(std::string_view pattern,
                                           std::string_view path) noexcept {
    const auto hole = pattern.find(any_segment);
    if (hole == std::string_view::npos) {
        return path == pattern ? std::optional{std::string_view{}} : std::nullopt;
    }
    const auto before = pattern.substr(0, hole);
    const auto after = pattern.substr(hole + any_segment.size());
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
        !path.ends_with(after)) {
        return std::nullopt;
    }
    path.remove_prefix(before.size());
    path.remove_suffix(after.size());
    return path.contains('/') ? std::nullopt : std::optional{path};
}

}  // namespace merpati::http
