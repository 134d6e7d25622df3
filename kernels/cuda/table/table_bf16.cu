// The kernels of all shapes, for tables of numbers in bfloat16.
#define NUMBER bf16
#include "table.cuh"
