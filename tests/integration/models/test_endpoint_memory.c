
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/data_file.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "endpoints.json"

/* One process after the other with the same folder: each makes a memory, does its steps in a task
 * and goes. A step keeps what is known of a model, or (without `keeps`) asks. */
struct step {
    struct endpoint_key key;
    bool keeps;
    enum model_schema_support support;
};

struct process {
    const char *folder;
    struct uv_runtime *runtime;
    struct step *steps;
    size_t n;
};

static enum err_code take_steps(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct process *process = argument;
    struct endpoint_memory *memory = endpoint_memory_create(process->runtime, process->folder);
    (void)runtime;
    for (size_t i = 0; i < process->n; i++) {
        struct step *step = &process->steps[i];
        if (step->keeps)
            endpoint_memory_put(memory, scope, &step->key, step->support);
        else
            step->support = endpoint_memory_get(memory, &step->key);
    }
    endpoint_memory_destroy(memory);
    return ERR_NONE;
}

static void run(const char *folder, struct step *steps, size_t n)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    struct process process = { folder, uv_runtime_create(), steps, n };
    (void)uv_runtime_run(process.runtime, &scope, take_steps, &process);
    uv_runtime_destroy(process.runtime);
}

static struct endpoint_key key_of(const char *model)
{
    return (struct endpoint_key){ "http://127.0.0.1:8080", "llama-server", model, "b1" };
}

static void keep(const struct data_file *bench, const char *model,
                 enum model_schema_support support)
{
    struct step step = { key_of(model), true, support };
    run(bench->folder, &step, 1);
}

static enum model_schema_support find(const struct data_file *bench, struct endpoint_key key)
{
    struct step step = { key, false, MODEL_SCHEMA_UNKNOWN };
    run(bench->folder, &step, 1);
    return step.support;
}

static int set_up(void **state)
{
    static struct data_file bench;
    bench = data_file_begin();
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    data_file_end(*state);
    return 0;
}

static void asking_leaves_nothing_behind(void **state)
{
    const struct data_file *bench = *state;
    assert_int_equal(find(bench, key_of("a")), MODEL_SCHEMA_UNKNOWN);
    assert_int_not_equal(access(bench->folder, F_OK), 0);
}

static void the_next_process_knows_what_one_kept(void **state)
{
    const struct data_file *bench = *state;
    keep(bench, "a", MODEL_SCHEMA_ENFORCED);
    keep(bench, "b", MODEL_SCHEMA_REFUSED);
    assert_int_equal(find(bench, key_of("a")), MODEL_SCHEMA_ENFORCED);
    assert_int_equal(find(bench, key_of("b")), MODEL_SCHEMA_REFUSED);
    keep(bench, "a", MODEL_SCHEMA_IGNORED);
    assert_int_equal(find(bench, key_of("a")), MODEL_SCHEMA_IGNORED);
}

static void another_server_model_or_version_is_another_question(void **state)
{
    const struct data_file *bench = *state;
    keep(bench, "a", MODEL_SCHEMA_ENFORCED);
    const struct endpoint_key mine = key_of("a");
    struct endpoint_key others[] = { mine, mine, mine, mine };
    others[0].base_url = "http://127.0.0.1:8081";
    others[1].kind = "vllm";
    others[2].model = "b";
    others[3].version = "b2";
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        assert_int_equal(find(bench, others[i]), MODEL_SCHEMA_UNKNOWN);
}

static void only_its_owner_may_read_the_file(void **state)
{
    struct data_file *bench = *state;
    struct stat about;
    keep(bench, "a", MODEL_SCHEMA_ENFORCED);
    assert_int_equal(stat(data_file_path(bench, FILE_NAME), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
}

static void a_file_that_is_none_is_an_empty_one(void **state)
{
    static const char *const texts[] = { "",
                                         "{",
                                         "[]",
                                         "{\"version\":2,\"endpoints\":[]}",
                                         "{\"version\":1,\"endpoints\":{}}",
                                         "{\"version\":1,\"endpoints\":[1,{\"at\":{}}]}" };
    struct data_file *bench = *state;
    keep(bench, "a", MODEL_SCHEMA_ENFORCED);
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        data_file_write(bench, FILE_NAME, texts[i]);
        assert_int_equal(find(bench, key_of("a")), MODEL_SCHEMA_UNKNOWN);
        keep(bench, "a", MODEL_SCHEMA_IGNORED);
        assert_int_equal(find(bench, key_of("a")), MODEL_SCHEMA_IGNORED);
    }
}

static void an_old_answer_does_not_count(void **state)
{
    struct data_file *bench = *state;
    keep(bench, "a", MODEL_SCHEMA_ENFORCED);
    char *text = data_file_read(bench, FILE_NAME), *at = strstr(text, "\"at\": 1");
    assert_non_null(at);
    at[strlen("\"at\": ")] = '9'; /* in the future */
    data_file_write(bench, FILE_NAME, text);
    assert_int_equal(find(bench, key_of("a")), MODEL_SCHEMA_UNKNOWN);
    memset(at + strlen("\"at\": 9"), ' ', strcspn(at + strlen("\"at\": 9"), "\n},"));
    data_file_write(bench, FILE_NAME, text);
    assert_int_equal(find(bench, key_of("a")), MODEL_SCHEMA_UNKNOWN);
}

static void keeps_so_many_models_and_no_more(void **state)
{
    struct data_file *bench = *state;
    static struct step steps[ENDPOINT_MEMORY_MAX_ENTRIES + 1];
    for (size_t i = 0; i <= ENDPOINT_MEMORY_MAX_ENTRIES; i++)
        steps[i] = (struct step){ key_of(arena_printf(&bench->arena, "model %zu", i)), true,
                                  MODEL_SCHEMA_ENFORCED };
    run(bench->folder, steps, ENDPOINT_MEMORY_MAX_ENTRIES);
    assert_int_equal(find(bench, steps[0].key), MODEL_SCHEMA_ENFORCED);
    run(bench->folder, &steps[ENDPOINT_MEMORY_MAX_ENTRIES], 1);
    assert_int_equal(find(bench, steps[0].key), MODEL_SCHEMA_UNKNOWN);
    assert_int_equal(find(bench, steps[1].key), MODEL_SCHEMA_ENFORCED);
    assert_int_equal(find(bench, steps[ENDPOINT_MEMORY_MAX_ENTRIES].key), MODEL_SCHEMA_ENFORCED);
}

static void keeps_no_endless_name(void **state)
{
    const struct data_file *bench = *state;
    static char name[ENDPOINT_MEMORY_MAX_KEY];
    struct endpoint_key key = { "", "", name, "" };
    memset(name, 'n', sizeof name - 1);
    struct step step = { key, true, MODEL_SCHEMA_ENFORCED };
    step.key.kind = "x";
    run(bench->folder, &step, 1);
    assert_int_equal(find(bench, step.key), MODEL_SCHEMA_ENFORCED);
    step.key.kind = "xx";
    run(bench->folder, &step, 1);
    assert_int_equal(find(bench, step.key), MODEL_SCHEMA_UNKNOWN);
}

static void without_a_folder_it_knows_for_one_process(void **state)
{
    (void)state;
    struct step steps[] = { { key_of("a"), true, MODEL_SCHEMA_REFUSED },
                            { key_of("a"), false, MODEL_SCHEMA_UNKNOWN } };
    run(NULL, steps, 2);
    assert_int_equal(steps[1].support, MODEL_SCHEMA_REFUSED);
    run(NULL, &steps[1], 1);
    assert_int_equal(steps[1].support, MODEL_SCHEMA_UNKNOWN);
}

static void an_address_has_one_queue_whoever_asks_there(void **state)
{
    (void)state;
    struct uv_runtime *runtime = uv_runtime_create();
    struct endpoint_memory *memory = endpoint_memory_create(runtime, NULL);

    struct task_lock *first = endpoint_memory_queue(memory, "http://a");

    assert_ptr_not_equal(endpoint_memory_queue(memory, "http://b"), first);
    assert_ptr_equal(endpoint_memory_queue(memory, "http://a"), first);
    endpoint_memory_destroy(memory);
    uv_runtime_destroy(runtime);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(asking_leaves_nothing_behind),
        T(the_next_process_knows_what_one_kept),
        T(another_server_model_or_version_is_another_question),
        T(only_its_owner_may_read_the_file),
        T(a_file_that_is_none_is_an_empty_one),
        T(an_old_answer_does_not_count),
        T(keeps_so_many_models_and_no_more),
        T(keeps_no_endless_name),
        T(without_a_folder_it_knows_for_one_process),
        cmocka_unit_test(an_address_has_one_queue_whoever_asks_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
