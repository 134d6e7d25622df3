// Package server answers questions over HTTP with JSON: what efoc serve runs.
//
// # From a request to a response
//
//	routes.go    request id, host, token            -> handler
//	body.go      body, bounded in bytes and time    -> AskRequest
//	routes.go    a slot among the queries in flight
//	prepare.go   compiler: text, shape, names, cost -> prepared query
//	shared.go    all of message passing, any plans  -> one group on the runtime
//	lane.go      other plans, each by itself        -> batches on the runtime
//	trace.go     spans of all of these, if somebody collects them
//	ask.go       ranking and this request's names   -> AskResponse
//	routes.go    JSON, sent after the slot is free
//
// A Server has one model at a time and can be given another while it answers;
// the old one is closed when its last request is done. Everything that a request
// can make grow is bounded by Limits. openapi.yaml describes the interface, with the
// fields of requests and responses.
//
// The package knows neither the command line nor where models come from.
package server
