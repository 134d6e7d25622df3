// Package drive decides which queries meet. A plan asks, a driver provides: State.Ask is the only
// point at which a plan waits.
//
//	alone       Ask serves the request at once
//	in a batch  Ask yields: the query is a coroutine, which its driver resumes
//
// The driver of a batch, a Driver, works in rounds:
//
//	admit     make coroutines of the queries that have started
//	resume    let all queries that can go on run until each waits or has ended, in parallel
//	exchange  on a part of a split model, if queries wait for numbers of other ranks: make all of
//	          these exchanges as one
//	serve     otherwise: serve the requests, one call for each type
//
// So a row of the entity table is read once for all queries of a round. Where many queries wait,
// a round serves requests of one kind only, and the kinds take turns.
//
// A server holds work up between its steps (package pause): a query that runs alone in Ask and Rest, a
// batch between its rounds. A query that takes long leaves a group, which nobody holds up.
//
// The package knows neither plans nor what requests ask for.
package drive
