/* The object graphs that benchmarks send: a list, a road map, a tree. Every implementation makes the same ones. */
#ifndef RANKINE_GRAPHS_H
#define RANKINE_GRAPHS_H

#include <stdlib.h>
#include <string.h>

/* A list whose elements own their data: 4096 bytes together. */
struct element { struct element *next; int n; char *data; };
enum { LIST_BYTES = 4096 };

/* Towns and the roads that lead out of them, up to four. */
struct road { int length; struct town *to; };
struct town { int id; double x, y; struct road *roads[4]; };

/* The map that holds all towns. */
struct map { int n; struct town **towns; };

struct leaf { double value; struct leaf *left, *right; };

/* Roads that lead out of a town, so that 10, 100 and 500 towns have 19, 255 and 1260: with the towns 29, 355 and 1760
 * objects. */
static inline int roads_of(int town, int towns) {
    int roads = towns == 10 ? 19 : towns == 100 ? 255 : 1260;
    return (town + 1) * roads / towns - town * roads / towns;
}

static inline int road_to(int town, int road, int towns) {
    unsigned mixed = (unsigned)town * 2654435761u + (unsigned)road * 40503u;
    return (int)((mixed >> 8) % (unsigned)towns);
}

static inline int bytes_of(int element, int elements) {
    return (int)((long)(element + 1) * LIST_BYTES / elements - (long)element * LIST_BYTES / elements);
}

/* Where objects come from: malloc, or a cluster. */
typedef void *allocate_function(size_t bytes);

static inline struct element *make_list(int elements, allocate_function *allocate) {
    struct element *first = NULL, **last = &first;
    for (int i = 0; i < elements; i++) {
        struct element *element = allocate(sizeof *element);
        element->n = bytes_of(i, elements);
        element->data = element->n ? allocate((size_t)element->n) : NULL;
        if (element->data) memset(element->data, i, (size_t)element->n);
        element->next = NULL;
        *last = element;
        last = &element->next;
    }
    return first;
}

static inline void free_list(struct element *list) {
    while (list) {
        struct element *next = list->next;
        free(list->data);
        free(list);
        list = next;
    }
}

static inline struct map *make_map(int towns, allocate_function *allocate) {
    struct map *map = allocate(sizeof *map);
    map->n = towns;
    map->towns = allocate((size_t)towns * sizeof *map->towns);
    for (int i = 0; i < towns; i++) map->towns[i] = allocate(sizeof **map->towns);
    for (int i = 0; i < towns; i++) {
        struct town *town = map->towns[i];
        *town = (struct town){i, i * 0.5, i * 0.25, {NULL}};
        for (int j = 0; j < roads_of(i, towns); j++) {
            town->roads[j] = allocate(sizeof(struct road));
            *town->roads[j] = (struct road){i + j, map->towns[road_to(i, j, towns)]};
        }
    }
    return map;
}

static inline void free_map(struct map *map) {
    for (int i = 0; i < map->n; i++) {
        for (int j = 0; j < 4; j++) free(map->towns[i]->roads[j]);
        free(map->towns[i]);
    }
    free(map->towns);
    free(map);
}

/* A binary tree that is as flat as can be. */
static inline struct leaf *make_tree(int first, int nodes, allocate_function *allocate) {
    if (first > nodes) return NULL;
    struct leaf *leaf = allocate(sizeof *leaf);
    leaf->value = first;
    leaf->left = make_tree(2 * first, nodes, allocate);
    leaf->right = make_tree(2 * first + 1, nodes, allocate);
    return leaf;
}

static inline void free_tree(struct leaf *tree) {
    if (!tree) return;
    free_tree(tree->left);
    free_tree(tree->right);
    free(tree);
}

/* What is measured: for each kind, its sizes and how many objects they make. */
static const int list_sizes[] = {1, 8, 64, 512, 1024, 2048, 4096, 8192};
static const int map_sizes[] = {10, 100, 500};
static const int tree_sizes[] = {1000};

#endif
