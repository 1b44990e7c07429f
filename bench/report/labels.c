/* Greedy label placement. */
#include "bench/report/labels.h"

#include <math.h>

static double overlap(struct bo_picture_box a, struct bo_picture_box b)
{
    const double w = fmin(a.right, b.right) - fmax(a.left, b.left);
    const double h = fmin(a.bottom, b.bottom) - fmax(a.top, b.top);
    return w > 0 && h > 0 ? w * h : 0;
}

static struct bo_picture_box label_box(const struct bo_picture_label *label, double left,
                                       double top)
{
    return (struct bo_picture_box){left, top, left + label->width, top + label->height};
}

static struct bo_picture_box point_box(const struct bo_picture_label *label, double point)
{
    return (struct bo_picture_box){label->x - point / 2, label->y - point / 2, label->x + point / 2,
                                   label->y + point / 2};
}

/* The surroundings of a label. */
struct scene {
    const struct bo_picture_label *labels;
    size_t n;
    const struct bo_picture_box *obstacles;
    size_t n_obstacles;
    double point;
    struct bo_picture_box area;
};

/*
 * The area that a position covers of the points, the obstacles and the labels placed before, plus
 * the area outside the frame.
 */
static double conflict(const struct scene *scene, size_t i, struct bo_picture_box box)
{
    const double outside =
        (box.right - box.left) * (box.bottom - box.top) - overlap(box, scene->area);
    double sum = outside > 1e-6 ? 10 * outside : 0;
    for (size_t j = 0; j < scene->n; j++) {
        const struct bo_picture_label *other = &scene->labels[j];
        sum += overlap(box, point_box(other, scene->point));
        if (j < i)
            sum += overlap(box, label_box(other, other->left, other->top));
    }
    for (size_t j = 0; j < scene->n_obstacles; j++)
        sum += overlap(box, scene->obstacles[j]);
    return sum;
}

/*
 * Tries rings around the point, from the nearest: to the right first, then alternately up and down.
 * The text's edge or corner that is nearest to the point lies on the ring.
 */
static void place(const struct scene *scene, struct bo_picture_label *label, size_t i)
{
    enum { DIRECTIONS = 16, RINGS = 24 };
    const double turn = 2 * acos(-1) / DIRECTIONS;
    double least = INFINITY;
    for (int ring = 0; ring < RINGS && least > 0; ring++)
        for (int d = 0; d < DIRECTIONS && least > 0; d++) {
            const double angle = turn * (d % 2 ? -(d + 1) / 2 : d / 2);
            const double radius = scene->point * 0.9 + 6 * ring;
            const double x = label->x + radius * cos(angle), y = label->y + radius * sin(angle);
            const double left = x - label->width * (1 - cos(angle)) / 2;
            const double top = y - label->height * (1 - sin(angle)) / 2;
            const double cost = conflict(scene, i, label_box(label, left, top));
            if (cost < least) {
                least = cost;
                label->left = left;
                label->top = top;
                label->away = ring > 2;
            }
        }
}

void bo_labels_place(struct bo_picture_label *labels, size_t n,
                     const struct bo_picture_box *obstacles, size_t n_obstacles, double point,
                     double area_width, double area_height)
{
    const struct scene scene = {labels,      n,     obstacles,
                                n_obstacles, point, {0, 0, area_width, area_height}};
    for (size_t i = 0; i < n; i++)
        place(&scene, &labels[i], i);
}
