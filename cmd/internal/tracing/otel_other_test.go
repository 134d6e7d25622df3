//go:build !otel

package tracing

const built = false
