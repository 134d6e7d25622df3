// Package driver is a cuda.Driver on an NVIDIA GPU, built with the tag cuda: it uses
// gorgonia.org/cu, and adds what that lacks in ext.go. Kernels that were not
// compiled before are compiled by NVRTC, which is loaded when it is needed.
package driver
