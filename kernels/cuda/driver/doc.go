// Package driver is a cuda.Driver on an NVIDIA GPU, built with the tag cuda. It uses
// gorgonia.org/cu; ext.go adds what that lacks. NVRTC, loaded on demand, compiles kernels that
// were not compiled ahead of time.
package driver
