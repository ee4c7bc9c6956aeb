// Texts about numbers of the official platform: their access, templates and webhook.
#pragma once

#include <array>

#include "api/texts/text.hpp"

namespace merpati::api {

inline constexpr std::array texts_of_cloud{
    Text{"the phone number id {} belongs to another device already",
         "id nomor telepon {0} sudah dipakai perangkat lain"},
    Text{"{} has no phone number id of the official platform",
         "{0} belum mempunyai id nomor telepon dari platform resmi"},
    Text{"the device's connector has no tokens", "konektor perangkat tidak memakai token"},
    Text{"the device's connector has no templates", "konektor perangkat tidak mempunyai templat"},
};

}  // namespace merpati::api
