#include "infrastructure/config/clients/foreign_text.h"
#include "domain/base/text.h"

struct text_flaw text_flaw_at(const char *text, const char *at, const char *why)
{
    struct text_flaw flaw = { 1, 1, why };
    for (; text < at; text++) {
        flaw.line += *text == '\n';
        flaw.column = *text == '\n' ? 1 : flaw.column + (((unsigned char)*text & 0xC0) != 0x80);
    }
    return flaw;
}

bool text_flaw_check_bytes(const char *text, size_t length, struct text_flaw *out)
{
    for (size_t at = 0, size; at < length; at += size) {
        size = text_utf8_next(text + at, length - at, NULL);
        if (!size || !text[at]) {
            *out = text_flaw_at(text, text + at, "a byte that is not UTF-8 text");
            return false;
        }
    }
    return true;
}
