#include "config/local_files.hpp"

#include <gtest/gtest.h>

namespace merpati::config {
namespace {

TEST(LocalFilesTest, StandBesideTheSqliteFile) {
    const StoreSettings store{.url = "sqlite:/var/lib/merpati/merpati.db"};
    EXPECT_EQ(local_files(store), "/var/lib/merpati/merpati.db");
    EXPECT_EQ(local_socket_path(store), "/var/lib/merpati/merpati.db.sock");
}

TEST(LocalFilesTest, StandInTheFolderOfAServerWhoseStoreIsADatabase) {
    const StoreSettings store{.url = "postgresql://db/merpati", .folder = "/var/lib/merpati"};
    EXPECT_EQ(local_files(store), "/var/lib/merpati/merpati");
    EXPECT_EQ(local_socket_path(store), "/var/lib/merpati/merpati.sock");
}

}  // namespace
}  // namespace merpati::config
