// Package drive decides which queries share work. A plan asks, a driver serves: State.Ask is the only point at which
// a plan waits.
//
//	alone       Ask serves the request at once
//	in a batch  Ask yields: the query is a coroutine, which its driver resumes
//
// The driver of a batch, a Driver, works in rounds:
//
//	admit     make coroutines of the queries that have started
//	resume    run all queries that are ready, in parallel, until each waits or has ended
//	exchange  on a part of a split model, if queries wait for numbers of other ranks: make
//	          their exchanges as one
//	serve     otherwise: serve the requests, one call for each type
//
// So a row of the entity table is read once for all queries of a round. If many queries wait, a round serves requests
// of one kind only, and the kinds alternate.
//
// A server suspends work between its steps (package pause): a lone query in Ask and Rest, a batch between its rounds.
// A long query leaves its group, which is never suspended.
//
// The package knows neither plans nor the content of requests.
package drive
