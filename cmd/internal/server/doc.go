// Package server answers questions over HTTP with JSON. efoc serve runs it. It assembles:
//
//	limits     bounds on the work for requests
//	problem    errors as clients see them
//	metrics    counters for Prometheus
//	transport  connections, hosts, tokens, bodies, responses; knows no model
//	host       the model in use: opens, reloads, watches, compiles, runs; knows no HTTP
//	api        one file per capability: request, check, answer; imports host and transport
//	web        the page
//
// # From a request to a response
//
//	routes.go            checks token and host          -> handler
//	transport/observe.go id, log, metrics
//	transport/body.go    reads the body, bounded in bytes and time
//	transport/handle.go  takes a slot among the queries in flight
//	api/ask.go           reads the request              -> AskRequest
//	host/prepare.go      compiles: text, shape, names, cost -> Prepared
//	host/scheduler.go    bounds the memory of all work, and the number of long jobs at a time
//	host/queue.go        runs questions of all kinds, alone or in a group of the runtime
//	api/response.go      ranking, with this request's names -> Response
//	transport/respond.go sends JSON
//
// A Server has one model at a time and can replace it while answering; it closes the old model when its last request
// is done. openapi.yaml describes the interface, with the fields of requests and responses.
//
// The package knows neither the command line nor the source of models.
package server
