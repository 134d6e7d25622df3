//go:build !race

package query

const racing = false
