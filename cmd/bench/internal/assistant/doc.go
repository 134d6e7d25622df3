// Package assistant measures the answers that an assistant gets from efoc over the Model Context Protocol, and their
// length. Questions are about facts that the model holds back; their true answers are computed
// from all facts, by code of its own.
//
//	go run . mcp ../efoc/world/world.efoc
package assistant
