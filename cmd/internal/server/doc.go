// Package server answers questions over HTTP with JSON: what efoc serve runs.
//
//	request --host, limits, token, id--> handler
//	        --lang, compiler-----> prepared query of a shape, for a semantics
//	        --lane---------------> batch of all that wait for that plan
//	        --runtime------------> answers
//
// A Server has one model at a time and can be given another while it answers;
// the old one is closed when its last request is done. Everything that a request
// can make grow is bounded by Limits. openapi.yaml describes the interface.
//
// The package knows neither the command line nor where models come from.
package server
