// Package server answers questions over HTTP with JSON. efoc serve runs it.
//
// # From a request to a response
//
//	routes.go    checks request id, host and token       -> handler
//	body.go      reads the body, bounded in bytes and time -> AskRequest
//	routes.go    takes a slot among the queries in flight
//	prepare.go   compiles: text, shape, names, cost      -> prepared query
//	scheduler.go bounds the memory of all work, and how much of it takes long at a time
//	queue.go     runs questions of all kinds, alone or as a group of the runtime
//	trace.go     spans of all of these, if tracing is on
//	ask.go       ranking, with this request's names      -> Response
//	routes.go    frees the slot and sends JSON
//
// A Server has one model at a time and can replace it while it answers; it closes the old
// model when its last request is done. Limits bounds everything that a request can make
// grow. openapi.yaml describes the interface, with the fields of requests and responses.
//
// The package knows neither the command line nor where models come from.
package server
