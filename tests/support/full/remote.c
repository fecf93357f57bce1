#include "tests/support/full/remote.h"
#include <stdio.h>
#include <string.h>

void remote_init(struct remote *remote)
{
    *remote = (struct remote){ 0 };
    PEER(&remote->peer, NULL);
    remote->endpoint = mock_endpoint_create(remote->peer.runtime);
    snprintf(remote->url, sizeof remote->url, "%s/mcp", mock_endpoint_url(remote->endpoint));
    remote->peer.config.command = NULL;
    remote->peer.config.url = remote->url;
    remote->peer.config.file = "mcp.json";
}

void remote_finish(struct remote *remote)
{
    mock_endpoint_destroy(remote->endpoint);
    peer_finish(&remote->peer);
}

static const char *member(struct remote *remote, const char *method)
{
    return arena_printf(&remote->peer.arena, "\"method\":\"%s\"", method);
}

void remote_answers(struct remote *remote, const char *method, struct mock_answer answer)
{
    if (!answer.path)
        answer.path = "/mcp";
    if (!answer.type)
        answer.type = REMOTE_JSON;
    if (!answer.body)
        answer.body = "";
    answer.when = member(remote, method);
    mock_endpoint_add(remote->endpoint, answer);
}

void remote_init_modern(struct remote *remote)
{
    remote_init(remote);
    remote_answers(remote, "server/discover", (struct mock_answer){ .body = REMOTE_DISCOVERED });
}

void remote_init_legacy(struct remote *remote, const char *initialized)
{
    remote_init(remote);
    remote_answers(remote, "server/discover",
                   (struct mock_answer){ .status = 404, .type = "text/html", .body = "<p>no" });
    remote_answers(remote, "initialize",
                   (struct mock_answer){ .header = "Mcp-Session-Id: s1\r\n", .body = initialized });
    remote_answers(remote, "notifications/initialized", (struct mock_answer){ .status = 202 });
}

size_t remote_count(const struct remote *remote, const char *words)
{
    const struct mock_request *requests;
    size_t count = 0, n = mock_endpoint_requests(remote->endpoint, &requests);
    for (size_t i = 0; i < n; i++)
        count += strstr(requests[i].head, words) || strstr(requests[i].body, words);
    return count;
}

const char *remote_head_of(const struct remote *remote, const char *method)
{
    const struct mock_request *requests;
    char words[100];
    size_t n = mock_endpoint_requests(remote->endpoint, &requests);
    snprintf(words, sizeof words, "\"method\":\"%s\"", method);
    for (size_t i = 0; i < n; i++)
        if (strstr(requests[i].body, words))
            return requests[i].head;
    return "";
}
