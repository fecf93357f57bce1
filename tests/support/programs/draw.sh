#!/bin/sh
# A renderer of the settings for tests/integration/test_command_renderer.c: $1 is what it does with
# what it was told.
request=$(cat)
case $1 in
echo) printf '{"artifact":{"type":"code_text","value":"%s"}}' "$(printf %s "$request" | tr '"' "'")" ;;
svg) printf '<svg width="8pt" height="8pt"></svg>' ;;
script) printf '<svg><script>x</script></svg>' ;;
words) printf 'a picture of two boxes' ;;
path) printf '{"artifact":{"type":"image_path","value":"/etc/passwd"}}' ;;
much) head -c 100000 /dev/zero ;;
silent) sleep 60 ;;
fail) echo "error: no canvas" >&2; exit 3 ;;
esac
