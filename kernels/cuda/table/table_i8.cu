// The kernels of all shapes, for tables of codes of 8 bits.
#define NUMBER i8
#include "table.cuh"
