// Package client asks an efoc server over HTTP. It is generated from the description of the interface, which a
// server has at /openapi.yaml, and imports nothing else of efoc.
//
// NewClientWithResponses makes a client. Each method of it is a request; its response has the field JSON200 if
// the request succeeded, and otherwise JSONDefault, the server's error with the place of a mistake in a query.
// Fields that may be left out are pointers: new(5). WithRequestEditorFn adds the header of a token to requests.
package client

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config generate.yaml ../../internal/server/openapi.yaml
