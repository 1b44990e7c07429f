/* Positions for the names of a picture's points, so that no name covers another one or a point. */
#ifndef BO_REPORT_LABELS_H
#define BO_REPORT_LABELS_H

#include <stdbool.h>
#include <stddef.h>

/* All in pixels, y downwards. */
struct bo_picture_label {
    double x, y;          /* the point */
    double width, height; /* of the text */
    double left, top;     /* result: the text's corner */
    bool away;            /* result: so far from the point that it needs a line to it */
};

/* Something that labels must not cover: a point or a line. */
struct bo_picture_box {
    double left, top, right, bottom;
};

/*
 * Places the labels one after the other, each as near to its point as possible inside the area (0,
 * 0) to (area_width, area_height). The points themselves are squares of `point` pixels; obstacles
 * are everything else in the picture.
 */
void bo_labels_place(struct bo_picture_label *labels, size_t n,
                     const struct bo_picture_box *obstacles, size_t n_obstacles, double point,
                     double area_width, double area_height);

#endif
