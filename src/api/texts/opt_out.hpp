// Texts of the pages on which people refuse further campaigns.
#pragma once

#include "api/texts/text.hpp"

namespace merpati::api::opt_out_texts {

inline constexpr Text account{"From", "Dari"};
inline constexpr Text number{"Your number", "Nomor Anda"};

// Who gets campaigns.
inline constexpr Text in_title{"Stop these messages?", "Berhenti menerima pesan?"};
inline constexpr Text in_text{"You get messages of campaigns on this number.",
                              "Nomor ini menerima pesan kampanye."};
inline constexpr Text back_text{"You get messages of campaigns on this number again.",
                                "Nomor ini menerima pesan kampanye lagi."};
inline constexpr Text leave{"Stop messages", "Berhenti menerima pesan"};
inline constexpr Text leave_note{"Answers to what you ask or order still arrive.",
                                 "Jawaban atas pertanyaan dan pesanan Anda tetap sampai."};

// Who has refused them.
inline constexpr Text out_title{"No more messages", "Anda sudah berhenti"};
inline constexpr Text out_text{"This number gets no more messages of campaigns.",
                               "Nomor ini tidak menerima pesan kampanye lagi."};
inline constexpr Text come_back{"Get messages again", "Terima pesan lagi"};

// Links that do not lead to either.
inline constexpr Text bad_title{"This link is not valid", "Tautan ini tidak berlaku"};
inline constexpr Text bad_text{
    "Open it from the message once more. If you copied it, a part may be missing.",
    "Buka sekali lagi dari pesannya. Jika disalin, mungkin ada bagian yang hilang."};
inline constexpr Text many_title{"Too many attempts", "Terlalu banyak percobaan"};
inline constexpr Text many_text{"Wait a minute, and open the link from the message once more.",
                                "Tunggu satu menit, lalu buka tautan dari pesannya sekali lagi."};

/// The name of the other language, in that language.
inline constexpr Text other_language{"Bahasa Indonesia", "English"};

}  // namespace merpati::api::opt_out_texts
