#include "application/figure/plot/plot.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const char rain[] = "city,year,rain,sun\nOslo,2023,3,4\nOslo,2024,5,6\nKyiv,2023,7,8\n";
static const char people[] = "id,sex,height,weight,response_time_ms\n1,f,160,55,10\n2,m,180,80,20\n"
                             "3,f,165,60,15\n";

static const char models[] = "family,parameters,perplexity\na,1000000,90\na,30000000,40\n"
                             "b,5000000,70\nb,70000000000,7.5\n";

static const char *guess(struct arena *arena, const char *table, const char *caption,
                         const char *intent)
{
    struct plot_data data;
    struct plot_spec spec;
    assert_int_equal(plot_table_from_text(arena, table, strlen(table), SIZE_MAX, "t", &data, NULL),
                     ERR_NONE);
    if (!plot_spec_guess(arena, &data, caption, intent, &spec))
        return "nothing";
    static const char *const aggregates[] = { "", " sum", " mean", " count" };
    return arena_printf(arena, "%s %s/%s/%s%s%s%s%s", plot_mark_name(spec.mark), spec.x,
                        spec.y ? spec.y : "", spec.color ? spec.color : "",
                        aggregates[spec.aggregate], spec.sorted ? " sorted" : "",
                        spec.log_x ? " log x" : "", spec.log_y ? " log y" : "");
}

static const struct {
    const char *table, *caption, *intent, *spec;
} guesses[] = {
    { rain, "Rain over the years by city", "", "line year/rain/city" },
    { rain, "Sunshine", "sun in each year", "line year/sun/city" },
    { rain, "Total rain per city, ranked", "", "bar city/rain/ sum sorted" },
    { rain, "Average rain in each city", "", "bar city/rain/ mean" },
    { rain, "Rain in each city", "", "bar city/rain/ mean" },
    { rain, "Number of records per city", "", "bar city// count" },
    { rain, "Stacked area of rain", "", "area year/rain/city" },
    { rain, "A bar chart of the rain by year", "", "bar year/rain/ mean" },
    { rain, "Daily rain of two stations", "", "line year/rain/city" },
    { rain, "Rain of two stations", "the seasonal course", "line year/rain/city" },
    { people, "Annual weight by sex", "from the log over all", "bar sex/weight/ mean" },
    { rain, "Rank the city by rain", "", "bar city/rain/ mean sorted" },
    { models, "Perplexity falls with the number of parameters", "",
      "point parameters/perplexity/family log x" },
    { models, "Perplexity over parameters", "", "point parameters/perplexity/family log x" },
    { people, "Distributions of the weight by sex", "", "box sex/weight/" },
    { "v\n1\n2\n", "Distributions of v", "", "histogram v//" },
    { models, "Perplexity against parameters, log scale", "",
      "point parameters/perplexity/family log x" },
    { models, "Perplexity against parameters", "a log-log plot",
      "point parameters/perplexity/family log x log y" },
    { models, "Mean perplexity by family on a logarithmic scale", "",
      "bar family/perplexity/ mean" },
    { "year,v\n1,0\n2,5\n", "A line of v, logarithmic", "", "line year/v/" },
    { "year,v\n1,2\n2,5\n", "A line of v, logarithmic", "", "line year/v/ log y" },
    { "step,train_loss,run\n1,2,a\n2,1,a\n1,3,b\n2,2,b\n", "Stacked area of the loss", "",
      "line step/train_loss/run" },
    { "time_step,v\n1,2\n2,5\n", "How it went", "", "line time_step/v/" },
    { rain, "A bar chart of rain by year and city", "", "bar year/rain/city" },
    { rain, "A bar chart of rain by city and year", "", "bar city/rain/ mean" },
    { rain, "Mean rain over the years by city", "", "line year/rain/city" },
    { people, "Weight against height", "", "point height/weight/sex" },
    { people, "Weight as a function of height", "", "point height/weight/sex" },
    { people, "Height as a function of weight", "", "point weight/height/sex" },
    { people, "Weight and height", "scatter plot", "point height/weight/sex" },
    { people, "Distribution of the response time", "", "histogram response_time_ms//" },
    { "answer_kb,reply_ms\n1,2\n3,4\n", "A histogram of answer times", "", "histogram reply_ms//" },
    { "who,old_power_kw,power_use_kw\na,1,2\nb,3,4\n", "Power use", "", "bar who/power_use_kw/" },
    { "mass,v\n1,2\n3,4\n", "A histogram of v", "", "histogram v//" },
    { people, "Histogram of height by sex", "", "histogram height//sex" },
    { people, "Spread of weight by sex", "", "box sex/weight/" },
    { people, "People", "", "bar sex/height/ mean" },
    { "a,b\n1,2\n3,4\n", "Numbers", "", "point a/b/" },
    { rain, "How the cities change", "", "line year/rain/city" },
    { rain, "Compare the cities", "", "bar city/rain/ mean sorted" },
    { "p,ms\na,1\na,3\nb,2000\nb,1000\n", "Spread of ms by p", "", "box p/ms/ log y" },
    { "p,ms\na,1\na,3\nb,200\nb,900\n", "Spread of ms by p", "", "box p/ms/" },
    { "v\n1\n2\n", "A column", "as a line", "histogram v//" },
    { "year\n2023\n2024\n", "Years", "", "bar year// count" },
    { "t\nred\nred\nblue\n", "Colours", "", "bar t// count" },
    { "day,v\n2026-01-01,1\n2026-01-01,3\n", "Values", "", "line day/v/ mean" },
};

static void goes_by_the_words_and_the_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
        AUTO(arena) arena = { 0 };
        const char *spec = guess(&arena, guesses[i].table, guesses[i].caption, guesses[i].intent);
        if (strcmp(spec, guesses[i].spec) != 0)
            fail_msg("%s: %s, and not %s", guesses[i].caption, spec, guesses[i].spec);
    }
}

static const char *faults(struct arena *arena, const char *table, const char *caption,
                          const char *intent, const char *mark)
{
    struct plot_data data;
    struct plot_spec spec;
    struct figure_findings findings = { .arena = arena };
    assert_int_equal(plot_table_from_text(arena, table, strlen(table), SIZE_MAX, "t", &data, NULL),
                     ERR_NONE);
    assert_true(plot_spec_guess(arena, &data, caption, intent, &spec));
    if (strcmp(mark, plot_mark_name(spec.mark)) != 0)
        return plot_mark_name(spec.mark);
    find_plot_faults(&findings, &data, caption, intent, &spec, true);
    const char *said = "";
    for (size_t i = 0; i < findings.n; i++)
        said = arena_printf(arena, "%s%s%s", said, *said ? "; " : "", findings.list[i].message);
    return said;
}

static void says_what_was_asked_for_and_is_not_drawn(void **state)
{
    (void)state;
    static const char loss[] = "step,loss,run\n1,2,a\n2,1,a\n1,3,b\n2,2,b\n";
    static const char lots[] = "city,area_km2,year\nOslo,3,2023\nRome,5,2024\n";
    static const struct {
        const char *table, *caption, *intent, *mark, *said;
    } cases[] = {
        { loss, "Stacked area of the losses over the steps", "", "line",
          "\"stacked area\" is asked for and \"line\" is drawn: areas of several series stand on "
          "each "
          "other, and \"loss\" has no sum" },
        { loss, "The loss over the steps", "stacked", "line",
          "\"stacked area\" is asked for and \"line\" is drawn: areas of several series stand on "
          "each "
          "other, and \"loss\" has no sum" },
        { loss, "A line of the loss over the steps", "", "line", "" },
        { rain, "Pie chart of the rain by city", "", "bar",
          "\"pie chart\" is asked for and \"bar\" is drawn: there is no such plot" },
        { rain, "A heatmap of the rain by city and year", "", "bar",
          "\"heat map\" is asked for and \"bar\" is drawn: there is no such plot" },
        { rain, "Stacked bars of the rain by year and city", "", "bar",
          "\"stacked bar\" is asked for and \"bar\" is drawn: there is no such plot" },
        { people, "A violin plot of weight by sex", "", "box",
          "\"violin plot\" is asked for and \"box\" is drawn: there is no such plot" },
        { "v\n1\n2\n", "Box plot of v", "", "histogram",
          "\"box plot\" is asked for and \"histogram\" is drawn: the data have no columns for it" },
        { "v\n1\n2\n", "Scatter plot of v", "", "histogram",
          "\"scatter plot\" is asked for and \"histogram\" is drawn: the data have no columns for "
          "it" },
        { "t\nred\nred\nblue\n", "Histogram of t", "", "bar",
          "\"histogram\" is asked for and \"bar\" is drawn: the data have no columns for it" },
        { rain, "Rain by city, compared", "the spread of it", "box", "" },
        { lots, "Area of each city", "", "bar", "" },
        { lots, "Metropolis", "", "line", "neither caption nor intent names \"area_km2\"" },
        { people, "The persons by sex", "", "bar", "neither caption nor intent names \"height\"" },
        { "country,temp_c\nA,1\nB,2\n", "Temperatures in all countries", "", "bar", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(arena) arena = { 0 };
        const char *said =
            faults(&arena, cases[i].table, cases[i].caption, cases[i].intent, cases[i].mark);
        if (strcmp(said, cases[i].said) != 0)
            fail_msg("%s: %s, and not %s", cases[i].caption, said, cases[i].said);
    }
}

static void says_that_a_model_chose_another_plot_than_was_asked_for(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct plot_data data;
    const struct plot_spec bars = { .mark = PLOT_BAR, .x = "city", .y = "sun" };
    assert_int_equal(plot_table_from_text(&arena, rain, strlen(rain), SIZE_MAX, "t", &data, NULL),
                     ERR_NONE);

    find_plot_faults(&findings, &data, "Rain of the cities", "box plot", &bars, false);

    assert_int_equal(findings.n, 1);
    assert_string_equal(findings.list[0].rule, "mark_replaced");
    assert_string_equal(findings.list[0].message, "\"box plot\" is asked for and \"bar\" is drawn");
    assert_false(findings.list[0].is_critical);
}

static void finds_nothing_where_nothing_can_be_drawn(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *table = "name\n";
    for (int i = 0; i < 31; i++)
        table = arena_printf(&arena, "%sn%d\n", table, i);

    assert_string_equal(guess(&arena, table, "Names", ""), "nothing");
    assert_string_equal(guess(&arena, "a,b\n,\n,\n", "Nothing", ""), "nothing");
}

static void heeds_what_the_words_ask_for_beside_the_columns(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;
    struct plot_spec bars = {
        .mark = PLOT_BAR, .x = "city", .y = "rain", .x_label = "", .y_label = ""
    };
    struct plot_spec years = bars, points = bars, plain = bars, line = bars;
    years.x = "year";
    points.mark = line.mark = PLOT_LINE;
    assert_int_equal(plot_table_from_text(&arena, rain, strlen(rain), SIZE_MAX, "t", &data, NULL),
                     ERR_NONE);

    plot_spec_heed(&arena, &data, "Cities ranked by rain", "", &bars);
    plot_spec_heed(&arena, &data, "Years ranked by rain", "", &years);
    plot_spec_heed(&arena, &data, "Cities", "a ranking", &points);
    plot_spec_heed(&arena, &data, "Frankly, cities", "", &plain);

    plot_spec_heed(&arena, &data, "Rain of cities", "on a log scale", &line);
    plot_spec_heed(&arena, &data, "Rain of cities on a log scale", "", &bars);

    assert_true(bars.sorted && !bars.log_y && line.log_y);
    assert_false(years.sorted || points.sorted || plain.sorted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_by_the_words_and_the_columns),
        cmocka_unit_test(says_what_was_asked_for_and_is_not_drawn),
        cmocka_unit_test(says_that_a_model_chose_another_plot_than_was_asked_for),
        cmocka_unit_test(finds_nothing_where_nothing_can_be_drawn),
        cmocka_unit_test(heeds_what_the_words_ask_for_beside_the_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
