#include "application/figure/plot/plot_titles.h"
#include "tests/support/cmocka.h"

static struct plot_spec spec_of(const char *y, enum plot_aggregate aggregate)
{
    return (struct plot_spec){
        .mark = PLOT_LINE, .x = "x", .y = y, .aggregate = aggregate, .x_label = "", .y_label = ""
    };
}

static void reads_as(const char *column, const char *title)
{
    AUTO(arena) arena = { 0 };
    struct plot_spec spec = spec_of(column, PLOT_AGGREGATE_NONE);
    assert_string_equal(plot_y_title(&arena, &spec), title);
}

static void says_a_column_in_words(void **state)
{
    (void)state;
    reads_as("net_migration_per_1000", "Net migration per 1,000");
    reads_as("Sepal.Length", "Sepal Length");
    reads_as("gdp_per_capita", "GDP per capita");
    reads_as("model_size_v1.5", "Model size v1.5");
    reads_as("p95", "P95");
}

static void names_a_unit_that_can_be_nothing_else(void **state)
{
    (void)state;
    reads_as("latency_ms", "Latency (ms)");
    reads_as("mean_temp_c", "Mean temp (°C)");
    reads_as("body_mass_g", "Body mass (g)");
    reads_as("flipper_length_mm", "Flipper length (mm)");
    reads_as("pm25_ug_m3", "Pm25 (µg/m³)");
    reads_as("energy_kWh", "Energy (kWh)");
    reads_as("price_per_kg_eur", "Price per kg (EUR)");
    reads_as("used_memory_mb", "Used memory (MB)");
    reads_as("error_pct", "Error (%)");
}

static void leaves_what_may_mean_several_things_a_word(void **state)
{
    (void)state;
    reads_as("vitamin_c", "Vitamin c");
    reads_as("class_s", "Class s");
    reads_as("revenue_m", "Revenue m");
    reads_as("pressure_mb", "Pressure mb");
    reads_as("temp_min", "Temp min");
    reads_as("cost_per_km", "Cost per km");
    reads_as("requests_per_s", "Requests per s");
    reads_as("loss_of_c", "Loss of c");
    reads_as("hours", "Hours");
}

static void leaves_what_was_written_for_people_as_it_is(void **state)
{
    (void)state;
    reads_as("Umsatz (Mio. EUR)", "Umsatz (Mio. EUR)");
    reads_as("CO2/km", "CO2/km");
    reads_as("x", "x");
    reads_as("pH", "pH");
    reads_as("___", "___");
    reads_as("Höhe_m", "Höhe m");
}

static void says_what_was_done_to_the_values(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_spec mean = spec_of("latency_ms", PLOT_AGGREGATE_MEAN);
    struct plot_spec total = spec_of("rain_mm", PLOT_AGGREGATE_SUM);
    struct plot_spec count = spec_of(NULL, PLOT_AGGREGATE_COUNT);
    assert_string_equal(plot_y_title(&arena, &mean), "Mean of latency (ms)");
    assert_string_equal(plot_y_title(&arena, &total), "Sum of rain (mm)");
    assert_string_equal(plot_y_title(&arena, &count), "Count");
}

static void lets_a_label_win_unless_it_repeats_the_column(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_spec spec = spec_of("latency_ms", PLOT_AGGREGATE_NONE);
    spec.x = "queue_length";
    spec.color = "host_name";
    spec.x_label = "queue";
    spec.y_label = "latency_ms";
    assert_string_equal(plot_x_title(&arena, &spec), "queue");
    assert_string_equal(plot_y_title(&arena, &spec), "Latency (ms)");
    assert_string_equal(plot_series_title(&arena, &spec), "Host name");
    spec.color = NULL;
    assert_string_equal(plot_series_title(&arena, &spec), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_a_column_in_words),
        cmocka_unit_test(names_a_unit_that_can_be_nothing_else),
        cmocka_unit_test(leaves_what_may_mean_several_things_a_word),
        cmocka_unit_test(leaves_what_was_written_for_people_as_it_is),
        cmocka_unit_test(says_what_was_done_to_the_values),
        cmocka_unit_test(lets_a_label_win_unless_it_repeats_the_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
