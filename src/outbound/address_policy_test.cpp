#include "outbound/address_policy.hpp"

#include <array>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <gtest/gtest.h>

#include "outbound/policy_fixture.hpp"

namespace merpati::outbound {
namespace {

namespace ip = boost::asio::ip;

struct Row {
    const char* before;  // The last address outside, or empty where another range adjoins.
    const char* first;
    const char* last;
    const char* after;
};

constexpr auto refused_ranges = std::to_array<Row>({
    {"", "0.0.0.0", "0.255.255.255", "1.0.0.0"},
    {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
    {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
    {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
    {"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"},
    {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
    {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
    {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
    {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
    {"192.31.195.255", "192.31.196.0", "192.31.196.255", "192.31.197.0"},
    {"192.52.192.255", "192.52.193.0", "192.52.193.255", "192.52.194.0"},
    {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
    {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
    {"192.175.47.255", "192.175.48.0", "192.175.48.255", "192.175.49.0"},
    {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
    {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
    {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
    {"223.255.255.255", "224.0.0.0", "255.255.255.255", ""},
    {"", "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"},
    {"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
     "2001:200::"},
    {"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
     "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"},
    {"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
     "2003::"},
    {"2620:4f:7fff:ffff:ffff:ffff:ffff:ffff",
     "2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "2620:4f:8001::"},
    {"3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
     "3fff:1000::"},
    {"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
     ""},
});

/// Addresses inside the ranges that have a special meaning.
constexpr auto refused_addresses = std::to_array<const char*>({
    "169.254.169.254",         // Metadata of most clouds.
    "169.254.170.2",           // AWS, containers.
    "100.100.100.200",         // Alibaba.
    "192.0.0.192",             // Oracle.
    "fd00:ec2::254",           // AWS over IPv6.
    "fd20:ce::254",            // Google over IPv6.
    "192.0.0.9",               // Anycast: in the registry, although globally reachable.
    "0.0.0.1",                 //
    "255.255.255.254",         //
    "239.255.255.250",         // UPnP.
    "224.0.0.251",             // mDNS.
    "240.0.0.1",               //
    "::1",                     //
    "::127.0.0.1",             // IPv4-compatible.
    "::8.8.8.8",               //
    "::ffff:127.0.0.1",        // IPv4-mapped, private and public alike.
    "::ffff:10.0.0.1",         //
    "::ffff:8.8.8.8",          //
    "::ffff:169.254.169.254",  //
    "::ffff:0:127.0.0.1",      // SIIT.
    "::ffff:0:8.8.8.8",        //
    "64:ff9b::7f00:1",         // NAT64.
    "64:ff9b::8.8.8.8",        //
    "64:ff9b:1::a00:1",        // NAT64 of the site.
    "2002:7f00:1::",           // 6to4.
    "2002:a00:1::1",           //
    "2002:808:808::1",         //
    "2001:0:7f00:1::",         // Teredo.
    "2001::ffff:ffff:80ff:fffe",
    "2606:4700::5efe:7f00:1",  // ISATAP in public space.
    "2606:4700::200:5efe:a00:1",
    "2606:4700::5efe:808:808",
    "2a00:1450:4001::200:5efe:808:808",
    "100::1",  // Discard only.
    "5f00::1",
    "fc00::1",
    "fdff::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "4000::1",
    "8000::1",
});

constexpr auto public_addresses = std::to_array<const char*>({
    "1.1.1.1",
    "8.8.8.8",
    "9.9.9.9",
    "93.184.216.34",
    "104.16.0.1",
    "151.101.1.69",
    "172.64.0.1",
    "192.1.2.3",
    "198.41.0.4",
    "203.1.2.3",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "2620:fe::fe",
    "2c0f:fb50::1",
    "2606:4700::100:5efe:808:808",
    "2606:4700::5eff:7f00:1",
});

bool permits(const AddressPolicy& policy, const char* text) {
    return policy.permits(ip::make_address(text));
}

TEST(AddressPolicyTest, RefusesEveryRangeToItsEdgesAndNotBeyond) {
    const auto policy = policy_allowing({});
    for (const auto& row : refused_ranges) {
        EXPECT_FALSE(permits(policy, row.first)) << row.first;
        EXPECT_FALSE(permits(policy, row.last)) << row.last;
        for (const auto* outside : {row.before, row.after}) {
            EXPECT_TRUE(*outside == '\0' || permits(policy, outside)) << outside;
        }
    }
}

TEST(AddressPolicyTest, RefusesMetadataAndEmbeddedIpv4) {
    const auto policy = policy_allowing({});
    for (const auto* text : refused_addresses) {
        EXPECT_FALSE(permits(policy, text)) << text;
    }
}

TEST(AddressPolicyTest, PermitsThePublicInternet) {
    const auto policy = policy_allowing({});
    for (const auto* text : public_addresses) {
        EXPECT_TRUE(permits(policy, text)) << text;
    }
}

TEST(AddressPolicyTest, RefusesAPublicIpv4AddressInEveryMappedForm) {
    const auto policy = policy_allowing({"0.0.0.0/0"});
    for (const auto* text : public_addresses) {
        if (const auto address = ip::make_address(text); address.is_v4()) {
            EXPECT_FALSE(policy.permits(ip::make_address_v6(ip::v4_mapped, address.to_v4())))
                << text;
        }
    }
}

TEST(AddressPolicyTest, RefusesZonesEvenWhereTheOperatorAllows) {
    const auto policy = policy_allowing({"::/0"});
    for (const auto* text : {"fe80::1", "2606:4700::1", "fd00::1"}) {
        auto address = ip::make_address_v6(text);
        EXPECT_TRUE(policy.permits(address)) << text;
        address.scope_id(1);
        EXPECT_FALSE(policy.permits(address)) << text;
        EXPECT_FALSE(policy.allowed_by_operator(address)) << text;
    }
}

TEST(AddressPolicyTest, RefusesTheAddressesOfThisMachine) {
    const auto policy = policy_allowing({});
    policy.refresh_own_addresses();
    ifaddrs* first = nullptr;
    ASSERT_EQ(getifaddrs(&first), 0);
    for (const auto* entry = first; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == AF_INET) {
            const auto* own = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
            const ip::address_v4 address{ntohl(own->sin_addr.s_addr)};
            EXPECT_FALSE(policy.permits(address)) << address;
            EXPECT_TRUE(policy_allowing({"0.0.0.0/0"}).permits(address)) << address;
        }
    }
    freeifaddrs(first);
}

TEST(AddressPolicyTest, LetsTheOperatorOpenRangesToTheirEdges) {
    const auto policy = policy_allowing(
        {"127.0.0.0/8", "10.1.2.0/23", "192.168.7.9", "172.16.128.0/17", "fd12::/16", "::1"});
    for (const auto* text :
         {"127.0.0.0", "127.255.255.255", "10.1.2.0", "10.1.3.255", "192.168.7.9", "172.16.128.0",
          "172.16.255.255", "fd12::", "fd12:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::1"}) {
        EXPECT_TRUE(permits(policy, text)) << text;
        EXPECT_TRUE(policy.allowed_by_operator(ip::make_address(text))) << text;
    }
    for (const auto* text :
         {"10.1.1.255", "10.1.4.0", "192.168.7.8", "192.168.7.10", "172.16.127.255", "172.17.0.0",
          "fd11:ffff::", "fd13::", "::", "::2", "::ffff:127.0.0.1", "::127.0.0.1"}) {
        EXPECT_FALSE(permits(policy, text)) << text;
    }
    EXPECT_TRUE(permits(policy, "8.8.8.8"));
    EXPECT_FALSE(policy.allowed_by_operator(ip::make_address("8.8.8.8")));
}

TEST(AddressPolicyTest, TellsTheInnerNetworkFromLoopback) {
    EXPECT_FALSE(policy_allowing({}).allows_inner_network());
    EXPECT_FALSE(policy_allowing({"127.0.0.0/8"}).allows_inner_network());
    EXPECT_FALSE(policy_allowing({"127.0.0.1", "::1"}).allows_inner_network());
    EXPECT_TRUE(policy_allowing({"10.0.0.0/8"}).allows_inner_network());
    EXPECT_TRUE(policy_allowing({"::1", "fd00::/8"}).allows_inner_network());
}

TEST(CidrTest, TakesRangesOfEveryLength) {
    for (unsigned prefix = 0; prefix <= 32; ++prefix) {
        const auto range = Cidr::parse("0.0.0.0/" + std::to_string(prefix));
        ASSERT_TRUE(range) << prefix;
        const auto size = std::uint64_t{1} << (32U - prefix);
        const ip::address_v4 last{static_cast<std::uint32_t>(size - 1)};
        EXPECT_TRUE(range->contains(last)) << prefix;
        if (prefix > 0) {
            const ip::address_v4 after{static_cast<std::uint32_t>(size)};
            EXPECT_FALSE(range->contains(after)) << prefix;
        }
    }
    for (unsigned prefix = 0; prefix <= 128; ++prefix) {
        const auto range = Cidr::parse("::/" + std::to_string(prefix));
        ASSERT_TRUE(range) << prefix;
        ip::address_v6::bytes_type after{};
        if (prefix > 0) {
            after[(prefix - 1) / 8] = static_cast<unsigned char>(0x80U >> ((prefix - 1) % 8));
            EXPECT_FALSE(range->contains(ip::address_v6{after})) << prefix;
        }
        EXPECT_TRUE(range->contains(ip::address_v6{})) << prefix;
    }
}

TEST(CidrTest, RefusesWhatIsNoRange) {
    for (const auto* text : {"",
                             "/",
                             "/8",
                             "10.0.0.0/",
                             "10.0.0.0/33",
                             "10.0.0.0/-1",
                             "10.0.0.0/+8",
                             "10.0.0.0/ 8",
                             "10.0.0.0/8 ",
                             " 10.0.0.0/8",
                             "10.0.0.0/8/8",
                             "10.0.0.0/0x8",
                             "10.0.0.0/99999999999",
                             "10/8",
                             "10.0.0/8",
                             "10.0.0.1/8",
                             "10.0.0.0/6",
                             "010.0.0.0/8",
                             "256.0.0.0/8",
                             "10.0.0.0.0/8",
                             "example.org",
                             "example.org/8",
                             "localhost",
                             "::1/127",
                             "::/129",
                             "::/-1",
                             "[::]/0",
                             "fe80::%1/10",
                             "fe80::1%lo",
                             "fe80::/9999",
                             ":::/0",
                             "1::2::3",
                             "g::/8",
                             "2001:db8::1/32",
                             "0.0.0.1/0",
                             "255.255.255.255/31"}) {
        const auto range = Cidr::parse(text);
        ASSERT_FALSE(range) << text;
        EXPECT_EQ(range.error().code, ErrorCode::invalid_argument) << text;
    }
    EXPECT_FALSE(Cidr::parse(std::string_view{"10.0.0.0\0/8", 11}));
}

}  // namespace
}  // namespace merpati::outbound
