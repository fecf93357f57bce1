/* The ports that a figure draws and leaves its files with, behind the counter of faulty_ports. */
#ifndef TESTS_SUPPORT_FAKES_FAULTY_DRAWING_H
#define TESTS_SUPPORT_FAKES_FAULTY_DRAWING_H

#include "tests/support/fakes/faulty_ports.h"

struct faulty_drawing {
    struct faulty_renderer {
        struct renderer base;
        struct faulty_ports *ports;
        struct renderer *inner;
    } renderer;
    struct faulty_artifacts {
        struct artifacts base;
        struct faulty_ports *ports;
        struct artifacts *inner;
    } artifacts;
};

/* Puts itself between the services and their renderer and artifacts. */
void faulty_drawing_init(struct faulty_drawing *drawing, struct faulty_ports *ports);

#endif
