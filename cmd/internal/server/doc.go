// Package server answers questions over HTTP with JSON. efoc serve runs it. It assembles:
//
//	limits     bounds of the work for requests
//	problem    errors as clients see them
//	metrics    counters for Prometheus
//	transport  connections, hosts, tokens, bodies, responses; knows no model
//	host       the model in use: open, reload, watch, compile, run; knows no HTTP
//	api        one file for each capability: request, check, answer; imports host and transport
//	web        the page
//
// # From a request to a response
//
//	routes.go            checks token and host          -> handler
//	transport/observe.go id, log, metrics, trace
//	transport/body.go    reads the body, bounded in bytes and time
//	transport/handle.go  takes a slot among the queries in flight
//	api/ask.go           reads the request              -> AskRequest
//	host/prepare.go      compiles: text, shape, names, cost -> Prepared
//	host/scheduler.go    bounds the memory of all work, and how much of it takes long at a time
//	host/queue.go        runs questions of all kinds, alone or as a group of the runtime
//	api/response.go      ranking, with this request's names -> Response
//	transport/respond.go sends JSON
//
// A Server has one model at a time and can replace it while it answers; it closes the old
// model when its last request is done. openapi.yaml describes the interface, with the fields of requests and responses.
//
// The package knows neither the command line nor where models come from.
package server
