#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include <string.h>

/* The list is for a person who decides, so it is whole or it is refused: what does not fit is
 * said to be missing. */
void config_note_risk(struct config_loading *loading, const char *file, const char *what,
                      const json_t *value)
{
    auto_str text = json_print(value);
    struct buf *risk = &loading->risk;
    if (text_append_escaped(risk, file, strlen(file)) && buf_puts(risk, ": ") &&
        text_append_escaped(risk, what, strlen(what)) && buf_puts(risk, ": ") &&
        text_append_escaped(risk, text, strlen(text)) && buf_puts(risk, "\n"))
        return;
    buf_clear(risk);
    if (!buf_printf(risk, "more than can be shown: do not approve it\n"))
        abort();
}
