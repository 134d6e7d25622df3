// The kernels of all shapes, for tables of numbers in float32.
#define NUMBER float
#include "table.cuh"
