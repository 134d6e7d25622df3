// Package driver implements cuda.Driver for an NVIDIA GPU, with the build tag cuda. It uses gorgonia.org/cu;
// ext.go adds missing calls. NVRTC, loaded on demand, compiles kernels that were not compiled ahead of time.
package driver
