#include "config/local_files.hpp"

#include "model/store_url.hpp"

namespace merpati::config {

std::string local_files(const StoreSettings& store) {
    const auto file = model::sqlite_file(store.url);
    return file ? std::string{*file} : (store.folder.value_or("") / "merpati").string();
}

std::string local_socket_path(const StoreSettings& store) {
    return local_files(store) + ".sock";
}

}  // namespace merpati::config
