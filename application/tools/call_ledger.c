#include "application/tools/call_ledger.h"
#include "domain/base/json.h"
#include <string.h>

#define DIGIT_BITS 5

static unsigned bit_of(const char *hex, size_t i)
{
    static const char digits[] = "0123456789abcdef";
    return (unsigned)(strchr(digits, hex[i / 4]) - digits) >> (3 - i % 4) & 1;
}

/* Base 32 as in RFC 4648, in small letters. */
const char *call_effect_id(struct arena *arena, struct digest *digest,
                           const struct call_address *address)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
    char identity[DIGEST_HEX_SIZE], hex[DIGEST_HEX_SIZE];
    char *id = arena_calloc(arena, CALL_EFFECT_ID_LENGTH + 1, 1);
    auto_str args = json_print_sorted(address->args);
    digest_sha256(digest, address->identity, strlen(address->identity), identity);
    const char *text = arena_printf(arena, "%s\n%s\n%s\n%s\n%s", address->run_id, address->path,
                                    identity, address->tool, args);
    digest_sha256(digest, text, strlen(text), hex);
    for (size_t i = 0; i < CALL_EFFECT_ID_LENGTH; i++) {
        unsigned digit = 0;
        for (size_t bit = 0; bit < DIGIT_BITS; bit++)
            digit = digit << 1 | bit_of(hex, i * DIGIT_BITS + bit);
        id[i] = digits[digit];
    }
    return id;
}

enum err_code call_ledger_intend(struct call_ledger *ledger, struct scope *scope,
                                 const struct call_record *record, bool may_repeat, struct err *err)
{
    unsigned n_settled = ledger->n_settled; /* others may be, while this one waits for the disk */
    bool to_disk = !may_repeat || n_settled != ledger->n_synced;
    if (ledger->is_closed && *ledger->is_closed)
        return err_set(err, ERR_CANCELLED, 0, "not called: the run is given back to its queue");
    if (ledger->bytes > ledger->max_bytes) {
        err_set(err, ERR_LIMIT, 0,
                "not called: the run's results have more than runs.max_state_mb (%lld MB)",
                (long long)(ledger->max_bytes >> 20));
        return err_hint(err, ERR_LIMIT, "raise it, or set runs.keep_state to never");
    }
    run_state_put_call(ledger->state, record);
    ledger->has_calls = true;
    enum err_code r = to_disk ? run_state_commit(ledger->state, scope, true, err) : ERR_NONE;
    if (r)
        return err_prefix(err, r, "not called"); /* what a run needs to go on is written first */
    if (to_disk && n_settled > ledger->n_synced)
        ledger->n_synced = n_settled;
    return ERR_NONE;
}

enum err_code call_ledger_settle(struct call_ledger *ledger, struct scope *scope,
                                 const struct call_record *record, bool may_repeat, struct err *err)
{
    run_state_put_call(ledger->state, record);
    ledger->bytes += (int64_t)record->result_length;
    ledger->has_failed |= record->state != CALL_DONE || record->error;
    if (may_repeat)
        return ERR_NONE;
    ledger->n_settled++;
    return run_state_commit(ledger->state, scope, false, err);
}

enum call_state call_state_of(const struct err *err, bool in_process)
{
    bool was_cut_off = err->code == ERR_CANCELLED || err->code == ERR_TIMEOUT;
    if (err->is_outcome_unknown || (in_process && was_cut_off))
        return CALL_UNCERTAIN;
    if (was_cut_off || err->code == ERR_UNAVAILABLE || err->code == ERR_AUTH)
        return CALL_PENDING;
    return CALL_FAILED;
}
