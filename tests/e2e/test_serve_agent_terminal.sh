# mistro as the host of mistro: what the inner one asks is asked on the outer one's terminal (tmux).
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
cat >shop.yml <<'YML'
tools:
  - name: order
    description: Orders plums
    replies:
      - elicit:
          message: How many?
          schema: {type: object, properties: {count: {type: integer, minimum: 1}}, required: [count]}
        text: "{elicited.count} ordered"
YML
mock_config "$PWD/shop.yml" >inner.json
agent='{command: $mistro, env: {XDG_DATA_HOME: $data, XDG_CONFIG_HOME: $config}, era: $era,
  args: (["serve", "agent", "-m", "none"] + $more)}'
agents() { # era: one agent with the tools of this folder, and one with those of the shop
  jq -n --arg mistro "$MISTRO" --arg inner "$PWD/inner.json" --arg era "$1" \
    --arg data "$XDG_DATA_HOME" --arg config "$XDG_CONFIG_HOME" \
    "{mcpServers: {files: ([] as \$more | $agent),
      shop: ([\"--mcp-config\", \$inner] as \$more | $agent)}}" \
    >outer.json
}
outer() { begin_terminal 100 40 call "$@" --mcp-config outer.json --timeout 60; }

for era in legacy modern; do
  agents $era
  it "$era: the question of a request that is vague is asked out here"
  outer files/ask "'request=read the file'"
  t has-session || skip "tmux cannot open a terminal here"
  see "*the server \"files\" asks*mistro has to know more*Answer? \[y\]es, \[n\]o, \[c\]ancel:*"
  press y
  see '*path*>*'
  type_line README.md
  see "*Send this to files?*"
  press y
  see '*A small fruit trade*left with 0*'

  it "$era: without an answer the questions come back"
  outer files/ask "'request=read the file'"
  see '*Answer? \[y\]es, \[n\]o, \[c\]ancel:*'
  press n
  see '*Nothing was done yet*left with 0*'

  it "$era: a call is approved out here, and the form of a server within is filled in out here"
  outer shop/run_plan "'plan:=[{\"tool\":\"dev/order\",\"args\":{}}]'"
  see "*mistro wants to call dev/order*Answer? \[y\]es, \[n\]o, \[c\]ancel:*"
  press y
  see '*Call it?*2) *Yes, this once*>*'
  type_line 2
  see "*Send this to shop?*"
  press y
  see '*the server "dev" asks, while dev/order runs*How many?*Answer? \[y\]es, \[n\]o, \[c\]ancel:*'
  press y
  see '*count*>*'
  type_line 3
  see '*count: 3*Send this to shop?*'
  press y
  see '*3 ordered*left with 0*'

  it "$era: a no is a no"
  outer shop/run_plan "'plan:=[{\"tool\":\"dev/order\",\"args\":{}}]'"
  see '*Answer? \[y\]es, \[n\]o, \[c\]ancel:*'
  press n
  see '*not called: dev/order*left with 1*'
done
finish
