#include "api/reference_pages.hpp"

#include <string>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/errors.hpp"
#include "media/media_types.hpp"

namespace merpati::api {
namespace {

using boost::json::object;
using boost::json::value;

object worded(const Wording& wording) {
    return {{"status", wording.status}, {"code", wording.code}};
}

std::string list(boost::json::array items) {
    return boost::json::serialize(object{{"items", std::move(items)}, {"next", nullptr}});
}

std::string errors() {
    boost::json::array items;
    for (std::size_t place = 0; place < refusals_count; ++place) {
        const auto& row = error_row(static_cast<Refusal>(place));
        items.push_back(
            object{{"name", row.name},
                   {"message", row.text},
                   {"a", worded(row.a)},
                   {"b", worded(row.b)},
                   {"retry_after", row.retry_after == 0 ? nullptr : value(row.retry_after)}});
    }
    return list(std::move(items));
}

std::string media_types() {
    boost::json::array items;
    for (const auto& type : media::media_types()) {
        boost::json::array revisions{"A"};
        if (type.in_revision_b) {
            revisions.emplace_back("B");
        }
        items.push_back(object{{"type", type.name}, {"revisions", std::move(revisions)}});
    }
    return list(std::move(items));
}

}  // namespace

http::Reply version_page(std::string_view version) {
    return {.body = boost::json::serialize(object{{"version", version}})};
}

http::Reply error_page() {
    static const std::string page = errors();
    return {.static_body = page};
}

http::Reply media_type_page() {
    static const std::string page = media_types();
    return {.static_body = page};
}

}  // namespace merpati::api
