// Package newrow makes the rows of entities that a model was not trained on, from their
// facts, with all else fixed.
//
// The row x of a new entity minimises what training minimises (see package train), as far
// as x has a part in it. Let r(x, t) be its facts, with r directed, so that every fact
// stands with the new entity at its head; r⁻¹ is the inverse, and E_e, W_r are the rows of
// the model:
//
//	Σ facts        log Σ_e exp⟨x⊗W_r, E_e⟩ − ⟨x⊗W_r, E_t⟩       t, asked for from x
//	             + log(1 + Z_q·exp(−⟨q, x⟩)), q = E_t⊗W_r⁻¹     x, asked for from t
//	             + 2·N3·Σ_k |x_k|³                              the regulariser
//	Σ other facts  log(1 + exp⟨q, x⟩/Z_q), q = E_h⊗W_r⁻¹        x, asked for from others
//
// where Z_q = Σ_e exp⟨q, E_e⟩. The last line keeps a new entity from being everybody's
// answer; it is over the facts of the relations that the new entity has. All is convex in x.
// Sums over entities and over other facts are estimated from a hundred or so, at even
// distances, so that a row takes milliseconds, however many entities there are, and depends
// on the model and the facts alone.
//
//	Solver.Row   the row of one entity
//	Rows         those of all that come with some facts -> model.Grown
//
// The package knows neither files nor queries.
package newrow
