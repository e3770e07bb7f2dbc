/* page_first.c - what one sees first: prune or not, where, how sure; see page_parts.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "html.h"
#include "page_parts.h"
#include "sure_text.h"
#include "text_summary.h"

static const char *const word[] = {[SUMMARY_LOW] = "LOW", [SUMMARY_MODERATE] = "MODERATE", [SUMMARY_HIGH] = "HIGH"};
static const char *const range[] = {[SUMMARY_LOW] = "below 10%", [SUMMARY_MODERATE] = "10 to 30%", [SUMMARY_HIGH] = "above 30%"};

static void write_facts(struct outfile *out, const struct plots_profile *p)
{
    const struct archive_facts *f = p->facts;
    outfile_print(out, "<p class=\"facts\">");
    html_text(out, f->architecture);
    outfile_print(out, " &middot; %zu layer%s of %zu neuron%s &middot; %" PRIu64 " prompt%s, %" PRIu64 " tokens &middot; ", p->layers,
                  p->layers == 1 ? "" : "s", p->neurons, p->neurons == 1 ? "" : "s", f->prompts, f->prompts == 1 ? "" : "s",
                  f->tokens);
    html_text(out, f->precision);
    if (p->run->finished) {
        outfile_print(out, " &middot; ");
        html_text(out, p->run->finished);
    }
    outfile_print(out, "</p>\n");
}

static void write_warnings(struct outfile *out, const struct plots_profile *p, const struct summary *s)
{
    if (p->run->partial) {
        outfile_print(out, "<p class=\"warning\" role=\"note\"><strong>Partial:</strong> this is ");
        html_text(out, p->run->partial);
        outfile_print(out, " of a run that went on.</p>\n");
    }
    if (s->nonfinite)
        outfile_print(out, "<p class=\"warning\" role=\"note\"><strong>Not finite:</strong> %" PRIu64 " activations were NaN, infinite or "
                           "beyond 2<sup>24</sup> and are left out of everything below. Treat this profile with care.</p>\n", s->nonfinite);
    if (s->unmeasured)
        outfile_print(out, "<p class=\"warning\" role=\"note\"><strong>Not measured:</strong> %zu of %zu layers have no finite value of "
                           "ffn; averages leave them out.</p>\n", s->unmeasured, p->layers);
}

static bool has_more_than_low(const struct plots_profile *p)
{
    for (size_t l = 0; l < p->layers; l++)
        if (!isnan(p->rows[l].removable) && summary_recommend(p->rows[l].removable) != SUMMARY_LOW)
            return true;
    return false;
}

static const char *answer(const struct plots_profile *p, const struct summary *s)
{
    if (isnan(s->removable))
        return "No answer: nothing finite was measured.";
    switch (s->recommendation) {
    case SUMMARY_LOW:
        return has_more_than_low(p) ? "Hardly as a whole; some layers may be worth trying." : "Hardly: there is little to remove.";
    case SUMMARY_MODERATE:
        return "Perhaps: part of the FFN is idle on these prompts.";
    case SUMMARY_HIGH:
        return "Worth trying: much of the FFN is idle on these prompts.";
    }
    return "";
}

static void write_answer(struct outfile *out, const struct plots_profile *p, const struct summary *s)
{
    outfile_print(out, "<section id=\"verdict\" class=\"first\" aria-labelledby=\"verdict-title\">\n<h2 id=\"verdict-title\">Prune? "
                       "<span class=\"answer\">%s</span></h2>\n", answer(p, s));
    if (isnan(s->removable))
        return;
    outfile_print(out, "<p class=\"potential\"><strong class=\"chip\">%s</strong> pruning potential (%s of neurons)</p>\n",
                  word[s->recommendation], range[s->recommendation]);
    outfile_print(out, "<div class=\"plot\" tabindex=\"0\" role=\"group\" aria-label=\"plot\">");
    plots_verdict(out, false, p);
    outfile_print(out, "</div>\n");
}

static void write_how_much(struct outfile *out, const struct plots_profile *p, const struct summary *s)
{
    const struct sureness_interval x = sureness_of(p->sureness, SURENESS_REMOVABLE, 0, p->layers, sureness_width(p->facts->prompts));
    outfile_print(out, "<div class=\"card\"><h3>How much</h3>\n");
    if (isnan(s->removable)) {
        outfile_print(out, "<p class=\"big\">nan</p></div>\n");
        return;
    }
    outfile_print(out, "<p class=\"big\">%.1f%%</p>\n<p>of the neurons could go%s.", 100.0 * s->removable,
                  s->super_neurons ? "; super neurons stay" : "");
    if (!p->rule && !isnan(x.low))
        outfile_print(out, " Interval: <strong>%.1f%% to %.1f%%</strong>.", 100.0 * x.low, 100.0 * x.high);
    const struct gain_shape shape = gain_text_shape(p->facts);
    const struct gain g = gain_of(&shape, p->rows, GAIN_BYTES_Q4K, GAIN_BLOCK);
    outfile_print(out, "</p>\n<p>Speedup at most: FFN stack <strong>%.2fx</strong>, whole model <strong>%.2fx</strong> (Q4_K, "
                       "generating, widths of 256).</p>\n", s->stack_speedup, gain_speedup(g.model));
    if (!p->rule && p->criteria->combine != CRITERIA_FFN)
        outfile_print(out, "<p>By ffn alone %.1f%% are saturated.</p>\n", 100.0 * s->ffn_saturated);
    outfile_print(out, "</div>\n");
}

/* Layers of one recommendation as ranges: 0-2, 5. Returns how many layers there are. */
static size_t write_ranges(struct outfile *out, const struct plots_profile *p, enum summary_recommendation class)
{
    size_t count = 0;
    for (size_t l = 0; l < p->layers;) {
        size_t end = l;
        while (end < p->layers && !isnan(p->rows[end].removable) && summary_recommend(p->rows[end].removable) == class)
            end++;
        if (end > l)
            outfile_print(out, count ? ", %zu" : "%zu", l);
        if (end > l + 1)
            outfile_print(out, "-%zu", end - 1);
        count += end - l;
        l = end > l ? end : l + 1;
    }
    return count;
}

static void write_where(struct outfile *out, const struct plots_profile *p, const struct summary *s)
{
    size_t most = 0;
    for (size_t l = 1; l < p->layers; l++)
        if (p->rows[l].removable > p->rows[most].removable || isnan(p->rows[most].removable))
            most = l;
    outfile_print(out, "<div class=\"card\"><h3>Where: layers</h3>\n");
    plots_depth_small(out, p);
    outfile_print(out, "<dl class=\"where\">\n");
    for (int class = SUMMARY_HIGH; class >= SUMMARY_LOW; class--) {
        outfile_print(out, "<dt>%s <span>%s</span></dt><dd>", word[class], range[class]);
        if (write_ranges(out, p, (enum summary_recommendation)class) == 0)
            outfile_print(out, "none");
        outfile_print(out, "</dd>\n");
    }
    outfile_print(out, "</dl>\n<p>");
    if (p->rows[most].removable > 0.0)
        outfile_print(out, "Most in layer <strong>%zu</strong>: %.1f%%. ", most, 100.0 * p->rows[most].removable);
    const char *trend = text_summary_interpretation(s);
    if (*trend && s->saturated > 0.0)
        outfile_print(out, "By depth: %s.", trend);
    outfile_print(out, "</p></div>\n");
}

static void write_how_sure(struct outfile *out, const struct plots_profile *p)
{
    char verdict[SURE_TEXT_VERDICT];
    const double z = sureness_width(p->facts->prompts);
    outfile_print(out, "<div class=\"card\"><h3>How sure</h3>\n<p>");
    if (p->rule) {
        outfile_print(out, "Not known for a criterion of your own.</p></div>\n");
        return;
    }
    if (isnan(z)) {
        outfile_print(out, "Not known: it takes at least 2 prompts to see how much they differ.</p></div>\n");
        return;
    }
    if (sure_text_verdict(verdict, sizeof verdict, p->sureness, p->facts->prompts)) {
        outfile_print(out, "<strong>Verdict:</strong> ");
        html_text(out, verdict);
        outfile_print(out, ".</p>\n<p>");
    }
    const size_t undecided = sureness_undecided(p->sureness, z), all = p->layers * p->neurons;
    outfile_print(out, "%.1f%% of the neurons lie within their error of a threshold (%g%% intervals, by how much these %" PRIu64
                       " prompts differ). Prompts of another kind may give something else.</p></div>\n",
                  100.0 * (double)undecided / (double)(all ? all : 1), 100.0 * SURENESS_LEVEL, p->facts->prompts);
}

static void write_next(struct outfile *out, const struct plots_profile *p, const struct summary *s)
{
    outfile_print(out, "<p class=\"next\">");
    if (!isnan(s->removable)) {
        outfile_print(out, "<strong>Next:</strong> ");
        html_text(out, text_summary_next_steps(s->recommendation));
    }
    outfile_print(out, "</p>\n<p class=\"says\">Saturated means ");
    if (p->rule) {
        outfile_print(out, "on these prompts: <code>");
        html_text(out, p->rule);
        outfile_print(out, "</code>");
    } else {
        outfile_print(out, "quiet on these prompts by absolute thresholds, %s", text_summary_combination(p->criteria->combine));
    }
    outfile_print(out, ". Low variance about a mean other than 0 can be folded into a bias, not dropped.</p>\n");
}

const char *page_name(const struct plots_profile *p)
{
    const char *path = p->run->model_file, *slash = path ? strrchr(path, '/') : NULL;
    if (!path || !*path)
        return p->facts->architecture;
    return slash && slash[1] ? slash + 1 : path;
}

void page_first(struct outfile *out, const struct plots_profile *p)
{
    struct summary s;
    summary_of_model(&s, p->rows, p->layers);
    outfile_print(out, "<a class=\"skip\" href=\"#verdict\">To the verdict</a>\n<header>\n<p class=\"kicker\">phi3sat: which FFN neurons are "
                       "idle</p>\n<h1>");
    html_text(out, page_name(p));
    outfile_print(out, "</h1>\n");
    write_facts(out, p);
    outfile_print(out, "</header>\n<main>\n");
    write_warnings(out, p, &s);
    write_answer(out, p, &s);
    outfile_print(out, "<div class=\"cards\">\n");
    write_how_much(out, p, &s);
    write_where(out, p, &s);
    write_how_sure(out, p);
    outfile_print(out, "</div>\n");
    write_next(out, p, &s);
    outfile_print(out, "</section>\n");
}
