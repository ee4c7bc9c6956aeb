#include "connector/file_name.hpp"

#include <algorithm>
#include <cstddef>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace merpati::connector {
namespace {

constexpr std::size_t file_name_bytes_max = 255;

}  // namespace

std::string file_name_of(std::string_view url) {
    const auto parsed = boost::urls::parse_uri(url);
    if (!parsed || parsed->segments().empty()) {
        return {};
    }
    std::string name = parsed->segments().back();
    std::ranges::replace(name, '/', '_');
    if (name.size() > file_name_bytes_max || !is_utf8(name)) {
        return {};
    }
    return printable(name);
}

}  // namespace merpati::connector
